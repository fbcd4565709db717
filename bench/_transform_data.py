"""The data of the transform benchmark: orders as JSON array, JSON lines and XML, order lines as CSV. Deterministic."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

FIRST = ["Alice", "Bob", "Carol", "Dave", "Eve", "Frank", "Grace", "Heidi", "Ivan", "Judy", "Mallory", "Olivia"]
LAST = ["Smith", "Jones", "Brown", "Taylor", "Wilson", "Davies", "Evans", "Thomas", "Johnson", "Roberts", "Walker"]
KINDS = ["tools", "garden", "office", "toys", "books", "kitchen"]
STATES = ["shipped", "pending", "cancelled", "shipped", "shipped"]

DIFFERENT = 20_000
"""Orders that differ in more than their number."""


class Data:
    """Writes each file once, of about the bytes asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.chance = random.Random(7)

    def order(self, number: int, most: int = 5) -> dict[str, Any]:
        pick, between = self.chance.choice, self.chance.randint
        first, last = pick(FIRST), pick(LAST)
        return {
            "id": f"ORD-{number:08d}",
            "date": f"2026-{between(1, 12):02d}-{between(1, 28):02d}",
            "status": pick(STATES),
            "customer": {
                "name": f"{first} {last}",
                "email": f"{first}.{last}{number}@Example.com",
                "address": {
                    "street": f"{between(1, 999)} Main St", "city": "Springfield", "zip": f"{between(10000, 99999)}"
                },
            },
            "items": [self.item() for _ in range(between(1, most))],
            "notes": "Leave at the front door; call on arrival.",
        }  # fmt: skip

    def item(self) -> dict[str, Any]:
        between = self.chance.randint
        return {
            "sku": f"SKU-{between(1, 5000):05d}",
            "name": f"Item {between(1, 5000)}",
            "category": self.chance.choice(KINDS),
            "price": round(self.chance.random() * 200, 2),
            "qty": between(0, 9),
        }

    def array(self, size: int) -> Path:
        return self._made(f"orders-{size}.json", "[", self._joined(size, self._json), "]")

    def lines(self, number: int) -> Path:
        return self._made(f"orders-{number}.jsonl", "", islice(self._texts(self._line), number), "")

    def table(self, size: int) -> Path:
        header = "order_id,date,status,customer,email,sku,name,category,price,qty\n"
        return self._made(f"lines-{size}.csv", header, self._until(size, self._row), "")

    def xml(self, size: int) -> Path:
        return self._made(
            f"orders-{size}.xml", '<?xml version="1.0"?>\n<Orders>\n', self._until(size, self._xml), "</Orders>\n"
        )

    def small(self) -> bytes:
        chance, self.chance = self.chance, random.Random(42)
        order = self.order(42) | {"status": "shipped", "items": [self.item() for _ in range(3)]}
        self.chance = chance
        return json.dumps(order).encode()

    def _made(self, name: str, head: str, texts: Iterator[str], tail: str) -> Path:
        path = self.folder / name
        if not path.exists():
            unfinished = path.with_suffix(".unfinished")
            with unfinished.open("w") as out:
                out.write(head)
                out.writelines(texts)
                out.write(tail)
            unfinished.rename(path)
        return path

    def _texts(self, make: Callable[[int], str]) -> Iterator[str]:
        """One text after the other; from some number on earlier ones come again, under numbers of their own."""
        known = []
        for number in range(DIFFERENT):
            known.append(make(number))
            yield known[-1]
        for number in count(DIFFERENT):
            earlier = number % DIFFERENT
            yield known[earlier].replace(f"ORD-{earlier:08d}", f"ORD-{number:08d}")

    def _until(self, size: int, make: Callable[[int], str]) -> Iterator[str]:
        done = 0
        for text in self._texts(make):
            yield text
            done += len(text)
            if done >= size:
                return

    def _joined(self, size: int, make: Callable[[int], str]) -> Iterator[str]:
        for number, text in enumerate(self._until(size, make)):
            yield text if number == 0 else ",\n" + text

    def _line(self, number: int) -> str:
        return json.dumps(self.order(number, 2), separators=(",", ":")) + "\n"

    def _json(self, number: int) -> str:
        return json.dumps(self.order(number))

    def _row(self, number: int) -> str:
        order, item = self.order(number, 1), self.item()
        name, mail = order["customer"]["name"], order["customer"]["email"]
        return (
            f"{order['id']},{order['date']},{order['status']},{name},{mail},{item['sku']},"
            f'"Item, no {number % 5000}",{item["category"]},{item["price"]:.2f},{item["qty"]}\n'
        )

    def _xml(self, number: int) -> str:
        order = self.order(number)
        items = "".join(
            f'<Item price="{item["price"]}" quantity="{item["qty"]}" category="{item["category"]}">'
            f"<Sku>{item['sku']}</Sku><Name>{item['name']}</Name></Item>"
            for item in order["items"]
        )
        customer = order["customer"]
        return (
            f'<Order id="{order["id"]}" date="{order["date"]}" status="{order["status"]}"><Customer>'
            f"<Name>{customer['name']}</Name><Email>{customer['email']}</Email></Customer><Items>{items}</Items></Order>\n"
        )
