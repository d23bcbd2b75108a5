"""What customers order."""

from dataclasses import dataclass, field


@dataclass
class Order:
    """An order. `paid` is what has come in so far, in cents."""

    lines: list[int] = field(default_factory=list)
    paid: int = 0

    @property
    def due(self) -> int:
        return sum(self.lines) - self.paid
