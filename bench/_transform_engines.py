"""The engines of the transform benchmark: order to invoice in the language of each, and how it is started."""

from __future__ import annotations

import sys
from pathlib import Path

PEERS = Path(__file__).parent / "peers"
PYPI = ["duckdb", "saxonche", "jq"]
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
TARGETS = {
    "small, µs": {"hand-written Python": 1.0, "jsonata-js": 12.0},
    "array": {"hand-written Python": 1.0, "jq": 17.0, "jq 1.8": 12.0, "gojq": 6.0, "duckdb, 1 thread": 1 / 1.3},
    "lines": {"hand-written Python": 1.0, "duckdb, 1 thread": 1 / 1.3},
    "csv": {"miller": 3.0, "duckdb, 1 thread": 1 / 1.3},
    "xml": {"saxon": 2.5},
}
"""How many times our CPU time the others should need at least."""


def program(kind: str, folder: Path) -> Path:
    """The file with our program for a job."""
    formats = {"array": "json", "lines": "jsonl"}
    text = {"csv": CSV, "xml": XML}.get(kind) or ORDERS.format(format=formats[kind], invoice=INVOICE)
    path = folder / f"{kind}.utlx"
    path.write_text(text)
    return path


def rolltop(kind: str, folder: Path, source: Path | str, output: Path, *options: str) -> list[str]:
    where = ["transform", "run", str(program(kind, folder)), str(source), "-o", str(output), "-c", *options]
    return [sys.executable, "-m", "rolltop", *where]


def engines(kind: str, folder: Path, source: Path, output: Path) -> dict[str, tuple[list[str], bool]]:
    """Every engine's command, and whether its result is its standard output."""
    job = [kind, str(source), str(output)]

    def script(name: str, *more: str) -> tuple[list[str], bool]:
        return [sys.executable, str(PEERS / name), *job, *more], False

    known = {
        "hand-written Python": script("transform_hand.py"),
        "rolltop": (rolltop(kind, folder, source, output), False),
    }
    if kind in ("array", "lines"):
        known |= {name: ([name, "-c", JQ[kind], str(source)], True) for name in ("jq", "gojq")}
        known["jq 1.8"] = script("transform_jq.py", JQ[kind])
    if kind == "csv":
        known["miller"] = (["mlr", "--icsv", "--ojson", *MILLER, MILLER_PUT, str(source)], True)
    if kind == "xml":
        known["saxon"] = script("transform_saxon.py", str(PEERS / "transform.xsl"))
        known["lxml XSLT 1.0"] = script("transform_xslt.py", str(PEERS / "transform1.xsl"))
    else:
        known["duckdb, 1 thread"] = script("transform_duckdb.py")
    return known
