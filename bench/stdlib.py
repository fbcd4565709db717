"""Library functions against the Python that one would write by hand, on small arguments.

`body` is the Python function that compiled programs call where the argument types are known, `call` the same
behind arity check and coercions. The best of several interleaved rounds counts. Also: searching the registry.
    .venv/bin/python bench/stdlib.py
"""

from __future__ import annotations

import math
import re
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from _measure import save, table
from _stdlib_rows import rows as more_rows
from rolltop.transform.stdlib import find
from rolltop.transform.stdlib.search import search

WORDS = ["pear", "apple", "fig"]
ROWS = [{"k": "a", "n": 3}, {"k": "b", "n": 1}, {"k": "a", "n": 2}]
OTHER = [{"k": "a", "q": 1}, {"k": "c", "q": 2}]
NUMBERS = [3, 1, 2, 5, 4]


# ruff: noqa: PLW0108 - a hand-written function is one, also where it only calls another


def _by_hand() -> list[tuple[str, tuple[Any, ...], Callable[..., Any]]]:
    """(function, arguments, the same in plain Python)"""
    double, odd = (lambda x: x * 2), (lambda x: x % 2 == 1)
    key, value = (lambda row: row["k"]), (lambda row: row["n"])
    return [
        ("upperCase", ("hello",), lambda s: s.upper()),
        ("trim", ("  hello ",), lambda s: s.strip()),
        ("toTitleCase", ("john doe",), lambda s: " ".join(word.capitalize() for word in s.split(" "))),
        ("camelCase", ("order_line",), _camel),
        ("substring", ("hello", 1, 3), lambda s, a, b: s[max(a, 0) : max(b, 0)]),
        ("substringBefore", ("a/b", "/"), lambda s, sep: s.split(sep, 1)[0]),
        ("split", ("a,b,c", ","), lambda s, sep: s.split(sep)),
        ("joinBy", (WORDS, ","), lambda a, sep: sep.join(str(x) for x in a)),
        ("length", ("hello",), lambda v: 0 if v is None else len(v)),
        ("contains", ("hello", "ell"), lambda s, part: part in s),
        ("startsWith", ("hello", "he"), lambda s, part: s.startswith(part)),
        ("replace", ("a-b-c", "-", "+"), lambda s, p, new: re.sub(p, new, s)),
        ("replace", ("555-12 34", "[^0-9]", ""), lambda s, p, new: re.sub(p, new, s)),
        ("matches", ("12345", "[0-9]{5}"), lambda s, p: re.fullmatch(p, s) is not None),
        ("padRight", ("ab", 6, "."), lambda s, n, c: s.ljust(n, c)),
        ("repeat", ("ab", 3), lambda s, n: s * n),
        ("isNumeric", ("123",), lambda s: s.isdigit()),
        ("concat", ("a", "b", "c"), lambda *v: "".join("" if x is None else str(x) for x in v)),
        ("coalesce", (None, "a"), lambda *v: next((x for x in v if x is not None), None)),
        ("isEmpty", ("",), lambda v: v is None or v in ("", [], {})),
        ("map", (NUMBERS, double), lambda a, fn: [fn(x) for x in a]),
        ("filter", (NUMBERS, odd), lambda a, fn: [x for x in a if fn(x)]),
        ("reduce", (NUMBERS, lambda a, b: a + b, 0), _reduce),
        ("find", (NUMBERS, lambda x: x == 5), lambda a, fn: next((x for x in a if fn(x)), None)),
        ("first", (NUMBERS,), lambda a: a[0]),
        ("take", (NUMBERS, 2), lambda a, n: a[:n]),
        ("flatten", ([[1], [2, 3]],), lambda a: [x for part in a for x in part]),
        ("sort", (NUMBERS,), lambda a: sorted(a)),
        ("sortBy", (ROWS, value), lambda a, fn: sorted(a, key=fn)),
        ("unique", (WORDS,), lambda a: list(dict.fromkeys(a))),
        ("sum", (NUMBERS,), _sum),
        ("avg", (NUMBERS,), lambda a: _sum(a) / len(a) if a else None),
        ("max", (NUMBERS,), _largest),
        ("count", (NUMBERS,), lambda a: len(a)),
        ("chunk", (NUMBERS, 2), lambda a, n: [a[i : i + n] for i in range(0, len(a), n)]),
        ("zip", (NUMBERS, WORDS), lambda a, b: [list(pair) for pair in zip(a, b, strict=False)]),
        ("groupBy", (ROWS, key), _group),
        ("join", (ROWS, OTHER, key, key), _join),
        ("lookupBy", ("b", ROWS, key), lambda v, a, fn: next((x for x in a if str(fn(x)) == str(v)), None)),
        ("keys", (ROWS[0],), lambda o: list(o.keys())),
        ("entries", (ROWS[0],), lambda o: [[k, v] for k, v in o.items()]),
        ("merge", (ROWS[0], OTHER[0]), lambda a, b: {**a, **b}),
        ("pick", (ROWS[0], ["k"]), lambda o, names: {name: o[name] for name in names if name in o}),
        ("mapValues", (ROWS[0], double), lambda o, fn: {k: fn(v) for k, v in o.items()}),
        ("getPath", ({"a": {"b": 1}}, "a.b"), _path),
        ("deepEquals", (ROWS, list(ROWS)), _equal),
        ("round", (3.14159, 2), lambda n, d: round(n, d)),
        ("floor", (2.7,), lambda n: math.floor(n)),
        ("sqrt", (9,), lambda n: math.sqrt(n)),
        ("median", (NUMBERS,), lambda a: statistics.median(a)),
        ("renderUSNumber", (1234.5,), lambda n: f"{n:,.2f}"),
        ("renderEUNumber", (1234.5,), lambda n: f"{n:,.2f}".translate(str.maketrans(",.", ".,"))),
        ("not", (True,), lambda v: not v),
        ("getType", ("a",), lambda v: type(v).__name__),
        ("isString", ("a",), lambda v: isinstance(v, str)),
        ("toString", (5,), lambda v: "" if v is None else str(v)),
        ("toNumber", ("42.5",), lambda v: float(v)),
        ("parseNumber", ("$1,234.50",), lambda s: float(re.sub(r"[\s,$€£¥%]", "", s))),
    ]  # fmt: skip


