"""`rolltop transform functions` shows the library as the engine knows it."""

from __future__ import annotations

import json

from click.testing import CliRunner

from rolltop.cli.transform.repl import functions as command
from rolltop.transform.stdlib import CATEGORIES, all_names
from rolltop.transform.stdlib import functions as declared


def run(*arguments: str) -> str:
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_json_has_every_name_with_examples() -> None:
    shown = json.loads(run("--json"))
    assert shown["total"] == len(declared())
    names = {name for item in shown["functions"] for name in (item["name"], *item["aliases"])}
    assert names == all_names()
    assert all(item["examples"] for item in shown["functions"])


def test_a_search_puts_the_best_first_in_plain_lines() -> None:
    call, description, example = run("remove", "duplicates").splitlines()[0].split("\t")
    assert call == "distinct(array: Array<T>): Array<T>"
    assert "duplicates" in description
    assert example == 'distinct(["a", "b", "a"]) => ["a", "b"]'


def test_limit_and_category_narrow_the_list() -> None:
    shown = json.loads(run("--category", "math", "--limit", "5", "--json"))
    assert len(shown["functions"]) == 5
    assert shown["total"] > 5
    assert {item["category"] for item in shown["functions"]} == {"math"}


def test_nothing_found_is_exit_code_3() -> None:
    assert CliRunner().invoke(command, ["qqzzxx"]).exit_code == 3


def test_the_categories_are_those_of_the_library() -> None:
    option = next(parameter for parameter in command.params if parameter.name == "category")
    assert tuple(option.type.choices) == CATEGORIES
