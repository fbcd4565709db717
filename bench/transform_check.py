"""How long parsing and checking an ordinary program takes, against parsing Python of the same size."""

from __future__ import annotations

import ast
import json
import statistics
import time
from pathlib import Path

from rolltop.transform.check import check_parsed
from rolltop.transform.syntax.formatter import format_program
from rolltop.transform.syntax.parser import parse

PROGRAM = """%utlx 1.0
input json
output json
---
let shipped = $input.orders |> filter(o => o.status == "shipped")
function Total(items) { sum(map(items, i => i.price * i.qty)) }
{
  invoices: map(shipped, o => {
    let total = Total(o.items)
    id: o.id,
    customer: upper(o.customer.name ?? "unknown"),
    city: o.customer.address?.city,
    total: round(total, 2),
    class: if (total > 1000) "large" else if (total > 100) "medium" else "small"
  }),
  byStatus: groupBy($input.orders, o => o.status) |> mapValues(g => count(g)),
  note: try { $input.note.text } catch (e) { "none: " + e }
}
"""
PYTHON = "\n".join(f"total_{n} = sum(i['price'] * i['qty'] for i in orders[{n}]['items'])" for n in range(12))


def measure(work, rounds: int = 2000) -> dict[str, float]:
    """p50 and p99 in microseconds of CPU time."""
    times = []
    for _ in range(rounds):
        started = time.process_time_ns()
        work()
        times.append((time.process_time_ns() - started) / 1000)
    times.sort()
    return {"p50": statistics.median(times), "p99": times[int(len(times) * 0.99)]}


def main() -> None:
    parsed = parse(PROGRAM)
    assert not check_parsed(parsed).findings
    rows = {
        "parse": measure(lambda: parse(PROGRAM)),
        "check": measure(lambda: check_parsed(parsed)),
        "parse + check": measure(lambda: check_parsed(parse(PROGRAM))),
        "format": measure(lambda: format_program(PROGRAM), 500),
        "Python's own parser": measure(lambda: ast.parse(PYTHON)),
    }
    print(f"program: {len(PROGRAM)} characters; microseconds of CPU time")
    for name, row in rows.items():
        print(f"{name:22} p50 {row['p50']:8.1f}   p99 {row['p99']:8.1f}")
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    (results / "transform_check.json").write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
