"""The ledger of releases: each file once, each release once, and no harm that cannot be made good."""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path

import pytest

from flowmap.drift.fields import FieldMatching
from flowmap.drift.ledger import Ledger, open_ledger
from flowmap.drift.matching import Matching
from flowmap.extract.sketch import sketch_file
from flowmap.model.problem import FlowmapError
from flowmap.model.sketch import pack_sketch
from tests.reading import source_file

NOTHING = Matching((), (), (), (), ()), FieldMatching((), ())


def packed(text: str, path: str = "p/a.py") -> bytes:
    """The packed sketch of a text."""
    return zlib.compress(pack_sketch(sketch_file(source_file(path), text.encode())))


def add(ledger: Ledger, identity: str, **files: str) -> int:
    """Adds a release; the keys of its files are their texts."""
    return ledger.add_release(
        identity, list(files.values()), [(text, packed(text, f"p/{name}.py")) for name, text in files.items()]
    )


def test_a_name_is_found_in_every_release_that_holds_its_file(tmp_path: Path) -> None:
    """Though the file is in the ledger once."""
    with open_ledger(tmp_path / "ledger.sqlite", "making") as ledger:
        numbers = [add(ledger, identity, a="def f(x): ...\n", b=f"Y = {identity!r}\n") for identity in ("one", "two")]
        assert [(found.release, found.symbol, found.line) for found in ledger.named("f", numbers)] == [
            (number, "p.a.f", 1) for number in numbers
        ]
        assert ledger.connection.execute("SELECT count(*) FROM file").fetchone() == (3,)


def test_a_release_that_another_process_added_stays(tmp_path: Path) -> None:
    """The same number comes back."""
    with open_ledger(tmp_path / "ledger.sqlite", "making") as ledger, open_ledger(tmp_path / "ledger.sqlite", "making") as other:
        assert add(ledger, "one", a="def f(): ...\n") == add(other, "one", a="def f(): ...\n")
        assert len(ledger.named("f", [1])) == 1
        assert ledger.add_pair(1, 1, NOTHING) == other.add_pair(1, 1, NOTHING)


def test_what_other_code_compared_is_compared_anew(tmp_path: Path) -> None:
    """The releases themselves need not be read again."""
    path = tmp_path / "ledger.sqlite"
    with open_ledger(path, "old") as ledger:
        add(ledger, "one", a="def f(): ...\n")
        ledger.add_pair(1, 1, NOTHING)
    with open_ledger(path, "new") as ledger:
        assert (ledger.release("one"), ledger.pair(1, 1)) == (1, None)


def test_a_damaged_ledger_begins_anew(tmp_path: Path) -> None:
    """All of it can be made again."""
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"no database, and longer than the head of one" * 50)
    with open_ledger(path, "making") as ledger:
        assert add(ledger, "one", a="def f(): ...\n") == 1
    with open_ledger(path, "making") as ledger:
        assert ledger.release("one") == 1


def test_where_nothing_can_be_written_it_is_in_memory(tmp_path: Path) -> None:
    """The answer comes all the same."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with open_ledger(tmp_path / "file" / "ledger.sqlite", "making") as ledger:
        assert add(ledger, "one", a="def f(): ...\n") == 1


def test_a_full_disk_is_one_message(tmp_path: Path) -> None:
    """And no traceback."""
    told = "cannot be read or written: database or disk is full"
    with pytest.raises(FlowmapError, match=told), open_ledger(tmp_path / "ledger.sqlite", "making"):
        raise sqlite3.OperationalError("database or disk is full")
