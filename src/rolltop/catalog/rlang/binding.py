"""The name that a top-level expression gives to a value: by an arrow in either direction, or by a call that defines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rolltop.catalog.rlang.constants import string_value
from rolltop.catalog.rlang.lexer import Token, top_level_tokens

__all__ = ["binding", "name_of", "significant", "split_at_commas"]

_LEFT = ("<-", "=", "<<-", ":=")
_RIGHT = ("->", "->>")
_TAKES_THE_REST = frozenset({"function", "\\", "if", "for", "while", "repeat"})
"""What an arrow to the right belongs to: `function(x) x -> f` is a function that assigns, and gives itself no name."""
_DEFINERS = {"setGeneric": ("name", "def"), "assign": ("x", "value"), "delayedAssign": ("x", "value")}
"""Functions that bind a value to a name, and what their first two arguments are called."""

Tokens = Sequence[Token]


def binding(text: str, tokens: Tokens) -> tuple[str | None, Tokens]:
    """`a <- b <- value`, `value -> b -> a` and `setGeneric("a", value)` give ("a", value); else there is no name."""
    name = None
    while len(tokens) > 2 and tokens[1].text in _LEFT and (target := name_of(tokens[0])):
        name, tokens = name or target, tokens[2:]
    while _is_right_assignment(tokens) and (target := name_of(tokens[-1])):
        name, tokens = name or target, tokens[:-2]
    return (name, tokens) if name else _defined_by_call(text, tokens)


def _is_right_assignment(tokens: Tokens) -> bool:
    if len(tokens) < 3 or tokens[-2].text not in _RIGHT:
        return False
    return not any(token.text in _TAKES_THE_REST for token in tokens[:-2])


def _defined_by_call(text: str, tokens: Tokens) -> tuple[str | None, Tokens]:
    match list(tokens):
        case [Token(kind="name", text=function), Token(kind="group") as group] if function in _DEFINERS:
            pass
        case [
            Token(kind="name", text="methods" | "base"),
            Token(text="::"),
            Token(kind="name", text=function),
            Token(kind="group") as group,
        ] if function in _DEFINERS:
            pass
        case _:
            return None, tokens
    given = dict(_arguments(text, group, _DEFINERS[function]))
    name_as, value_as = _DEFINERS[function]
    written = given.pop(name_as, [])
    name = name_of(written[0]) if len(written) == 1 and written[0].kind in ("string", "raw") else None
    # Of a generic there may be more to say; a value that is assigned elsewhere is none of this file's.
    if name is None or (function != "setGeneric" and set(given) != {value_as}):
        return None, tokens
    return name, given.get(value_as, [])


def _arguments(text: str, group: Token, names: tuple[str, ...]) -> Iterator[tuple[str, Tokens]]:
    """The arguments of a call by name; those without one take the names that are left, in order."""
    parts = [part for part in split_at_commas(significant(text, group.start + 1, group.end - 1)) if part]
    named = {name_of(part[0]): part[2:] for part in parts if len(part) > 2 and part[1].text == "="}
    left = [name for name in names if name not in named]
    for name, value in named.items():
        yield name or "", value
    for at, part in enumerate(part for part in parts if not (len(part) > 2 and part[1].text == "=")):
        yield left[at] if at < len(left) else f"..{at}", part


def name_of(token: Token) -> str | None:
    """The name that a token is, quoted or not."""
    match token.kind:
        case "name":
            return token.text
        case "quoted":
            return token.text[1:-1].replace("\\`", "`")
        case "string" | "raw":
            return string_value(token.text)
    return None


def significant(text: str, start: int, end: int) -> tuple[Token, ...]:
    """The tokens of a span but comments and line ends."""
    return tuple(token for token in top_level_tokens(text, start, end) if token.kind not in ("comment", "newline"))


def split_at_commas(tokens: Tokens) -> Iterator[list[Token]]:
    part: list[Token] = []
    for token in tokens:
        if token.text == "," and token.kind == "operator":
            yield part
            part = []
        else:
            part.append(token)
    yield part
