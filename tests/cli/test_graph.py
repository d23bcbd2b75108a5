"""`flowmap graph` on the command line: formats, files, and what is said when something is wrong."""

from __future__ import annotations

import json
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import Command

PROGRAM = """\
def helper(value): return value


def run(value):
    if value == "</text><script>alert(1)</script>":
        helper(value)


class Job:
    def go(self):
        self.size = 1
        run(self.size)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module whose guard holds markup; the current folder."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "shop.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.setenv("FLOWMAP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FLOWMAP_SOURCE", str(tmp_path / "code"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "begins"),
    [
        ("a.svg", "<?xml"),
        ("a.html", "<!doctype html>"),
        ("a.dot", "digraph flowmap"),
        ("a.gv", "digraph flowmap"),
        ("a.mmd", "%% calls around run"),
        ("a.md", "```mermaid\n%% calls around run"),
        ("a.json", "{"),
        ("a.txt", "calls around run"),
        ("graph", "calls around run"),
    ],
)
def test_the_ending_of_the_file_says_the_format(flowmap: Command, folder: Path, file: str, begins: str) -> None:
    """Where --format does not."""
    done = flowmap("graph", "run", "-o", file)
    assert not done.stdout
    assert (folder / file).read_text(encoding="utf-8").startswith(begins)


@pytest.mark.parametrize("arguments", [("run",), ("run", "--cfg")])
def test_a_picture_of_dots_is_one(flowmap: Command, folder: Path, arguments: tuple[str, ...]) -> None:
    """On white, in a file; remarks beside it."""
    done = flowmap("graph", *arguments, "-o", "a.png")
    assert (folder / "a.png").read_bytes().startswith(b"\x89PNG")
    assert not done.stdout
    assert [each.name for each in folder.iterdir() if each.name.startswith(".flowmap")] == []


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("option", [(), ("--field",), ("--kind", "state")])
def test_the_state_of_a_field_is_drawn(flowmap: Command, option: tuple[str, ...]) -> None:
    """Its name is enough where nothing else has it."""
    said = flowmap("graph", "Job.size", *option).stdout
    assert said.startswith("state of Job.size")
    assert "11 self.size = 1" in said


@pytest.mark.usefixtures("folder")
def test_what_a_query_finds_is_drawn(flowmap: Command) -> None:
    """A file, or a name that `queries` lists."""
    Path("own.toml").write_text('question = "Who runs it?"\n[[find]]\nwhat = "calls"\ncalls = ["helper"]\n', encoding="utf-8")
    said = flowmap("graph", "own.toml").stdout
    assert said.startswith("query own: Who runs it?")
    assert "run  shop.py:4" in said


@pytest.mark.usefixtures("folder")
def test_the_format_comes_before_the_ending(flowmap: Command) -> None:
    """Whatever the ending; and without a file the graph goes to standard output, remarks beside it."""
    flowmap("graph", "run", "--format", "dot", "-o", "a.xyz")
    assert Path("a.xyz").read_text(encoding="utf-8").startswith("digraph")
    done = flowmap("graph", "run", "--format", "mermaid")
    assert "flowchart LR" in done.stdout
    assert "source: " in done.stderr
    assert "source: " not in done.stdout


@pytest.mark.usefixtures("folder")
def test_text_is_what_is_given_without_a_format(flowmap: Command) -> None:
    """The twin of every picture."""
    said = flowmap("graph", "run").stdout
    assert "├─" in said or "└─" in said
    assert "runs helper" in said


@pytest.mark.usefixtures("folder")
def test_json_holds_nodes_and_edges(flowmap: Command) -> None:
    """For programs, with ids that agree."""
    record = json.loads(flowmap("graph", "run", "--format", "json").stdout)["record"]
    ids = {node["id"] for node in record["nodes"]}
    assert {node["label"] for node in record["nodes"]} == {"run", "helper", "Job.go"}
    assert all(edge["start"] in ids and edge["end"] in ids for edge in record["edges"])


@pytest.mark.parametrize("option", [("--cfg",), ("--kind", "control")])
@pytest.mark.parametrize("file", ["a.svg", "a.html", "a.dot", "a.mmd", "a.md", "a.json", "a.txt"])
def test_the_control_flow_comes_in_every_format(flowmap: Command, folder: Path, option: tuple[str, ...], file: str) -> None:
    """The test that holds markup, what runs below it, and the end."""
    flowmap("graph", "run", *option, "-o", file)
    text = (folder / file).read_text(encoding="utf-8")
    assert "helper" in text
    assert "alert(1" in text.replace("#40;", "(")
    quoting = ("a.dot", "a.json", "a.md", "a.txt")  # there it stands in quotes, or nothing is markup
    assert "<script>alert" not in text or file in quoting


def test_a_guard_of_the_code_is_no_markup(flowmap: Command, folder: Path) -> None:
    """From the source to the picture."""
    flowmap("graph", "run", "-o", "a.svg")
    text = (folder / "a.svg").read_text(encoding="utf-8")
    assert not [each for each in ElementTree.fromstring(text).iter() if each.tag.endswith("script")]
    assert "&lt;script&gt;" in text


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("form", ["svg", "html", "dot", "mermaid", "md", "json", "text"])
def test_the_same_bytes_come_out_under_every_hash_seed(flowmap: Command, form: str) -> None:
    """Pictures can be kept and compared."""
    one, other = (flowmap("graph", "run", "--format", form, PYTHONHASHSEED=seed).stdout for seed in ("1", "2"))
    assert one == other


def test_the_text_is_given_where_the_layout_takes_too_long(flowmap: Command, folder: Path) -> None:
    """Nothing is written under the name of the picture."""
    done = flowmap("graph", "run", "-o", "a.svg", "--time-limit", "0.000001", code=1)
    assert "the layout took longer than 1e-06 s" in done.stderr
    assert "runs helper" in done.stdout
    assert not (folder / "a.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nothing",), 1, "nothing: no such name"),
        (("run", "--kind", "classes"), 2, "names a function, not a class"),
        (("run", "--kind", "pages"), 2, "'pages' is not one of"),
        (("run", "--format", "gif"), 2, "'gif' is not one of"),
        (("run", "-o", "a.gif"), 2, "no format ends in .gif; name it .txt, .svg, .png,"),
        (("run", "-o", "a.xyz"), 2, "no format ends in .xyz; name it .txt, .svg, .png,"),
        (("run", "-o", "a.xyz", "--to", "helper"), 2, "or say --format"),
        (("run", "--cfg", "--up"), 2, "--up: of no use with the control flow"),
        (("no-such-query",), 2, "there is no query of this name"),
        (("nothing", "--field"), 1, "no class of the index has a field"),
        (("run", "--depth", "0"), 2, "0 is not in the range"),
        (("run", "--nodes", "1"), 2, "1 is not in the range"),
        (("run", "--to", "helper", "--up"), 2, "--up: of no use with --to"),
        (("ext:builtins.len", "--cfg"), 1, "no such name"),
        (("run", "--to", "helper", "--cfg"), 2, "--kind: of no use with --to"),
        (("run", "--to", "helper", "--kind", "calls"), 2, "--kind: of no use with --to"),
        (("helper", "--to", "run"), 1, "no path leads to run"),
        (("run", "-o", "no/such/folder/a.svg"), 2, "cannot be written there"),
        (("run", "-o", "."), 2, "is a folder"),
        (("",), 2, "it is empty"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_is_wrong_is_said_in_one_message(flowmap: Command, arguments: tuple[str, ...], code: int, said: str) -> None:
    """With the exit code of a finding or of a question that could not be asked."""
    done = flowmap("graph", *arguments, code=code)
    assert said in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.usefixtures("folder")
def test_the_doctor_says_what_draws(flowmap: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what is wrong with one that is asked for."""
    assert "graphviz-pure" in flowmap("doctor").stdout
    monkeypatch.setenv("FLOWMAP_DOT", "no-such-program")
    assert "is no program" in " ".join(flowmap("doctor", code=1).stdout.split())


