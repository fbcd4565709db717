"""Searching the library finds what people mean, best first, at once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from rolltop.transform.stdlib import functions
from rolltop.transform.stdlib.catalog import own_entries
from rolltop.transform.stdlib.search import Index, search


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("upper", "upperCase"),
        ("uppercase string", "upperCase"),
        ("substrng", "substring"),
        ("grupby", "groupBy"),
        ("split text", "split"),
        ("remove duplicates", "distinct"),
        ("convert string to number", "toNumber"),
        ("average", "avg"),
        ("camelize", "camelCase"),
        ("padLeft", "pad"),
        ("JOINTOSTRING", "joinToString"),
        ("regex replace", "replaceRegex"),
    ],
)
def test_the_function_that_is_meant_comes_first(query: str, best: str) -> None:
    assert search(query)[0].name == best


QUERIES = [line.split("\t") for line in Path(__file__).with_name("queries.tsv").read_text("utf-8").splitlines()]
"""Plain questions and the functions that are right answers."""


def test_plain_questions_have_the_right_function_first() -> None:
    index = Index(own_entries())
    found = [(query, [entry.name for entry in index.find(query)[:5]], right.split("|")) for query, right in QUERIES]
    assert [query for query, names, right in found if not set(names) & set(right)] == []
    wrong = [(query, names[0], right) for query, names, right in found if names[0] not in right]
    assert len(wrong) <= len(QUERIES) * 0.03, wrong


def test_functions_that_need_the_environment_are_marked() -> None:
    marked = {entry.name for entry in own_entries() if entry.asks_environment}
    assert {"env", "homeDir", "systemProperty"} <= marked
    assert not marked & {"now", "log", "random"}


def test_an_empty_query_gives_everything_by_name() -> None:
    names = [function.name for function in search("")]
    assert names == sorted((function.name for function in functions()), key=str.lower)


@pytest.mark.parametrize(
    ("category", "usual"),
    [
        ("string", {"upperCase", "lowerCase", "trim", "split", "substring", "replace"}),
        ("array", {"map", "filter", "sum"}),
    ],
)
def test_without_words_what_programs_use_most_comes_first(category: str, usual: set[str]) -> None:
    found = [entry.name for entry in Index(own_entries()).find("", category)]
    assert usual <= set(found[:12])
    assert len(found) == len(search("", category=category))


def test_a_category_narrows_the_search() -> None:
    assert {function.category for function in search("reverse", category="array")} == {"array"}
    assert search("reverse", category="array")[0].name == "reverse"


def test_nonsense_finds_nothing() -> None:
    assert search("qqzzxx") == []


def test_every_function_is_found_first_by_each_of_its_names() -> None:
    assert [name for function in functions() for name in function.names if search(name)[0] is not function] == []


def test_a_search_takes_less_than_a_millisecond() -> None:
    search("warm up the index")
    queries = ["upper", "convert string to number", "substrng", "regex replace", "date zone", "e"]
    start = time.process_time()
    for _ in range(20):
        for query in queries:
            search(query)
    assert (time.process_time() - start) / (20 * len(queries)) < 0.001
