"""Numbers: rounding, patterns, regional styles, statistics, conversion."""

from __future__ import annotations

import decimal
import math
import statistics
from typing import Any

import pytest
from frugal import given
from hypothesis import assume
from hypothesis import strategies as st

from rolltop.transform.errors import FunctionFailure
from rolltop.transform.stdlib import find

finite = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(-1e12, 1e12)


def call(name: str, *arguments: Any) -> Any:
    declared = find(name)
    assert declared is not None
    return declared.call(*arguments)


@given(finite)
def test_whole_numbers_around_a_number(n: float) -> None:
    low, near, high = (call(name, n) for name in ("floor", "round", "ceil"))
    assert low <= n <= high
    assert low <= near <= high
    if abs(n) < 2**62:
        assert (low, near, high) == (math.floor(n), round(n), math.ceil(n))
        assert type(low) is type(near) is type(high) is int


@pytest.mark.parametrize("n", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("name", ["floor", "round", "ceil", "abs"])
def test_what_is_not_finite_stays(name: str, n: float) -> None:
    result = call(name, n)
    assert math.isnan(result) if math.isnan(n) else abs(result) == math.inf


def test_rounding_edges() -> None:
    assert [call("round", n) for n in (0.5, 1.5, 2.5, -0.5, -1.5)] == [0, 2, 2, 0, -2]
    assert call("round", 1234.5678, 2) == 1234.57
    assert call("round", 1250, -2) == 1200
    assert call("round", 1e300, 5) == 1e300
    assert call("round", 5, 400) == 5
    assert call("round", 0.1, 400) == 0.1
    assert call("abs", -(2**63)) == float(2**63)


def test_powers_and_roots_never_fail() -> None:
    assert call("pow", 10, 400) == math.inf
    assert call("pow", -10, 401) == -math.inf
    assert call("pow", 0, -1) == math.inf
    assert math.isnan(call("pow", -8, 1 / 3))
    assert math.isnan(call("sqrt", -1))
    assert call("exp", 1000) == math.inf
    assert call("sinh", -1000) == -math.inf
    assert math.isnan(call("sin", math.inf))


@pytest.mark.parametrize("name", ["ln", "log10", "log2", "logBase"])
@pytest.mark.parametrize("x", [0, -1, math.nan])
def test_logarithms_want_positive_numbers(name: str, x: float) -> None:
    with pytest.raises(FunctionFailure, match="greater than 0"):
        call(name, x)


@given(st.lists(moderate, min_size=2, max_size=30))
def test_statistics_are_pythons(numbers: list[float]) -> None:
    assert call("median", numbers) == pytest.approx(statistics.median(numbers))
    assert call("variance", numbers) == pytest.approx(statistics.variance(numbers), rel=1e-6, abs=1e-6)
    quartiles = statistics.quantiles(numbers, n=4, method="inclusive")
    assert call("quartiles", numbers) == pytest.approx(quartiles, rel=1e-9, abs=1e-3)
    assert call("percentile", numbers, 0) == min(numbers)
    assert call("percentile", numbers, 100) == max(numbers)


def test_statistics_pass_over_what_is_no_number() -> None:
    assert call("median", [1, None, "3", "x", True, 2]) == 1.5
    assert call("variance", ["7", 1, 2, 3]) == 1
    assert call("percentile", ["0", 10, 20], 50) == 15
    assert call("quartiles", ["-9", 1, 2, 3, 4, 5]) == [2, 3, 4]
    with pytest.raises(FunctionFailure, match="at least 2 numbers, got 1"):
        call("stdDev", [1, None])
    assert call("mode", [None, 1, 1.0, "1"]) == 1


REGIONS = {"US": (",", "."), "EU": (".", ","), "French": ("\u202f", ","), "Swiss": ("'", ".")}


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([1e200, -1e200], math.inf),
        ([1e308, 1.5e308], math.inf),
        ([-1e308, -1.5e308, 3], math.inf),
        ([math.inf, -math.inf], math.nan),
        ([math.inf, 0], math.nan),
        ([2**63 - 1, -(2**63)], 2.0**127),
    ],
)
def test_statistics_beyond_the_range_of_doubles(numbers: list[float], expected: float) -> None:
    assert call("variance", numbers) == pytest.approx(expected, nan_ok=True)
    assert call("stdDev", numbers) == pytest.approx(math.sqrt(expected), nan_ok=True)


@given(st.lists(st.floats() | st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=6))
def test_statistics_of_any_numbers_are_numbers(numbers: list[float]) -> None:
    for name in ("median", "variance", "stdDev", "quartiles", "iqr"):
        call(name, numbers)
    call("percentile", numbers, 33)


