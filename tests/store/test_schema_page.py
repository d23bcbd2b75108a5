"""The manual's page about the index as an SQLite file is made from the schema; its examples are answered here."""

from __future__ import annotations

import io
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from flowmap.render.piped import write_piped
from flowmap.reports.sql import SqlQuestion, sql
from flowmap.store.index import Index
from flowmap.store.sql import Described, select, views
from tests.programs import index_of
from tests.store.sql_examples import EXAMPLES, PROGRAM

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "schema.md"
HEAD = """# The index in SQL

This page is made from the schema (`make goldens`).

An index is one plain SQLite file; any SQLite browser opens it. `flowmap sql "SELECT …"` asks the index of the subject that
every command asks, answers as text, `--format json` or `--format lines`, and refuses whatever would do more than read.
`flowmap sql` alone lists the views, and names the file.

The **views** have names and places; ask them. The tables below hold ids; they follow what the commands need and change more
often, which the index's format says (`PRAGMA user_version`). A view's columns only become more.
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of the page's program."""
    return index_of(tmp_path_factory.mktemp("sql"), {"app.py": PROGRAM})


def page(index: Index) -> str:
    """The whole page."""
    examples = (part for number, example in enumerate(EXAMPLES, 1) for part in worked(index, number, *example))
    parts = (
        HEAD,
        "## The views\n",
        *(part for view in views(index) for part in described(view)),
        "## Ten worked examples\n",
        "Each is answered about this program, `app.py`:\n",
        f"```python\n{PROGRAM}```\n",
        *examples,
        "## The tables\n",
        f"```sql\n{resources.files('flowmap.store').joinpath('schema.sql').read_text('utf-8')}```\n",
    )
    return "\n".join(parts)


def described(view: Described) -> Iterator[str]:
    """A view with its columns."""
    yield f"### `{view.name}`\n\n{view.says}\n\n| column | holds |\n|---|---|"
    yield from (f"| `{column.name}` | {column.says} |" for column in view.columns)
    yield ""


def worked(index: Index, number: int, question: str, text: str) -> Iterator[str]:
    """An example with what it answers."""
    written = io.StringIO()
    write_piped(sql(index, SqlQuestion(text, 100)), written, 110)
    answer = written.getvalue().partition("\n")[2].partition("\n\n")[0]
    yield f"### {number}. {question}\n\n```sql\n{text}\n```\n\n```text\n{answer.rstrip()}\n```\n"


@pytest.mark.golden
def test_the_page_is_what_the_schema_says(index: Index, request: pytest.FixtureRequest) -> None:
    """No view, column or table is left out, and the answers are those that are given."""
    text = page(index)
    if request.config.getoption("--rewrite-goldens"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text, "see how with: make goldens && git diff docs"


@pytest.mark.parametrize(("question", "text"), EXAMPLES)
def test_every_example_answers_something(index: Index, question: str, text: str) -> None:
    """An example without rows would teach nothing, and one that repeats another neither."""
    assert select(index, text, 100).rows, question


def test_the_views_say_what_all_their_columns_are(index: Index) -> None:
    """In the order in which SQLite gives them."""
    for view in views(index):
        columns = [row[1] for row in index.rows(f"PRAGMA table_info({view.name})")]
        assert columns == [column.name for column in view.columns]
    assert [view.name for view in views(index)] == ["symbols", "sites", "edges", "accesses", "flows", "guards"]
