"""A small program with a mixin, a state that goes from file to file, and names that would be markup if they could."""

from __future__ import annotations

from pathlib import Path

from flowmap.store.index import Index
from tests.programs import index_of

HOSTILE = "</script><script>alert(1)</script>"
PROGRAM = {
    "shop/__init__.py": "",
    "shop/orders.py": f'''\
"""Orders, and what is counted of them."""


class Order:
    """An order. {HOSTILE}"""

    def __init__(self, amount: int) -> None:
        self.amount = amount
        self.note = "{HOSTILE}"


def read_order(text: str) -> Order:
    return Order(int(text))
''',
    "shop/output.py": f'''\
"""What is written."""

from shop.orders import Order


class OutputMixin:
    def emit(self, order: Order) -> None:
        """Writes an order out."""
        order.amount += 1
        print(order.amount, order.amount)
        # A line that is longer than any screen is wide: {"what is written, " * 20}
''',
    "shop/desk.py": '''\
"""The desk: takes orders in, and sends them out."""

from shop.orders import Order, read_order
from shop.output import OutputMixin


class Loud(OutputMixin):
    def emit(self, order: Order) -> None:
        super().emit(order)


class Desk(OutputMixin):
    def __init__(self, other: OutputMixin | None = None) -> None:
        self.other = other or Loud()

    def run(self, lines: list[str]) -> None:
        for line in lines:
            order = read_order(line)
            if order.amount > 3:
                self.emit(order)
            self.other.emit(order)


def main() -> None:
    Desk().run(["1"])
    Desk(Desk()).run(["2"])


if __name__ == "__main__":
    main()
''',
    "shop/<b>odd</b> & 'x'.py": '''\
"""A file with a name that is markup."""

from shop.orders import read_order


def odd() -> None:
    read_order("<img src=x onerror=alert(2)>")
''',
    "shop/näme.py": """\
from shop.orders import read_order


def py() -> int:
    return größe()


def größe(text: str = "ä") -> int:
    "ääää"; order = read_order(text); return order.amount
""",
}


def program_in(folder: Path) -> Index:
    """The index of the program, written below a folder."""
    return index_of(folder, PROGRAM)


def line_of(text: str, path: str) -> int:
    """The line of a file on which a text stands first."""
    before, found, _ = PROGRAM[path].partition(text)
    assert found, text
    return before.count("\n") + 1
