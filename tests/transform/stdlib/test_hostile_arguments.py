"""Whatever a function is given, it answers or refuses: no crash, no foreign exception, no endless work."""

from __future__ import annotations

import datetime as dt
import math
import random
import time
from typing import Any

import pytest

from rolltop.errors import RolltopError
from rolltop.transform.stack import deep_stack
from rolltop.transform.stdlib import Function, Host, functions, installed
from rolltop.transform.values import Node

JUNK: list[Any] = [
    None, True, False, 0, -1, 1, 2, 7, 2**63 - 1, -(2**63), 0.5, -0.0, 1e308, 5e-324, math.nan, math.inf, -math.inf,
    "", " ", "a", "A-b_c", "12", "-1.5e3", "true", "null", "x" * 5000, "\0", "\U0001f600", "é" * 50,
    "%", "$1", "(", "[a-", "(a+)+$", "a|b", "\\", "{", "[]", '{"a": [1]}', "<a><b/></a>", "<a", "a: [1", "a,b\n1,2",
    "2024-05-31", "2024-05-31T10:30:00Z", "10:30", "yyyy-MM-dd", "UTC", "Europe/Amsterdam", "de", "UTF-8", "SHA-256",
    "https://a.b/c?d=e", "eyJhbGciOiJIUzI1NiJ9.e30.x", "a.b[0]", "-----BEGIN PUBLIC KEY-----", "km", "json", "EUR",
    [], [1], [3, 1, 2], ["b", "a"], [None], [[1, 2], [3, 4]], [{"a": 1}, {"a": 2}], [[]], [1, "a", None, {}],
    {}, {"a": 1}, {"a": {"b": [1]}}, {"key": "k", "value": 1}, {"headers": ["a"], "rows": [[1]]},
    {"op": "add", "path": "/a"}, {"%types": {}}, {"keys": []}, {"lat": 1, "lon": 2},
    Node({"_text": "x"}, {"i": "1"}, "a"), Node({"b": Node((), {}, "b")}, {"xmlns": "urn:x"}, "a"), Node({"a": 1}),
    b"", b"\0\xff", b"PK\x03\x04", b"\x1f\x8b\x08",
    dt.date(2024, 5, 31), dt.date.max, dt.date.min, dt.datetime(2024, 5, 31, 10, 30, tzinfo=dt.UTC),
    dt.datetime.max.replace(tzinfo=dt.UTC), dt.datetime.min, dt.datetime(2024, 5, 31), dt.time(10, 30),
    lambda: 1, lambda x: x, lambda x, y: x,
]  # fmt: skip
SLOW = {"generateRSAKeyPair"}
LONGEST = 5.0


def outcome(declared: Function, arguments: list[Any]) -> str:
    """What a function says when it refuses, or nothing."""
    try:
        declared.call(*arguments)
    except RolltopError as error:
        return error.message
    except Exception as error:
        pytest.fail(f"{declared.name}{tuple(arguments)!r} raised {error!r}")
    return ""


def attack(declared: Function, rounds: int) -> None:
    choose = random.Random(declared.name)
    least = declared.signature.least
    most = declared.signature.most if declared.signature.most is not None else least + 3
    for _ in range(rounds):
        arguments = [choose.choice(JUNK) for _ in range(choose.randint(least, most))]
        began = time.process_time()
        message = outcome(declared, arguments)
        assert len(message) < 1000, "messages do not repeat whole arguments"
        assert time.process_time() - began < LONGEST, f"{declared.name}{tuple(arguments)!r} took too long"


def families() -> list[str]:
    return sorted({declared.family for declared in functions()})


def members(family: str) -> list[Function]:
    return [declared for declared in functions() if declared.family == family and declared.name not in SLOW]


@pytest.fixture(autouse=True)
def quiet_host() -> Any:
    with deep_stack(), installed(Host(environment={}, log=lambda level, message: None)):
        yield


@pytest.mark.parametrize("family", families())
def test_junk_is_answered_or_refused(family: str) -> None:
    for declared in members(family):
        attack(declared, 40)


@pytest.mark.soak
@pytest.mark.parametrize("family", families())
def test_much_junk_is_answered_or_refused(family: str) -> None:
    for declared in members(family):
        attack(declared, 3000)
