"""`flowmap drift` follows a name through releases, here folders: what was moved, renamed, split, gone, back, or in doubt."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command

RESOLVE = """\
    def {name}(self, batch, result):
        accepted = result.{field}.tolist()
        stride = self.draft_worker.num_draft_tokens
        tokens = []
        for i, req in enumerate(batch.reqs):
            tokens.append(result.next_token_ids[i * stride : i * stride + accepted[i]])
            req.spec_verify_ct += 1
        return tokens
"""
RESULT = "class Result:\n    {field}: int = 0\n    next_token_ids: list = ()\n"
USERS = "def show(result):\n    print(result.{field})\ndef make(n):\n    return Result({field}=n)\n"

Drift = Callable[..., dict[str, Any]]


@pytest.fixture
def line(tmp_path: Path) -> str:
    """Four releases: in the second a method is renamed, in the third its mixin is a component, in the fourth it is gone."""
    texts = [
        {"mixin.py": "class Mixin:\n" + RESOLVE.format(name="resolve_ids", field="n_tokens"), "field": "n_tokens"},
        {"mixin.py": "class Mixin:\n" + RESOLVE.format(name="resolve_tokens", field="n_drafts"), "field": "n_drafts"},
        {"part.py": "class Resolver:\n" + RESOLVE.format(name="resolve_all", field="n_drafts"), "field": "n_drafts"},
        {"part.py": "class Other:\n    pass\n", "field": "n_drafts"},
    ]
    for number, release in enumerate(texts, start=1):
        field = release.pop("field")
        release["result.py"] = RESULT.format(field=field) + USERS.format(field=field)
        put(tmp_path / f"v{number}", release)
    return ",".join(str(tmp_path / f"v{number}") for number in range(1, 5))


def put(folder: Path, texts: dict[str, str]) -> Path:
    """A release: a folder with a package."""
    package = folder / "app"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    for name, text in texts.items():
        (package / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def drift(tmp_path: Path, flowmap: Command) -> Drift:
    """Asks, and gives back the record."""

    def asked(name: str, *options: str, code: int = 0) -> dict[str, Any]:
        done = flowmap(
            "drift",
            name,
            *options,
            "--format",
            "json",
            "--quiet",
            code=code,
            FLOWMAP_CACHE=str(tmp_path / "cache"),
            FLOWMAP_SOURCE="",
        )
        answer: dict[str, dict[str, Any]] = json.loads(done.stdout)
        return answer.get("record", answer)

    return asked


def rows(thing: dict[str, Any]) -> list[tuple[str, str]]:
    """What happened in each release, and the last two parts of the symbol."""
    return [(row["fate"], ".".join(row["symbol"].split(".")[-2:])) for row in thing["releases"]]


@pytest.mark.parametrize("name", ["resolve_ids", "Mixin.resolve_tokens", "app.part.Resolver.resolve_all"])
def test_any_name_that_a_thing_had_leads_to_all_of_it(line: str, drift: Drift, name: str) -> None:
    """Forth and back, through a rename, a move with a rename, and to its end."""
    (thing,) = drift(name, "--across", line)["things"]
    assert rows(thing) == [
        ("first looked at", "Mixin.resolve_ids"),
        ("renamed", "Mixin.resolve_tokens"),
        ("moved and renamed", "Resolver.resolve_all"),
        ("gone", ""),
    ]


def test_a_field_is_followed_by_its_users(line: str, drift: Drift) -> None:
    """The new name came to those that the old one left."""
    (thing,) = drift("Result.n_drafts", "--across", line)["things"]
    assert rows(thing) == [
        ("first looked at", "Result.n_tokens"),
        ("renamed", "Result.n_drafts"),
        *[("same", "Result.n_drafts")] * 2,
    ]


def test_places_are_those_of_each_release(line: str, drift: Drift) -> None:
    """File and line; nowhere when it is gone."""
    (thing,) = drift("resolve_ids", "--across", line)["things"]
    assert [(row["file"], row["line"]) for row in thing["releases"]] == [
        ("app/mixin.py", 2),
        ("app/mixin.py", 2),
        ("app/part.py", 2),
        ("", 0),
    ]


def test_gone_and_back(tmp_path: Path, drift: Drift) -> None:
    """What has the same symbol again is the same thing."""
    there, gone = {"a.py": "def f():\n    return work(1)\n"}, {"a.py": "X = 1\n"}
    line = [str(put(tmp_path / f"v{n}", texts)) for n, texts in enumerate((there, gone, gone, there))]
    (thing,) = drift("f", "--across", ",".join(line))["things"]
    assert [row["fate"] for row in thing["releases"]] == ["first looked at", "gone", "absent", "back"]


def test_a_new_signature_is_told_and_a_new_body_apart(tmp_path: Path, drift: Drift) -> None:
    """One release changed the one, the next the other."""
    bodies = ["def f(a):\n    return a\n", "def f(a, b=1):\n    return a\n", "def f(a, b=1):\n    return a + b\n"]
    line = [str(put(tmp_path / f"v{n}", {"a.py": text})) for n, text in enumerate(bodies)]
    (thing,) = drift("f", "--across", ",".join(line))["things"]
    assert [(row["has_new_signature"], row["has_new_body"]) for row in thing["releases"]] == [
        (False, False),
        (True, False),
        (False, True),
    ]


def test_two_that_are_alike_are_said_to_be_in_doubt(tmp_path: Path, drift: Drift) -> None:
    """None is followed."""
    body = RESOLVE.format(name="NAME", field="n")
    before = {"a.py": "class S:\n" + body.replace("NAME", "resolve")}
    after = {"b.py": "class A:\n" + body.replace("NAME", "first"), "c.py": "class B:\n" + body.replace("NAME", "other")}
    line = [str(put(tmp_path / f"v{n}", texts)) for n, texts in enumerate((before, after))]
    (thing,) = drift("S.resolve", "--across", ",".join(line))["things"]
    assert thing["releases"][1]["fate"] == "in doubt"
    assert thing["releases"][1]["perhaps"] == ["app.b.A.first", "app.c.B.other"]


def test_a_class_says_which_members_came_and_left(tmp_path: Path, drift: Drift) -> None:
    """Methods and fields."""
    texts = ["class C(Base):\n    a: int\n    def m(self): ...\n", "class C:\n    b: int\n    def m(self): ...\n"]
    line = [str(put(tmp_path / f"v{n}", {"a.py": text})) for n, text in enumerate(texts)]
    (thing,) = drift("C", "--across", ",".join(line))["things"]
    assert (thing["releases"][1]["came"], thing["releases"][1]["left"]) == (["b"], ["a"])
    assert [row["signature"] for row in thing["releases"]] == ["(Base)", "()"]


def test_the_text_is_a_table_with_three_lines_on_top(line: str, tmp_path: Path, flowmap: Command) -> None:
    """Readable at 80 columns."""
    done = flowmap("drift", "resolve_all", "--across", line, "--quiet", COLUMNS="80", FLOWMAP_CACHE=str(tmp_path / "cache"))
    text = done.stdout
    assert "gone in" in text
    assert "followed through 2 renames and 1 move: Mixin.resolve_tokens in" in text.replace("\n  ", " ")
    assert "renamed from resolve_ids" in text
    assert max(map(len, text.splitlines())) <= 80 or str(tmp_path) in text


@pytest.mark.parametrize(("form", "said"), [("md", "| release | where | what |"), ("lines", "app/mixin.py:2:")])
def test_other_formats(line: str, tmp_path: Path, flowmap: Command, form: str, said: str) -> None:
    """For a review comment, and for editors."""
    done = flowmap("drift", "resolve_all", "--across", line, "--quiet", "--format", form, FLOWMAP_CACHE=str(tmp_path / "cache"))
    assert said in done.stdout


def test_a_release_is_read_once(line: str, tmp_path: Path, flowmap: Command) -> None:
    """The second time nothing is read and nothing compared."""
    cache = str(tmp_path / "cache")
    first = flowmap("drift", "resolve_all", "--across", line, FLOWMAP_CACHE=cache)
    again = flowmap("drift", "resolve_all", "--across", line, FLOWMAP_CACHE=cache)
    assert "reading" in first.stderr
    assert "comparing" in first.stderr
    assert "reading" not in again.stderr
    assert "comparing" not in again.stderr
    assert again.stdout == first.stdout


def test_a_query_has_all_followed_that_it_names(line: str, tmp_path: Path, drift: Drift) -> None:
    """Patterns are left out, and said to be; what is nowhere is said, too."""
    query = tmp_path / "mine.toml"
    names = 'fields = [["Result.n_tokens", "Result.n_drafts"]]\ncalls = ["resolve_ids", "*.run", "nowhere_at_all"]\n'
    query.write_text(f'question = "q"\n[[find]]\nwhat = "w"\n{names}', encoding="utf-8")
    record = drift(str(query), "--across", line)
    assert {thing["asked"] for thing in record["things"]} == {"Result.n_tokens or Result.n_drafts", "resolve_ids"}
    assert record["absent"] == ["nowhere_at_all"]


def test_a_release_that_cannot_be_had_is_named_and_the_others_are_told(line: str, tmp_path: Path, drift: Drift) -> None:
    """Exit code 1, and the table of what there is."""
    record = drift("resolve_ids", "--across", f"{line},{tmp_path / 'none'}", code=1)
    assert len(record["releases"]) == 4
    assert [problem["where"] for problem in record["missing"]] == [str(tmp_path / "none")]


def test_a_name_that_is_nowhere(line: str, tmp_path: Path, flowmap: Command) -> None:
    """The nearest names of the newest release."""
    done = flowmap("drift", "next_token_idz", "--across", line, code=1, FLOWMAP_CACHE=str(tmp_path / "cache"))
    assert "no such name in any of 4 releases" in done.stderr
    assert "Did you mean next_token_ids?" in done.stderr
    done = flowmap("drift", "Results.next_token_ids", "--across", line, code=1, FLOWMAP_CACHE=str(tmp_path / "cache"))
    assert "Did you mean Result.next_token_ids?" in done.stderr


def test_one_release_has_nothing_to_be_compared_with(line: str, tmp_path: Path, flowmap: Command) -> None:
    """It is said, and where the thing is."""
    done = flowmap("drift", "resolve_ids", "--across", line.partition(",")[0], FLOWMAP_CACHE=str(tmp_path / "cache"))
    assert "one release: there is nothing to compare it with" in done.stdout


@pytest.mark.parametrize(
    ("span", "said"),
    [
        ("", "names no release"),
        ("2.0..1.0", "2.0 comes after 1.0"),
        ("1.0", "is a version, and nothing says of which project"),
        ("./not-there", "there is no such file or folder"),
    ],
)
def test_bad_spans_are_one_message(tmp_path: Path, flowmap: Command, span: str, said: str) -> None:
    """Exit code 2."""
    put(tmp_path / "v1", {})
    source = {"FLOWMAP_SOURCE": str(tmp_path / "v1"), "FLOWMAP_CACHE": str(tmp_path / "cache")}
    done = flowmap("drift", "f", "--across", "pypi:demo==" + span if ".." in span else span, code=2, **source)
    assert said in done.stderr


CONTRACT = """
[[contract]]
name = "one caller"
kind = "only-call-site"
of = "Worker.draft"
in = "step"
why = "It is replaced there."

