"""Moments compare as moments when clocks change, in every engine, and times in a zone are times that exist."""

from __future__ import annotations

import datetime as dt
import json
import pickle
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolltop.transform import compile_program
from rolltop.transform.stdlib.date.zoned import InZone, placed, shown_in

TWICE = """
let a = fromUTC("2024-11-03T05:30:00Z", "America/New_York")
let b = fromUTC("2024-11-03T06:30:00Z", "America/New_York")
let z = parseDate("2024-11-03T05:30:00Z")
let t = fromUTC("2024-11-03T05:30:00Z", "Asia/Tokyo")
"""
CASES = [
    ("a == b", False),
    ("a != b", True),
    ("a < b", True),
    ("a >= b", False),
    ("b > a", True),
    ("a == z", True),
    ("z == a", True),
    ("a == t", True),
    ("a < t", False),
    ("a <= t", True),
    ("length(unique([a, b]))", 2),
    ("length(unique([a, z, t]))", 1),
    ("length(distinctBy([{d: a}, {d: z}], x => x.d))", 1),
    ("sort([b, a]) == [a, b]", True),
    ("(sortBy([{d: b}, {d: a}], x => x.d) |> map(x => toString(x.d)))[0]", "2024-11-03T01:30:00-04:00"),
    ("toString(max([a, b]))", "2024-11-03T01:30:00-05:00"),
    ("toString(min([b, a]))", "2024-11-03T01:30:00-04:00"),
    ("contains([a], b)", False),
    ("contains([a], z)", True),
    ("includes([t], a)", True),
    ("indexOf([b, t], a)", 1),
    ("length(keys(groupBy([{d: a}, {d: b}], x => x.d)))", 2),
    ("keys(groupBy([{d: a}, {d: z}, {d: t}], x => x.d))", ["2024-11-03T05:30:00Z"]),
    ('keys(groupBy([{d: t}, {d: a}], "d"))', ["2024-11-03T05:30:00Z"]),
    ("difference([a], [z])", []),
    ("length(intersect([a, b], [t]))", 1),
    ("assertEqual(a, b)", False),
    ("assertEqual(a, t)", True),
    ("{x: a} == {x: t}", True),
    ("[a] == [b]", False),
    ("diffMinutes(a, b)", 60),
    ("isBefore(a, b)", True),
    ("compareDates(a, t)", 0),
    ("lookupBy(z, [{d: a, n: 1}], r => r.d).n", 1),
    ("length(sort([now(), a]))", 2),
    ("sort([now(), a])[0] == a", True),
    ("diffMinutes(b, addDays(b, 0))", 0),
    ("diffMinutes(a, addDays(a, 0))", 0),
    ("diffMinutes(b, addMonths(b, 0))", 0),
    ("toString(addDays(a, 1))", "2024-11-04T01:30:00-05:00"),
    ("toString(addHours(a, 1))", "2024-11-03T01:30:00-05:00"),
    ("toString(addMinutes(a, 30))", "2024-11-03T01:00:00-05:00"),
    ("toString(addWeeks(a, -1))", "2024-10-27T01:30:00-04:00"),
    ("toString(startOfYear(a))", "2024-01-01T00:00:00-05:00"),
    ("toString(endOfDay(a))", "2024-11-03T23:59:59.999999-05:00"),
    ("toString(startOfDay(b))", "2024-11-03T00:00:00-04:00"),
    ("toString(addMonths(a, 1))", "2024-12-03T01:30:00-05:00"),
    ("toString(addYears(a, -1))", "2023-11-03T01:30:00-04:00"),
    ("toString([a])", "[2024-11-03T01:30:00-04:00]"),
    ("[a, b] |> filter(x => x == b) |> count()", 1),
    ('formatDate(b, "HH:mm zzz VV XXX")', "01:30 EST America/New_York -05:00"),
    # clocks go from 2:00 to 3:00: a reading between is as much later
    ('toString(addDays(fromUTC("2024-03-09T07:30:00Z", "America/New_York"), 1))', "2024-03-10T03:30:00-04:00"),
    ('toString(addMonths(fromUTC("2024-04-10T06:30:00Z", "America/New_York"), -1))', "2024-03-10T03:30:00-04:00"),
    ('toString(toUTC("2024-03-10T02:30", "America/New_York"))', "2024-03-10T07:30:00Z"),
    # midnight does not exist, midnight comes twice
    ('toString(startOfDay(fromUTC("2018-11-04T15:00:00Z", "America/Sao_Paulo")))', "2018-11-04T01:00:00-02:00"),
    ('toString(startOfDay(fromUTC("2024-11-03T15:00:00Z", "America/Havana")))', "2024-11-03T00:00:00-04:00"),
    ('toString(endOfDay(fromUTC("2018-02-17T15:00:00Z", "America/Sao_Paulo")))', "2018-02-17T23:59:59.999999-03:00"),
]


