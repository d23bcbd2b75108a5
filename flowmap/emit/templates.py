"""The files of an emitted package: folders of templates laid over one another, plain files copied, `.jinja` rendered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError, UndefinedError
from jinja2.sandbox import SandboxedEnvironment

from flowmap.model.emit import EmittedFile, Recipe, RecipeStrategy, RecipeVariant
from flowmap.model.place import Place
from flowmap.model.problem import FlowmapError, Problem
from flowmap.query.files import QueryFile
from flowmap.query.page import twice

ENDING = ".jinja"
OWN = Path(__file__).with_name("templates")  # of every emitted package: the binding, and the check of it
PACKAGE_HERE = "__package__"  # in a path: the name of the emitted package
_WIDTH = 120  # of a line of an emitted file
_N_PLACES = 4
_NOT_OURS = ("__pycache__",)  # beside what begins with a dot: what tools leave behind
_FAILS = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)  # what a computation may end with


@dataclass(frozen=True, slots=True)
class Template:
    """A file that is copied, or rendered where `is_rendered`. `path`: where it goes; `shown`: as messages name it."""

    path: str
    shown: str
    place: Path
    is_rendered: bool


def templates_of(
    recipe: Recipe, strategy: RecipeStrategy, variant: RecipeVariant | None, file: QueryFile
) -> tuple[Template, ...]:
    """The templates of a strategy and a variant by where they go, sorted: in folders beside the recipe, in a folder of its name.

    Errors: FlowmapError when one of them is not there, or is empty, or nothing is left out by a pattern of what is to be.
    """
    beside = file.path.with_suffix("")
    problems: list[Problem] = []
    found: dict[str, Template] = {}
    for folder in (OWN, *(beside / name for name in (*strategy.templates, *(variant.templates if variant else ())))):
        shown = "flowmap" if folder == OWN else f"{Path(file.shown).with_suffix('').as_posix()}/{folder.name}"
        inside = tuple(_in(folder, shown, recipe.package))
        here = {template.path: template for template in inside}
        for path in twice([template.path for template in inside]):
            problems.append(Problem(f"{shown}/{path}", "is there twice, plain and as a template", "Remove one of them."))
        if not here:
            what = "holds no template" if folder.is_dir() else "there is no such folder"
            problems.append(Problem(shown, what, f"Put the files of the package there, or correct `templates` in {file.shown}."))
        found |= here
    for pattern in strategy.leaves_out:
        if not any(fnmatchcase(path, pattern) for path in found):
            problems.append(Problem(file.shown, f"leaves out {pattern}: no file is called so", "Correct `leaves_out`."))
    if problems:
        raise FlowmapError(*problems)
    kept = (path for path in sorted(found) if not any(fnmatchcase(path, pattern) for pattern in strategy.leaves_out))
    return tuple(found[path] for path in kept)


def _in(folder: Path, shown: str, package: str) -> Iterator[Template]:
    for place in sorted(folder.rglob("*")):
        below = place.relative_to(folder)
        if place.is_file() and not any(part in _NOT_OURS or part.startswith(".") for part in below.parts):
            text = below.as_posix()
            path = text.removesuffix(ENDING).replace(PACKAGE_HERE, package)
            yield Template(path, f"{shown}/{text}", place, text.endswith(ENDING))


def rendered(templates: Iterable[Template], context: Mapping[str, object]) -> tuple[EmittedFile, ...]:
    """The files that templates give.

    Errors: FlowmapError with every template that cannot be rendered.
    """
    environment = SandboxedEnvironment(
        undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    environment.filters |= {"literal": literal, "cell": cell, "places": places}
    problems: list[Problem] = []
    files: list[EmittedFile] = []
    for template in templates:
        try:
            files.append(EmittedFile(template.path, _content(environment, template, context)))
        except TemplateError as error:
            problems.append(_wrong(template, error, context))
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            problems.append(Problem(template.shown, f"cannot be read: {reason}"))
        except _FAILS as error:
            where = f"{template.shown}:{_line(error)}" if _line(error) else template.shown
            problems.append(Problem(where, f"cannot be rendered: {error}", "Correct the template."))
    if problems:
        raise FlowmapError(*problems)
    return tuple(files)


def literal(value: object, indent: int = 0, key: str = "") -> str:
    """A text, or a list of texts, as a literal of Python between double quotes; a filter of templates.

    With an indent, that of the line, and the keyword in front of it, what is longer than a line is spread over several.
    """
    room = _WIDTH - indent - len(key) - len("=,")
    if isinstance(value, tuple):
        return _list(tuple(map(str, value)), indent, room)
    text = str(value)
    quoted = json.dumps(text, ensure_ascii=False)
    if not indent or len(quoted) <= room:
        return quoted
    inner = " " * (indent + 4)
    lines = [""]
    for word in re.findall(r"\s*\S+\s*$|\s*\S+", text):
        if lines[-1] and len(json.dumps(lines[-1] + word, ensure_ascii=False)) + len(inner) > _WIDTH:
            lines.append("")
        lines[-1] += word
    body = "".join(f"{inner}{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    return f"(\n{body}{' ' * indent})"


def cell(value: object) -> str:
    """A text in a table of Markdown."""
    return " ".join(str(value).replace("|", "\\|").split())


def places(found: Sequence[Place]) -> str:
    """Places in a table of Markdown, the first few of many."""
    more = [f"and {len(found) - _N_PLACES} more"] if len(found) > _N_PLACES else []
    return ", ".join((*(f"`{place}`" for place in found[:_N_PLACES]), *more))


def _list(values: tuple[str, ...], indent: int, room: int) -> str:
    """Texts as a tuple, on one line where that is short enough."""
    quoted = [json.dumps(value, ensure_ascii=False) for value in values]
    flat = f"({', '.join(quoted)}{',' if len(quoted) == 1 else ''})"
    if not indent or len(flat) <= room:
        return flat
    inner = " " * (indent + 4)
    return "(\n" + "".join(f"{inner}{literal(value, indent + 4)},\n" for value in values) + " " * indent + ")"


def _content(environment: SandboxedEnvironment, template: Template, context: Mapping[str, object]) -> bytes:
    content = template.place.read_bytes()
    if not template.is_rendered:
        return content
    return environment.from_string(content.decode("utf-8")).render(context).encode("utf-8")


def _wrong(template: Template, error: TemplateError, context: Mapping[str, object]) -> Problem:
    where = f"{template.shown}:{_line(error)}" if _line(error) else template.shown
    if isinstance(error, UndefinedError):
        known = ", ".join(sorted(context))
        return Problem(where, f"names what is not bound in this release: {error.message}", f"Known here: {known}.")
    return Problem(where, f"cannot be rendered: {error.message}", "Correct the template.")


def _line(error: BaseException) -> int:
    """The line of a template on which it went wrong, 0 where that is not known: the innermost one that Jinja compiled."""
    if isinstance(error, TemplateSyntaxError):
        return error.lineno
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
