"""JSON (RFC 8259). Two-space indent; whole doubles without fraction; attributes as `@name` keys."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import orjson

from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.plain import plain
from rolltop.transform.formats.text import decode
from rolltop.transform.values import number_text

__all__ = ["encode", "encode_lines", "encode_ready", "encode_ready_lines", "read", "refused", "repaired", "write"]

_NATIVE = orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS
# In indented JSON every value ends its line, and the line of a text ends in a quote: a line that ends in
# `.0` is a whole double. The odd ones (1e16 and above, minus zero) are left to `plain`.
# Patterns start with a literal, which makes the search several times faster.
_WHOLE = re.compile(rb"\.0(?=,?\n|\Z)")
_HUGE = re.compile(rb"e\+?[0-9]+(?=,?\n|\Z)")
_COMPACT_WHOLE = re.compile(rb"\.0(?=[,}\]\n]|\Z)")
_COMPACT_HUGE = re.compile(rb"e\+?[0-9]+(?=[,}\]\n]|\Z)")
_DIGITS_BEFORE = re.compile(rb"-?[0-9]*\Z")


def read(data: str | bytes, options: Mapping[str, Any]) -> Any:
    """The value of a JSON text; duplicate keys: the last wins."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return _read_again(decode(data, "JSON"))


def _read_again(text: str) -> Any:
    """Without a byte order mark, and with a good message when that was not the reason."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise refused(error, text, error.lineno, error.colno) from None
    except UnicodeEncodeError:
        raise ReadFailure("JSON parse error at 1:1 - the text has half a surrogate pair") from None


def refused(error: orjson.JSONDecodeError, text: str, line: int, column: int) -> ReadFailure:
    """What is said about text that is no JSON; the place is given, because the text may be part of a larger one."""
    reason = re.sub(r": line \d+ column \d+.*", "", str(error), flags=re.DOTALL)
    message = f"JSON parse error at {line}:{column} - {reason}"
    return ReadFailure(message, line, column, hint=_hint(text, error.pos))


def _hint(text: str, at: int) -> str | None:
    if not text.strip():
        return "The input is empty."
    found = text[at : at + 1]
    if found == "'":
        return "JSON strings are in double quotes."
    if found in ("}", "]"):
        return "Is there a comma before the closing bracket?"
    if text.lstrip()[:1] == "<":
        return "This looks like XML; declare `input xml`."
    return None


def write(value: Any, options: Mapping[str, Any]) -> str:
    """The value as indented JSON."""
    return encode(value, options).decode()


def encode(value: Any, options: Mapping[str, Any]) -> bytes:
    """The same in UTF-8."""
    layout = 0 if options.get("compact") is True else orjson.OPT_INDENT_2
    try:
        fast = orjson.dumps(value, option=_NATIVE | layout)
        shortened = (_shortened if layout else _shortened_compact)(fast)
        if shortened is not None:
            return shortened
    except TypeError:
        # Something that JSON does not have (an element, a date); or half a surrogate pair.
        pass
    return render(plain(value, write_attributes=options.get("writeAttributes") is True), layout).encode()


def encode_ready(value: Any, options: Mapping[str, Any]) -> bytes:
    """The same for a value that has nothing in it that JSON would show otherwise."""
    try:
        return orjson.dumps(value, None, 0 if options.get("compact") is True else orjson.OPT_INDENT_2)
    except TypeError:
        return encode(value, options)  # as above


def encode_ready_lines(values: list[Any], options: Mapping[str, Any]) -> bytes:
    """The same for one line each."""
    try:
        return b"".join([orjson.dumps(value, None, orjson.OPT_APPEND_NEWLINE) for value in values])
    except TypeError:
        return encode_lines(values, options)


def encode_lines(values: list[Any], options: Mapping[str, Any]) -> bytes:
    """Each value as compact JSON on a line of its own."""
    layout = _NATIVE | orjson.OPT_APPEND_NEWLINE
    try:
        shortened = _shortened_compact(b"".join([orjson.dumps(value, None, layout) for value in values]))
        if shortened is not None:
            return shortened
    except TypeError:
        pass  # as above
    compact = {**options, "compact": True}
    return b"".join([encode(value, compact) + b"\n" for value in values])


def _shortened(text: bytes) -> bytes | None:
    """Indented JSON with whole doubles cut short; None when it has something that only `plain` gets right."""
    if b"-0.0" in text or b'"_text"' in text or _HUGE.search(text) is not None:
        return None
    return _WHOLE.sub(b"", text)


def _shortened_compact(text: bytes) -> bytes | None:
    """The same for compact JSON, where a text may look like a number: only the values of keys are sure."""
    if b"-0.0" in text or b'"_text"' in text or _COMPACT_HUGE.search(text) is not None:
        return None
    if b".0" not in text:
        return text
    parts, done = [], 0
    for found in _COMPACT_WHOLE.finditer(text):
        start = found.start()
        key_end = start - len(_DIGITS_BEFORE.search(text, max(done, start - 20), start)[0])  # type: ignore[index]
        if text[key_end - 2 : key_end] != b'":' or text[key_end - 3 : key_end - 2] == b"\\":
            return None
        parts.append(text[done:start])
        done = start + 2
    return b"".join([*parts, text[done:]])


def render(ready: Any, layout: int = orjson.OPT_INDENT_2) -> str:
    """Plain values as JSON text; halves of surrogate pairs become replacement characters."""
    try:
        return orjson.dumps(ready, _digits, _NATIVE | layout).decode()
    except TypeError:
        # Nested more than orjson goes (254 levels), an integer beyond 64 bits, or half a surrogate pair.
        indent, separators = (2, None) if layout else (None, (",", ":"))
        return json.dumps(repaired(ready), ensure_ascii=False, indent=indent, separators=separators, default=float)


def _digits(value: Any) -> orjson.Fragment:
    """A decimal that no double has, in its own digits."""
    if type(value) is not Decimal:
        raise TypeError
    return orjson.Fragment(number_text(value))


def repaired(value: Any) -> Any:
    """Plain values without halves of surrogate pairs, which no encoding has."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [repaired(item) for item in value]
    if isinstance(value, dict):
        return {repaired(key): repaired(item) for key, item in value.items()}
    return value
