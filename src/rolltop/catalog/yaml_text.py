"""YAML in and out, in one fixed form: the same value is always the same bytes.

Our own writer, because a general one cannot keep what these files need: literal blocks whose lines
end in blanks (`#> `), short lists on one line, no wrapping that moves with the length of a word.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import yaml

from rolltop.errors import InvalidData, Position, SizeLimit

__all__ = ["dump", "load"]

_LARGEST = 4 << 20
_DEEPEST = 64
_PLAIN = re.compile(r"[A-Za-z_./(][^\n]*")
_UNSAFE_IN_PLAIN = re.compile(r":(?:\s|$)|\s#|^(?:---|\.\.\.)|\s$|\t")
_UNSAFE_IN_FLOW = re.compile(r"[,\[\]{}?:]")
_UNPRINTABLE = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_RESOLVER = yaml.SafeLoader.yaml_implicit_resolvers


def dump(document: dict[str, Any]) -> str:
    """The YAML of a mapping."""
    return "".join(f"{line}\n" for line in _mapping(document, 0))


def _mapping(mapping: dict[str, Any], depth: int) -> Iterator[str]:
    pad = "  " * depth
    for key, value in mapping.items():
        head = f"{pad}{_scalar(str(key), in_flow=True)}:"
        if isinstance(value, dict) and value:
            yield head
            yield from _mapping(value, depth + 1)
        elif isinstance(value, list) and not all(_is_short_scalar(item) for item in value):
            yield head
            yield from _sequence(value, depth)
        elif isinstance(value, str) and _as_literal(value):
            yield from _literal(head, value, depth + 1)
        else:
            yield f"{head} {_inline(value)}"


def _sequence(items: list[Any], depth: int) -> Iterator[str]:
    pad = "  " * depth
    for item in items:
        if isinstance(item, dict) and item:
            lines = list(_mapping(item, depth + 1))
            yield f"{pad}- {lines[0].lstrip()}"
            yield from lines[1:]
        else:
            yield f"{pad}- {_inline(item)}"


def _inline(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(str(key))}: {_flow(item)}" for key, item in value.items()) + "}"
    return _scalar(value, in_flow=False)


def _flow(value: Any) -> str:
    return _inline(value) if isinstance(value, (list, dict)) else _scalar(value, in_flow=True)


def _is_short_scalar(value: Any) -> bool:
    return not isinstance(value, (dict, list)) and len(str(value)) < 100


def _scalar(value: Any, *, in_flow: bool) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _float(value)
    text = str(value)
    return text if _is_plain(text, in_flow) else _quoted(text)


def _float(value: float) -> str:
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    # YAML 1.1 reads 1e-05 as text: it wants a point before the exponent.
    text = repr(value)
    return re.sub(r"^(-?\d+)e", r"\1.0e", text)


@lru_cache(maxsize=4096)  # most scalars are field names and type words, written again and again
def _is_plain(text: str, in_flow: bool) -> bool:
    if not _PLAIN.fullmatch(text) or _UNSAFE_IN_PLAIN.search(text) or _UNPRINTABLE.search(text):
        return False
    if in_flow and _UNSAFE_IN_FLOW.search(text):
        return False
    return not any(pattern.match(text) for _, pattern in _RESOLVER.get(text[0], ()))


def _quoted(text: str) -> str:
    plain = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(_escape, plain)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _as_literal(text: str) -> bool:
    # A carriage return or another break would be read back as something else.
    return "\n" in text.rstrip("\n") and not _UNPRINTABLE.search(text) and bool(text.strip())


def _literal(head: str, text: str, depth: int) -> Iterator[str]:
    pad = "  " * depth
    body = text.rstrip("\n")
    breaks = len(text) - len(body)
    chomp = {0: "-", 1: ""}.get(breaks, "+")
    first = next(line for line in body.split("\n") if line.strip())
    indent = "2" if first[0] in " \t" or body[0] in "\n\t " else ""
    yield f"{head} |{indent}{chomp}"
    for line in body.split("\n"):
        yield pad + line if line else ""
    yield from ("" for _ in range(breaks - 1))


def load(text: str, source: str | None = None) -> Any:
    """The value of a YAML text. Aliases, deep nesting and huge texts are refused, not expanded."""
    if len(text) > _LARGEST:
        raise SizeLimit(f"{source or 'the YAML text'} is larger than {_LARGEST >> 20} MiB")
    try:
        _refuse_bombs(text, source)
        return yaml.load(text, Loader=_Loader)  # noqa: S506  (a safe loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        position = Position(mark.line + 1, mark.column + 1, source) if mark else None
        raise InvalidData(f"not valid YAML: {error.problem}", position=position) from None
    except (yaml.YAMLError, ValueError) as error:
        raise InvalidData(f"{source or 'the text'} is not valid YAML: {error}") from None


_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _refuse_bombs(text: str, source: str | None) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            raise InvalidData(f"{source or 'the YAML text'} uses an alias; definitions are written out in full")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            raise InvalidData(f"{source or 'the YAML text'} is nested deeper than {_DEEPEST} levels")
