-- What releases define, each file once for all releases that hold it, and what became of it from one release to another.
CREATE TABLE IF NOT EXISTS file (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, path TEXT NOT NULL, sketch BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS release (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS holds (file INTEGER NOT NULL, release INTEGER NOT NULL, PRIMARY KEY (file, release)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS definition (
    file INTEGER NOT NULL,
    symbol TEXT NOT NULL,  -- of a field that of its class or module, a dot and its name
    name TEXT NOT NULL,
    kind TEXT NOT NULL,  -- of a field 'field'
    owner TEXT NOT NULL,
    module TEXT NOT NULL,
    line INTEGER NOT NULL,
    signature TEXT NOT NULL,  -- of a field its annotation
    digest TEXT NOT NULL  -- of a field ''
);
CREATE INDEX IF NOT EXISTS definition_name ON definition (name);
CREATE INDEX IF NOT EXISTS definition_symbol ON definition (symbol);
CREATE INDEX IF NOT EXISTS definition_owner ON definition (owner);
CREATE TABLE IF NOT EXISTS pair (
    id INTEGER PRIMARY KEY,
    before INTEGER NOT NULL,
    after INTEGER NOT NULL,
    making TEXT NOT NULL,  -- names the code that compared
    UNIQUE (before, after, making)
);
CREATE TABLE IF NOT EXISTS change (
    pair INTEGER NOT NULL,
    was TEXT NOT NULL,
    became TEXT NOT NULL,
    how TEXT NOT NULL,
    likeness REAL NOT NULL  -- of a part of a class that was split: how many of its members are there
);
CREATE INDEX IF NOT EXISTS change_was ON change (pair, was);
CREATE INDEX IF NOT EXISTS change_became ON change (pair, became);
