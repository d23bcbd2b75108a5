-- The index of one subject. Written once and whole, then only read.
-- Texts that repeat (guards, expressions' owners) are kept once and named by id. Ids count from 0 without gaps.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE file (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, module TEXT NOT NULL, digest TEXT NOT NULL, lines INTEGER NOT NULL,
    problem TEXT NOT NULL  -- why the file gave no facts, '' when it did
);
CREATE TABLE symbol (
    id INTEGER PRIMARY KEY, text TEXT NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL,      -- module class function method property lambda external
    file INTEGER,            -- NULL outside the indexed code
    line INTEGER NOT NULL, col INTEGER NOT NULL, end_line INTEGER NOT NULL,
    owner INTEGER,           -- the enclosing definition, NULL for a module
    signature TEXT NOT NULL, decorators TEXT NOT NULL, -- JSON array of texts
    doc TEXT NOT NULL
);
CREATE TABLE guard_list (id INTEGER PRIMARY KEY, texts TEXT NOT NULL);  -- JSON array; id 0 is the empty list
CREATE TABLE site (
    id INTEGER PRIMARY KEY, caller INTEGER NOT NULL, file INTEGER NOT NULL,
    line INTEGER NOT NULL, name_line INTEGER NOT NULL, col INTEGER NOT NULL,
    end_line INTEGER NOT NULL, end_col INTEGER NOT NULL,
    name TEXT NOT NULL,      -- last name of what is called: 'verify' of self.worker.verify(...)
    expr TEXT NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
    guards INTEGER NOT NULL, expr_guards INTEGER NOT NULL, early_exit_guards INTEGER NOT NULL,
    rank INTEGER NOT NULL    -- of one caller's sites the one with the lower rank runs first; alike: what a call leads on to follows it
);  -- ids follow file, line, column: the order of ids within one caller is the order of the text
CREATE TABLE target (
    site INTEGER NOT NULL, position INTEGER NOT NULL, symbol INTEGER NOT NULL,
    confidence TEXT NOT NULL, evidence INTEGER,
    PRIMARY KEY (site, position)
) WITHOUT ROWID;
CREATE TABLE made (  -- the classes that a site makes an instance of, whichever `__init__` runs for it
    site INTEGER NOT NULL, position INTEGER NOT NULL, class INTEGER NOT NULL,
    confidence TEXT NOT NULL, evidence INTEGER,
    PRIMARY KEY (site, position)
) WITHOUT ROWID;
CREATE TABLE evidence (  -- one step; follow `parent` to the end of the chain
    id INTEGER PRIMARY KEY, parent INTEGER, file INTEGER, line INTEGER NOT NULL,
    step INTEGER NOT NULL,   -- twice the number of the StepKind, and 1 more where it is only inferred
    name TEXT NOT NULL       -- '' where the line of the source says it
);
CREATE TABLE stopped (site INTEGER PRIMARY KEY, evidence INTEGER NOT NULL);  -- of a site without a target: the way back to what is unknown
CREATE TABLE widened (  -- where flow was let go; a call that this concerns has its id in `site`
    site INTEGER, file INTEGER NOT NULL, line INTEGER NOT NULL, step INTEGER NOT NULL, name TEXT NOT NULL
);
CREATE TABLE class_order (class INTEGER NOT NULL, position INTEGER NOT NULL, symbol INTEGER NOT NULL,
    PRIMARY KEY (class, position)) WITHOUT ROWID;  -- position 0 is the class itself; ends in builtins.object
CREATE TABLE refused (class INTEGER PRIMARY KEY, what TEXT NOT NULL);  -- classes that Python would refuse; their order is a guess
CREATE TABLE member (class INTEGER NOT NULL, name TEXT NOT NULL, symbol INTEGER NOT NULL,
    PRIMARY KEY (class, name, symbol)) WITHOUT ROWID;  -- methods and properties that the class's own body defines
