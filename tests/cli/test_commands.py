"""The command line: what is printed where, and with which exit code."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from flowmap import warm
from flowmap.cli.main import flowmap, main
from flowmap.model.source import CacheEntry, CacheKind, SubjectChoice
from flowmap.reports.doctor import CacheState, doctor
from tests.toy import toy_index

ROOT = Path(__file__).parents[2]
UNDER_A_PIPE = """
import flowmap.warm
from flowmap.cli import main
from tests.toy import toy_index

flowmap.warm.ready_index = lambda choice: toy_index()
main()
"""


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs a command on the toy program's index, in an empty folder."""
    monkeypatch.setattr(warm, "ready_index", lambda choice: toy_index())  # noqa: ARG005
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLOWMAP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FLOWMAP_SOURCE", "pypi:toy==1.0")
    monkeypatch.setenv("COLUMNS", "80")

    def command(*arguments: str) -> Done:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        said = capsys.readouterr()
        return Done(int(ended.value.code or 0), said.out, said.err)

    return command


QUESTIONS = [
    ("index",),
    ("trace", "process_decode"),
    ("trace", "main", "--to", "Scheduler.process"),
    ("callers", "Scheduler.process"),
    ("callees", "Scheduler.process"),
    ("explain", "app.py:19"),
    ("where", "emit"),
    ("show", "main"),
    ("module", "app.py"),
    ("mro", "Scheduler"),
    ("hosts", "OutputMixin"),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_every_answer_says_its_source(run: Run, question: tuple[str, ...]) -> None:
    """In every format: in text and JSON within the answer, beside lines on standard error."""
    source = "toy 1.0 (named by FLOWMAP_SOURCE)"
    text = run(*question)
    assert (text.code, text.err) == (0, "")
    assert text.out.endswith(f"source: {source}\n")
    assert json.loads(run(*question, "--format", "json").out)["source"] == source
    assert f"source: {source}" in run(*question, "--format", "lines").err


def test_lines_are_for_programs(run: Run) -> None:
    """Standard output holds `file:line:col: what` alone; quiet, standard error holds nothing."""
    done = run("callers", "Scheduler.process", "--format", "lines", "--quiet")
    assert done.err == ""
    assert [line.split(": ", 1)[0] for line in done.out.splitlines()] == ["toy/app.py:20:17", "toy/app.py:37:9"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("trace", "proces_decode"), 1, "Did you mean process_decode"),
        (("trace", "forward"), 2, "2 things bear this name"),
        (("trace", "main", "--to", "nothing_at_all"), 1, "no such name"),
        (("trace", "OutputMixin.emit", "--to", "main"), 1, "no path leads"),
        (("trace",), 2, "Missing argument"),
        (("trace", "main", "--depth", "0"), 2, "0 is not in the range"),
        (("trace", "main", "--confidence", "sure"), 2, "is not one of"),
        (("callers", "main", "--format", "yaml"), 2, "is not one of"),
        (("mro", "main"), 2, "not a class"),
        (("show", "app.py:80-90"), 1, "has 45 lines"),
        (("module", "none.py"), 1, "no file or module"),
        (("export",), 2, "what to export"),
        (("export", "calls", "-o", "no/such/folder/x"), 2, "cannot be written"),
        (("export", "nonsense"), 2, "What can be: calls, flow, mro, state."),
        (("callers", ""), 2, "it is empty"),
        (("trace", " "), 2, "it is empty"),
        (("trace", "main", "--to", ""), 2, "it is empty"),
        (("export", "mro", ""), 2, "it is empty"),
        (("where", "main", "--source", ""), 2, "--source: names nothing"),
        (("show", "app.py:20-10"), 2, "20 is after 10 Try app.py:10-20."),
        (("trace", "broken.py"), 1, "did not parse, so nothing in it is known: invalid syntax (line 1)"),
        (("callers", "broken.py:1"), 1, "did not parse"),
        (("where", "broken.py"), 1, "did not parse"),
        (("module", "broken.py"), 1, "did not parse"),
        (("nonsense",), 2, "No such command"),
        (("caller", "main"), 2, "No such command 'caller'. Did you mean callers?"),
        (("export", "calls", "-o", ""), 2, "name a file"),
        (("export", "mro", "-o", "."), 2, ". is a folder; name a file in it."),
        (("trace", "-", "--to", "main"), 2, "--to: of no use with a traceback (-)."),
        (("trace", "-", "--up", "--depth", "2"), 2, "--up, --depth: of no use with a traceback (-)."),
        (("trace", "main", "--to", "emit", "--down"), 2, "--down: of no use with --to."),
        (("trace", "main", "--against", "a", "--stop-at", "b"), 2, "--stop-at: of no use with --against."),
        (("trace", "main", "--to", "emit", "--runtime", "x"), 2, "--runtime: of no use with --to."),
        (("completion", "cmd"), 2, "is not one of"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_an_error_is_one_message(run: Run, arguments: tuple[str, ...], code: int, message: str) -> None:
    """On standard error, with the right exit code, and never a traceback."""
    done = run(*arguments)
    assert done.code == code
    assert message in " ".join(done.err.split())
    assert "Traceback" not in done.err + done.out
    assert done.out == ""


def commands(group: click.Command, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The words of every command there is."""
    if not isinstance(group, click.Group):
        return [path]
    context = click.Context(group)
    names = group.list_commands(context)
    below: list[tuple[str, ...]] = []
    for name in names:
        found = group.get_command(context, name)
        assert found is not None
        below += commands(found, (*path, name))
    return [path, *below]


@pytest.mark.parametrize("words", commands(flowmap), ids=" ".join)
def test_every_help_has_examples(run: Run, words: tuple[str, ...]) -> None:
    """Whoever asks for help sees how the command is typed."""
    done = run(*words, "--help")
    assert done.code == 0
    assert "Example" in done.out
    assert f"flowmap {words[0]}" in done.out if words else "flowmap trace" in done.out


def test_a_trace_reads_a_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """From standard input, with what had to hold."""
    monkeypatch.setattr("sys.stdin", io.StringIO('  File "x/toy/app.py", line 29, in process\n'))
    assert "had to hold: if batch.is_decode()" in run("trace", "-").out


def test_exports_go_to_a_file_whole(run: Run, tmp_path: Path) -> None:
    """The file holds what standard output would; nothing else is left in its folder."""
    folder = tmp_path / "out"
    folder.mkdir()
    assert run("export", "calls", "-o", str(folder / "calls.jsonl")).out == ""
    assert [path.name for path in folder.iterdir()] == ["calls.jsonl"]
    assert (folder / "calls.jsonl").read_text(encoding="utf-8") == run("export", "calls").out
    assert list(json.loads(run("export", "mro", "Worker").out)) == ["toy.workers.Worker"]


def test_a_failed_export_leaves_the_old_file(run: Run, tmp_path: Path) -> None:
    """A name that is not there, asked for after a good export, changes nothing."""
    file = tmp_path / "mro.json"
    file.write_text("old", encoding="utf-8")
    assert run("export", "mro", "Nothing", "-o", str(file)).code == 1
    assert file.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["mro.json"]


def test_an_export_follows_links(run: Run, tmp_path: Path) -> None:
    """A link stays one: the file that it leads to is replaced, with its permissions, or made where it is not there yet."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "old.json").write_text("old", encoding="utf-8")
    (folder / "old.json").chmod(0o640)
    for name in ("old.json", "new.json"):
        link = tmp_path / f"link-{name}"
        link.symlink_to(folder / name)
        run("export", "mro", "Worker", "-o", str(link))
        assert link.is_symlink()
        assert list(json.loads((folder / name).read_text(encoding="utf-8"))) == ["toy.workers.Worker"]
    assert (folder / "old.json").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in folder.iterdir()) == ["new.json", "old.json"]


def test_an_export_writes_into_a_pipe(run: Run, tmp_path: Path) -> None:
    """What is no regular file is not replaced by one: a named pipe passes the rows on and stays a pipe."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    run("export", "mro", "Worker", "-o", str(pipe))
    reader.join()
    assert list(json.loads(read[0])) == ["toy.workers.Worker"]
    assert pipe.is_fifo()


def test_the_forms_have_versions(run: Run) -> None:
    """A program can see whether it knows the forms."""
    assert run("export", "--formats").out == "calls 1\nflow 1\nmro 1\nstate 1\nruntime 1\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete(run: Run, shell: str) -> None:
    """The script is for the command `flowmap`."""
    assert "_FLOWMAP_COMPLETE" in run("completion", shell).out


def test_the_doctor_answers_without_an_index(run: Run) -> None:
    """It builds nothing; what is optional is no finding."""
    done = run("doctor")
    assert done.code == 0
    assert "flowmap index" in done.out
    assert json.loads(run("doctor", "--format", "json").out)["record"][0]["what"] == "Python"


@pytest.mark.parametrize(("at", "code", "said"), [("app.f(x)", 0, "app.f(x)"), ("app.f(y)", 1, "matches nothing")])
def test_the_doctor_says_when_a_hint_matches_nothing(tmp_path: Path, at: str, code: int, said: str) -> None:
    """A hint whose place is gone is something to fix; one that matches is good."""
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").write_text("class C: ...\ndef f(x): x.run()\n", encoding="utf-8")
    hint = f"source = 'app'\n[[hint]]\nat = '{at}'\nholds = 'app.C'\n"
    (tmp_path / "flowmap.toml").write_text(hint, encoding="utf-8")
    surroundings = os.environ | {"FLOWMAP_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    surroundings.pop("FLOWMAP_SOURCE", None)
    for command, expected in (("index", 0), ("doctor", code)):
        done = subprocess.run(
            [sys.executable, "-m", "flowmap", command],
            cwd=tmp_path,
            env=surroundings,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == expected, done.stderr
    assert said in done.stdout


def test_the_doctor_finds_what_is_broken(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cache that is a file cannot hold anything: exit code 1, and the fix."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("FLOWMAP_CACHE", str(tmp_path / "file" / "cache"))
    done = run("doctor")
    assert done.code == 1
    assert "Set FLOWMAP_CACHE" in " ".join(done.out.split())


def test_the_doctor_finds_a_cache_that_only_seems_writable(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Permissions do not tell all: it is tried."""
    monkeypatch.setenv("FLOWMAP_CACHE", os.devnull)
    done = run("doctor")
    assert done.code == 1
    assert f"{os.devnull} cannot be written" in " ".join(done.out.split())


@pytest.mark.parametrize(("n_kept", "said"), [(1, "what is kept there answers"), (0, "full: every run indexes anew.")])
def test_the_doctor_says_what_a_cache_that_cannot_be_written_still_does(tmp_path: Path, n_kept: int, said: str) -> None:
    """What is kept there answers; where nothing is, everything is made anew."""
    kept = (CacheEntry(CacheKind.STUBS, "stubs", "", 1, 0.0, tmp_path),) * n_kept
    view = doctor(SubjectChoice(("x",), (), "named"), (), CacheState(tmp_path, kept, "the disk is full"))
    assert isinstance(view.record, tuple)
    (check,) = [check for check in view.record if check.what == "cache"]
    assert said in check.fix
    assert ("answers" in check.fix) == bool(n_kept)


@pytest.mark.parametrize("how", ["--source", "flowmap.toml"])
def test_the_doctor_finds_a_source_that_is_not_there(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: str) -> None:
    """Named or configured: exit code 1, and the fix."""
    monkeypatch.delenv("FLOWMAP_SOURCE")
    (tmp_path / "flowmap.toml").write_text('source = "nowhere"\n', encoding="utf-8")
    done = run("doctor", *(["--source", "nowhere"] if how == "--source" else []))
    assert done.code == 1
    assert "nowhere: there is no such file or folder" in " ".join(done.out.split())


def test_the_doctor_accepts_a_source_that_is_there(run: Run, tmp_path: Path) -> None:
    """A folder with a Python file; one without is a finding."""
    (tmp_path / "code").mkdir()
    assert run("doctor", "--source", "code").code == 1
    (tmp_path / "code" / "a.py").touch()
    assert run("doctor", "--source", "code").code == 0


def test_a_finding_says_its_source(run: Run) -> None:
    """Whoever did not name it learns which subject has no such name; whoever did knows."""
    assert "source: toy 1.0 (named by FLOWMAP_SOURCE)" in run("callers", "nothing_at_all").err
    assert "source:" not in run("callers", "nothing_at_all", "--source", "x").err
    assert "source:" not in run("callers", "nothing_at_all", "-q").err


def test_files_that_did_not_parse_have_their_line(run: Run) -> None:
    """So that an editor opens them."""
    assert run("index", "--format", "lines").out.startswith("toy/broken.py:1:1: invalid syntax")


def test_an_empty_cache(run: Run) -> None:
    """Listing and pruning it is no error."""
    assert "0 entries kept" in " ".join(run("cache", "list").out.split())
    assert "0 entries removed" in " ".join(run("cache", "prune", "--older-than", "3").out.split())


def test_an_interrupt_ends_quietly(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C gives the shell's own exit code and no words."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(warm, "ready_index", interrupted)
    assert run("where", "main") == Done(130, "", "")


@pytest.mark.parametrize(
    "question", [("export", "calls"), ("trace", "main"), ("trace", "main", "--format", "json")], ids=" ".join
)
def test_head_ends_the_output_quietly(question: tuple[str, ...]) -> None:
    """A reader that has enough closes the pipe: no message, no traceback."""
    command = [sys.executable, "-c", UNDER_A_PIPE, *question, "--quiet", "--source", "x"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, env=environment, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_commands_are_imported_when_they_are_run() -> None:
    """Asking for the version imports neither reports nor the engine."""
    code = (
        "import sys, flowmap.cli; print([name for name in sys.modules if name.startswith(('flowmap.reports', 'flowmap.store'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"