@pytest.mark.parametrize(("code", "expected"), CASES)
def test_in_every_engine(code: str, expected: Any) -> None:
    program = compile_program(TWICE + code, inputs={"input": "json"}, output_format="json")
    assert program.evaluate({"input": {}}) == expected
    assert program.compiled is not None
    assert program.compiled.run({"input": {}}) == expected
    assert program.compiled_for_documents is not None
    assert program.compiled_for_documents.run({"input": {}}) == expected


def test_in_typed_code() -> None:
    program = compile_program(
        '{ r: $input.rows |> map(r => fromUTC(r.d, "America/New_York")) |> unique() |> count(), '
        'g: $input.rows |> groupBy(r => fromUTC(r.d, r.z)) |> mapValues(g => sum(map(g, x => x.n))), '
        's: $input.rows |> sortBy(r => fromUTC(r.d, "America/New_York")) |> map(r => r.n), '
        'e: $input.rows |> map(r => fromUTC(r.d, r.z) == parseDate(r.d)) }'
    )  # fmt: skip
    rows = [
        {"d": "2024-11-03T06:30:00Z", "z": "America/New_York", "n": 1},
        {"d": "2024-11-03T05:30:00Z", "z": "America/New_York", "n": 2},
        {"d": "2024-11-03T05:30:00Z", "z": "Asia/Tokyo", "n": 4},
    ]
    data = json.dumps({"rows": rows, "long": "x" * 3000})
    for _ in range(20):
        made = json.loads(program.apply(data))
        assert made == {
            "r": 2, "s": [2, 4, 1], "e": [True, True, True],
            "g": {"2024-11-03T06:30:00Z": 1, "2024-11-03T05:30:00Z": 6},
        }  # fmt: skip


ZONES = st.sampled_from(
    [
        "America/New_York",
        "Europe/Amsterdam",
        "Australia/Lord_Howe",
        "America/Sao_Paulo",
        "Africa/Casablanca",
        "Asia/Gaza",
    ]
).map(ZoneInfo)
READINGS = st.datetimes(dt.datetime(1950, 1, 1), dt.datetime(2050, 1, 1))


@given(READINGS, ZONES, st.booleans())
def test_what_is_placed_exists(reading: dt.datetime, zone: ZoneInfo, later: bool) -> None:
    found = placed(reading, zone, later=later)
    assert isinstance(found.tzinfo, InZone)
    again = shown_in(found.astimezone(dt.UTC), zone)
    assert (again, again.utcoffset(), again.replace(tzinfo=None)) == (
        found, found.utcoffset(), found.replace(tzinfo=None),
    )  # fmt: skip
    if found.replace(tzinfo=None) != reading:  # only where clocks skip the reading
        assert found.replace(tzinfo=None) > reading


@given(READINGS, READINGS, ZONES)
def test_order_is_that_of_moments(one: dt.datetime, other: dt.datetime, zone: ZoneInfo) -> None:
    a, b = one.replace(tzinfo=dt.UTC), other.replace(tzinfo=dt.UTC)
    x, y = shown_in(a, zone), shown_in(b, zone)
    assert (x == y, x < y, x - y, hash(x), x == a) == (a == b, a < b, a - b, hash(a), True)
    assert pickle.loads(pickle.dumps(x)) == x
