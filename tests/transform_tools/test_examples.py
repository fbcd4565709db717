"""The example corpus: every example runs as it says, and is found by what it is about."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from rolltop.errors import InvalidInput
from rolltop.transform import Document, compile_program
from rolltop.transform.check import check
from rolltop.transform.examples import Example, Finder, Wanted, load_corpus
from rolltop.transform.examples.corpus import load_suite
from rolltop.transform.examples.kept import build_finder
from rolltop.transform.stdlib.declare import CATEGORIES
from rolltop.transform.stdlib.registry import find

CORPUS = load_corpus()


def documents_of(example: Example) -> dict[str, Document]:
    return {name: Document(data) for name, data in example.documents().items()}


FORMATS = ("xml", "json", "csv", "yaml", "xsd", "jsch", "avro", "proto")


@pytest.mark.parametrize("example", CORPUS, ids=lambda example: example.name)
def test_example_gives_its_output(example: Example) -> None:
    assert not [found for found in check(example.transformation) if found.severity == "error"]
    output = compile_program(example.transformation).run(documents_of(example)).text
    assert output.rstrip("\n") == example.output.rstrip("\n")


def test_names_are_unique_and_every_pair_of_formats_is_covered() -> None:
    assert len({example.name for example in CORPUS}) == len(CORPUS) >= 150
    assert {(example.input_format, example.output_format) for example in CORPUS} >= set(product(FORMATS, FORMATS))


def test_every_category_and_most_families_of_functions_are_used() -> None:
    used = {function for example in CORPUS for function in example.functions}
    declared = [found for name in used if (found := find(name)) is not None]
    assert {function.category for function in declared} == set(CATEGORIES)
    assert len({function.family for function in declared}) >= 30
    assert len(used) >= 150


@pytest.mark.parametrize(
    ("source", "target", "task", "expected"),
    [
        ("xml", "json", "transform order items to invoice", "xml_order_to_json_invoice"),
        ("csv", "json", "group by city and sum the amounts", "group_and_sum"),
        ("json", "json", "remove sensitive fields", "omit_fields"),
        ("json", "json", "join orders with customers by key", "join_two_lists"),
        ("json", "xml", "order to invoice with tax", "invoice_from_json_order"),
        ("csv", "csv", "pivot sales by month", "sales_pivot_by_month"),
        ("json", "json", "left join, keep orders without customer", "left_join_orders_and_customers"),
        ("csv", "json", "validate rows and list problems", "validate_rows_with_messages"),
        ("json", "csv", "flatten a tree to paths", "tree_to_paths"),
        ("json", "csv", "convert currencies with a lookup", "convert_currencies"),
        ("json", "json", "rename fields", "rename_fields"),
        ("xsd", "json-schema", "", "xsd_to_json_schema"),
        ("protobuf", "avro", "", "protobuf_to_avro"),
    ],
)
def test_the_best_example_comes_first(source: str, target: str, task: str, expected: str) -> None:
    found = Finder(CORPUS).find(Wanted(source, target, description=task))
    assert found[0][0].name == expected
    relevances = [relevance for _, relevance in found]
    assert relevances == sorted(relevances, reverse=True)
    assert all(0 <= relevance <= 1 for relevance in relevances)


def test_requested_functions_count_also_under_their_aliases() -> None:
    [(best, _)] = Finder(CORPUS).find(Wanted("json", "json", functions=("sha256",), limit=1))
    assert best.name == "hash_of_a_value"
    [(best, _)] = Finder(CORPUS).find(Wanted("json", "json", functions=("upper", "lower", "slugify"), limit=1))
    assert best.name == "change_case"


CASE = """name: doubled
description: Double a number with our house rules
input: {format: json, data: "{\\"n\\": 2}"}
transformation: |
  %utlx 1.0
  input json
  output json
  ---
  $input.n * 2
expected: {format: json, data: "4"}
"""


def test_a_suite_is_read_too_and_the_kept_index_follows_its_changes(tmp_path: Path) -> None:
    suite, kept = tmp_path / "suite", tmp_path / "kept" / "index.json"
    suite.mkdir()
    (suite / "other.yaml").write_text("script: 1\n")
    wanted = Wanted("json", "json", description="house rules double", limit=1)
    build_finder(suite, kept)
    assert len(json.loads(kept.read_text())["examples"]) == len(CORPUS)
    (suite / "case.yaml").write_text(CASE)
    assert build_finder(suite, kept).find(wanted)[0][0].name == "doubled"
    kept.write_text("damaged")
    assert build_finder(suite, kept).find(wanted)[0][0].name == "doubled"


VALUES = """description: Add a row with our house rules
input: {format: json, data: [[1, 2], [3]]}
transformation: |
  %utlx 1.0
  input json
  output json
  ---
  flatten($input)
expected: {format: json, data: [1, 2, 3]}
"""
SEVERAL = """name: two_inputs
inputs:
  orders: {format: json, data: "[1]"}
  rates: {format: csv, data: "a"}
transformation: |
  %utlx 1.0
  input: orders json, rates csv
  output json
  ---
  $orders
expected: {format: json, data: "[1]"}
"""


def test_cases_may_have_values_for_texts_several_inputs_and_no_name(tmp_path: Path) -> None:
    (tmp_path / "flat.yaml").write_text(VALUES)
    (tmp_path / "several.yaml").write_text(SEVERAL)
    (tmp_path / "wrong.yaml").write_text("inputs: {}\ntransformation: x\nexpected: {data: 1}\n")
    flat, several = load_suite(tmp_path)
    assert (flat.name, json.loads(flat.input), json.loads(flat.output)) == ("flat", [[1, 2], [3]], [1, 2, 3])
    assert several.input == "--- orders (json)\n[1]\n--- rates (csv)\na"


@pytest.mark.parametrize(("asked", "written"), [("invoices", "invoice"), ("merging", "merge"), ("mapped", "mapping")])
def test_forms_of_a_word_find_each_other(asked: str, written: str) -> None:
    common = {"transformation": "1", "input": "", "output": "", "input_format": "json", "output_format": "json"}
    finder = Finder([Example("other", "something else", **common), Example("wanted", f"to {written} it", **common)])
    assert finder.find(Wanted("json", "json", description=asked))[0][0].name == "wanted"


def test_a_format_that_nobody_knows_is_refused() -> None:
    finder = Finder(load_corpus())
    for wanted in (Wanted("foo", "json"), Wanted("json", "foo", description="orders")):
        with pytest.raises(InvalidInput, match="unknown format 'foo'") as refused:
            finder.find(wanted)
        assert "json" in (refused.value.hint or "")
    assert finder.find(Wanted("json-schema", "json"))
