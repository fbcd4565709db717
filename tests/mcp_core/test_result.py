"""Requirement 002, "Result Pattern Implementation"."""

from __future__ import annotations

import dataclasses
import json
import os
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import PurePosixPath

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from mcp_core import Result


def test_ok_has_a_value_and_may_have_message_and_instruction() -> None:
    result = Result.ok({"a": 1}, message="Done.", instruction="Show it.")
    assert result.success
    assert result.is_ok
    assert result.value == {"a": 1}
    assert result.to_dict() == {"success": True, "value": {"a": 1}, "message": "Done.", "instruction": "Show it."}


def test_failure_has_error_and_type_and_all_that_was_given() -> None:
    result: Result[int] = Result.failure(
        "no such file", "not_found", exception=KeyError("x"), message="Sorry.", instruction="Stop."
    )
    assert not result.success
    assert result.is_failure
    assert result.to_dict() == {
        "success": False,
        "error": "no such file",
        "error_type": "not_found",
        "message": "Sorry.",
        "instruction": "Stop.",
        "exception_type": "KeyError",
        "exception_message": "'x'",
    }


def test_results_do_not_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Result.ok(1).value = 2  # type: ignore[misc]


def test_null_and_the_empty_string_are_values() -> None:
    assert json.loads(Result.ok(None).to_json_str()) == {"success": True, "value": None}
    assert Result.ok("", message="").to_dict() == {"success": True, "value": "", "message": ""}


@dataclasses.dataclass
class Point:
    x: int


class Model(BaseModel):
    y: int


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (datetime(2026, 11, 15, 12, tzinfo=UTC), "2026-11-15T12:00:00Z"),
        (date(2026, 11, 15), "2026-11-15"),
        (PurePosixPath("a/b"), "a/b"),
        ({3}, [3]),
        (b"\xff\x00", "_wA="),
        (Point(1), {"x": 1}),
        (Model(y=2), {"y": 2}),
        (Decimal("1.50"), "1.50"),
        (float("nan"), None),
        ({"nested": [Point(3), {PurePosixPath("c")}]}, {"nested": [{"x": 3}, ["c"]]}),
        (object, "<class 'object'>"),
    ],
)
def test_every_value_has_a_json_form(value: object, expected: object) -> None:
    assert json.loads(Result.ok(value).to_json_str())["value"] == expected


@dataclasses.dataclass
class Named:
    path: PurePosixPath
    sizes: dict[str, int]


NOT_UTF8 = os.fsdecode(b"caf\xe9.txt")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("broken \ud83d here", r"broken \ud83d here"),
        ("a whole \ud83d\ude00", "a whole \N{GRINNING FACE}"),
        ([NOT_UTF8], [r"caf\udce9.txt"]),
        ({NOT_UTF8: 1}, {r"caf\udce9.txt": 1}),
        ({"list": [{NOT_UTF8: NOT_UTF8}]}, {"list": [{r"caf\udce9.txt": r"caf\udce9.txt"}]}),
        (Named(PurePosixPath(NOT_UTF8), {NOT_UTF8: 3}), {"path": r"caf\udce9.txt", "sizes": {r"caf\udce9.txt": 3}}),
    ],
)
def test_half_of_a_pair_is_shown_and_not_sent(value: object, expected: object) -> None:
    text = Result.ok(value).to_json_str()
    assert orjson.loads(text)["value"] == expected  # as strict as clients are


def test_errors_are_json_whatever_is_in_them() -> None:
    failed: Result[None] = Result.failure(
        NOT_UTF8, "broken", ValueError(NOT_UTF8), NOT_UTF8, NOT_UTF8, details={NOT_UTF8: [NOT_UTF8]}
    )
    told = orjson.loads(failed.to_json_str())
    assert {told["error"], told["message"], told["instruction"], told["exception_message"]} == {r"caf\udce9.txt"}
    assert told["details"] == {r"caf\udce9.txt": [r"caf\udce9.txt"]}


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(json_values)
def test_json_values_survive(value: object) -> None:
    assert json.loads(Result.ok(value).to_json_str())["value"] == value
