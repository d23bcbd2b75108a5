"""What a name means by text alone: through imports, re-exports and aliases, without following a value."""

from __future__ import annotations

import pytest

from flowmap.link.names import Meaning, NameTable, Resolved
from flowmap.link.program import Layout
from tests.reading import facts_of, number_of, program_of


def meant(layout: Layout, one: Resolved) -> str:
    """A meaning as text: a symbol, `module NAME`, or `ext:NAME`."""
    match one.meaning:
        case Meaning.SCOPE:
            return layout.symbol(one.number)
        case Meaning.MODULE:
            return f"module {layout.files[one.number].module}"
        case Meaning.OUTSIDE:
            return f"ext:{one.dotted}"


def meanings(files: dict[str, str], path: str, seen_from: str = "app") -> list[str]:
    """All meanings of a dotted path, as seen from the scope with a symbol."""
    layout = program_of(files).layout
    return [meant(layout, one) for one in NameTable(layout).dotted(number_of(layout, seen_from), path)]


DEEP = {
    "pkg/__init__.py": "from .core import *\nfrom .core import Engine as Motor\nfrom . import tools\n",
    "pkg/core.py": "from .parts.wheel import Wheel\nimport os.path as p\n"
    "class Engine:\n    class Piston: ...\nclass _Hidden: ...",
    "pkg/parts/wheel.py": "from ...pkg.tools import turn\nfrom .. import core\nclass Wheel: ...\n",
    "pkg/tools.py": "def turn(): ...\nRotate = turn\n",
    "app.py": "import pkg, pkg.parts.wheel\nimport pkg.core as c\nfrom pkg import Motor, Wheel\n"
    "from json import loads\nimport numpy as np\nimport xml.dom\n",
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("Motor", ["pkg.core.Engine"]),
        ("Motor.Piston", ["pkg.core.Engine.Piston"]),
        ("Wheel", ["pkg.parts.wheel.Wheel"]),
        ("pkg", ["module pkg"]),
        ("pkg.Engine", ["pkg.core.Engine"]),
        ("pkg.Wheel", ["pkg.parts.wheel.Wheel"]),
        ("pkg.tools.turn", ["pkg.tools.turn"]),
        ("pkg.tools.Rotate", ["pkg.tools.turn"]),
        ("c", ["module pkg.core"]),
        ("c.p.join", ["ext:os.path.join"]),
        ("pkg.core.Wheel", ["pkg.parts.wheel.Wheel"]),
        ("loads", ["ext:json.loads"]),
        ("np.linalg.norm", ["ext:numpy.linalg.norm"]),
        ("xml.dom.Node", ["ext:xml.dom.Node"]),
        ("len", ["ext:builtins.len"]),
        ("pkg._Hidden", []),
        ("pkg.nothing", []),
        ("Motor.nothing", []),
        ("nothing", []),
    ],
)
def test_a_chain_of_imports_is_followed(path: str, expected: list[str]) -> None:
    """Relative, renamed, starred and re-exported; a private name passes no star; what is not there means nothing."""
    assert meanings(DEEP, path) == expected


@pytest.mark.parametrize(
    ("seen_from", "path", "expected"),
    [
        ("pkg.parts.wheel", "turn", ["pkg.tools.turn"]),
        ("pkg.parts.wheel", "core.Engine", ["pkg.core.Engine"]),
        ("pkg.core.Engine.Piston", "Engine", ["pkg.core.Engine"]),
        ("pkg.core.Engine.Piston", "Piston", []),
        ("pkg.core.Engine", "Piston", ["pkg.core.Engine.Piston"]),
    ],
)
def test_a_name_is_seen_from_a_scope(seen_from: str, path: str, expected: list[str]) -> None:
    """A class body hides its names from the scopes inside it."""
    assert meanings(DEEP, path, seen_from) == expected


