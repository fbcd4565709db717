"""Order to invoice in Python by hand: `transform_hand.py array|lines|csv|xml INPUT OUTPUT`."""

from __future__ import annotations

import csv
import gc
import sys
from typing import Any

import orjson


def invoice(order: dict[str, Any]) -> dict[str, Any]:
    lines, total, by = [], 0, {}
    for item in order["items"]:
        if item["qty"] > 0:
            amount = item["price"] * item["qty"]
            lines.append({"sku": item["sku"], "total": amount})
            total += amount
            by[item["category"]] = by.get(item["category"], 0) + amount
    customer = order["customer"]
    city = customer["address"].get("city")
    return {
        "invoiceId": "INV-" + order["id"],
        "customer": customer["name"].upper(),
        "email": customer["email"].lower(),
        "city": "n/a" if city is None else city,
        "lines": lines,
        "total": total,
        "tax": total * 0.2,
        "byCategory": by,
    }


def element_invoice(order: Any) -> dict[str, Any]:
    lines, total, by = [], 0.0, {}
    for item in order.find("Items"):
        quantity = float(item.get("quantity"))
        if quantity > 0:
            amount = float(item.get("price")) * quantity
            lines.append({"sku": item.findtext("Sku"), "total": amount})
            total += amount
            by[item.get("category")] = by.get(item.get("category"), 0) + amount
    customer = order.find("Customer")
    name, mail = customer.findtext("Name").upper(), customer.findtext("Email").lower()
    head = {"invoiceId": "INV-" + order.get("id"), "customer": name, "email": mail}
    return head | {"lines": lines, "total": total, "byCategory": by}


def array(source: str, target: str) -> None:
    with open(source, "rb") as data, open(target, "wb") as out:
        orders = orjson.loads(data.read())
        out.write(orjson.dumps([invoice(order) for order in orders if order["status"] == "shipped"]))


def lines(source: str, target: str) -> None:
    with open(source, "rb") as data, open(target, "wb") as out:
        for line in data:
            order = orjson.loads(line)
            if order["status"] == "shipped":
                out.write(orjson.dumps(invoice(order), option=orjson.OPT_APPEND_NEWLINE))


def table(source: str, target: str) -> None:
    with open(source, newline="") as data, open(target, "wb") as out:
        rows = [
            {
                "id": row["order_id"],
                "customer": row["customer"].upper(),
                "sku": row["sku"],
                "total": float(row["price"]) * float(row["qty"]),
            }
            for row in csv.DictReader(data)
            if row["status"] == "shipped"
        ]
        out.write(orjson.dumps(rows))


def xml(source: str, target: str) -> None:
    from lxml import etree

    invoices = []
    for _, order in etree.iterparse(source, tag="Order"):
        if order.get("status") == "shipped":
            invoices.append(element_invoice(order))
        order.clear()
        while order.getprevious() is not None:
            del order.getparent()[0]
    with open(target, "wb") as out:
        out.write(orjson.dumps(invoices))


if __name__ == "__main__":
    gc.disable()
    {"array": array, "lines": lines, "csv": table, "xml": xml}[sys.argv[1]](sys.argv[2], sys.argv[3])
