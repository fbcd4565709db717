"""The same job in SQL on one thread: `transform_duckdb.py array|lines|csv INPUT OUTPUT`."""

from __future__ import annotations

import sys

import duckdb

ORDERS = """
SELECT 'INV-' || id AS "invoiceId", upper(customer.name) AS customer, lower(customer.email) AS email,
  coalesce(customer.address.city, 'n/a') AS city,
  list_transform(its, lambda i: {'sku': i.sku, 'total': i.price * i.qty}) AS lines,
  coalesce(list_sum(list_transform(its, lambda i: i.price * i.qty)), 0) AS total,
  coalesce(list_sum(list_transform(its, lambda i: i.price * i.qty)), 0) * 0.2 AS tax,
  map_from_entries(list_transform(list_distinct(list_transform(its, lambda i: i.category)),
    lambda c: {'k': c, 'v': list_sum(list_transform(list_filter(its, lambda i: i.category = c),
      lambda i: i.price * i.qty))})) AS "byCategory"
FROM (SELECT *, list_filter(items, lambda i: i.qty > 0) AS its FROM read_json('SOURCE', format='FORMAT', columns={
  id: 'VARCHAR', status: 'VARCHAR',
  customer: 'STRUCT(name VARCHAR, email VARCHAR, address STRUCT(city VARCHAR))',
  items: 'STRUCT(sku VARCHAR, category VARCHAR, price DOUBLE, qty DOUBLE)[]'}) WHERE status = 'shipped')"""
TABLE = """SELECT order_id AS id, upper(customer) AS customer, sku, price * qty AS total
FROM read_csv('SOURCE') WHERE status = 'shipped'"""


def main(kind: str, source: str, target: str) -> None:
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    format_ = {"array": "array", "lines": "newline_delimited"}.get(kind, "")
    query = (TABLE if kind == "csv" else ORDERS).replace("SOURCE", source).replace("FORMAT", format_)
    is_array = "false" if kind == "lines" else "true"
    connection.execute(f"COPY ({query}) TO '{target}' (FORMAT json, ARRAY {is_array})")


if __name__ == "__main__":
    main(*sys.argv[1:4])