def test_a_namespace_package_has_no_file() -> None:
    """`pkg.parts` is a folder without `__init__.py`: it can be imported, and nothing is called by its name alone."""
    files = {"app.py": "import pkg.parts\nfrom pkg.parts import wheel\n", "pkg/parts/wheel.py": "class Wheel: ...\n"}
    assert meanings(files, "wheel.Wheel") == ["pkg.parts.wheel.Wheel"]
    assert meanings(files, "pkg") == []


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("if fast:\n    from a import run\nelse:\n    from b import run\n", "run", ["a.run", "b.run"]),
        ("try:\n    from a import run\nexcept ImportError:\n    from missing import run\n", "run", ["a.run", "ext:missing.run"]),
        ("try:\n    from a import run\nexcept ImportError:\n    run = None\n", "run", ["a.run"]),
        ("from a import run\ndef run(): ...\n", "run", ["a.run", "app.run"]),
        ("from a import *\nfrom b import *\n", "run", ["b.run"]),
        ("from a import *\nif fast:\n    from b import *\n", "run", ["a.run", "b.run"]),
        ("from a import *\ndef run(): ...\n", "run", ["app.run"]),
        ("import a\nrun = a.run\n", "run", ["a.run"]),
        ("import a\nrun = go = a.run\n", "go", ["a.run"]),
        ("run = make()\n", "run", []),
        ("from a import run\nlen = run\n", "len", ["a.run"]),
        ("for run in runs: ...\n", "run", []),
    ],
)
def test_a_name_may_be_bound_more_than_once(text: str, path: str, expected: list[str]) -> None:
    """All bindings that text can tell, in their order; a value is none of them, and it hides a builtin."""
    files = {"a.py": "def run(): ...\n", "b.py": "def run(): ...\n", "app.py": text}
    assert meanings(files, path) == expected


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("from two import run", "from one import run"),
        ("from two import *", "from one import *"),
        ("import two\nrun = two.run", "import one\nrun = one.run"),
        ("run = run", ""),
        ("run = go\ngo = run", ""),
    ],
)
def test_a_circle_means_nothing(one: str, two: str) -> None:
    """Asking ends."""
    files = {"one.py": f"{one}\n", "two.py": f"{two}\n", "app.py": "from one import run\n"}
    assert meanings(files, "run") == []


def test_files_that_import_each_other_are_no_circle() -> None:
    """Their definitions are found from either side."""
    files = {
        "one.py": "from two import Right\nclass Left: ...\n",
        "two.py": "from one import Left\nclass Right: ...\n",
        "app.py": "from one import Left, Right\n",
    }
    assert meanings(files, "Right") == ["two.Right"]
    assert meanings(files, "Left", "two") == ["one.Left"]


def test_a_submodule_is_an_attribute_of_its_package() -> None:
    """Unless the package itself binds the name."""
    files = {"app.py": "import pkg.run\n", "pkg/__init__.py": "", "pkg/run.py": "def go(): ...\n"}
    assert meanings(files, "pkg.run.go") == ["pkg.run.go"]
    assert meanings({**files, "pkg/__init__.py": "def run(): ...\n"}, "pkg.run") == ["pkg.run"]


def test_a_stub_speaks_only_where_no_source_does() -> None:
    """The `.py` of the same module says more."""
    stub = "def run(): ...\ndef stubbed(): ...\n"
    files = {"app.py": "from fast import run, stubbed\n", "fast.pyi": stub}
    assert meanings(files, "stubbed") == ["fast.stubbed"]
    assert meanings({**files, "fast.py": "def go(): ...\n"}, "stubbed") == []


def test_a_file_that_did_not_parse_is_no_module() -> None:
    """Nothing can be said of its names; the rest is linked as ever."""
    assert facts_of("def f(:").problem is not None
    files = {"broken.py": "def f(:", "good.py": "def f(): ...\n", "app.py": "from broken import f as g\nfrom good import f\n"}
    assert meanings(files, "f") == ["good.f"]
    assert meanings(files, "g") == ["ext:broken.f"]