def _camel(s: str) -> str:
    first, *rest = [word for word in re.split(r"[\s_-]+", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", s)) if word]
    return first.lower() + "".join(word.capitalize() for word in rest)


def _reduce(array: list[Any], fn: Callable[[Any, Any], Any], start: Any) -> Any:
    for item in array:
        start = fn(start, item)
    return start


def _sum(array: list[Any]) -> Any:
    total = 0
    for item in array:
        total += item if isinstance(item, (int, float)) else float(item)
    return total


def _largest(array: list[Any]) -> Any:
    return max(item if isinstance(item, (int, float)) else float(item) for item in array) if array else None


def _group(array: list[Any], fn: Callable[[Any], Any]) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for item in array:
        groups.setdefault(str(fn(item)), []).append(item)
    return groups


def _join(left: list[Any], right: list[Any], lk: Callable[[Any], Any], rk: Callable[[Any], Any]) -> list[Any]:
    groups = _group([row for row in right if rk(row) is not None], rk)
    return [{"l": one, "r": other} for one in left if lk(one) is not None for other in groups.get(str(lk(one)), ())]


def _path(value: Any, path: str) -> Any:
    for name in path.split("."):
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(x, b[name]) for name, x in a.items())
    return bool(a == b)


def nanoseconds(function: Callable[..., Any], arguments: tuple[Any, ...], calls: int) -> float:
    start = time.perf_counter_ns()
    for _ in range(calls):
        function(*arguments)
    return (time.perf_counter_ns() - start) / calls


def compare(name: str, arguments: tuple[Any, ...], by_hand: Callable[..., Any]) -> list[float]:
    """Nanoseconds of the checked call, of the body alone, and of the hand-written one."""
    declared = find(name)
    assert declared is not None
    best = [math.inf] * 3
    for _ in range(30):
        for at, function in enumerate((declared.call, declared.body, by_hand)):
            best[at] = min(best[at], nanoseconds(function, arguments, 300))
    return best


def main() -> None:
    rows: list[list[Any]] = []
    for name, arguments, by_hand in [*_by_hand(), *more_rows()]:
        call, body, hand = compare(name, arguments, by_hand)
        rows.append([name, round(call), round(body), round(hand), call / hand, body / hand])
    table(
        ["function", "call ns", "body ns", "by hand ns", "call ratio", "body ratio"],
        sorted(rows, key=lambda row: -row[5]),
    )
    worst, middle = max(row[5] for row in rows), statistics.median(row[5] for row in rows)
    guard = statistics.median(row[1] - row[2] for row in rows)
    queries = ["upper", "convert string to number", "substrng", "regex replace", "date zone", "e"]
    search("warm")
    slowest = max(min(nanoseconds(search, (query,), 20) for _ in range(10)) for query in queries) / 1000
    print(f"bodies: median ratio {middle:.2f}, worst {worst:.2f}; checks add {guard:.0f} ns a call")
    print(f"slowest search: {slowest:.0f} µs")
    ratios = {row[0]: round(row[5], 2) for row in rows}
    save("stdlib", {"ratios": ratios, "median": middle, "worst": worst, "checks_ns": guard, "search_us": slowest})
    sys.exit(worst > 2)


if __name__ == "__main__":
    main()
