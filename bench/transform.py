"""Order to invoice on large inputs and on one small document, against other engines doing the same job.

CPU seconds of whole processes (user and system), peak memory, one after the other in one run; every output is compared
with the one of hand-written Python. `--scale 1` is 100 MB of JSON array, 1M JSON lines, 100 MB of CSV, 50 MB of XML.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from _measure import save, table
from _transform_data import Data

HERE = Path(__file__).parent
PEERS = HERE / "peers"
KEPT = HERE / "results" / "transform"
ORDERS = """%utlx 1.0
input {format}
output {format}
---
$input |> filter(o => o.status == "shipped") |> map(o => {invoice})
"""
INVOICE = """{
  let items = o.items |> filter(i => i.qty > 0)
  {
    invoiceId: "INV-" + o.id,
    customer: upper(o.customer.name),
    email: lower(o.customer.email),
    city: o.customer.address.city ?? "n/a",
    lines: items |> map(i => { sku: i.sku, total: i.price * i.qty }),
    total: sum(items |> map(i => i.price * i.qty)),
    tax: sum(items |> map(i => i.price * i.qty)) * 0.2,
    byCategory: items |> groupBy(i => i.category) |> mapValues(g => sum(g |> map(i => i.price * i.qty)))
  }
}"""
CSV = """%utlx 1.0
input csv
output json
---
$input |> filter(r => r.status == "shipped") |> map(r =>
  { id: r.order_id, customer: upper(r.customer), sku: r.sku, total: r.price * r.qty })
