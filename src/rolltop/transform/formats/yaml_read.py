"""YAML to values, from libyaml's events: bounded nesting, bounded aliases, duplicate keys refused.

Values are built here and not by PyYAML's constructor, because that recurses in C (deep nesting
crashes the process) and shares what aliases name (which explodes when it is written).

Plain scalars are those of YAML 1.2's core schema, with `<<` besides: `on`, `NO`, `12:30` and dates are texts. The
option `yaml: 1.1` reads them as YAML 1.1 does, `inferTypes: false` leaves everything but null a text.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import yaml

from rolltop.errors import SizeLimit
from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.text import MAX_DEPTH, decode
from rolltop.transform.values import fit, kind_of, scalar_text

__all__ = ["CoreResolver", "read", "read_all"]

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MERGE = object()
_TAG = "tag:yaml.org,2002:"
_FLOAT = re.compile(r"[-+]?(?:\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|[0-9][0-9_]*(?:\.[0-9_]*)?[eE][-+]?[0-9]+)\Z")


_NO_OPTIONS: Mapping[str, Any] = {}


class _Resolver(yaml.resolver.Resolver):
    """PyYAML's, which wants a point and a sign in numbers with an exponent: `1e3` is one, as it is in JSON."""


_Resolver.add_implicit_resolver(_TAG + "float", _FLOAT, list("-+.0123456789"))


class CoreResolver(yaml.resolver.BaseResolver):
    """Plain scalars of YAML 1.2's core schema."""


class _Texts(yaml.resolver.BaseResolver):
    """Plain scalars that are null, and texts."""


