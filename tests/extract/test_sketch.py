"""What a sketch keeps of a file, and what it takes for the same."""

from __future__ import annotations

from flowmap.extract.sketch import sketch_file
from flowmap.model.sketch import FileSketch, Sketch, pack_sketch, unpack_sketch
from tests.reading import source_file

BODY = '''
class Worker(Base, metaclass=Meta):
    """Runs."""
    size: int = 1
    limit = 2

    def __init__(self, queue):
        self.queue, self.done = queue, []
        self.size = 3

    @property
    def full(self) -> bool:
        return len(self.queue) > self.limit

    def run(self, batch: list = ()) -> None:
        # says nothing
        for one in batch:
            self.queue.put(one, block=False)
        other.field = 1
'''


def sketched(text: str, path: str = "pkg/worker.py") -> FileSketch:
    """The sketch of a text."""
    return sketch_file(source_file(path), text.encode())


def the(name: str, text: str) -> Sketch:
    """The sketch of the one definition that is called so."""
    (found,) = (one for one in sketched(text).sketches if one.name == name)
    return found


def test_every_definition_has_its_place_and_signature() -> None:
    """Classes, methods and properties, each with what stands at its head."""
    rows = [(one.symbol, one.kind, one.line, one.signature) for one in sketched(BODY).sketches]
    assert rows == [
        ("pkg.worker.Worker", "class", 2, "(Base, metaclass=Meta)"),
        ("pkg.worker.Worker.__init__", "method", 7, "(self, queue)"),
        ("pkg.worker.Worker.full", "property", 12, "(self) -> bool"),
        ("pkg.worker.Worker.run", "method", 15, "(self, batch: list=()) -> None"),
    ]


def test_fields_are_what_a_class_declares_and_its_methods_assign() -> None:
    """Each where it is met first; what is assigned to another object is no field of the class."""
    rows = [(one.name, one.line, one.declared) for one in sketched(BODY).fields]
    assert rows == [("size", 4, "int"), ("limit", 5, ""), ("queue", 8, ""), ("done", 8, "")]


def test_a_module_has_fields_too() -> None:
    """The names that it assigns, under a test as well; no local name of a function."""
    text = "LIMIT: int = 3\nif LIMIT:\n    OTHER = 4\ndef f():\n    local = 1\n"
    assert [(one.owner, one.name) for one in sketched(text).fields] == [("pkg.worker", "LIMIT"), ("pkg.worker", "OTHER")]


def test_layout_comments_and_docstrings_do_not_count() -> None:
    """A body that was formatted anew says the same."""
    plain = "def f(a):\n    return g(a, [1, 2])\n"
    spread = 'def f(a):\n    """New."""\n\n    # why\n    return g(\n        a,\n        [1,\n         2,],\n    )\n'
    assert the("f", plain).digest == the("f", spread).digest


def test_how_a_formatter_writes_it_does_not_count() -> None:
    """Comments inside a statement, the quotes of strings, pieces of one string, parentheses around a whole value."""
    plain = """def f(a):
    x = g('a', 'say "#1"', 'one two')
    return a if x else (a, x)
"""
    other = """def f(a):
    x = (
        g(  # the 'first'
            "a",  # it's
            "say \\"#1\\"",
            "one "
            "two",
        )
    )
    return (
        a if x else (a, x)
    )
"""
    assert the("f", plain).digest == the("f", other).digest


def test_what_a_string_says_counts() -> None:
    """A comment ends with its line, a string with its quote; the prefix says what it is."""
    texts = ("g('a#b')", "g('a')", "g(b'a')", "g('a', 'b')", "g('a' 'b')", "g(f'a')", "g('a') #b")
    digests = [the("f", f"def f():\n    {text}\n").digest for text in texts]
    assert digests[-1] == digests[1]
    assert len(set(digests)) == len(texts) - 1


def test_a_constant_counts() -> None:
    """One other number, and the body is another one."""
    assert the("f", "def f(a):\n    return a + 1\n").digest != the("f", "def f(a):\n    return a + 2\n").digest


def test_where_a_statement_stands_counts() -> None:
    """The same statements, one of them under the test."""
    inside = "def f(a):\n    if a:\n        g()\n        h()\n"
    behind = "def f(a):\n    if a:\n        g()\n    h()\n"
    assert the("f", inside).digest != the("f", behind).digest


def test_a_class_says_nothing_of_what_its_methods_do() -> None:
    """Their names are its own, their bodies theirs."""
    assert the("C", "class C:\n    def m(self):\n        one()\n") == the("C", "class C:\n    def m(self):\n        two()\n")
    assert the("C", "class C:\n    def m(self): ...\n").digest != the("C", "class C:\n    def n(self): ...\n").digest


def test_words_tell_what_was_read_stored_and_passed() -> None:
    """The parts of speech by which fields are followed."""
    text = "def f(batch):\n    batch.done = g(batch.size, block='no')\n"
    assert the("f", text).words == ("'no", ".size", ":block", "=done", "batch", "g")


def test_parts_of_one_property_are_one() -> None:
    """The place is that of the getter."""
    text = "class C:\n    @property\n    def x(self): return 1\n    @x.setter\n    def x(self, value): self.y = value\n"
    assert (the("x", text).line, "=y" in the("x", text).words) == (3, True)


def test_nothing_is_known_of_a_file_that_does_not_parse() -> None:
    """And nothing is raised."""
    assert sketched("def f(:\n") == FileSketch("pkg/worker.py", (), ())


def test_a_sketch_comes_back_from_bytes() -> None:
    """As it was."""
    assert unpack_sketch(pack_sketch(sketched(BODY))) == sketched(BODY)
