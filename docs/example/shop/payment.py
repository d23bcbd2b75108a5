"""Ways to pay, and what they have in common."""

from shop.orders import Order


class Receipts:
    """Prints receipts for whatever it is mixed into."""

    def settled(self, order: Order) -> None:
        print(f"paid {order.paid}")


class Payment:
    def take(self, amount: int) -> int:
        raise NotImplementedError

    def settled(self, order: Order) -> None:
        pass


class Card(Receipts, Payment):
    def take(self, amount: int) -> int:
        return amount


class Voucher(Payment):
    def __init__(self, worth: int = 500) -> None:
        self.worth = worth

    def take(self, amount: int) -> int:
        taken = min(self.worth, amount)
        self.worth -= taken
        return taken


WAYS: dict[str, type[Payment]] = {"card": Card, "voucher": Voucher}


def way_to_pay(name: str) -> Payment:
    return WAYS[name]()
