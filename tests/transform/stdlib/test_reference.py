"""What is generated from the declarations is up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from rolltop.transform.stdlib import CATEGORIES, Function, all_names, find, functions
from rolltop.transform.stdlib import names as names_module
from rolltop.transform.stdlib.catalog import entries_text, own_entries
from rolltop.transform.stdlib.reference import describe, pages
from rolltop.transform.stdlib.registry import EXTENSIONS, table

ROOT = Path(__file__).parents[3]
LISTED = {
    name: (int(least), int(most) if most else None)
    for name, least, most in (
        line.split("\t") for line in Path(__file__).with_name("arities.tsv").read_text("utf-8").splitlines()
    )
}


def test_the_table_of_names_is_up_to_date() -> None:
    assert Path(names_module.__file__).read_text("utf-8") == table(), "run python -m rolltop.transform.stdlib"


def test_what_is_told_about_functions_is_what_they_declare() -> None:
    kept = Path(names_module.__file__).with_name("functions.json").read_bytes()
    assert kept == entries_text(), "run python -m rolltop.transform.stdlib"


def test_the_pages_are_up_to_date() -> None:
    written = {place: (ROOT / "docs" / place).read_text("utf-8") for place in pages()}
    assert written == pages(), "run python -m rolltop.transform.stdlib docs"


def test_the_pages_have_every_function_once() -> None:
    lines = [line for place, text in pages().items() if "/" in place for line in text.splitlines()]
    rows = [line for line in lines if line.startswith("| `") and "): " in line]
    assert len(rows) == len(functions())


def test_all_709_names_can_be_called() -> None:
    assert len(LISTED) == 709
    assert all_names() - EXTENSIONS == LISTED.keys()
    assert all_names() > EXTENSIONS


@pytest.mark.parametrize("name", sorted(LISTED))
def test_every_name_takes_as_many_arguments_as_listed(name: str) -> None:
    declared = find(name)
    assert declared is not None
    assert (declared.signature.least, declared.signature.most) == LISTED[name]


@pytest.mark.parametrize("declared", functions(), ids=lambda declared: declared.name)
def test_a_description_is_complete(declared: Function) -> None:
    shown = describe(declared)
    assert shown["category"] in CATEGORIES
    assert shown["signature"].startswith(f"{declared.name}(")
    assert shown["examples"]
    assert all(parameter["description"] and parameter["type"] for parameter in shown["parameters"])


def test_parameters_are_told_alike_everywhere() -> None:
    told = {entry.name: entry.parameters for entry in own_entries()}
    assert told == {function.name: describe(function)["parameters"] for function in functions()}
    filler = [name for name, parameters in told.items() for each in parameters if "alue of type" in each["description"]]
    assert len(filler) < 5
