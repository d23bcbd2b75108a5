"""What one file says, lowered to flat rows: the value-flow program of its scopes, its sites and its names.

Rows are plain tuples of ints, strings and tuples, so that facts cross process borders and go to disk by `marshal` (object
graphs took five times longer). They stay inside `extract`, `link` and `solve`; their layouts are written here and nowhere
else. Their kinds are plain numbers, not enum members: `marshal` takes nothing else.

A *node* stands for a variable, a parameter, a return or the result of an expression; nodes are numbered within the file.
A scope owns a contiguous range of them, so that a scope's body can be instantiated again by shifting that range.
"""

from __future__ import annotations

import marshal
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

FACTS_FORMAT = 10  # raised whenever a row layout or its meaning changes; stored facts of another format are extracted anew

Row = tuple[Any, ...]  # one of the layouts that are written here
Tree = tuple[Any, ...]  # an annotation; its layout stands in `extract/annotations.py`


class Op:
    """The kinds of value-flow rows; the layout after each is the rest of the tuple. Operands are nodes."""

    COPY = 0  # dst, src
    ATTR = 1  # dst, base, name, site: an attribute read
    SETATTR = 2  # base, name, src, site
    CALL = 3  # dst, callee, arguments (a starred one as ~node), keywords ((name or None, node) ...), site
    GETITEM = 4  # dst, base, key (str or int constant, SLICE or MATCH, else None), index node or -1, site
    SETITEM = 5  # base, key (as of GETITEM), src, site, index node
    ELEMENT = 6  # dst, base, site: what iterating over base gives
    DISPLAY = 7  # dst, type name, items ((key or None, node) ...); a starred item has key STAR
    FUNCTION = 8  # dst, scope
    CLASS = 9  # dst, scope
    STRING = 10  # dst, text
    FILTER = 11  # dst, src, Test, operands
    ANNOTATE = 12  # inward, outward, annotation: what flows in, bounded; what is declared, where nothing flows
    AWAIT = 13  # dst, src, site
    ENTER = 14  # dst, src, site: what `with src as dst` binds
    SUPER = 15  # dst, class scope, node of the method's first parameter
    OPERATOR = 16  # dst, special method names (tried in order, RIGHT between those of the two sides), left, right, site
    IMPORT = 17  # dst, module, name ("" for the module itself), line, site: -1 where nothing can run
    STAR = 18  # module, line
    DECORATE = 19  # dst, decorator, value, site
    LITERAL = 20  # dst, type name: an instance of a builtin type
    METHOD = 21  # dst, base, name, site: an attribute that is called right there
    TEXT = 22  # dst, src, rest: the texts at src, each followed by `rest`
    DELATTR = 23  # base, name, site
    CREATE = 24  # class, keywords ((name or None, node) ...), site: what runs when a `class` statement has made its class
    ALIAS = 25  # dst, annotation: what a name means where it stands for a type
    CATCH = 26  # dst, class or tuple of classes: what an `except` of them may catch


KEYED, PAIRS = 0, 1  # a table as a dict, or as a list of pairs
STAR_KEY = "*"  # the key of a starred item of a display is (STAR_KEY, site of the iteration or -1)
COMPUTED = "\0"  # stands in a string for a part that is computed
RIGHT = ""  # stands between the special methods of an operator's left side and those of its right side
SLICE = "slice"  # (SLICE, start or None: anywhere, node of its bound or 0) as key: what a slice gives
CASE = "case "  # begins the text of a site where a class pattern takes a field; the class follows
MATCH = "match"  # (MATCH, position) as key: what a class pattern takes by position


class Test:
    """What a FILTER lets through."""

    INSTANCE = 0  # instances of the classes at the operand nodes
    NOT_INSTANCE = 1
    HAS = 2  # values that have the attribute named by the operand
    NOT_HAS = 3
    CALLABLE = 4
    NONE = 5  # nothing: None itself is no value here
    EXACT = 6  # instances of the very classes at the operand nodes
    NOT_EXACT = 7
    SUBCLASS = 8  # the classes at the operand nodes and those below them
    NOT_SUBCLASS = 9
    NOT_CALLABLE = 10


