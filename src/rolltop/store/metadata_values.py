"""Typed metadata values, and what tags and keys may look like."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.store.times import format_time, time_ahead

__all__ = [
    "FORGET_AFTER", "check_count", "check_entry", "check_key", "check_said", "check_tag", "parse_pairs", "parse_value",
    "read_value", "with_expiry",
]  # fmt: skip

FORGET_AFTER = "forget_after"
"""The key that says until when a document is kept."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST = 1024
MOST_ENTRIES = 1000
"""Metadata entries of one document in one write: each is a row, and other writers wait meanwhile."""
_KEPT = json.JSONDecoder(parse_constant=str)


def check_tag(tag: str) -> None:
    if not tag.strip() or _CONTROL.search(tag) or len(tag) > _LONGEST or tag.startswith("/") or tag.endswith("/"):
        raise InvalidInput(
            "a tag is a non-empty word or phrase without control characters; / separates levels, as in project/x"
        )


def check_key(key: str) -> None:
    if not key.strip() or _CONTROL.search(key) or "=" in key or len(key) > _LONGEST:
        raise InvalidInput("a metadata key is a non-empty word without = or control characters")


def check_entry(key: str, value: Any) -> None:
    """A key and a value that can be kept: what JSON can say."""
    check_key(key)
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput(
            f"the metadata value of {key} is not one that JSON can hold",
            hint="Use texts, finite numbers, true, false, null, lists and objects of these.",
        ) from None


def read_value(text: str) -> Any:
    """A value as it was kept. NaN and Infinity, which were kept once, are no numbers in JSON: they are texts."""
    return _KEPT.decode(text)


def parse_pairs(pairs: Iterable[str]) -> dict[str, Any]:
    """`["status=done", "priority=3"]` as typed values. The first `=` separates."""
    values = {}
    for pair in pairs:
        key, separator, text = pair.partition("=")
        if not separator:
            raise InvalidInput("a metadata entry has no =", hint="Write each entry as key=value, as in status=done.")
        check_key(key.strip())
        values[key.strip()] = parse_value(text)
    return values


def parse_value(text: str) -> Any:
    """A number, true, false, null, list or object if the text is exactly that in JSON; else the text itself.

    `1.10` stays text: as a number it would come back as 1.1, and versions would suffer.
    """
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)  # NaN and 1e999 are read as numbers that no JSON can hold
    except (ValueError, RecursionError):
        return text
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool) and json.dumps(value) != text:
        return text
    return value


def check_said(path: str, tags: Sequence[str], metadata: Mapping[str, Any]) -> None:
    """Refuse names, tags and metadata that cannot be kept."""
    if not path or "\0" in path or path.endswith("/"):
        raise InvalidInput("a document needs a path or name that is not empty and does not end with /")
    if isinstance(tags, str):
        raise InvalidInput("tags are a list of texts, not one text", hint=f"Write [{tags!r}].")
    for tag in tags:
        check_tag(tag)
    for key, value in metadata.items():
        check_entry(key, value)


def with_expiry(values: Mapping[str, Any], when: int) -> Mapping[str, Any]:
    """With the time of `forget_after` as a date: it is given as a length of time (2h, 7d) or a date."""
    if FORGET_AFTER not in values:
        return values
    return {**values, FORGET_AFTER: format_time(time_ahead(values[FORGET_AFTER], at=when))}


def check_count(metadata: Mapping[str, Any]) -> None:
    """Refuse what would keep other writers waiting; an archive may hold what came in several writes."""
    if len(metadata) > MOST_ENTRIES:
        raise InvalidInput(
            f"a document takes at most {MOST_ENTRIES} metadata entries at once, not {len(metadata)}",
            hint="Keep tables as a document of their own, such as JSON or CSV.",
        )
