"""Programs that nobody writes by hand get a quick answer with a code."""

from __future__ import annotations

import time

import pytest

from rolltop.errors import RolltopError
from rolltop.transform.service.execute import execute
from rolltop.transform.service.validate import validate

LONG = {
    "additions": "1" + " + 1" * 50_000,
    "pipes": "1" + " |> (x => x)" * 5_000,
    "members": "$input" + ".a" * 50_000,
    "conditions": "if (false) 1 else " * 5_000 + "2",
}


@pytest.mark.parametrize("program", LONG.values(), ids=LONG)
def test_a_program_without_end_is_refused_with_a_code(program: str) -> None:
    answer = validate(program)
    assert not answer["valid"]
    assert answer["errors"][0]["code"] in ("E202", "E204")
    with pytest.raises(RolltopError, match="more than"):
        execute(program, "{}", "json", "json")


def test_a_thousand_operators_are_fine() -> None:
    assert execute("1" + " + 1" * 900, "{}", "json", "json")["output"] == "901"


def test_unknown_names_without_end_are_cut_and_take_no_time() -> None:
    started = time.thread_time()
    answer = validate("[" + ", ".join(f"unknown{number}" for number in range(2000)) + "]")
    assert time.thread_time() - started < 3
    assert len(answer["errors"]) == 101
    assert "1900 further" in answer["errors"][-1]["message"]


def test_parts_that_are_used_again_and_again_are_no_result() -> None:
    doubled = ["let x0 = { a: 1 }", *(f"let x{n} = {{ l: x{n - 1}, r: x{n - 1} }}" for n in range(1, 31)), "x30"]
    program = "\n".join(doubled)
    assert validate(program)["valid"]
    with pytest.raises(RolltopError, match="parts"):
        execute(program, "{}", "json", "json")