class ScopeKind:
    """What a scope is the body of."""

    MODULE = 0
    CLASS = 1
    FUNCTION = 2
    LAMBDA = 3


class ScopeFlag:
    """What the text of a scope's head and body says of it."""

    ASYNC = 1
    GENERATOR = 2
    STATIC = 4
    CLASSMETHOD = 8
    PROPERTY = 16
    SETTER = 32
    ABSTRACT = 64
    OVERLOAD = 128
    CLOSURE = 256  # holds a nested function or class
    DATACLASS = 512
    DECORATED = 1024  # by something that may change what the name stands for
    CACHED = 2048
    DELETER = 4096


class Scope(NamedTuple):
    """One module, class, function or lambda."""

    kind: int  # ScopeKind
    flags: int  # ScopeFlag
    name: str
    qualname: str  # Python's __qualname__, "" for a module
    line: int
    col: int
    end_line: int
    parent: int  # index of the enclosing scope, -1 for a module
    first_node: int  # its own range of nodes, nested class bodies included
    end_node: int
    node: int  # where the value that it makes goes: the bound name before decorators
    signature: str
    decorators: tuple[str, ...]
    doc: str
    params: tuple[tuple[str, int, int, int], ...]  # (name, node, kind, default node or -1); kind as in inspect.Parameter
    result: int  # node of what it returns; -1 for modules and classes
    yields: int  # node of what it yields, -1 when it does not; the next one is what is sent into it
    bases: tuple[tuple[str, int], ...]  # (dotted text, of a call with `()` behind it, or "", node) of a class's bases
    names: dict[str, int]  # the node of each name bound here, all its bindings together
    bindings: dict[str, tuple[Row, ...]]  # what is bound to a name as text says, for `link`: see Binding
    declared: dict[str, Tree]  # annotations of a class's fields
    assigned: tuple[str, ...]  # fields that a class's methods assign through their first parameter
    metaclass: str  # dotted text of `metaclass=`, "" when there is none
    not_given: tuple[str, ...] = ()  # declared fields that a generated `__init__` does not take
    init_only: tuple[str, ...] = ()  # declared names that it takes for `__post_init__` alone


class Binding:
    """The kinds of rows in Scope.bindings."""

    DEFINITION = 0  # scope
    IMPORT = 1  # module, name ("" for the module itself)
    ALIAS = 2  # dotted text of the right-hand side
    VALUE = 3  # anything else
    STAR = 4  # module, whether the import always runs; under the name "*"
    EXPORTS = 5  # names in `__all__`, whether these are all


class SiteRow(NamedTuple):
    """Where something runs, or a field is touched. `kind` is one of SITE_KINDS. The rows of one scope stand in the order in which
    they run, where nothing branches."""

    scope: int
    line: int
    name_line: int
    col: int
    end_line: int
    end_col: int
    kind: int
    name: str  # last name of what is called or read, "" when it has none
    expr: str  # "" where the text is made on demand
    guards: int  # index into FileFacts.guards
    expr_guards: int
    early_exit_guards: int


class SiteShape:
    """What a site row is in the text; the kind of the exported site follows from what is found there."""

    CALL = 0
    READ = 1
    WRITE = 2
    AUGWRITE = 3
    DELETE = 4
    DECORATOR = 5
    WITH = 6
    OPERATOR = 7
    ITERATION = 8
    AWAIT = 9
    ITEM = 10
    CREATE = 11
    MUTATE = 12  # an attribute read whose value is changed in place: `x.f.append(y)`, `x.f[i] = y`
    DECLARE = 13  # a name that a class body declares or assigns


