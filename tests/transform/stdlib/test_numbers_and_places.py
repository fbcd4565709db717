"""Finance against numpy-financial, money against Babel, geography against vectors, URLs against urllib."""

from __future__ import annotations

import email
import math
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any
from urllib.parse import urlsplit

import numpy_financial as npf
import pytest
from babel.numbers import format_currency
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rolltop.errors import RolltopError
from rolltop.transform.stdlib import find

QUICK = settings(max_examples=60, deadline=None)
AMOUNTS = st.floats(-1e9, 1e9)
TEXTS = st.text(st.characters(codec="utf-8"))
LATITUDES, LONGITUDES = st.floats(-90, 90), st.floats(-180, 180)


def call(name: str, *arguments: Any) -> Any:
    declared = find(name)
    assert declared is not None
    return declared.call(*arguments)


def refusal(name: str, *arguments: Any) -> str:
    with pytest.raises(RolltopError) as caught:
        call(name, *arguments)
    return caught.value.message


@QUICK
@given(AMOUNTS, st.floats(-0.5, 1), st.integers(0, 100))
def test_values_over_time_are_those_of_numpy_financial(amount: float, rate: float, periods: int) -> None:
    assume(abs(rate) > 1e-6)  # their formula divides by it
    future, present = float(npf.fv(rate, periods, 0, -amount)), float(npf.pv(rate, periods, 0, -amount))
    assert call("futureValue", amount, rate, periods) == pytest.approx(future, rel=1e-6)
    assert call("presentValue", amount, rate, periods) == pytest.approx(present, rel=1e-6)


@pytest.mark.parametrize("arguments", [(1, 10, 10_000), (1, 5, 10**9), (1, -1, 2), (1, -3, 0.5), (1, -1, -1)])
def test_results_of_no_use_are_refused(arguments: tuple[float, float, float]) -> None:
    assert "no" in refusal("presentValue", *arguments)


@QUICK
@given(AMOUNTS, st.integers(0, 6))
def test_rounding_follows_the_decimal_text(amount: float, places: int) -> None:
    step = Decimal(1).scaleb(-places)
    assert call("roundToDecimalPlaces", amount, places) == float(Decimal(repr(amount)).quantize(step, ROUND_HALF_EVEN))
    assert call("roundToCents", amount) == float(Decimal(repr(amount)).quantize(Decimal("0.01"), ROUND_HALF_UP))


@QUICK
@given(
    AMOUNTS,
    st.sampled_from(["USD", "EUR", "JPY", "KWD", "CHF", "GBP"]),
    st.sampled_from(["en_US", "de_DE", "fr_FR", "ja"]),
)
def test_amounts_print_as_babel_prints_them(amount: float, code: str, locale: str) -> None:
    exact = Decimal(amount).quantize(Decimal(1).scaleb(-call("getCurrencyDecimals", code)), ROUND_HALF_EVEN)
    assume(exact != 0)  # the sign of zero is a matter of taste
    assert call("formatCurrency", amount, code, locale) == format_currency(exact, code, locale=locale)


@QUICK
@given(st.decimals(-(10**9), 10**9, places=2), st.sampled_from(["en_US", "de_DE", "es"]))
def test_printed_amounts_read_back(amount: Decimal, locale: str) -> None:
    assert call("parseCurrency", format_currency(amount, "EUR", locale=locale), locale) == float(amount)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1,234", 1234), ("1.234,5", 1234.5), ("12,5", 12.5), ("1 234,56 €", 1234.56), ("-£5", -5), ("(1.00)", -1),
     ("1'234.50 CHF", 1234.5), ("1.234.567", 1234567), ("USD 0.99", 0.99)],
)  # fmt: skip
def test_amounts_are_read_in_many_forms(text: str, expected: float) -> None:
    assert call("parseCurrency", text) == expected


@pytest.mark.parametrize("text", ["", "free", "€", "1,2.3,4", "--", "." * 1000])
def test_what_is_no_amount_is_refused(text: str) -> None:
    assert "no amount" in refusal("parseCurrency", text)


def _vector(latitude: float, longitude: float) -> tuple[float, float, float]:
    lat, lon = math.radians(latitude), math.radians(longitude)
    return math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)


@QUICK
@given(LATITUDES, LONGITUDES, LATITUDES, LONGITUDES)
def test_distances_are_those_of_vectors(lat1: float, lon1: float, lat2: float, lon2: float) -> None:
    chord = math.dist(_vector(lat1, lon1), _vector(lat2, lon2))
    wanted = 6371 * 2 * math.asin(min(1, chord / 2))
    assert call("distance", lat1, lon1, lat2, lon2) == pytest.approx(wanted, abs=1e-3)
    assert call("distance", [lat1, lon1], {"lat": lat2, "lng": lon2}, "m") == pytest.approx(wanted * 1000, abs=1)


@QUICK
@given(st.floats(-80, 80), LONGITUDES, st.floats(1, 5000), st.floats(0, 359))
def test_one_arrives_where_one_went(lat: float, lon: float, far: float, course: float) -> None:
    there = call("destinationPoint", [lat, lon], far, course)
    assert call("distance", [lat, lon], there) == pytest.approx(far, abs=1e-3)
    middle = call("midpoint", [lat, lon], there)
    assert call("distance", [lat, lon], middle) == pytest.approx(far / 2, abs=1e-3)


