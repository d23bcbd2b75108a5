"""The parts of the recorder that need no process of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowmap.model.observed import ObservedEdge
from flowmap.model.problem import FlowmapError
from flowmap.runtime.edges import edge_lines, read_edges
from flowmap.runtime.parts import merged
from flowmap.runtime.recorder import placed, qualified

EDGE = ObservedEdge("pkg/a.py", 3, "pkg.a.f", "pkg.b.g", "pkg/b.py", 7, ("threading",), 2)
LINE = "0\tpkg.a.f\tpkg/a.py\t3\tpkg.b.g\tpkg/b.py\t7\tthreading\n"


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("f", "f"),
        ("C.m.<locals>.inner", "C.m.<locals>.inner"),
        ("f.<locals>.<listcomp>", "f"),
        ("f.<locals>.<genexpr>.<locals>.<lambda>", "f.<locals>.<lambda>"),
        ("<genexpr>", ""),
        ("<module>", ""),
        ("<lambda>", "<lambda>"),
    ],
)
def test_a_comprehension_belongs_to_the_function_around_it(name: str, folded: str) -> None:
    """As in the index, and whether or not this Python gives comprehensions a frame."""
    assert qualified(name) == folded


def test_a_module_is_named_by_where_its_file_is(tmp_path: Path) -> None:
    """A folder without `__init__.py` is a package only if the code itself says so by its name."""
    file = tmp_path / "space" / "pkg" / "mod.py"
    file.parent.mkdir(parents=True)
    (file.parent / "__init__.py").touch()
    assert placed(str(file), "pkg.mod") == ("pkg.mod", "pkg/mod.py")
    assert placed(str(file), "__main__") == ("pkg.mod", "pkg/mod.py")
    assert placed(str(file), "space.pkg.mod") == ("space.pkg.mod", "space/pkg/mod.py")
    assert placed(str(file.parent / "__init__.py"), "pkg") == ("pkg", "pkg/__init__.py")


def test_parts_are_added_up(tmp_path: Path) -> None:
    """The same call in two processes is one row; a process that was killed left no counts, and its calls count once."""
    (tmp_path / "1.part").write_text(f"{LINE}counts\t0:5\n", encoding="utf-8")
    (tmp_path / "2.part").write_text(LINE + "1\tpkg.a.f\tcut sho", encoding="utf-8")
    (edge,) = merged(tmp_path.glob("*.part"))
    assert edge.n_calls == 6
    assert edge.through == ("threading",)


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    """One row an edge."""
    file = tmp_path / "calls.jsonl"
    file.write_text("\n".join(edge_lines([EDGE, EDGE])), encoding="utf-8")
    assert read_edges(file) == (EDGE, EDGE)


@pytest.mark.parametrize("text", ["no json\n", "[]\n", '{"caller": "f"}\n'])
def test_another_file_is_no_record(tmp_path: Path, text: str) -> None:
    """The line is named."""
    file = tmp_path / "calls.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FlowmapError, match="line 1"):
        read_edges(file)