for _resolver in (CoreResolver, _Texts):
    _resolver.add_implicit_resolver(_TAG + "null", re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
    _resolver.add_implicit_resolver(_TAG + "merge", re.compile(r"<<\Z"), ["<"])
CoreResolver.add_implicit_resolver(_TAG + "bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), list("tTfF"))
CoreResolver.add_implicit_resolver(
    _TAG + "int12", re.compile(r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\Z"), list("-+0123456789")
)
CoreResolver.add_implicit_resolver(
    _TAG + "float",
    re.compile(
        r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
    ),
    list("-+.0123456789"),
)


def _resolver_for(options: Mapping[str, Any]) -> Any:
    if options.get("inferTypes") is False:
        return _Texts()
    return _Resolver() if options.get("yaml") == "1.1" else CoreResolver()


def read(data: str | bytes, options: Mapping[str, Any]) -> Any:
    """The first document of a YAML text, or with `documents: "all"` an array of all there are."""
    if options.get("documents") == "all":
        return read_all(data, options)
    text = decode(data, "YAML")
    with _explained(text):
        return _Builder.bounded(text, options).document(iter(yaml.parse(text, Loader=_Loader)))


def read_all(data: str | bytes, options: Mapping[str, Any] = _NO_OPTIONS) -> list[Any]:
    """Every document of a YAML text."""
    text = decode(data, "YAML")
    documents: list[Any] = []
    with _explained(text):
        builder, events = _Builder.bounded(text, options), iter(yaml.parse(text, Loader=_Loader))
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                builder.anchors.clear()
                documents.append(builder.document(events))
    return documents


@contextmanager
def _explained(text: str) -> Iterator[None]:
    """Turn what the parser says into an error with a place."""
    try:
        yield
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        reason = error.problem or error.context or "not valid YAML"
        raise ReadFailure(
            f"YAML parse error at {line}:{column} - {reason}", line, column, hint=_hint(text, line)
        ) from None
    except UnicodeEncodeError:
        raise ReadFailure("YAML parse error at 1:1 - the text has half a surrogate pair") from None
    except yaml.YAMLError as error:
        reason = str(error).splitlines()[0]
        raise ReadFailure(f"YAML parse error at 1:1 - {reason}") from None


def _hint(text: str, line: int) -> str | None:
    lines = text.splitlines()
    if line <= len(lines) and "\t" in lines[line - 1][: len(lines[line - 1]) - len(lines[line - 1].lstrip())]:
        return "Indent with blanks, not tabs."
    return None


class _Builder:
    """Turns events into values. `budget` bounds how many nodes aliases may add."""

    def __init__(self, budget: int, options: Mapping[str, Any]) -> None:
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.budget = budget
        self.resolver: Any = _resolver_for(options)
        self.scalars = _Scalars()
        self.count = 0

    @classmethod
    def bounded(cls, text: str, options: Mapping[str, Any] = _NO_OPTIONS) -> _Builder:
        return cls(max(100_000, 20 * len(text)), options)

    def document(self, events: Iterator[Any]) -> Any:
        for event in events:
            if isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent, yaml.AliasEvent)):
                value = self._value(event, events, 0)
                return None if value is _MERGE else value
            if isinstance(event, yaml.DocumentEndEvent):
                return None
        return None

    def _value(self, event: Any, events: Iterator[Any], depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise _refuse(event, f"more than {MAX_DEPTH} levels of nesting")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if (event.tag or "").startswith(_TAG + "python/"):
            raise _refuse(event, "a tag that names Python objects is refused")
        before = self.count
        self.count += 1
        value: Any
        if isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = []
            for item in events:
                if isinstance(item, yaml.SequenceEndEvent):
                    break
                value.append(_no_merge(self._value(item, events, depth + 1)))
        else:
            value = self._mapping(events, depth)
        if event.anchor:
            self.anchors[event.anchor] = (value, self.count - before)
        return value

    def _alias(self, event: Any) -> Any:
        if event.anchor not in self.anchors:
            raise _refuse(event, f"unknown alias *{event.anchor[:40]}")
        value, size = self.anchors[event.anchor]
        self.count += size
        self.budget -= size
        if self.budget < 0:
            line = event.start_mark.line + 1
            raise SizeLimit(
                f"YAML line {line}: the aliases expand to far more than the document",
                hint="This is what an alias bomb looks like; expand the document before if it is meant.",
            )
        return value

    def _mapping(self, events: Iterator[Any], depth: int) -> dict[str, Any]:
        own: dict[str, Any] = {}
        merged: list[dict[str, Any]] = []
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._value(event, events, depth + 1)
            value = _no_merge(self._value(next(events), events, depth + 1))
            if key is _MERGE:
                parts = value if isinstance(value, list) else [value]
                for part in parts:
                    if not isinstance(part, dict):
                        raise _refuse(event, f"`<<` takes mappings to merge, not {_a(kind_of(part))}")
                merged.extend(parts)
                continue
            name = "null" if key is None else scalar_text(key)
            if name is None:
                raise _refuse(event, f"{_a(kind_of(key))} cannot be a key")
            if name in own:
                raise _refuse(event, f"duplicate key {name[:60]!r}")
            own[name] = value
        if not merged:
            return own
        inherited = {name: value for part in reversed(merged) for name, value in part.items()}
        return inherited | own

    def _scalar(self, event: Any) -> Any:
        tag = event.tag
        if tag is None or tag == "!":
            if not event.implicit[0] or tag == "!":
                return event.value
            tag = self.resolver.resolve(yaml.ScalarNode, event.value, (True, False))
        try:
            return self.scalars.value(tag.removeprefix(_TAG), event.value)
        except (ValueError, OverflowError, binascii.Error):
            raise _refuse(event, f"{event.value[:40]!r} is not a valid {tag.removeprefix(_TAG)}") from None


def _a(kind: str) -> str:
    return kind if kind == "null" else f"{'an' if kind[0] in 'ao' else 'a'} {kind}"


def _no_merge(value: Any) -> Any:
    return "<<" if value is _MERGE else value


def _refuse(event: Any, reason: str) -> ReadFailure:
    line, column = event.start_mark.line + 1, event.start_mark.column + 1
    return ReadFailure(f"YAML parse error at {line}:{column} - {reason}", line, column)


class _Scalars:
    """What the implicit types of YAML stand for."""

    def __init__(self) -> None:
        self.constructor: Any = yaml.constructor.SafeConstructor()

    def value(self, kind: str, text: str) -> Any:
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() in ("yes", "true", "on")
        if kind == "int12":
            return _core_integer(text)
        if kind == "int":
            return self._integer(text)
        if kind == "float":
            return self._double(text)
        if kind == "timestamp":
            return self._moment(text)
        if kind == "binary":
            return base64.b64decode(text)
        return _MERGE if kind == "merge" else text

    def _double(self, text: str) -> float | str:
        number: float = self.constructor.construct_yaml_float(yaml.ScalarNode(_TAG + "float", text))
        # More than a double holds is no number, but may well be an identifier.
        return text if math.isinf(number) and text[-1:].isdigit() else number

    def _integer(self, text: str) -> int | float:
        if len(text) > 400:
            raise ValueError("too many digits")
        number: int = self.constructor.construct_yaml_int(yaml.ScalarNode(_TAG + "int", text))
        return fit(number)

    def _moment(self, text: str) -> Any:
        moment = self.constructor.construct_yaml_timestamp(yaml.ScalarNode(_TAG + "timestamp", text))
        if isinstance(moment, dt.datetime) and moment.tzinfo is None:
            # YAML says: a timestamp without a zone is in UTC.
            return moment.replace(tzinfo=dt.UTC)
        return moment


def _core_integer(text: str) -> int | float:
    """In YAML 1.2 a leading zero is no sign of octal digits: those begin with 0o."""
    if len(text) > 400:
        raise ValueError("too many digits")
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    return fit(int(text[2:] if base != 10 else text, base))