"""
XML = """%utlx 1.0
input xml { arrays: ["Item"] }
output json
---
$input.Orders.Order |> filter(o => o.@status == "shipped") |> map(o => {
  let items = o.Items.Item |> filter(i => i.@quantity > 0)
  {
    invoiceId: "INV-" + o.@id,
    customer: upper(o.Customer.Name),
    email: lower(o.Customer.Email),
    lines: items |> map(i => { sku: i.Sku, total: i.@price * i.@quantity }),
    total: sum(items |> map(i => i.@price * i.@quantity)),
    byCategory: items |> groupBy(i => i.@category) |> mapValues(g => sum(g |> map(i => i.@price * i.@quantity)))
  }
})
"""
JQ_ONE = """[.items[] | select(.qty > 0)] as $its | {invoiceId: ("INV-" + .id),
 customer: (.customer.name | ascii_upcase), email: (.customer.email | ascii_downcase),
 city: (.customer.address.city // "n/a"),
 lines: [$its[] | {sku, total: (.price * .qty)}], total: ([$its[] | .price * .qty] | add // 0),
 tax: (([$its[] | .price * .qty] | add // 0) * 0.2),
 byCategory: (reduce $its[] as $i ({}; .[$i.category] += $i.price * $i.qty))}"""
JQ = {"array": f'[.[] | select(.status == "shipped") | {JQ_ONE}]', "lines": f'select(.status == "shipped") | {JQ_ONE}'}
MILLER = ["filter", '$status == "shipped"', "then", "put"]
MILLER_PUT = '$* = {"id": $order_id, "customer": toupper($customer), "sku": $sku, "total": $price * $qty}'
PYPI = ["duckdb", "saxonche", "jq"]


RUNNER = """
import json, os, subprocess, sys
for line in sys.stdin:
    command, output = json.loads(line)
    with open(output, "wb") as sink:
        process = subprocess.Popen(command, stdout=sink)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    print(json.dumps([status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]), flush=True)
"""
"""A small process that starts the others: memory is counted from the fork on, and this one holds the results."""


@cache
def runner() -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(KEPT / "pypi")}
    command = [sys.executable, "-I", "-S", "-c", RUNNER]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def run(command: list[str], output: Path, *, stdout: bool) -> tuple[float, float]:
    """CPU seconds and peak megabytes of a process."""
    process = runner()
    assert process.stdin is not None
    assert process.stdout is not None
    print(json.dumps([command, str(output) if stdout else os.devnull]), file=process.stdin, flush=True)
    status, cpu, memory = json.loads(process.stdout.readline())
    if status:
        raise RuntimeError(f"{command[0]} failed")
    return cpu, memory


def rolltop(kind: str, source: Path, output: Path, *options: str) -> list[str]:
    text = {"csv": CSV, "xml": XML}.get(kind) or ORDERS.format(
        format={"array": "json", "lines": "jsonl"}[kind], invoice=INVOICE
    )
    program = KEPT / f"{kind}.utlx"
    program.write_text(text)
    where = ["transform", "run", str(program), str(source), "-o", str(output), "-c", *options]
    return [sys.executable, "-m", "rolltop", *where]


def engines(kind: str, source: Path, output: Path) -> dict[str, tuple[list[str], bool]]:
    """Every engine's command, and whether its result is its standard output."""
    python = [sys.executable]
    known: dict[str, tuple[list[str], bool]] = {
        "hand-written Python": ([*python, str(PEERS / "transform_hand.py"), kind, str(source), str(output)], False),
        "rolltop": (rolltop(kind, source, output), False),
    }
    if kind in ("array", "lines"):
        for name in ("jq", "gojq"):
            known[name] = ([name, "-c", JQ[kind], str(source)], True)
        known["jq 1.8"] = (
            [*python, str(PEERS / "transform_jq.py"), kind, str(source), str(output), JQ[kind]], False
        )  # fmt: skip
    if kind == "csv":
        known["miller"] = (["mlr", "--icsv", "--ojson", *MILLER, MILLER_PUT, str(source)], True)
    if kind != "xml":
        known["duckdb, 1 thread"] = (
            [*python, str(PEERS / "transform_duckdb.py"), kind, str(source), str(output)], False
        )  # fmt: skip
    else:
        script, style = PEERS / "transform_saxon.py", PEERS / "transform.xsl"
        known["saxon"] = ([*python, str(script), kind, str(source), str(output), str(style)], False)
    return known


def results(path: Path, kind: str) -> list[Any]:
    text = path.read_text()
    return [json.loads(line) for line in text.splitlines()] if kind == "lines" else json.loads(text)


def same(left: Any, right: Any) -> bool:
    """Equal, up to the last digits of sums."""
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)
    return bool(left == right)


def large(kind: str, source: Path, skip: set[str]) -> list[dict[str, Any]]:
    expected, rows = None, []
    for name, (command, stdout) in engines(kind, source, KEPT / "out").items():
        if name in skip or (stdout and shutil.which(command[0]) is None):
            print(f"  {name}: not here")
            continue
        output = KEPT / f"{kind}-out"
        cpu, memory = run(
            [str(output) if part == str(KEPT / "out") else part for part in command], output, stdout=stdout
        )
        found = results(output, kind)
        expected = found if expected is None else expected
        rows.append({"job": kind, "engine": name, "cpu": cpu, "memory": memory, "equal": same(found, expected)})
    ours = next(row["cpu"] for row in rows if row["engine"] == "rolltop")
    for row in rows:
        row["x rolltop"] = row["cpu"] / ours
    return rows


def micros(work: Callable[[], Any], rounds: int = 3000) -> float:
    """CPU microseconds of one call: the best of several batches."""
    best = math.inf
    for _ in range(10):
        started = time.process_time()
        for _ in range(rounds // 10):
            work()
        best = min(best, (time.process_time() - started) / (rounds // 10) * 1e6)
    return best


def small(data: bytes) -> list[dict[str, Any]]:
    """One order, bytes to bytes, the program compiled before."""
    import orjson

    sys.path.insert(0, str(PEERS))
    from transform_hand import invoice

    from rolltop.transform import compile_program

    program = compile_program("let o = $input\n" + INVOICE)
    for _ in range(100):  # generated code pays from some runs on
        program.apply(data)
    expected = invoice(orjson.loads(data))
    assert same(json.loads(program.apply(data)), expected)
    rows = [
        ("hand-written Python", micros(lambda: orjson.dumps(invoice(orjson.loads(data)))), True),
        ("rolltop", micros(lambda: program.apply(data)), True),
    ]
    script = jsonata()
    if script is not None:
        path = KEPT / "small.json"
        path.write_bytes(data)
        found = json.loads(subprocess.run(["node", script, path], capture_output=True, check=True).stdout)
        rows.append(("jsonata-js", found["micros"], same(found["output"], expected)))
    ours = rows[1][1]
    return [
        {"job": "small, µs", "engine": name, "cpu": cpu, "memory": 0.0, "equal": equal, "x rolltop": cpu / ours}
        for name, cpu, equal in rows
    ]


def jsonata() -> Path | None:
    """The npm package, installed once."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        print("  jsonata-js: node and npm are not here")
        return None
    if not (KEPT / "node_modules").exists():
        (KEPT / "package.json").write_text('{"type": "module"}')
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "jsonata@2"], cwd=KEPT, check=True)
    return Path(shutil.copy(PEERS / "transform_jsonata.mjs", KEPT))


def install_peers() -> None:
    """What comes from PyPI, beside the project's own environment."""
    if not (KEPT / "pypi").exists():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--target", str(KEPT / "pypi"), *PYPI], check=True)


def flatness(data: Data, scale: float) -> list[dict[str, Any]]:
    """Time per record from 1 MB on, without the start of the process."""
    rows = []
    for size in (1_000_000, 10_000_000, int(100_000_000 * scale)):
        source = data.array(size)
        count = source.read_bytes().count(b'"ORD-')
        base, _ = run([sys.executable, "-m", "rolltop", "--version"], KEPT / "x", stdout=False)
        cpu, memory = run(rolltop("array", source, KEPT / "out", "--stream"), KEPT / "x", stdout=False)
        rows.append({"bytes": size, "µs a record": (cpu - base) / count * 1e6, "memory": memory})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=0.1)
    parser.add_argument("--jobs", nargs="*", default=["small", "array", "lines", "csv", "xml", "flat"])
    parser.add_argument("--skip", nargs="*", default=[], help="engines to leave out")
    asked = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    install_peers()
    data = Data(KEPT / "data")
    make = {
        "array": lambda: data.array(int(100_000_000 * asked.scale)),
        "lines": lambda: data.lines(int(1_000_000 * asked.scale)),
        "csv": lambda: data.table(int(100_000_000 * asked.scale)),
        "xml": lambda: data.xml(int(50_000_000 * asked.scale)),
    }
    rows = small(data.small()) if "small" in asked.jobs else []
    for kind in (kind for kind in make if kind in asked.jobs):
        rows += large(kind, make[kind](), set(asked.skip))
    headings = ["job", "engine", "cpu", "x rolltop", "memory", "equal"]
    table(headings, [[row[name] for name in headings] for row in rows])
    flat = flatness(data, asked.scale) if "flat" in asked.jobs else []
    if flat:
        table(list(flat[0]), [list(row.values()) for row in flat])
    save("transform", {"scale": asked.scale, "rows": rows, "flat": flat})


if __name__ == "__main__":
    main()
