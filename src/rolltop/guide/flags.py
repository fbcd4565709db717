"""Flags: what a value may be, and which flags mean something to the guide itself.

Any name may be set to true, false or a text. The flags in `KNOWN` mean something here; their values
are checked, and some of them belong to one scope only. *Feature flags* are the global ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rolltop.guide import expression
from rolltop.guide.errors import ArgumentInvalid
from rolltop.guide.formats import FORMATS
from rolltop.guide.names import check_flag_name
from rolltop.guide.pattern import Pattern

__all__ = ["KNOWN", "FlagValue", "KnownFlag", "Scope", "check_flag", "checked_value"]

FlagValue = bool | str | list[str]
Scope = Literal["project", "global"]

LONGEST = 10_000

_TRUE = {"true", "on", "yes", "enabled"}
_FALSE = {"false", "off", "no", "disabled"}


@dataclass(frozen=True, slots=True)
class KnownFlag:
    meaning: str
    check: Callable[[str, FlagValue], FlagValue]
    scope: Scope | None = None
    """None: it may be set in both."""


def check_flag(name: str, value: object, scope: Scope) -> FlagValue:
    """The value to store for a flag, or an error that says what it may be."""
    check_flag_name(name)
    known = KNOWN.get(name)
    if known is not None and known.scope not in {None, scope}:
        kind, tool = ("a project", "a project flag") if known.scope == "project" else ("a global", "a feature flag")
        raise ArgumentInvalid(f"{name} is {kind} flag and cannot be set as a {scope} one", hint=f"Set it as {tool}.")
    return checked_value(name, value)


def checked_value(name: str, value: object) -> FlagValue:
    """The value as this flag may have it, in whichever scope."""
    plain = _normalise(name, value)
    if (known := KNOWN.get(name)) is not None:
        return known.check(name, plain)
    if isinstance(plain, list):
        raise _wrong(name, "true, false or a text")
    return plain


def _normalise(name: str, value: object) -> FlagValue:
    """Words for yes and no become booleans; whatever a flag cannot hold is refused."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and len(value) <= LONGEST:
        word = value.strip().lower()
        return True if word in _TRUE else False if word in _FALSE else str(value)
    if isinstance(value, list) and all(isinstance(item, str) and len(item) <= LONGEST for item in value):
        return [str(item) for item in value]
    raise _wrong(name, f"true, false or a text of at most {LONGEST} characters")


def _boolean(name: str, value: FlagValue) -> FlagValue:
    if not isinstance(value, bool):
        raise _wrong(name, "true or false")
    return value


def _format(name: str, value: FlagValue) -> FlagValue:
    word = "none" if value is False else value
    if not isinstance(word, str) or word not in FORMATS:
        raise _wrong(name, f"one of {', '.join(FORMATS)}")
    return word


def _patterns(name: str, value: FlagValue) -> FlagValue:
    if isinstance(value, bool):
        raise _wrong(name, "a list of patterns")
    patterns = list(expression.parse_patterns(value)) if isinstance(value, str) else value
    for pattern in patterns:
        Pattern.compile(pattern)
    return patterns


def _expression(name: str, value: FlagValue) -> FlagValue:
    if not isinstance(value, str):
        raise _wrong(name, "a content expression such as docs,lang/python")
    return str(expression.parse(value))


def _wrong(name: str, allowed: str) -> ArgumentInvalid:
    return ArgumentInvalid(f"the flag {name} has a value that it cannot have", hint=f"It may be {allowed}.")


KNOWN: dict[str, KnownFlag] = {
    "content-format": KnownFlag("How several documents become one text: none, plain or mime.", _format),
    "content-front-matter": KnownFlag("Keep the front matter of documents instead of leaving it out.", _boolean),
    "content-exclude": KnownFlag("Patterns of documents that are never given out.", _patterns),
    "content-default": KnownFlag("The expression that the prompt uses when it is given none.", _expression, "project"),
    "new-projects": KnownFlag("Whether a project that was never set up may be written to.", _boolean, "global"),
}
