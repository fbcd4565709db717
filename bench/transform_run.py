"""Order to invoice: generated code, the simple evaluator and hand-written Python, in one process.

CPU time; every engine's output is compared with the evaluator's.
"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from typing import Any

import orjson

from _measure import save, table
from rolltop.transform import Document, compile_program
from rolltop.transform.compile import compile_tree

PROGRAM = """%utlx 1.0
input json
output json
---
map($input |> filter(o => o.status == "shipped"), o => {
  let items = filter(o.items, i => i.qty > 0)
  let total = sum(map(items, i => i.price * i.qty))
  id: o.id,
  customer: upper(o.customer.name),
  mail: lower(o.customer.email),
  city: o.customer.address.city ?? "unknown",
  lines: map(items, i => { sku: i.sku, text: i.name + " x " + toString(i.qty), amount: i.price * i.qty }),
  total: total,
  large: total > 500
})
"""


def by_hand(orders: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What somebody would write in Python for the same job."""
    result = []
    for order in orders:
        if order["status"] != "shipped":
            continue
        items = [item for item in order["items"] if item["qty"] > 0]
        total = sum(item["price"] * item["qty"] for item in items)
        customer = order["customer"]
        city = customer["address"].get("city")
        result.append(
            {
                "id": order["id"],
                "customer": customer["name"].upper(),
                "mail": customer["email"].lower(),
                "city": city if city is not None else "unknown",
                "lines": [
                    {"sku": i["sku"], "text": f"{i['name']} x {i['qty']}", "amount": i["price"] * i["qty"]}
                    for i in items
                ],
                "total": total,
                "large": total > 500,
            }
        )
    return result


def item(chance: random.Random, number: int) -> dict[str, Any]:
    price, quantity = round(chance.random() * 200, 2), chance.randint(0, 9)
    return {"sku": f"S{number}", "name": f"Item {number}", "price": price, "qty": quantity}


def orders(count: int) -> list[dict[str, Any]]:
    chance = random.Random(7)
    return [
        {
            "id": f"ORD-{n:06}",
            "status": chance.choice(["shipped", "pending", "shipped", "cancelled"]),
            "customer": {"name": "Ann Smith", "email": f"Ann{n}@Example.com", "address": {"city": "Springfield"}},
            "items": [
                {
                    "sku": f"S{k}",
                    "name": f"Item {k}",
                    "price": round(chance.random() * 200, 2),
                    "qty": chance.randint(0, 9),
                }
                for k in range(chance.randint(1, 5))
            ],
        }
        for n in range(count)
    ]


def cpu(work: Any, rounds: int) -> float:
    """The best of several rounds, in seconds of CPU time."""
    times = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def main() -> None:
    program = compile_program(PROGRAM)
    started = time.process_time()
    compiled = compile_tree(program.parsed.program, program.evaluator)
    generation = time.process_time() - started
    assert compiled is not None
    rows: dict[str, dict[str, float]] = defaultdict(dict)
    for name, count, rounds in (("one order, µs", 1, 400), ("5,000 orders, ms", 5_000, 5)):
        data = orders(count)
        data[0]["status"] = "shipped"
        text = orjson.dumps(data).decode()
        expected = program.evaluator.run({"input": data})
        assert compiled.run({"input": data}) == expected == by_hand(data)
        scale = 1e6 if count == 1 else 1e3
        rows[name] = {
            "by hand": cpu(lambda d=data: by_hand(d), rounds) * scale,
            "generated": cpu(lambda d=data: compiled.run({"input": d}), rounds) * scale,
            "evaluator": cpu(lambda d=data: program.evaluator.run({"input": d}), rounds) * scale,
            "text to text, by hand": cpu(
                lambda t=text: orjson.dumps(by_hand(orjson.loads(t)), option=orjson.OPT_INDENT_2), rounds
            ) * scale,
            "text to text, program": cpu(lambda t=text: program.run({"input": Document(t)}), rounds) * scale,
        }  # fmt: skip
    assert compiled.fallbacks == 0
    for name, row in rows.items():
        table(
            [name, "CPU", "times by hand"], [[engine, value, value / row["by hand"]] for engine, value in row.items()]
        )
    print(f"generating the code: {generation * 1e3:.2f} ms")
    save("transform_run", {**rows, "generating_ms": generation * 1e3})


if __name__ == "__main__":
    main()
