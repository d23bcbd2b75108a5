"""Where orders are paid."""

import sys

from shop.orders import Order
from shop.payment import way_to_pay


class Checkout:
    def __init__(self, ways: list[str]) -> None:
        self.ways = ways

    def pay(self, order: Order) -> bool:
        """Take what is due, one way after the other."""
        for name in self.ways:
            if order.due:
                payment = way_to_pay(name)
                taken = payment.take(order.due)
                order.paid += taken
                payment.settled(order)
        return not order.due


def main() -> None:
    order = Order([1200, 350])
    Checkout(sys.argv[1:]).pay(order)


if __name__ == "__main__":
    main()
