"""Constant R expressions as values: what a default is, where that can be known without running R."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rolltop.catalog.rlang.lexer import Token, top_level_tokens

__all__ = ["Constant", "constant", "string_value"]

_WORDS: dict[str, tuple[str, Any]] = {
    "NULL": ("null", None),
    "TRUE": ("logical", True),
    "FALSE": ("logical", False),
    "T": ("logical", True),
    "F": ("logical", False),
}
# Values that JSON does not have; `NA` stands for one of any type.
_MISSING = {
    "NA": "",
    "NA_character_": "character",
    "NA_integer_": "integer",
    "NA_real_": "numeric",
    "NaN": "numeric",
    "Inf": "numeric",
}
_ARITHMETIC = frozenset({"+", "-", "*", "/", "^", "**", "%%", "%/%"})
_EMPTY = {
    "character": "character",
    "numeric": "numeric",
    "double": "numeric",
    "integer": "integer",
    "logical": "logical",
}
_RANK = ["null", "logical", "integer", "numeric", "character"]
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u\{?([0-9a-fA-F]{1,4})\}?|U\{?([0-9a-fA-F]{1,8})\}?|([0-7]{1,3})|(.))", re.S
)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_LONGEST_RANGE = 1000
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Constant:
    """An R constant: `kind` is null, missing, logical, integer, numeric, character or list.

    `scalar` is False for what was written as a vector, whatever its length. `missing` is what JSON has no
    value for (`NA`, `Inf`) or what only R would compute (`60 * 60`); `of` is its type, where that is known.
    """

    kind: str
    values: tuple[Any, ...] = ()
    names: tuple[str, ...] = ()
    scalar: bool = True
    of: str = ""

    def to_json(self) -> Any:
        """The value in JSON; for a list with names an object, without names an array."""
        if self.kind == "list":
            items = [item.to_json() for item in self.values]
            return dict(zip(self.names, items, strict=True)) if any(self.names) or not items else items
        if self.kind == "null":
            return None
        return self.values[0] if self.scalar else list(self.values)


def constant(text: str, tokens: Sequence[Token], depth: int = 0) -> Constant | None:
    """The value of an expression that is constant by its form, else None; also when it is nested absurdly deep."""
    if depth > _DEEPEST:
        return None
    match list(tokens):
        case [token]:
            return _single(text, token, depth)
        case [Token(text="-" | "+") as sign, *rest]:
            return _signed(sign.text, constant(text, rest, depth + 1))
        case [low, Token(text=":"), high]:
            return _range(constant(text, [low], depth + 1), constant(text, [high], depth + 1))
        case [Token(kind="name") as function, Token(kind="group") as group] if group.text[0] == "(":
            return _call(text, function.text, group, depth)
        case [_, _, *_] if _is_arithmetic(text, tokens, depth):
            return Constant("missing", (None,), of="numeric")
    return None


def _is_arithmetic(text: str, tokens: Sequence[Token], depth: int) -> bool:
    """Numbers, signs and brackets only: `60 * 60`, `2^(10 - 1)`."""
    has_operator = False
    for token in tokens:
        if token.kind == "operator" and token.text in _ARITHMETIC:
            has_operator = True
        elif token.kind == "group" and token.text[0] == "(":
            inside = constant(text, _inside(text, token), depth + 1)
            if inside is None or not inside.scalar or _type_in(inside) not in ("integer", "numeric"):
                return False
        elif token.kind != "number":
            return False
    return has_operator


def _type_in(value: Constant) -> str:
    return value.of if value.kind == "missing" else value.kind


def _single(text: str, token: Token, depth: int) -> Constant | None:
    match token.kind:
        case "name" if token.text in _WORDS:
            kind, value = _WORDS[token.text]
            return Constant(kind, () if kind == "null" else (value,))
        case "name" if token.text in _MISSING:
            return Constant("missing", (None,), of=_MISSING[token.text])
        case "number":
            return _number(token.text)
        case "string" | "raw":
            value = string_value(token.text)
            return None if value is None else Constant("character", (value,))
        case "group" if token.text[0] == "(":
            return constant(text, _inside(text, token), depth + 1)
    return None


def _inside(text: str, group: Token) -> list[Token]:
    tokens = top_level_tokens(text, group.start + 1, group.end - 1)
    return [token for token in tokens if token.kind not in ("comment", "newline")]


def _number(text: str) -> Constant | None:
    kind = "integer" if text.endswith("L") else "numeric"
    digits = text.rstrip("L")
    try:
        if digits[:2].lower() == "0x":
            value = float.fromhex(digits) if "." in digits or "p" in digits.lower() else float(int(digits, 16))
        else:
            value = float(digits)
    except (ValueError, OverflowError):
        return None
    # Whole numbers are written without a fraction: 5, never 5.0.
    return Constant(kind, (int(value) if value.is_integer() and abs(value) < 1e15 else value,))


def _signed(sign: str, value: Constant | None) -> Constant | None:
    if value is None or _type_in(value) not in ("integer", "numeric") or not value.scalar:
        return None
    return value if sign == "+" or value.kind == "missing" else Constant(value.kind, (-value.values[0],))


def _range(low: Constant | None, high: Constant | None) -> Constant | None:
    if low is None or high is None or {low.kind, high.kind} - {"integer", "numeric"}:
        return None
    first, last = low.values[0], high.values[0]
    if not isinstance(first, int) or not isinstance(last, int) or abs(last - first) > _LONGEST_RANGE:
        return None
    step = 1 if last >= first else -1
    return Constant("integer", tuple(range(first, last + step, step)), scalar=False)


def _call(text: str, function: str, group: Token, depth: int) -> Constant | None:
    if function in _EMPTY and group.text.strip("() \n\t") in ("", "0"):
        return Constant(_EMPTY[function], scalar=False)
    if function not in ("c", "list"):
        return None
    names: list[str] = []
    items: list[Constant] = []
    for part in _arguments(_inside(text, group)):
        name, value = _named(part)
        item = constant(text, value, depth + 1)
        if item is None or (item.kind == "missing" and not item.scalar):
            return None
        names.append(name)
        items.append(item)
    if function == "list":
        return Constant("list", tuple(items), tuple(names), scalar=False)
    return _combined(items, names)


def _arguments(tokens: list[Token]) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind == "operator" and token.text == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts if parts != [[]] else []


def _named(part: list[Token]) -> tuple[str, list[Token]]:
    if len(part) > 2 and part[1].text == "=" and part[0].kind in ("name", "quoted", "string"):
        name = part[0].text if part[0].kind == "name" else part[0].text[1:-1]
        return name, part[2:]
    return "", part


def _combined(items: list[Constant], names: list[str]) -> Constant | None:
    """What `c()` makes of its arguments: one vector of the widest type."""
    kept = [(item, name) for item, name in zip(items, names, strict=True) if item.kind != "null"]
    if not kept:
        return Constant("null")
    if any(_type_in(item) not in (*_RANK, "") for item, _ in kept):
        return None
    kind = max((_type_in(item) or "logical" for item, _ in kept), key=_RANK.index)
    if any(item.kind == "missing" for item, _ in kept):
        # Of choices with a missing one nothing is certain; a vector of numbers is one, whichever they are.
        return Constant("missing", of=kind, scalar=False) if kind in ("integer", "numeric") else None
    values = tuple(_coerced(value, kind) for item, _ in kept for value in item.values)
    return Constant(kind, values, scalar=False)


def _coerced(value: Any, kind: str) -> Any:
    if kind == "character" and not isinstance(value, str):
        return str(value).upper() if isinstance(value, bool) else str(value)
    if kind in ("integer", "numeric") and isinstance(value, bool):
        return int(value)
    return value


def string_value(text: str) -> str | None:
    """The value of a string literal, raw or not; None when it is not closed or holds a bad escape."""
    if text[0] in "rR":
        body = text[2:-1]
        dashes = len(body) - len(body.lstrip("-"))
        return body[dashes + 1 : len(body) - dashes - 1]
    if len(text) < 2 or text[-1] != text[0]:
        return None
    try:
        return _ESCAPE.sub(_unescaped, text[1:-1]) if "\\" in text else text[1:-1]
    except (ValueError, OverflowError):
        return None


def _unescaped(match: re.Match[str]) -> str:
    hexadecimal = match[1] or match[2] or match[3]
    if hexadecimal:
        return chr(int(hexadecimal, 16))
    if match[4]:
        return chr(int(match[4], 8))
    return _SIMPLE.get(match[5], match[5])