@given(moderate, st.integers(0, 6), st.booleans(), st.sampled_from(sorted(REGIONS)))
def test_regional_numbers_read_back(n: float, decimals: int, thousands: bool, region: str) -> None:
    text = call(f"render{region}Number", n, decimals, thousands)
    exact = decimal.Decimal(n).quantize(decimal.Decimal(1).scaleb(-decimals), decimal.ROUND_HALF_EVEN)
    separator, mark = REGIONS[region]
    assert text.replace(separator, "").replace(mark, ".") == f"{exact:f}"
    assert call(f"parse{region}Number", text) == float(exact)


def test_whole_numbers_keep_all_their_digits() -> None:
    assert call("renderUSNumber", 2**63 - 1, 0) == "9,223,372,036,854,775,807"
    assert call("renderSwissNumber", -1234567, 1) == "-1'234'567.0"
    assert call("renderUSNumber", -0.4, 0) == "-0"
    with pytest.raises(FunctionFailure, match="decimals"):
        call("renderUSNumber", 1, -1)


@pytest.mark.parametrize(
    ("region", "text"),
    [
        ("US", "1.234,56"), ("US", "1,23"), ("EU", "1,234.5"), ("EU", "1.23"), ("French", "1.5"), ("Swiss", "1,5"),
        ("US", ""), ("US", "abc"), ("US", "--1"), ("EU", ","),
    ],
)  # fmt: skip
def test_a_number_of_another_region_is_no_number(region: str, text: str) -> None:
    with pytest.raises(FunctionFailure, match="written like"):
        call(f"parse{region}Number", text)


@pytest.mark.parametrize(
    ("n", "pattern", "text"),
    [
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (1234.5, "#", "1234"),
        (0.5, "#.##", "0.5"),
        (0, "#.##", "0"),
        (0, "0.00", "0.00"),
        (5, "000.0#", "005.0"),
        (0.125, "0.00", "0.12"),
        (0.375, "0.00", "0.38"),
        (-1234.5, "#,##0.0", "-1,234.5"),
        (-1234.5, "#,##0.0;(#,##0.0)", "(1,234.5)"),
        (0.1234, "0.0%", "12.3%"),
        (0.1234, "0.#‰", "123.4‰"),
        (42, "'#'0", "#42"),
        (42, "¤0.00", "$42.00"),
        (42, "0 'o''clock'", "42 o'clock"),
        (12345, "0.###E0", "1.234E4"),
        (0.00012, "0.0E00", "1.2E-04"),
        (123456789, "#,####", "1,2345,6789"),
        (math.nan, "0", "NaN"),
        (math.inf, "0.0", "∞"),
        (2**63 - 1, "0", "9223372036854775807"),
    ],
)
def test_number_patterns(n: float, pattern: str, text: str) -> None:
    assert call("formatNumber", n, pattern) == text