@pytest.mark.parametrize("arguments", [(1, 2, 3), ([1], [2, 3]), (91, 0, 0, 0), (0, 0, 0, 0, "ly"), ("x", 0, 0, 0)])
def test_what_is_no_place_is_refused(arguments: tuple[Any, ...]) -> None:
    assert refusal("distance", *arguments)


def test_polygons_hold_what_is_inside() -> None:
    triangle = [[0, 0], [10, 0], [0, 10]]
    assert call("isPointInPolygon", 2, 2, triangle) is True
    assert call("isPointInPolygon", [8, 8], triangle) is False
    assert "three corners" in refusal("isPointInPolygon", [1, 1], [[0, 0]])


URLS = ["https://u:p@Example.com:8080/a%20b/?q=1&q=2#f", "mailto:a@b.c", "//host/x", "a/b?c", "http://[::1]:80/", ""]


@pytest.mark.parametrize("url", URLS)
def test_urls_come_apart_as_in_urllib_and_together_again(url: str) -> None:
    wanted, found = urlsplit(url), call("parseURL", url)
    assert found.get("host") == wanted.hostname
    assert found.get("port") == wanted.port
    assert found.get("path", "") == wanted.path
    assert call("buildURL", found).lower() == url.lower()


@pytest.mark.parametrize("url", ["http://host:99999/", "http://[::1", "http://host:x/"])
def test_what_is_no_url_is_refused(url: str) -> None:
    assert "no URL" in refusal("parseURL", url)
    assert call("isValidURL", url) is False


@QUICK
@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8"), min_size=1), st.text(st.characters(codec="utf-8")), max_size=4
    )
)
def test_query_strings_read_back(params: dict[str, str]) -> None:
    assert call("parseQueryString", call("buildQueryString", params)) == params


def test_multipart_messages_are_read_by_others() -> None:
    parts = [call("createPart", 'na"me', "grüße"), call("createPart", "file", b"\0\xff", "image/png", "a.png")]
    boundary = call("generateBoundary")
    body = call("buildMultipart", parts, boundary)
    head = (
        f"Content-Type: {call('buildContentType', {'mimeType': 'multipart/form-data', 'boundary': boundary})}\r\n\r\n"
    )
    message = email.message_from_bytes(head.encode() + body)
    first, second = message.get_payload()
    assert first.get_payload(decode=True).decode() == "grüße"
    assert (second.get_filename(), second.get_payload(decode=True)) == ("a.png", b"\0\xff")


def test_headers_cannot_be_smuggled_in() -> None:
    assert "line break" in refusal("createPart", "a", "b", "text/plain\r\nX: 1")
    assert "\r\n" not in call("createPart", "a\r\nX: 1", "b")["headers"]["Content-Disposition"]
    assert "cannot be a boundary" in refusal("buildMultipart", [], "a\r\nb")


SPELLED = "flag&b=x%20y&c=%zz&d=1+2&&e=%41"


@pytest.mark.parametrize("base", ["http://H.example/p", "HTTP://h/a%20b", "/relative", "http://[::1]:80/"])
@pytest.mark.parametrize("fragment", ["", "#t?x&y"])
def test_other_parameters_stay_as_they_are_spelled(base: str, fragment: str) -> None:
    url = f"{base}?{SPELLED}{fragment}"
    assert call("addQueryParam", url, "z z", "1&") == f"{base}?{SPELLED}&z+z=1%26{fragment}"
    assert call("removeQueryParam", url, "missing") == url
    assert call("removeQueryParam", url, "b") == f"{base}?{SPELLED.replace('b=x%20y&', '')}{fragment}"
    assert call("removeQueryParam", f"{base}?%61=1&b=2&a=3{fragment}", "a") == f"{base}?b=2{fragment}"
    assert call("removeQueryParam", f"{base}?a=1{fragment}", "a") == f"{base}{fragment}"
    assert call("addQueryParam", f"{base}{fragment}", "a", "1") == f"{base}?a=1{fragment}"


def test_null_counts_as_zero_as_everywhere() -> None:
    assert call("distance", None, 0, 0, 1) == call("distance", 0, 0, 0, 1)
    assert call("distance", [None, True], [0, 1]) == 0
    assert call("isValidCoordinates", None, 0) is False
    assert call("isValidCoordinates", [0, None]) is False
    assert "no number" in refusal("distance", "x", 0, 0, 0)
    assert "no number" in refusal("distance", {"lat": 1}, [0, 0])


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(2.675, "$2.67"), (1234.565, "$1,234.57"), (1.015, "$1.01"), (2.5, "$2.50"), (0.125, "$0.12"), (0.375, "$0.38"),
     (10**20, "$100,000,000,000,000,000,000.00"), (-1.005, "-$1.00")],
)  # fmt: skip
def test_amounts_are_rounded_by_value(amount: float, shown: str) -> None:
    assert call("formatCurrency", amount) == shown
    assert call("renderUSNumber", amount, 2).replace("-", "") == shown.replace("$", "").replace("-", "")


def test_units_of_account_are_currencies() -> None:
    for code in ("XDR", "XAU", "XAG", "EUR"):
        assert call("isValidCurrency", code) is True
    assert call("isValidCurrency", "XXX") is False
    assert call("formatCurrency", 1.5, "XDR") == "XDR1.50"
