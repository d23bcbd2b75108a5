"""SQL that a user writes reads the index and does nothing else; whatever is wrong with it is one clear message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flowmap.model.problem import ExitCode, FlowmapError
from flowmap.store.index import Index, open_file
from flowmap.store.sql import select
from flowmap.store.write import write_index
from tests.conftest import Command
from tests.toy import toy_index, toy_tables

WRITES = (
    "DELETE FROM symbol",
    "INSERT INTO problem VALUES ('a', 'b', 'c')",
    "UPDATE site SET line = 0",
    "REPLACE INTO meta VALUES ('source', 'other')",
    "DROP VIEW symbols",
    "CREATE TABLE mine (x)",
    "CREATE TEMP TABLE mine (x)",
    "ALTER TABLE site RENAME TO mine",
    "ATTACH 'other.db' AS other",
    "VACUUM INTO 'other.db'",
    "PRAGMA user_version = 0",
    "PRAGMA writable_schema = 1",
    "BEGIN",
    "ANALYZE",
    "WITH gone AS (SELECT 1) DELETE FROM symbol",
    "SELECT load_extension('other')",
)


@pytest.fixture(scope="module")
def index() -> Index:
    """The toy program's index: in memory, where nothing but the check of each statement keeps it from being written."""
    return toy_index()


@pytest.mark.parametrize("statement", WRITES)
def test_what_would_write_is_refused(index: Index, statement: str) -> None:
    """With one message, and nothing is changed."""
    before = list(index.rows("SELECT name, sql FROM sqlite_schema")), list(index.rows("SELECT COUNT(*) FROM symbol"))
    with pytest.raises(FlowmapError, match="more than read, which is refused") as error:
        select(index, statement, 10)
    assert error.value.code is ExitCode.USAGE
    assert len(error.value.problems) == 1
    assert (list(index.rows("SELECT name, sql FROM sqlite_schema")), list(index.rows("SELECT COUNT(*) FROM symbol"))) == before


def test_no_file_is_made_by_a_refused_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ATTACH and VACUUM INTO would make one."""
    monkeypatch.chdir(tmp_path)
    write_index(tmp_path / "toy.db", toy_tables())
    before = (tmp_path / "toy.db").read_bytes()
    index = open_file(tmp_path / "toy.db")
    for statement in WRITES:
        with pytest.raises(FlowmapError):
            select(index, statement, 10)
    index.close()
    assert [path.name for path in tmp_path.iterdir()] == ["toy.db"]
    assert (tmp_path / "toy.db").read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("SELECT * FROM simbols", "no table simbols\n.*Did you mean symbols"),
        ("SELECT calle FROM edges", "no column calle\n.*Did you mean .*callee"),
        ("SELECT e.calle FROM edges e", "no column e.calle\n.*Did you mean .*callee"),
        ("SELECT nothing_like_it(1)", "no function nothing_like_it\n.*lists the views"),
        ("SELEC 1", "syntax error"),
        ("SELECT 1; SELECT 2", "more than one statement"),
        (";", "asks for nothing"),
        ("SELECT 'open", "unrecognized token"),
        ("SELECT ?", "binding"),
        ("SELECT '\udcff'", "holds bytes that are no text"),
        ("SELECT CAST(x'ff' AS TEXT)", "decode"),
    ],
)
def test_what_is_wrong_is_said_once(index: Index, statement: str, said: str) -> None:
    """In words of SQL, with the nearest names where one is not there."""
    with pytest.raises(FlowmapError, match=said) as error:
        select(index, statement, 10)
    assert error.value.code is ExitCode.USAGE


def test_the_index_can_be_read_as_before(index: Index) -> None:
    """A refused statement leaves nothing behind that would refuse flowmap's own questions."""
    with pytest.raises(FlowmapError):
        select(index, "DELETE FROM symbol", 10)
    assert index.definitions([1])


def test_recursion_and_json_are_reading(index: Index) -> None:
    """As is asking for the columns of a view."""
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    assert select(index, endless, 3).rows == ((1,), (2,), (3,))
    assert select(index, endless, 3).is_bounded
    assert select(index, "SELECT value FROM json_each('[1, 2]')", 3).rows == ((1,), (2,))
    assert not select(index, "PRAGMA table_info(edges)", 100).is_bounded


def test_guards_are_told_by_where_they_stand(index: Index) -> None:
    """Around a site, inside its expression, and before it."""
    found = select(index, "SELECT kind, guard FROM guards WHERE expr = 'self.emit(request)' ORDER BY kind, position", 10)
    assert found.rows == (("around", "for request in batch"), ("inside", "request.finished"))
    before = select(index, "SELECT guard FROM guards WHERE kind = 'before' AND expr = 'self.hook(batch)'", 10)
    assert before.rows == (("not (batch.closed)",),)


@pytest.fixture
def program(tmp_path: Path) -> str:
    """A program's folder."""
    (tmp_path / "app.py").write_text("def run(): ...\n\n\ndef main():\n    run()\n", encoding="utf-8")
    return str(tmp_path)


def test_the_command_answers_in_all_formats(flowmap: Command, program: str) -> None:
    """For readers, programs and editors."""
    statement = "SELECT caller, file, line, col FROM edges WHERE callee_name = 'run'"
    asked = ("sql", statement, "--source", program)
    assert "app.main  app.py  5     4" in flowmap(*asked).stdout
    record = json.loads(flowmap(*asked, "--format", "json").stdout)["record"]
    assert record == {"columns": ["caller", "file", "line", "col"], "rows": [["app.main", "app.py", 5, 4]], "bounded": False}
    assert flowmap(*asked, "--format", "lines").stdout == "app.py:5:5: app.main 5 4\n"


def test_a_bounded_answer_says_so_and_how_to_go_on(flowmap: Command, program: str) -> None:
    """As one that is whole does not."""
    asked = ("sql", "SELECT * FROM symbols", "--source", program)
    assert "--limit 10 shows more" in flowmap(*asked, "--limit", "1").stdout
    assert "shows more" not in flowmap(*asked).stdout


def test_bytes_and_nothing_are_written_plainly(flowmap: Command, program: str) -> None:
    """Packed rows are counted, not printed; rows without a place have no line for an editor."""
    asked = ("sql", "SELECT NULL AS gone, body, 9e999 FROM text", "--source", program)
    (row,) = json.loads(flowmap(*asked, "--format", "json").stdout, parse_constant=int)["record"]["rows"]
    assert row[0] is None
    assert row[1].endswith(" bytes>")
    assert row[2] == "inf"
    lines = flowmap(*asked, "--format", "lines")
    assert lines.stdout == ""
    assert "stand at no place" in lines.stderr
    assert "stand at no place" not in flowmap(*asked).stdout


def test_without_sql_the_views_are_listed(flowmap: Command, program: str) -> None:
    """With what their columns hold."""
    said = flowmap("sql", "--source", program, COLUMNS="80").stdout
    assert all(f"\n{view}\n" in said for view in ("symbols", "sites", "edges", "accesses", "flows", "guards"))
    assert max(map(len, said.splitlines())) <= 80


def test_a_refusal_is_exit_code_two(flowmap: Command, program: str) -> None:
    """Blank text, too."""
    assert "refused" in flowmap("sql", "DROP TABLE symbol", "--source", program, code=2).stderr
    flowmap("sql", " ", "--source", program, code=2)