def test_a_request_for_two_thousand_functions_ends_with_a_cut(flowmap: Command, folder: Path) -> None:
    """In a few seconds: what is drawn is bounded, and all that is cut is counted where it belongs. Where all are asked for, the
    layout has its time limit, and the text twin is there whatever becomes of it."""
    n_functions, n_first = 2000, 60
    called = {one: [each for each in (2 * one + 1, 2 * one + 2, 3 * one + 1) if each < n_functions] for one in range(n_functions)}
    called[0] = list(range(1, n_first))
    bodies = (
        "\n".join(f"    if x > {each}: f{each}(x)" for each in called[number]) or "    pass" for number in range(n_functions)
    )
    text = "\n\n\n".join(f"def f{number}(x):\n{body}" for number, body in enumerate(bodies))
    (folder / "code" / "shop.py").write_text(f"{text}\n", encoding="utf-8")
    begun = time.monotonic()
    record = json.loads(flowmap("graph", "f0", "--format", "json").stdout)["record"]
    assert len(record["nodes"]) == 70
    assert record["n_left_out"] > 70
    assert all(cut["command"].startswith("flowmap calle") for node in record["nodes"] for cut in node["cuts"])
    flowmap("graph", "f0", "-o", "a.svg")
    assert (folder / "a.svg").read_text(encoding="utf-8").count('class="node') == 70
    done = flowmap("graph", "f0", "--down", "--depth", "50", "--nodes", "2000", "-o", "b.svg", "--time-limit", "2", code=1)
    assert "the layout took longer than 2 s" in done.stderr
    assert "2,000 nodes" in done.stdout.splitlines()[0]
    assert time.monotonic() - begun < 120  # seconds; a slow machine needs 20
