"""Every example of every function runs and says the truth."""

from __future__ import annotations

import datetime as dt

import pytest

from rolltop.errors import RolltopError
from rolltop.transform import compile_program
from rolltop.transform.stdlib import Function, Host, functions, installed
from rolltop.transform.values import equal

MOMENT = dt.datetime(2026, 3, 14, 15, 9, 26, tzinfo=dt.UTC)
EXAMPLES = [
    pytest.param(declared, code, expected, id=f"{declared.name}-{at}")
    for declared in functions()
    for at, (code, expected) in enumerate(declared.examples)
]


def value_of(code: str) -> object:
    return compile_program(code, inputs={"input": "json"}, output_format="json").evaluate({"input": None})


@pytest.mark.parametrize(("declared", "code", "expected"), EXAMPLES)
def test_example_holds(declared: Function, code: str, expected: str) -> None:
    with installed(Host.fixed(MOMENT)):
        if expected.startswith("error:"):
            with pytest.raises(RolltopError) as caught:
                value_of(code)
            assert expected.removeprefix("error:").strip() in caught.value.message
        else:
            found, wanted = value_of(code), value_of(expected)
            assert equal(found, wanted), f"{code} is {found!r}, not {wanted!r}"


@pytest.mark.parametrize("declared", functions(), ids=lambda declared: declared.name)
def test_declaration_is_complete(declared: Function) -> None:
    assert declared.description.endswith((".", "…"))
    assert declared.examples
    assert any(name in code for name in declared.names for code, _ in declared.examples)
