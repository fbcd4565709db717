r"""Patterns written by programs, matched in time linear in the text.

They are written as in Java; RE2 runs them. Python's `re` is several times quicker to call but backtracks,
so it gets only the patterns that cannot: a run of single characters and classes of fixed length with at
most one quantifier, at the end. Those are most patterns in practice (`[^0-9]`, `\s+`, `^\d{5}$`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import re2

from rolltop.transform.errors import FunctionFailure
from rolltop.transform.stdlib.string.java_regex import Unsupported, translated
from rolltop.transform.stdlib.texts import quoted

__all__ = ["PatternFailure", "compiled", "group_names", "replacer"]

_LONGEST = 10_000
_ATOM = r"(?:[^\\()\[\]{}.*+?|^$\s]|[ .]|\\[dDwWsS]|\\[^\w\s]|\[\^?(?:[^\\\[\]^]|\\[dws]|\\[^\w\s])+\])"
_SIMPLE = re.compile(rf"(\^?)(?:{_ATOM}(?:\{{\d{{1,2}}\}})?)*({_ATOM}[*+?])?(\$?)")
_SET_OPERATORS = ("--", "&&", "~~", "||")
_PIECE = re.compile(r"\\.|\[\^?|\]|\$$|[^\\\[\]$]+|\$", re.DOTALL)
_BLANKS = r"\t\n\f\r "
"""What `\\s` means to RE2; Python's has the vertical tab too."""

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


class PatternFailure(FunctionFailure):
    """A pattern that cannot be used; `malformed` tells nonsense from what RE2 lacks."""

    def __init__(self, message: str, *, hint: str, malformed: bool) -> None:
        super().__init__(message, hint=hint)
        self.malformed = malformed


@lru_cache(maxsize=512)
def compiled(pattern: str) -> Any:
    """The pattern, ready to match. It has the methods of `re.Pattern` whichever engine runs it."""
    if len(pattern) > _LONGEST:
        raise PatternFailure(
            f"the pattern is {len(pattern)} characters long; the limit is {_LONGEST}",
            hint="Split it into several calls.",
            malformed=False,
        )
    simple = _as_simple(pattern)
    if simple is not None:
        return re.compile(simple, re.ASCII)
    try:
        return _Linear(re2.compile(translated(pattern), _OPTIONS))
    except Unsupported as lack:
        raise _lacking(pattern, lack.what, lack.hint) from None
    except re2.error as error:
        raise _refusal(pattern, error) from None
    except UnicodeEncodeError:
        raise _half_a_pair() from None


class _Linear:
    """An RE2 pattern; RE2 reads UTF-8, which has no half surrogate pairs."""

    def __init__(self, pattern: Any) -> None:
        self.pattern = pattern
        self.groupindex: dict[str, int] = pattern.groupindex

    def sub(self, replacement: str | Callable[[Any], str], text: str) -> str:
        pieces, at = [], 0
        for match in self.finditer(text):
            pieces.append(text[at : match.start()])
            pieces.append(replacement(match) if callable(replacement) else replacement)
            at = match.end()
        return "".join([*pieces, text[at:]])

    def search(self, text: str) -> Any:
        return self._run(self.pattern.search, text)

    def fullmatch(self, text: str) -> Any:
        return self._run(self.pattern.fullmatch, text)

    def finditer(self, text: str) -> list[Any]:
        found: list[Any] = []
        for match in self._run(lambda: list(self.pattern.finditer(text))):
            # RE2's binding gives some empty matches twice (of `$`, for one).
            if not found or found[-1].span() != match.span():
                found.append(match)
        return found

    def _run(self, method: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return method(*arguments)
        except UnicodeEncodeError:
            raise _half_a_pair() from None


def _half_a_pair() -> FunctionFailure:
    return FunctionFailure(
        "the text has half a surrogate pair, which is no character",
        hint="Repair the text where it was read.",
    )


def _as_simple(pattern: str) -> str | None:
    """The pattern in Python's notation if it cannot backtrack, else None."""
    match = _SIMPLE.fullmatch(pattern)
    if match is None or any(operator in pattern for operator in _SET_OPERATORS):
        return None
    start, quantified, end = match.groups()
    if end and quantified and not start:
        return None  # every start would run to the end of the text: quadratic
    return _translate(pattern)


def _translate(pattern: str) -> str | None:
    pieces: list[str] = []
    inside = False
    for piece in _PIECE.findall(pattern):
        if piece.startswith("["):
            inside = True
        elif piece == "]":
            inside = False
        elif piece == r"\S" and inside:
            return None
        pieces.append(_python_piece(piece, inside))
    try:
        re.compile("".join(pieces), re.ASCII)
    except re.error:
        return None  # RE2 shall say what is wrong
    return "".join(pieces)


def _python_piece(piece: str, inside: bool) -> str:
    if piece == r"\s":
        return _BLANKS if inside else f"[{_BLANKS}]"
    if piece == r"\S":
        return f"[^{_BLANKS}]"
    if piece == "$" and not inside:
        return r"\Z"
    return piece


def _lacking(pattern: str, what: str, hint: str) -> PatternFailure:
    return PatternFailure(
        f"the pattern {quoted(pattern)} uses {what}, which patterns here do not have", hint=hint, malformed=False
    )


_TOO_LARGE = ("pattern too large", "invalid repetition size")
_RANGE = re.compile(r"\{(\d+),(\d+)\}")


def _refusal(pattern: str, error: Exception) -> PatternFailure:
    reason = error.args[0] if error.args else ""
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    turned = _RANGE.search(text)
    if text.startswith(_TOO_LARGE) and (turned is None or int(turned[1]) <= int(turned[2])):
        return _lacking(pattern, "more repetitions inside of repetitions than fit", "Repeat smaller parts.")
    return PatternFailure(
        f"{quoted(pattern)} is not a regular expression: {text[:100]}",
        hint="Escape characters that are meant literally with a backslash, for instance \\\\( or \\\\.",
        malformed=True,
    )


def group_names(pattern: Any) -> dict[str, int]:
    """Named groups of a compiled pattern and their numbers."""
    return dict(pattern.groupindex)


_REFERENCE = re.compile(r"\\(.)|\$(?:(\d+)|\{(\w+)\})", re.DOTALL)


@lru_cache(maxsize=512)
def replacer(replacement: str) -> str | Callable[[Any], str]:
    """What `sub` of a compiled pattern takes for a replacement with `$1`, `${name}` and `\\$`."""
    if "$" not in replacement and "\\" not in replacement:
        return replacement

    def expand(match: Any) -> str:
        return _REFERENCE.sub(lambda reference: _referred(reference, match), replacement)

    return expand


def _referred(reference: re.Match[str], match: Any) -> str:
    escaped, number, name = reference.groups()
    if escaped is not None:
        return escaped
    if name is not None:
        key: int | str = int(name) if name.isdecimal() else name
        return _group(match, key)
    # `$12` is group 12 if there is one, else group 1 and the digit 2.
    used = len(number)
    while used > 1 and int(number[:used]) > match.re.groups:
        used -= 1
    return _group(match, int(number[:used])) + number[used:]


def _group(match: Any, key: int | str) -> str:
    try:
        return match.group(key) or ""
    except (IndexError, KeyError, re.error, re2.error):
        raise FunctionFailure(
            f"the replacement refers to group {key}, which the pattern does not have",
            hint="Write \\\\$ for a dollar sign.",
        ) from None
