"""Which format of index this version of flowmap writes and reads, and how a file says that it is one."""

from __future__ import annotations

FORMAT = 11  # raise it with every change of schema.sql that an older reader would misread
APPLICATION_ID = 0x464C4F57  # "FLOW"; SQLite keeps it in the file's header

MEMORY = ":memory:"


class IndexOutdated(Exception):  # noqa: N818 - it says what is so, not that someone erred
    """The file is no index that this version can read: another format, damaged, or not an index. It must be built again."""
