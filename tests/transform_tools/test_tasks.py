"""Ordinary tasks, solved by programs that were written from the language card and the search alone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from rolltop.transform.language import language_card
from rolltop.transform.service.execute import execute
from rolltop.transform.service.validate import validate
from rolltop.transform.stdlib.catalog import own_entries
from rolltop.transform.stdlib.search import Index


class Task(NamedTuple):
    name: str
    input_format: str
    output_format: str
    data: str
    program: str
    output: str


def _tasks() -> list[Task]:
    lines = Path(__file__).with_name("tasks.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return [
        Task(*(part if at in (3,) and row[1] == "json" else _unescaped(part) for at, part in enumerate(row)))
        for row in rows
    ]


def _unescaped(text: str) -> str:
    return text.replace("\\n", "\n")


TASKS = _tasks()


def plain(text: str, format_: str) -> object:
    """What an output says, whatever its layout."""
    if format_ == "json":
        return json.loads(text)
    return re.sub(r">\s+<", "><", re.sub(r"<\?xml.*?\?>\s*", "", text)).strip()


def test_there_are_enough_tasks() -> None:
    assert len(TASKS) >= 60


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_program_written_from_the_card_solves_the_task(task: Task) -> None:
    assert validate(task.program)["valid"]
    output = execute(task.program, task.data, task.input_format, task.output_format)["output"]
    assert plain(output, task.output_format) == plain(task.output, task.output_format)


def test_functions_of_the_programs_are_on_the_card_or_found_by_the_words_of_the_task() -> None:
    card, index = language_card(), Index(own_entries())
    names = {name for entry in own_entries() for name in entry.names}
    missing = []
    for task in TASKS:
        used = set(re.findall(r"\b([a-z]\w*)\(", task.program)) & names
        found = {name for entry in index.find(task.name)[:10] for name in entry.names}
        missing += [(task.name, name) for name in used if name not in card and name not in found]
    assert missing == []


def test_the_card_is_short() -> None:
    words = re.findall(r"\w+|[^\w\s]", language_card())
    assert len(language_card()) / 4 <= 900
    assert len(words) <= 1250


def test_the_program_on_the_card_runs() -> None:
    body = language_card().split("```utlx\n")[2].split("```")[0]
    line = {"sku": "a", "qty": 2, "price": 3, "name": "x", "city": "R"}
    data = {"customer": None, "lines": [line], "type": "B", "n": "z", "map": {"p": 1}, "name": "Ann", "d": "02/03/2024"}
    made = json.loads(execute(body, json.dumps(data), "json", "json")["output"])
    assert made["kind"] == 2
    assert made["byCity"] == [{"city": "R", "n": 1}]
    assert made["day"] == "2024-03-02"
