-- The index as it is asked in SQL: names and places where the tables below hold ids. `flowmap sql` lists these views.
CREATE VIEW symbols AS  -- Every definition of the indexed code, and every name outside of it that something in it runs.
SELECT
    s.id AS id,
    s.text AS symbol,  -- the module, a dot, Python's `__qualname__`; `ext:` in front where it is outside the indexed code
    s.name AS name,  -- the last part of it
    s.kind AS kind,  -- module, class, function, method, property, lambda, external
    f.path AS file,  -- NULL outside
    s.line AS line,  -- from 1
    s.col AS col,  -- from 0
    s.end_line AS end_line,
    o.text AS owner,  -- the symbol of the enclosing class, function or module; NULL for a module
    s.signature AS signature,
    s.decorators AS decorators,  -- a JSON array of texts
    s.doc AS doc  -- the first line of the docstring
FROM symbol s LEFT JOIN file f ON f.id = s.file LEFT JOIN symbol o ON o.id = s.owner;

CREATE VIEW sites AS  -- Every call site: whatever runs something, be it a call, a property, an operator or a decorator.
SELECT
    s.id AS id,
    c.text AS caller,  -- the symbol of what the site stands in
    f.path AS file,
    s.line AS line,
    s.col AS col,
    s.name AS name,  -- the last name of what is called: `verify` of `self.worker.verify(batch)`
    s.expr AS expr,
    s.kind AS kind,  -- call, property, decorator, with, operator, iteration, await, dispatch, border
    s.status AS status,  -- resolved, external, builtin, unresolved, dynamic; pruned under a configuration
    s.reason AS reason,  -- why it is not resolved
    g.texts AS guards,  -- the statements around it, outermost first: a JSON array
    i.texts AS expr_guards,  -- the conditions inside the expression
    e.texts AS early_exit_guards,  -- what must hold since statements before it would have left otherwise
    s.rank AS rank  -- of the sites of one caller those with lower ranks run first, where nothing branches
FROM site s JOIN symbol c ON c.id = s.caller JOIN file f ON f.id = s.file JOIN guard_list g ON g.id = s.guards
    JOIN guard_list i ON i.id = s.expr_guards JOIN guard_list e ON e.id = s.early_exit_guards;

CREATE VIEW edges AS  -- Who may run whom: a row for each target of each site.
SELECT
    c.text AS caller,
    d.text AS callee,
    d.name AS callee_name,  -- the last part of `callee`
    t.confidence AS confidence,  -- proven, inferred, possible
    s.kind AS kind,  -- of the site
    f.path AS file,  -- where the call stands
    s.line AS line,
    s.col AS col,
    s.expr AS expr,
    s.id AS site  -- `id` in `sites`
FROM target t JOIN site s ON s.id = t.site JOIN symbol c ON c.id = s.caller JOIN symbol d ON d.id = t.symbol
    JOIN file f ON f.id = s.file;

CREATE VIEW accesses AS  -- Every access of a field: a row for each class that may own the field there.
SELECT
    n.name AS field,
    o.text AS owner,  -- the symbol of the class; NULL where the receiver is unknown
    CASE a.kind WHEN 0 THEN 'read' WHEN 1 THEN 'write' WHEN 2 THEN 'augwrite' ELSE 'mutate' END AS access,
    CASE a.stage WHEN 0 THEN 'declared' WHEN 1 THEN 'born' WHEN 2 THEN 'stored' WHEN 3 THEN 'loaded' WHEN 4 THEN 'derived'
        WHEN 5 THEN 'updated' ELSE 'dropped' END AS stage,  -- of the life of the field's value
    CASE a.confidence WHEN 0 THEN 'proven' WHEN 1 THEN 'inferred' ELSE 'possible' END AS confidence,
    s.text AS function,  -- the symbol of what it stands in
    f.path AS file,
    a.line AS line,
    a.col AS col,
    CASE e.text WHEN '' THEN v.text || '.' || n.name ELSE e.text END AS expr,
    v.text AS via,  -- what it is read off, or what is called
    g.texts AS guards  -- the statements around it, outermost first: a JSON array
FROM access a JOIN field n ON n.id = a.field JOIN symbol s ON s.id = a.function JOIN file f ON f.id = a.file
    JOIN phrase v ON v.id = a.via JOIN phrase e ON e.id = a.expr JOIN guard_list g ON g.id = a.guards
    LEFT JOIN owners w ON w.id = a.owners LEFT JOIN symbol o ON o.id = w.class;

CREATE VIEW flows AS  -- How values go from function to function through fields: what one writes, the other may read.
SELECT
    n.name AS field,
    o.text AS owner,  -- the symbol of the class
    x.text AS writer,  -- the symbol of the function that writes or changes it; a class where it is declared
    p.path AS file,  -- where it is written
    w.line AS line,
    w.col AS col,
    y.text AS reader,  -- the symbol of the function that reads or changes it
    q.path AS read_file,
    r.line AS read_line
FROM access w JOIN access r ON r.field = w.field AND r.kind IN (0, 2, 3)
    JOIN owners a ON a.id = w.owners JOIN owners b ON b.id = r.owners AND b.class = a.class
    JOIN field n ON n.id = w.field JOIN symbol o ON o.id = a.class
    JOIN symbol x ON x.id = w.function JOIN file p ON p.id = w.file
    JOIN symbol y ON y.id = r.function JOIN file q ON q.id = r.file
WHERE w.kind IN (1, 2, 3);

CREATE VIEW guards AS  -- What must hold for a site to run: a row for each condition.
SELECT
    s.id AS site,  -- `id` in `sites`
    k.value AS kind,  -- around: a statement; inside: a condition in the expression; before: an early exit that was not taken
    j.key AS position,  -- from 0, the outermost first
    j.value AS guard,  -- its text
    c.text AS caller,
    f.path AS file,
    s.line AS line,
    s.col AS col,
    s.expr AS expr
FROM site s JOIN json_each('["around", "inside", "before"]') k
    JOIN guard_list g ON g.id = CASE k.value WHEN 'around' THEN s.guards WHEN 'inside' THEN s.expr_guards ELSE s.early_exit_guards END
    JOIN json_each(g.texts) j JOIN symbol c ON c.id = s.caller JOIN file f ON f.id = s.file;
