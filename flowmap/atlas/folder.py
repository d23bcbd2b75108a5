"""A folder that is ours alone: written only where something changed, and rid of what nobody asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Folder:
    """A folder of files that are ours alone. What is written stays as it is where it says the same."""

    path: Path
    kept: set[Path] = field(default_factory=set)
    n_changed: int = 0

    def write(self, name: str, text: str) -> None:
        """Write a file, and count it where it was not the same before."""
        self.n_changed += self.note(name, text)

    def note(self, name: str, text: str) -> int:
        """Write a file; 1 where it was not the same before."""
        path = self.path / name
        self.kept.add(path)
        content = text.encode("utf-8", "backslashreplace")
        if path.is_file() and path.read_bytes() == content:
            return 0
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return 1

    def has(self, name: str) -> bool:
        """Whether a file is there."""
        return (self.path / name).is_file()

    def text(self, name: str) -> str | None:
        """What a file holds; None where it is not there."""
        path = self.path / name
        return path.read_text(encoding="utf-8") if path.is_file() else None

    def keep(self, *names: str) -> None:
        """Say that files are still wanted as they are."""
        self.kept.update(self.path / name for name in names)

    def remove_others(self) -> None:
        """Remove what was written for another state of things."""
        for path in sorted(self.path.rglob("*")):
            if path.is_file() and path not in self.kept:
                path.unlink()
