"""Hand-written counterparts of functions for dates, documents, encodings, binaries, money and places."""

from __future__ import annotations

import base64
import calendar
import csv
import datetime as dt
import gzip
import hashlib
import hmac
import io
import json
import math
import uuid
import xml.sax.saxutils
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, quote, quote_plus, unquote_plus, urlsplit
from zoneinfo import ZoneInfo

import yaml
from lxml import etree

# ruff: noqa: PLW0108 - a hand-written function is one, also where it only calls another

DAY, OTHER = dt.date(2024, 1, 31), dt.date(2024, 5, 31)
MOMENT = dt.datetime(2024, 5, 31, 10, 30, tzinfo=dt.UTC)
TABLE = "id,name\n1,Ann\n2,Bob\n3,Cid"
XML = '<a y="1" x="2"><b/>text</a>'
NESTED = {"a": {"b": [1, 2, {"c": 3}]}, "d": "e"}


def rows() -> list[tuple[str, tuple[Any, ...], Callable[..., Any]]]:
    """(function, arguments, the same in plain Python)"""
    return [
        ("parseDate", ("2024-05-31",), lambda s: dt.date.fromisoformat(s)),
        ("parseDate", ("2024-05-31T10:30:00Z",), lambda s: dt.datetime.fromisoformat(s).astimezone(dt.UTC)),
        ("parseDate", ("31.05.2024", "dd.MM.yyyy"), lambda s, p: dt.datetime.strptime(s, "%d.%m.%Y").date()),
        ("formatDate", (DAY, "dd.MM.yyyy"), lambda d, p: d.strftime("%d.%m.%Y")),
        ("addDays", (DAY, 3), lambda d, n: d + dt.timedelta(days=n)),
        ("addMonths", (DAY, 1), _add_months),
        ("addHours", (MOMENT, 2), lambda d, n: d + dt.timedelta(hours=n)),
        ("diffDays", (DAY, OTHER), lambda a, b: (b - a).days),
        ("isBefore", (MOMENT, MOMENT), _before),
        ("year", (DAY,), lambda d: d.year),
        ("dayOfWeekName", (DAY,), lambda d: d.strftime("%A")),
        ("endOfMonth", (MOMENT,), _end_of_month),
        ("toUTC", (dt.datetime(2024, 5, 31), "Asia/Tokyo"), _to_utc),
        ("parseJson", ('{"a": [1, 2], "b": "c"}',), lambda s: json.loads(s)),
        ("renderJson", (NESTED,), lambda v: json.dumps(v, separators=(",", ":"))),
        ("parseYaml", ("a: 1\nb: [x, y]\n",), lambda s: yaml.load(s, Loader=yaml.CSafeLoader)),
        ("csvRows", (TABLE,), lambda s: list(csv.DictReader(io.StringIO(s)))),
        ("jsonMergePatch", ({"a": 1, "b": {"c": 2}}, {"a": None, "b": {"c": 3}}), _merge_patch),
        ("canonicalizeJSON", (NESTED,), lambda v: json.dumps(v, separators=(",", ":"), sort_keys=True)),
        ("prettyPrintJSON", ('{"a": [1, 2], "b": "c"}',), lambda s: json.dumps(json.loads(s), indent=2)),
        ("yamlFindByField", (NESTED, "c"), _find_all),
        ("xmlEscape", ("a < b & c",), lambda s: xml.sax.saxutils.escape(s, {'"': "&quot;", "'": "&apos;"})),
        ("c14n", (XML,), lambda s: etree.tostring(etree.fromstring(s), method="c14n").decode()),
        ("base64Encode", ("hello",), lambda s: base64.b64encode(s.encode()).decode()),
        ("base64Decode", ("aGVsbG8=",), lambda s: base64.b64decode(s, validate=True).decode()),
        ("hexEncode", ("hello",), lambda s: s.encode().hex()),
        ("urlEncode", ("a b&c",), lambda s: quote_plus(s)),
        ("urlDecode", ("a+b%26c",), lambda s: unquote_plus(s)),
        ("urlEncodeComponent", ("a b&c",), lambda s: quote(s, safe="")),
        ("md5", ("hello",), lambda s: hashlib.md5(s.encode()).hexdigest()),
        ("sha256", ("hello",), lambda s: hashlib.sha256(s.encode()).hexdigest()),
        ("hmacSHA256", ("m", "k"), lambda s, k: hmac.new(k.encode(), s.encode(), "sha256").hexdigest()),
        ("gzip", ("hello" * 20,), lambda s: gzip.compress(s.encode(), 6)),
        ("readInt32", (b"\0\0\0\1", 0), lambda b, at: int.from_bytes(b[at : at + 4], "big", signed=True)),
        ("parseURL", ("https://example.com:8443/a?x=1#t",), _parse_url),
        ("getHost", ("https://example.com:8443/a",), lambda u: urlsplit(u).hostname),
        ("roundToCents", (2.345,), _cents),
        ("addTax", (200, 0.08), lambda n, rate: n * (1 + rate)),
        ("futureValue", (1000, 0.05, 2), lambda pv, rate, n: pv * (1 + rate) ** n),
        ("distance", (52.3702, 4.8952, 48.8566, 2.3522), _haversine),
        ("generateUuid", (), lambda: str(uuid.uuid4())),
    ]  # fmt: skip


def _before(a: dt.datetime | str, b: dt.datetime | str) -> bool:
    if isinstance(a, str):
        a = dt.datetime.fromisoformat(a)
    if isinstance(b, str):
        b = dt.datetime.fromisoformat(b)
    return a < b


def _to_utc(d: dt.datetime, zone: str) -> dt.datetime:
    return d.replace(tzinfo=ZoneInfo(zone)).astimezone(dt.UTC)


def _add_months(d: dt.date, n: int) -> dt.date:
    year, month = divmod(d.year * 12 + d.month - 1 + n, 12)
    return d.replace(year=year, month=month + 1, day=min(d.day, calendar.monthrange(year, month + 1)[1]))


def _end_of_month(d: dt.datetime) -> dt.datetime:
    last = calendar.monthrange(d.year, d.month)[1]
    return d.replace(day=last, hour=23, minute=59, second=59, microsecond=999999)


def _merge_patch(target: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merge_patch(merged.get(key), value)
    return merged


def _find_all(value: Any, name: str) -> list[Any]:
    found = []
    if isinstance(value, dict):
        if name in value:
            found.append(value[name])
        for item in value.values():
            found += _find_all(item, name)
    elif isinstance(value, list):
        for item in value:
            found += _find_all(item, name)
    return found


def _parse_url(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    return {
        "protocol": parts.scheme,
        "host": parts.hostname,
        "port": parts.port,
        "path": parts.path,
        "query": parts.query,
        "queryParams": parse_qs(parts.query),
        "fragment": parts.fragment,
    }


def _cents(n: float) -> float:
    from decimal import ROUND_HALF_UP, Decimal

    return float(Decimal(str(n)).quantize(Decimal("0.01"), ROUND_HALF_UP))


def _haversine(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    if not (-90 <= lat1 <= 90 and -90 <= lat2 <= 90 and -180 <= lon1 <= 180 and -180 <= lon2 <= 180):
        raise ValueError("no such place")
    lat1, lon1, lat2, lon2 = map(math.radians, (lat1, lon1, lat2, lon2))
    h = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 6371 * 2 * math.asin(math.sqrt(h))
