"""Calls: arity, coercion, refusal."""

from __future__ import annotations

import datetime as dt
from contextlib import suppress
from typing import Any

import pytest
from frugal import given
from hypothesis import strategies as st

from rolltop.errors import RolltopError, SizeLimit
from rolltop.transform.check import check
from rolltop.transform.errors import EvaluationFailure, FunctionFailure, TypeFailure
from rolltop.transform.stdlib import Function, Host, find, functions, installed
from rolltop.transform.values import Node


def call(name: str, *arguments: Any) -> Any:
    declared = find(name)
    assert declared is not None
    return declared.call(*arguments)


@pytest.mark.parametrize("declared", functions(), ids=lambda declared: declared.name)
def test_a_wrong_number_of_arguments_is_refused(declared: Function) -> None:
    least, most = declared.signature.least, declared.signature.most
    wrong = ([least - 1] if least else []) + ([most + 1, most + 5] if most is not None else [])
    for count in wrong:
        with pytest.raises(FunctionFailure, match=f"{declared.name} expects .* got {count}$"):
            declared.call(*[None] * count)


@pytest.mark.parametrize("alias", [alias for declared in functions() for alias in declared.aliases])
def test_a_refusal_names_the_function_as_the_program_does(alias: str) -> None:
    declared = find(alias)
    assert declared is not None
    with pytest.raises(FunctionFailure, match=f"^{alias} expects .* got 9$") as raised:
        declared.call(*[None] * 9)
    assert f"{alias}(" in raised.value.hint
    assert declared.name != alias
    assert f"{alias} expects" in check(f"{alias}({', '.join('1' * 9)})")[0].message


def test_a_wrong_argument_names_the_function_as_the_program_does() -> None:
    with pytest.raises(TypeFailure, match=r"^upper requires a string for 's', got an array$"):
        call("upper", [])
    assert check("upper([])")[0].message == "upper requires String for 's', got Array<Never>"


ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, 2**63 - 1, -(2**63), 0.5, float("nan"), float("inf"), "", "abc", " 1 ", "ä€😀", "\x00",
    b"", b"\xff\xfe", [], [None], [1, "a", True, None, {}], {}, {"a": None}, Node({"_text": "x"}),
    Node({}, {"id": "1"}),
    dt.date(2024, 2, 29), dt.time(1, 2), dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, tzinfo=dt.UTC), lambda x: x,
]  # fmt: skip


@pytest.mark.parametrize("declared", functions(), ids=lambda declared: declared.name)
def test_odd_arguments_give_a_value_or_an_error_for_the_author(declared: Function) -> None:
    """No Python error ever gets out, whatever a program passes."""
    signature = declared.signature
    counts = {signature.least, len(signature.parameters)}
    with installed(Host.fixed(dt.datetime(2026, 1, 1, tzinfo=dt.UTC))):
        for count in counts:
            for shift in range(len(ODD_VALUES) if count else 1):
                for step in (0, 1, 7) if count > 1 else (0,):
                    given_values = [ODD_VALUES[(shift + at * step) % len(ODD_VALUES)] for at in range(count)]
                    with suppress(RolltopError):
                        declared.call(*given_values)


@pytest.mark.parametrize(
    ("given_value", "text"),
    [(None, ""), (True, "true"), (5, "5"), (5.0, "5"), (1.5, "1.5"), ("x", "x"), (Node({"_text": 7}), "7")],
)
def test_scalars_become_text(given_value: Any, text: str) -> None:
    assert call("trim", given_value) == text


@pytest.mark.parametrize("given_value", [[1], {"a": 1}, b"x", lambda x: x])
def test_structures_do_not_become_text(given_value: Any) -> None:
    with pytest.raises(TypeFailure, match="upperCase requires a string for 's'"):
        call("upperCase", given_value)


def test_numbers_are_read_from_text_booleans_and_null() -> None:
    assert [call("abs", value) for value in ("-2.5", True, None, " 7 ")] == [2.5, 1, 0, 7]
    with pytest.raises(TypeFailure, match="requires a number"):
        call("abs", "two")


def test_one_xml_element_counts_as_an_array_of_one() -> None:
    assert call("count", Node({"a": 1}, name="row")) == 1
    assert call("map", Node({"n": 1}, name="row"), lambda row: row["n"]) == [1]


@pytest.mark.parametrize("value", [{"a": 1}, {}, Node({"a": 1}, {"id": "7"})])
@pytest.mark.parametrize("name", ["count", "size", "first", "last", "reverse", "all", "sum", "flatten"])
def test_any_other_object_is_no_array(name: str, value: Any) -> None:
    with pytest.raises(TypeFailure, match=f"{name} requires an array for 'array', got an object") as raised:
        call(name, value)
    assert "[x]" in raised.value.hint


@pytest.mark.parametrize("value", [None, 5, "abc", True])
def test_scalars_are_no_arrays(value: Any) -> None:
    with pytest.raises(TypeFailure, match="count requires an array"):
        call("count", value)


def test_lambdas_get_the_arguments_they_ask_for() -> None:
    assert call("map", [1], lambda x, surplus: surplus) == [None]
    assert call("reduce", [1, 2], lambda acc: acc, 0) == 0
    assert call("map", [1], lambda: "constant") == ["constant"]
    assert call("filter", {"a": 1, "b": 2}, lambda key, value: key == "a") == {"a": 1}


def test_functions_of_the_library_are_values() -> None:
    upper = find("upper")
    assert upper is not None
    assert call("map", ["a", "b"], upper.call) == ["A", "B"]
    assert call("mapValues", {"k": "v"}, upper.call) == {"k": "V"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("repeat", ("ab", 10**9)),
        ("pad", ("a", 10**12, "x")),
        ("padRight", ("a", 2**62, "x")),
        ("crossJoin", ([0] * 2000, [0] * 2000)),
        ("join", ([{"k": 1}] * 2000, [{"k": 1}] * 2000, "k", "k")),
        ("update", ([], [10**8], 1)),
        ("windowed", (list(range(100_000)), 50_000)),
        ("zipAll", ([[0] * 5000, *[[]] * 5000], None)),
        ("replace", ("a" * 5000, "", "b" * 5000)),
    ],
)
def test_sizes_are_capped_and_the_limit_cannot_be_caught(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(SizeLimit, match=f"{name} would make") as caught:
        call(name, *arguments)
    assert not isinstance(caught.value, EvaluationFailure)


@given(st.text(), st.integers(-5, 30))
def test_the_quick_way_and_the_general_way_agree(text: str, width: int) -> None:
    assert call("padRight", text, width, ".") == call("padRight", Node({"_text": text}), float(width), ".")