CREATE TABLE assigned (  -- names that a class body assigns last, where that hides a method or property of the order, or holds one
    id INTEGER PRIMARY KEY, class INTEGER NOT NULL, name TEXT NOT NULL, line INTEGER NOT NULL,
    holds TEXT NOT NULL,     -- function property class value
    symbols TEXT NOT NULL    -- JSON array: the ids of the definitions that it holds
);
CREATE TABLE generated (class INTEGER PRIMARY KEY, parameters TEXT NOT NULL);  -- of the constructors that are made from fields
CREATE TABLE import (file INTEGER NOT NULL, line INTEGER NOT NULL, col INTEGER NOT NULL, module TEXT NOT NULL, name TEXT NOT NULL,
    alias TEXT NOT NULL, target INTEGER);
CREATE TABLE table_row (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, line INTEGER NOT NULL, col INTEGER NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL);
CREATE TABLE table_target (row INTEGER NOT NULL, symbol INTEGER NOT NULL, PRIMARY KEY (row, symbol)) WITHOUT ROWID;
CREATE TABLE entry (symbol INTEGER NOT NULL, why TEXT NOT NULL, PRIMARY KEY (symbol, why)) WITHOUT ROWID;
CREATE TABLE problem (where_ TEXT NOT NULL, what TEXT NOT NULL, fix TEXT NOT NULL);
CREATE TABLE text (file INTEGER PRIMARY KEY, body BLOB NOT NULL);  -- the file as it was indexed: zlib over UTF-8; a file without a row is not shown
-- Of an index for one configuration only: what a site would run in another, and the guard that decides. A site that does not run has status 'pruned'.
CREATE TABLE pruned (site INTEGER NOT NULL, symbol INTEGER NOT NULL, why INTEGER NOT NULL, PRIMARY KEY (site, symbol)) WITHOUT ROWID;
CREATE TABLE why (id INTEGER PRIMARY KEY, file TEXT NOT NULL, line INTEGER NOT NULL, what TEXT NOT NULL);  -- file '' where no guard is known
-- How values move, packed: the layouts stand in flowmap/model/flow.py. Read where a path of a value is asked for.
CREATE TABLE flow_scope (scope INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE flow_field (name TEXT PRIMARY KEY, body BLOB NOT NULL);  -- who loads and stores a field of this name
CREATE TABLE flow_file (file INTEGER PRIMARY KEY, first_node INTEGER NOT NULL, body BLOB NOT NULL);
CREATE TABLE field (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);  -- '*' stands for a computed part of a name
CREATE TABLE phrase (id INTEGER PRIMARY KEY, text TEXT NOT NULL);  -- texts of accesses; id 0 is ''
CREATE TABLE owners (id INTEGER NOT NULL, position INTEGER NOT NULL, class INTEGER NOT NULL,
    PRIMARY KEY (id, position)) WITHOUT ROWID;  -- sets of classes that own what is accessed; the set with id 0 is empty
CREATE TABLE access (  -- of fields; ids follow file, line, column
    field INTEGER NOT NULL, id INTEGER NOT NULL,
    file INTEGER NOT NULL, line INTEGER NOT NULL, col INTEGER NOT NULL, end_line INTEGER NOT NULL, end_col INTEGER NOT NULL,
    function INTEGER NOT NULL,
    kind INTEGER NOT NULL,        -- 0 read, 1 write, 2 augwrite, 3 mutate
    stage INTEGER NOT NULL,       -- 0 declared, 1 born, 2 stored, 3 loaded, 4 derived, 5 updated, 6 dropped
    confidence INTEGER NOT NULL,  -- 0 proven, 1 inferred, 2 possible
    owners INTEGER NOT NULL,      -- the id of a set
    via INTEGER NOT NULL,         -- the phrase that it is read off, or that is called
    expr INTEGER NOT NULL,        -- the whole; 0 where it is `via`, a dot and the field
    guards INTEGER NOT NULL, expr_guards INTEGER NOT NULL, early_exit_guards INTEGER NOT NULL,
    PRIMARY KEY (field, id)
) WITHOUT ROWID;
CREATE TABLE held (owners INTEGER NOT NULL, function INTEGER NOT NULL,
    PRIMARY KEY (owners, function)) WITHOUT ROWID;  -- a variable of the function, other than self, may hold an object of a class of the set
