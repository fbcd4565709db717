"""Decimals: exact arithmetic for money, the same on every tier and in every format."""

import json

import pytest

from rolltop.transform import compile_program
from rolltop.transform.program import Document
from rolltop.transform.syntax.formatter import format_program


def value_of(expression: str, data: object = None, output: str = "json") -> str:
    program = compile_program(expression, output_format=output)
    return program.run({"input": Document(json.dumps(data))}).text.strip()


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("49.99m * 10", "499.9"),
        ("decimal(49.99) * 10", "499.9"),
        ('decimal("0.1") + 0.2 == 0.3', "true"),
        ("0.1m < 0.1", "false"),
        ("sum([0.1m, 0.2, 3])", "3.3"),
        ("avg([0.1m, 0.2m])", "0.15"),
        ("round(2.675m, 2)", "2.68"),
        ("round(12.5m)", "12"),
        ("-1.50m - 1", "-2.5"),
        ("1.1m ** 2", "1.21"),
        ("7m % 4", "3"),
        ("1m / 3", "0.3333333333333333333333333333"),
        ("12345678901234567890.12m + 0", "12345678901234567890.12"),
        ("sqrt(4m)", "2"),
        ('"EUR " + 4.10m', '"EUR 4.1"'),
        ("unique([1m, 1, 1.0])", "[\n  1\n]"),
        ("if (0m) 1 else 2", "2"),
    ],
)
def test_decimal_arithmetic_is_exact(expression: str, shown: str) -> None:
    assert value_of(expression) == shown


@pytest.mark.parametrize("expression", ["1m / 0", 'decimal("x")', "decimal(null)"])
def test_what_is_no_decimal_fails_with_words(expression: str) -> None:
    with pytest.raises(Exception, match=r"zero|no number"):
        value_of(expression)


@pytest.mark.parametrize("expression", ["1e999999999m", "1e-999999999m", 'decimal("1e-999999999")'])
def test_decimals_out_of_reach_are_doubles(expression: str) -> None:
    assert value_of(expression) in ("null", "0")


def test_large_inputs_give_what_small_ones_give() -> None:
    rows = [{"price": 49.99, "count": n} for n in range(2000)]
    program = "map($input, r => { total: decimal(r.price) * r.count })"
    assert json.loads(value_of(program, rows))[10] == json.loads(value_of(program, rows[:11]))[10] == {"total": 499.9}
    assert value_of("sum(map($input, r => decimal(r.price) * 10))", rows) == "999800"


@pytest.mark.parametrize(
    ("output", "text"), [("csv", "a\n499.9"), ("yaml", "a: 499.9"), ("xml", "<a>499.9</a>"), ("jsonl", '{"a":499.9}')]
)
def test_every_format_writes_the_digits(output: str, text: str) -> None:
    expression = "[{a: 49.99m * 10}]" if output == "csv" else "{a: 49.99m * 10}"
    assert text in value_of(expression, output=output)


def test_the_formatter_keeps_the_suffix() -> None:
    assert format_program("49.990m*-1m") == "49.990m * -1m\n"