JAVA = [
    # one digit is shown also where the pattern has no 0
    ("#.##", {0.5: "0.5", 0.05: "0.05", 0.004: "0", -0.5: "-0.5", 12: "12", 0: "0"}),
    ("#,###.##", {0.05: "0.05", 1234.5: "1,234.5"}),
    ("#.##%", {0.005: "0.5%", 0.5: "50%"}),
    ("$#.##", {-0.5: "-$0.5"}),
    ("#.#;(#.#)", {0.25: "0.2", -0.25: "(0.2)"}),
    (".##", {1: "1.0", 0: ".0", 0.25: ".25"}),
    ("#.00", {0.5: ".50", 1: "1.00"}),
    (".00", {0.5: ".50"}),
    ("#.0#", {0.5: ".5"}),
    ("#", {0: "0", 0.4: "0"}),
    # digits that the number has, and no others
    ("#.##################", {1.1: "1.1", 1e-7: "0.0000001"}),
    ("0.####################", {0.1: "0.1", 2 / 3: "0.6666666666666666"}),
    ("0", {1e300: "1" + "0" * 300, 2.5: "2", 3.5: "4", -0.4: "-0"}),
    ("#,##0.00", {1e22: "10,000,000,000,000,000,000,000.00", 1.005: "1.00", 2.675: "2.67", 0.125: "0.12"}),
    ("0.0%", {1.7976931348623157e308: "∞%"}),
    # exponents
    ("##0.###E0", {12345: "12.345E3", 0.5: "500E-3", 1: "1E0", 0: "0E0", 123456: "123.456E3", -1e-7: "-100E-9"}),
    ("##0.##E0", {12345: "12.345E3", 1234567: "1.2346E6"}),
    ("#.#E0", {2.5: "2.5E0", 12345: "1.2E4"}),
    ("#E0", {12345: ".1E5"}),
    ("00.##E0", {0.00123: "12.3E-4", 0: "00E0"}),
    ("##00.##E00", {5: "5.0E00", 99999: "9.9999E04"}),
    ("0.###E0", {9999.5: "1E4", 0.001: "1E-3"}),
    ("000E0", {9223372036854775807: "922E16"}),
    # a point without digits after it, and no pattern at all
    ("0.", {5: "5.", 1.6: "2."}),
    ("#.", {5: "5."}),
    ("0.E0", {5: "5.E0"}),
    ("", {5: "5", 1234567.25: "1,234,567.25", 0.5: ".5"}),
    # a form of negative numbers that says nothing of their sign
    ("0;0", {-5: "-5"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("n", "pattern", "text"), [(n, pattern, text) for pattern, texts in JAVA for n, text in texts.items()]
)
def test_number_patterns_are_those_of_java(n: float, pattern: str, text: str) -> None:
    assert call("formatNumber", n, pattern) == text


@given(moderate, st.integers(0, 5))
def test_number_patterns_round_like_the_exact_decimal(n: float, digits: int) -> None:
    assume(math.copysign(1, n) > 0 or n < -0.5)
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    shortest = decimal.Decimal(repr(n))
    cut = -shortest.as_tuple().exponent > digits  # else every digit of the number has its place
    exact = (decimal.Decimal(n) if cut else shortest).quantize(decimal.Decimal(1).scaleb(-digits))
    assert call("formatNumber", n, pattern) == f"{exact:,f}"


@pytest.mark.parametrize("pattern", ["abc", "0#", "#.#0", "0.0.0", "#,", "#,.0", "0.0,0", "'"])
def test_bad_number_patterns(pattern: str) -> None:
    with pytest.raises(FunctionFailure, match=r"pattern|stands outside"):
        call("formatNumber", 1, pattern)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("42", 42), ("-4.5", -4.5), ("+7", 7), (" 1 234 ", 1234), ("$1,234.50", 1234.5), ("12%", 12), ("1e3", 1000),
        ("€ 5", 5), (".5", 0.5), ("5.", 5), ("", None), ("abc", None), ("1_000", None), ("nan", None), ("inf", None),
        ("0x10", None), ("--1", None), ("٣", None), (True, None), (None, None), ([1], None), (2.5, 2.5),
        ("9" * 500, None),
    ],
)  # fmt: skip
def test_numbers_in_texts(text: Any, number: float | None) -> None:
    assert call("parseNumber", text) == number
    assert call("parseNumber", text, "none") == ("none" if number is None else number)
    assert call("canCoerce", text, "number") is (number is not None)


@pytest.mark.parametrize(
    "text",
    [
        "4.5",
        "",
        "abc",
        None,
        True,
        "1e400",
        str(2**63),
        [1],
        "42.0",
        " 42",
        "42 ",
        "1e3",
        "+",
        "1_000",
        "٣",
        "9" * 5000,
    ],
)
def test_parse_int_wants_whole_numbers(text: Any) -> None:
    with pytest.raises(FunctionFailure, match="parseInt"):
        call("parseInt", text)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("42", 42),
        ("-7", -7),
        ("+7", 7),
        ("007", 7),
        (str(2**63 - 1), 2**63 - 1),
        (42, 42),
        (42.0, 42),
        (-1e7, -(10**7)),
    ],
)
def test_parse_int_reads_digits_and_whole_numbers(value: Any, number: int) -> None:
    assert call("parseInt", value) == number


@pytest.mark.parametrize(
    ("value", "truth"),
    [
        (" YES ", True),
        ("0", False),
        ("disabled", False),
        (2, True),
        (0.0, False),
        ("maybe", None),
        (None, None),
        ([], None),
    ],
)
def test_truths_in_texts(value: Any, truth: bool | None) -> None:
    assert call("parseBoolean", value) is truth


def test_texts_of_values() -> None:
    assert call("toString", {"a": [1, 2.0, None, "x"], "b": {}}) == "{a: [1, 2, null, x], b: {}}"
    assert call("toString", 1e21) == "1.0E21"
    assert call("smartCoerce", " 007 ") == 7
    assert call("smartCoerce", "NULL") is None
    assert call("coerceAll", ["1", "x"], "NUMBER") == [1]
    with pytest.raises(FunctionFailure, match="no type 'colour'"):
        call("coerce", 1, "colour")


@given(st.lists(st.sampled_from([True, False, 0, 1, "", "yes", "no", None, [], [0], {}]), max_size=4))
def test_logic_has_one_idea_of_truth(conditions: list[Any]) -> None:
    truths = [call("not", call("not", condition)) for condition in conditions]
    assert call("and", *conditions) is call("all", conditions) is all(truths)
    assert call("or", *conditions) is call("any", conditions) is any(truths)
    assert call("none", conditions) is not any(truths)
    for a in truths[:2]:
        for b in truths[-2:]:
            assert call("xor", a, b) is not call("xnor", a, b)
            assert call("nand", a, b) is not (a and b)
            assert call("nor", a, b) is not (a or b)
            assert call("implies", a, b) is (not a or b)
