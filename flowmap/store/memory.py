"""An index that is kept nowhere: for where nothing can be written. Apart from `index`, since a warm run writes nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from flowmap.store.format import MEMORY
from flowmap.store.index import NOWHERE, Index
from flowmap.store.write import IndexTables, fill


def index_in_memory(tables: IndexTables, locations: Mapping[str, str] = NOWHERE) -> Index:
    """The index that the rows make. `locations`: as of `Index`."""
    connection = sqlite3.connect(MEMORY, isolation_level=None, check_same_thread=False)
    fill(connection, tables)
    return Index(connection, locations)
