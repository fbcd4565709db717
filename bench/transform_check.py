"""What an ordinary program costs before and besides its work, in one process and through a worker.

Parsing and checking against Python's own parser on a text of the same size; a program that was never
seen before on a small document; the same program again; and both in a limited worker.
"""

from __future__ import annotations

import ast
import itertools
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from _measure import save, table
from rolltop.transform import Document, compile_program
from rolltop.transform.check import check_parsed
from rolltop.transform.service import Service, ServiceConfig
from rolltop.transform.service.execute import execute
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


DOCUMENT = json.dumps(
    {
        "orders": [
            {
                "id": number,
                "status": ["shipped", "open"][number % 2],
                "customer": {"name": f"Ann {number}", "address": {"city": "Oslo"}},
                "items": [{"price": 12.5, "qty": 2}, {"price": 3, "qty": number}],
            }
            for number in range(3)
        ],
        "note": {"text": "x"},
    }
)
NUMBERS = itertools.count()


def measure(
    work: Callable[[], Any], rounds: int = 2000, clock: Callable[[], int] = time.process_time_ns
) -> list[float]:
    """The least, p50 and p99 in microseconds."""
    times = []
    for _ in range(rounds):
        started = clock()
        work()
        times.append((clock() - started) / 1000)
    times.sort()
    return [times[0], statistics.median(times), times[int(len(times) * 0.99)]]


def unseen() -> str:
    return f"{PROGRAM}\n// {next(NUMBERS)}\n"


def in_a_worker(service: Service, text: str) -> Any:
    arguments = {"data": DOCUMENT, "input_format": "json", "output_format": "json"}
    return service.ask_blocking("execute", transformation=text, **arguments)


def main() -> None:
    parsed = parse(PROGRAM)
    assert not check_parsed(parsed).findings
    inputs = {"input": Document(DOCUMENT)}
    seen = compile_program(PROGRAM)
    service = Service(ServiceConfig(workers=1))
    in_a_worker(service, PROGRAM)
    wall = time.perf_counter_ns
    rows = {
        "parse": measure(lambda: parse(PROGRAM)),
        "check": measure(lambda: check_parsed(parsed)),
        "parse + check": measure(lambda: check_parsed(parse(PROGRAM))),
        "format": measure(lambda: format_program(PROGRAM), 500),
        "Python's own parser": measure(lambda: ast.parse(PYTHON)),
        "new program, text to text": measure(lambda: compile_program(unseen()).run(inputs)),
        "known program, text to text": measure(lambda: seen.run(inputs)),
        "known, the service's job (wall)": measure(lambda: execute(PROGRAM, DOCUMENT, "json", "json"), clock=wall),
        "known, in a worker (wall)": measure(lambda: in_a_worker(service, PROGRAM), clock=wall),
        "new, in a worker (wall)": measure(lambda: in_a_worker(service, unseen()), clock=wall),
    }
    service.close()
    parser = rows["Python's own parser"][1]
    print(f"program {len(PROGRAM)} characters, document {len(DOCUMENT)}; microseconds, CPU time unless it says wall")
    shown = [[name, *row, row[1] / parser] for name, row in rows.items()]
    table(["", "least", "p50", "p99", "of Python's parser"], shown)
    save("transform_check", rows)


if __name__ == "__main__":
    main()
