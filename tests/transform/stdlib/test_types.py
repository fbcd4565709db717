"""What the checker infers for an example holds for the example's value, and no correct example is refused."""

from __future__ import annotations

import datetime as dt

import pytest

from rolltop.transform import compile_program
from rolltop.transform.check.checker import check_parsed
from rolltop.transform.stdlib import Function, Host, functions, installed
from rolltop.transform.types import ArrayType, FunctionType, ObjectType, Type, UnionType, parse_type
from rolltop.transform.values import kind_of

MOMENT = dt.datetime(2026, 3, 14, 15, 9, 26, tzinfo=dt.UTC)
CODES = [
    pytest.param(code, id=f"{declared.name}-{at}")
    for declared in functions()
    for at, (code, expected) in enumerate(declared.examples)
    if not expected.startswith("error:")
]
KINDS = {
    "String": {"string"},
    "Number": {"number"},
    "Integer": {"number"},
    "Boolean": {"boolean"},
    "Null": {"null"},
    "Binary": {"binary"},
    "Date": {"date"},
    "DateTime": {"dateTime"},
    "LocalDateTime": {"localDateTime"},
    "Time": {"time"},
}


def holds(type_: Type, value: object) -> bool:
    """Whether a value is of a type."""
    if isinstance(type_, UnionType):
        return any(holds(member, value) for member in type_.members)
    if isinstance(type_, ArrayType):
        return isinstance(value, list) and all(holds(type_.item, item) for item in value)
    if isinstance(type_, ObjectType):
        return isinstance(value, dict) and _holds_fields(type_, value)
    if isinstance(type_, FunctionType):
        return callable(value)
    if str(type_) == "Integer" and isinstance(value, float):
        return False
    return str(type_) not in KINDS or kind_of(value) in KINDS[str(type_)]


def _holds_fields(type_: ObjectType, value: dict[str, object]) -> bool:
    if not all(name in value for name in type_.required):
        return False
    known = type_.index
    for name, item in value.items():
        wanted = known.get(name, type_.rest)
        if wanted is None or not holds(wanted, item):
            return False
    return True


@pytest.mark.parametrize("code", CODES)
def test_the_inferred_type_holds(code: str) -> None:
    program = compile_program(code, inputs={"input": "json"}, output_format="json")
    with installed(Host.fixed(MOMENT)):
        value = program.evaluate({"input": None})
    checked = check_parsed(program.parsed)
    assert [found.message for found in checked.errors] == []
    assert holds(checked.result, value), f"{code} is {value!r}, not {checked.result}"


TYPES = [
    parse_type(text)
    for text in (
        "Any", "Null", "String", "Integer", "Number?", "Boolean", "Date", "Array", "Array<Integer>",
        "Array<Array<String>>", "Array<{ a: String, b?: Number }>", "Object", "{}",
        "{ a: Integer, b?: Array<String> }", "Map<Number>", "(Any) => String", "String | Number", "Never",
    )
]  # fmt: skip


@pytest.mark.parametrize("declared", [f for f in functions() if f.infer is not None], ids=lambda f: f.name)
def test_a_type_rule_has_an_answer_for_any_types(declared: Function) -> None:
    assert declared.infer is not None
    signature = declared.signature
    for count in range(max(signature.least, 1), (signature.most or signature.least + 2) + 1):
        for shift in range(len(TYPES)):
            for step in (0, 1, 5):
                given = [TYPES[(shift + at * step) % len(TYPES)] for at in range(count)]
                assert isinstance(declared.infer(given), Type | None)
