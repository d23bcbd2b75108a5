"""A recipe for the loop of the tests about hooks: a package that leaves out drafts, small enough to know every right answer."""

from __future__ import annotations

from pathlib import Path

from tests.hooks.programs import PROGRAM, QUESTION

RECIPE = """\
about = "loop"
what = "Leaves out drafts by the step."
package = "quiet_drafts"
hooks = "quiet"
written_for = "1.0"

[[variant]]
name = "whole-step"
what = "The whole step is replaced."
hook = "Worker.step"

[[variant]]
name = "no-draft"
what = "The draft alone is replaced."
hook = "Worker.draft"

[[release]]
until = "1.9"
what = "A patch of the worker."
templates = ["package"]
variants = ["whole-step", "no-draft"]

[[release]]
since = "2.0"
until = "2.9"
what = "Settings for the loop's own switch."
templates = ["settings"]
uncovered = ["the length of the queue"]

[[release]]
since = "3.0"
what = "Nothing."
refuses = "Version 3 has no drafts."

[[anchor]]
name = "step"
definition = "Worker.step"
parameters = ["self", "batch"]
why = "An off step stands in for it."
until = "1.9"

[[anchor]]
name = "worker"
definition = "loop.Worker"
pin = "signature"
why = "Its step is replaced."

[[anchor]]
name = "accepted"
field = "Result.accepted"
why = "Lengths of one, on an off step."

[[anchor]]
name = "launch"
call = "Worker.step"
in = "Loop.run"
why = "Every step enters there."
until = "1.9"

[[obligation]]
of = ["result Result.*", "result State.*", "timing *"]
by = "hook.off_step"
how = "Made anew."

[[obligation]]
of = ["ranks *"]
limit = "one rank alone: a second one would wait for ever"

[[obligation]]
of = ["*"]
by = "hook.off_step"
how = "As the step does."
"""

HOOK = '''\
"""Stands in for `{{ step.path }}` ({{ step.at }})."""

from __future__ import annotations

from typing import Any


def off_step(self: Any, batch: Any) -> Any:
    """{{ step.name }}{{ step.signature }} of {{ worker.symbol }}: {{ variant }}."""
    return self.make("{{ accepted.name }}", batch)
'''

PYPROJECT = """\
[project]
name = "quiet-drafts"
version = "0.1.0"
requires-python = ">=3.11"

[tool.ruff]
line-length = 120

[tool.mypy]
strict = true
"""

TEMPLATES = {
    "package/quiet_drafts/__init__.py": '"""Leaves out drafts."""\n',
    "package/quiet_drafts/hook.py.jinja": HOOK,
    "package/pyproject.toml": PYPROJECT,
    "settings/loop.json.jinja": '{"worker": "{{ worker.symbol }}", "release": "{{ release }}"}\n',
}


def lay_out(folder: Path, recipe: str = RECIPE) -> Path:
    """The loop with a question about hooks and a recipe of its own, where a user stands."""
    files = {
        **{f"loop/{name}": text for name, text in PROGRAM.items()},
        "flowmap.toml": 'source = "loop"\n',
        "queries/hooks/quiet.toml": QUESTION,
        "queries/emit/quiet.toml": recipe,
        **{f"queries/emit/quiet/{name}": text for name, text in TEMPLATES.items()},
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