class ArgumentPlaces(NamedTuple):
    """Line, column, end line and end column of each argument of each call, positional ones before keywords, as flat numbers.

    `starts` holds pairs: the site of a call, and where its first argument begins in `numbers`.
    """

    starts: array[int]
    numbers: array[int]

    def first(self) -> dict[int, int]:
        """By site: where its first argument begins."""
        return dict(zip(self.starts[::2], self.starts[1::2], strict=True))


@dataclass(frozen=True, slots=True)
class FileFacts:
    """All that one file says. `problem` is set, and the rest empty, when its text could not be read as Python."""

    path: str
    module: str
    is_package: bool
    is_stub: bool
    n_lines: int
    n_nodes: int
    node_lines: array[int]  # the line of each node
    labels: dict[int, str]  # what a named node is called
    scopes: tuple[Row, ...]  # rows of Scope; scope 0 is the module
    packed_ops: tuple[bytes, ...]  # by scope: its rows of Op, packed: they are most of what is in memory, and read a few times
    n_sites: int
    packed_sites: bytes  # rows of SiteRow, packed: they are needed last and are most of what a file says
    packed_arguments: bytes  # the places of arguments, packed: only those that become fields are ever looked at
    guards: tuple[tuple[str, ...], ...]  # distinct lists of guards; index 0 is the empty one
    imports: tuple[Row, ...]  # (line, col, module, name, alias)
    # Displays that map keys to names: (scope, line, col, name, node, KEYED or PAIRS, rows). Their rows:
    # (key, node, line, col, line of the value). The node is that of the value; in a list of pairs, that of the pair.
    tables: tuple[Row, ...]
    skipped: tuple[Row, ...]  # what a configuration keeps from running: (line, col, end line, end col, place of the test)
    main_guard: bool  # has `if __name__ == "__main__"`
    problem: tuple[str, str] | None = None  # (what, fix)

    @property
    def ops(self) -> Iterator[tuple[Row, ...]]:
        """The rows of each scope, unpacked anew at each call."""
        return map(unpack_rows, self.packed_ops)

    @property
    def sites(self) -> tuple[Row, ...]:
        """The rows of SiteRow, unpacked anew at each call."""
        return unpack_rows(self.packed_sites)

    @property
    def arguments(self) -> ArgumentPlaces:
        """Where the arguments of the file's calls stand, unpacked anew at each call."""
        return ArgumentPlaces(*(array("I", part) for part in marshal.loads(self.packed_arguments)))


def pack_rows(rows: Sequence[Row]) -> bytes:
    """Rows of Op or of SiteRow as FileFacts keeps them."""
    return marshal.dumps(tuple(rows))


def pack_arguments(places: ArgumentPlaces) -> bytes:
    """The places of arguments as FileFacts keeps them."""
    return marshal.dumps((places.starts.tobytes(), places.numbers.tobytes()))


def unpack_rows(packed: bytes) -> tuple[Row, ...]:
    """Rows that `pack_rows` packed."""
    rows: tuple[Row, ...] = marshal.loads(packed)
    return rows


def pack(facts: FileFacts) -> bytes:
    """Facts as bytes for another process or the disk."""
    return marshal.dumps((FACTS_FORMAT, *astuple_shallow(facts)))


def unpack(packed: bytes) -> FileFacts | None:
    """Facts from bytes; None when they were written in another format."""
    found, *row = marshal.loads(packed)
    if found != FACTS_FORMAT:
        return None
    row[NODE_LINES] = array("I", row[NODE_LINES])
    return FileFacts(*row)


def astuple_shallow(facts: FileFacts) -> Row:
    """The fields in order, not copied: `dataclasses.astuple` would copy every row. Of arrays their bytes."""
    fields = (getattr(facts, name) for name in FileFacts.__slots__)
    return tuple(field.tobytes() if isinstance(field, array) else field for field in fields)


NODE_LINES = FileFacts.__slots__.index("node_lines")