[[contract]]
name = "a worker"
kind = "anchor-exists"
of = "Worker"
why = "It is patched."
"""


@pytest.fixture
def broken(tmp_path: Path) -> tuple[str, str]:
    """A file of contracts, and three releases: in the second one of them breaks."""
    calls = ["work.draft()", "work.draft(); work.draft()", "work.draft(); work.draft()"]
    for number, call in enumerate(calls, start=1):
        text = (
            f"class Worker:\n    def draft(self): ...\ndef step(work: Worker):\n    {call}\n    return {number}\nstep(Worker())\n"
        )
        put(tmp_path / f"v{number}", {"a.py": text})
    file = tmp_path / "patch.toml"
    file.write_text(f'what = "A patch."\n{CONTRACT}', encoding="utf-8")
    return str(file), ",".join(str(tmp_path / f"v{number}") for number in (1, 2, 3))


def test_contracts_say_in_which_release_each_broke_first(broken: tuple[str, str], drift: Drift) -> None:
    """`--check` indexes the releases that have no index."""
    file, line = broken
    record = drift(file, "--across", line, "--check")
    assert [(one["contract"], one["broken_first"]) for one in record["contracts"]] == [("one caller", "v2"), ("a worker", "")]
    assert [row["standing"] for row in record["contracts"][1]["releases"]] == ["holds"] * 3
    assert {thing["asked"] for thing in record["things"]} == {"Worker.draft", "step", "Worker"}


def test_contracts_are_not_checked_where_there_is_no_index(broken: tuple[str, str], tmp_path: Path, flowmap: Command) -> None:
    """It is said, and nothing is indexed; what has an index is checked."""
    file, line = broken
    cache = str(tmp_path / "cache")
    flowmap("index", str(tmp_path / "v2"), FLOWMAP_CACHE=cache)
    done = flowmap("drift", file, "--across", line, FLOWMAP_CACHE=cache)
    assert "contracts are not checked where there is no index, in 2 releases: --check makes one" in done.stdout
    assert "broken in v2: " in done.stdout


def test_what_is_missing_comes_with_what_to_do(line: str, tmp_path: Path, flowmap: Command) -> None:
    """On top, before the table; what is there in one release alone is said so."""
    first = line.partition(",")[0]
    none = tmp_path / "none"
    done = flowmap(
        "drift", "resolve_ids", "--across", f"{first},{none}", "--quiet", code=1, FLOWMAP_CACHE=str(tmp_path / "cache")
    )
    assert f"not in the table: {none}: there is no such file or folder" in done.stdout
    assert "A source is `pypi:NAME`" in done.stdout
    assert f"in {first} alone" in done.stdout
