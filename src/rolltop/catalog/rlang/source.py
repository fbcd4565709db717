"""Top-level expressions of an R file: the roxygen lines above each, the name it defines, its signature."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rolltop.catalog.rlang.binding import binding, name_of, significant, split_at_commas
from rolltop.catalog.rlang.constants import Constant, constant
from rolltop.catalog.rlang.lexer import Token, comments_in, line_starts, top_level_tokens

__all__ = ["Expression", "Formal", "expressions", "formals_of"]

_ROXYGEN = re.compile(r"#+'[^\S\n]?")
_HEADERS = ("function", "\\", "if", "while", "for")
_MOST_PARENTHESES = 10
_OPEN_ENDED = ("function", "repeat", "else", "in")


@dataclass(frozen=True, slots=True)
class Formal:
    """One parameter of a signature. `default` is None when there is none or it is not constant."""

    name: str
    has_default: bool = False
    default: Constant | None = None
    default_text: str = ""


@dataclass(frozen=True, slots=True)
class Expression:
    """One top-level expression and the documentation lines above it (marker and one blank removed)."""

    line: int
    name: str | None
    tokens: tuple[Token, ...]
    value: tuple[Token, ...]
    doc: tuple[str, ...] = ()
    doc_line: int = 0
    text: str = field(default="", repr=False)

    @property
    def formals(self) -> tuple[Formal, ...] | None:
        """The signature when the value is a function literal, else None."""
        return formals_of(self.text, self.value)

    @property
    def body(self) -> str:
        """The text after the signature of a function literal, else nothing."""
        if len(self.value) < 3 or self.value[0].text not in ("function", "\\"):
            return ""
        return self.text[self.value[2].start : self.value[-1].end]

    @property
    def alias_of(self) -> str | None:
        """The name this one is bound to, in `f <- g`; its own where a generic is made of a function that there is."""
        if not self.value:
            return self.name
        return name_of(self.value[0]) if len(self.value) == 1 else None


def expressions(text: str) -> Iterator[Expression]:
    """Every top-level expression of `text`, in order. Documentation that nothing follows documents nothing."""
    starts = line_starts(text)
    doc: list[tuple[int, str]] = []
    pending: list[Token] = []
    for token in top_level_tokens(text):
        if token.kind == "comment":
            if not pending:
                doc += _documentation(text, [(token.start, token.text)])
        elif token.kind in ("newline", "end"):
            if pending and (token.kind == "end" or not _continues(pending)):
                yield _expression(text, starts, pending, doc)
                pending, doc = [], []
        else:
            pending.append(token)
    if pending:
        yield _expression(text, starts, pending, doc)


def _documentation(text: str, comments: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The comments that are roxygen lines, without their marker."""
    for start, comment in comments:
        if (marker := _ROXYGEN.match(comment)) and _begins_line(text, start):
            yield start, comment[marker.end() :]


def _begins_line(text: str, position: int) -> bool:
    return not text[text.rfind("\n", 0, position) + 1 : position].strip()


def _continues(tokens: list[Token]) -> bool:
    """Whether a line break after these tokens cannot end the expression."""
    last = tokens[-1]
    if last.kind == "operator":
        return True
    if last.kind == "name":
        return last.text in _OPEN_ENDED
    if last.kind == "group" and last.text[0] == "(" and len(tokens) > 1:
        return tokens[-2].text in _HEADERS
    return False


def _expression(text: str, starts: list[int], tokens: list[Token], doc: list[tuple[int, str]]) -> Expression:
    name, value = binding(text, tokens)
    start, end = tokens[0].start, tokens[-1].end
    if text.find("#'", start, end) >= 0:
        # As in roxygen2, lines inside a function document it too.
        doc = [*doc, *_documentation(text, comments_in(text, start, end))]
    return Expression(
        line=bisect_right(starts, tokens[0].start),
        name=name,
        tokens=tuple(tokens),
        value=tuple(value),
        doc=tuple(line for _, line in doc),
        doc_line=bisect_right(starts, doc[0][0]) if doc else 0,
        text=text,
    )


def formals_of(text: str, value: tuple[Token, ...]) -> tuple[Formal, ...] | None:
    """The parameters of a function literal, also one in parentheses; None for anything else."""
    for _ in range(_MOST_PARENTHESES):
        if len(value) != 1 or value[0].kind != "group" or value[0].text[0] != "(":
            break
        value = significant(text, value[0].start + 1, value[0].end - 1)
    if len(value) < 2 or value[0].text not in ("function", "\\") or value[1].text[:1] != "(":
        return None
    inside = significant(text, value[1].start + 1, value[1].end - 1)
    return tuple(formal for part in split_at_commas(inside) if (formal := _formal(text, part)))


def _formal(text: str, part: list[Token]) -> Formal | None:
    if not part or (name := name_of(part[0])) is None:
        return None
    if len(part) < 3 or part[1].text != "=":
        return Formal(name)
    value = part[2:]
    return Formal(name, True, constant(text, value), text[value[0].start : value[-1].end])
