"""What a person types, as a tree: words, "phrases", prefix*, AND OR NOT, -word, parentheses, field:value.

No query is an error. One that cannot be read as written is read as plain words, and the note says why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from rolltop.store.file_types import storable_path
from rolltop.store.text.words.scripts import composed, is_inside

__all__ = ["FIELDS", "And", "Ask", "Node", "Not", "Or", "Phrase", "Prefix", "Word", "conditions", "is_plain", "parse"]

FIELDS = {
    **{name: name for name in ("title", "path", "heading", "body", "tag", "ext", "type")},
    "name": "path",
    "headings": "heading",
    "text": "body",
    "tags": "tag",
    "extension": "ext",
    "kind": "type",
}
"""What may stand before a colon, and the field it means. Anything else with a colon is just words."""

EXACT = frozenset({"tag", "ext", "type"})
"""Fields whose value is taken as it is written."""

DEEPEST = 50
"""Parentheses inside parentheses; more is no question."""

LONGEST = 512
"""Items of a query that are looked at; a longer query is a text, and its first words say what it is about."""

MOST = 20_000
"""Characters of a query that are looked at: an item may be a long text, too."""

SHORTENED = f"Only the beginning of the query was looked at: {LONGEST} words, {MOST} characters at most."


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Phrase:
    text: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Prefix:
    text: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Node, ...]
    loose: bool = False
    """Nobody wrote AND: where no document has all the words, any of them counts."""


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Node


Node = Word | Phrase | Prefix | And | Or | Not


@dataclass(frozen=True, slots=True)
class Ask:
    """A query that was read; `note` says what was not read as it was written."""

    root: Node
    note: str | None = None
    words: tuple[str, ...] = field(default=())


class _Broken(Exception):
    """The query cannot be read as written."""


_TOKEN = re.compile(
    r'\s*(?:(?P<field>[A-Za-z]+):(?=[^\s:/)])|(?P<minus>-)(?=[^\s-])|(?P<open>\()|(?P<close>\))|"(?P<phrase>[^"]*)"'
    r'|(?P<quote>")|(?P<word>[^\s()"]+))'
)
_LETTER = re.compile(r"[^\W_]")
_IN_WORDS = ".'\u2019-"
_BETWEEN = re.compile(rf"[^\w{_IN_WORDS}]+")
_GENITIVE = re.compile(r"(?<=\w)['\u2019]s\b")


_ONLY_WORDS = re.compile(r"[A-Za-z0-9_ ]+")


def parse(query: str) -> Ask:
    """Read a query. What is no character in it, as of an argument that is not UTF-8, is read as paths are kept."""
    query = storable_path(query)
    if _ONLY_WORDS.fullmatch(query):
        typed = query.split()
        if not any(word in _OPERATORS for word in typed):  # as most: there is nothing else to read
            known = tuple([word for word in typed[:LONGEST] if word.strip("_")])
            words = Word(known[0]) if len(known) == 1 else And(tuple(map(Word, known)), loose=True)
            return Ask(words, SHORTENED if len(typed) > LONGEST else None, known)
    read = _beginning(query)
    tokens = list(islice(_tokens(read), LONGEST + 1))
    note = None
    if len(tokens) > LONGEST or len(read) < len(query):
        tokens, note = _ended(tokens[:LONGEST]), SHORTENED
    try:
        root = _Reader(tokens).whole()
    except _Broken as problem:
        note = " ".join(filter(None, (f"The query was searched as plain words: {problem}.", note)))
        plain = [word for word in re.findall(r'[^\s()"]+', read)[:LONGEST] if word not in _OPERATORS]
        root = And(tuple(_words(word.strip("-*"), None) for word in plain if _LETTER.search(word)), loose=True)
    return Ask(root, note, tuple(_positive(root)))


def _beginning(query: str) -> str:
    """As much of a query as is looked at, up to the end of a word if it has several; a phrase ends there too."""
    if len(query) <= MOST:
        return query
    whole = query[: MOST + 1].rsplit(None, 1)
    read = whole[0] if len(whole) > 1 else query[:MOST]
    return read + '"' * (read.count('"') % 2)


def _ended(tokens: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The beginning of a query as a whole one: without what waits for more, and with its parentheses closed."""
    while tokens and tokens[-1][0] in _WAITING:
        tokens.pop()
    opened = sum((kind == "open") - (kind == "close") for kind, _ in tokens)
    return tokens + [("close", "")] * opened


def is_plain(query: str) -> bool:
    """Whether a query is just words, without any condition."""
    return '"' not in query and _is_plain(parse(query).root)


def _is_plain(node: Node) -> bool:
    if isinstance(node, And):
        return node.loose and all(_is_plain(part) for part in node.parts)
    return isinstance(node, (Word, Phrase)) and node.field is None


def conditions(node: Node) -> Node | None:
    """What a document must fulfil whatever it means: all but single words; None where nothing is asked of it."""
    if isinstance(node, Word):
        return node if node.field else None
    if isinstance(node, Or):
        parts = [conditions(part) for part in node.parts]
        held = tuple(part for part in parts if part is not None)
        return Or(held) if len(held) == len(parts) else None
    if isinstance(node, And) and node.loose:
        parts = [conditions(part) for part in node.parts]
        held = tuple(part for part in parts if part is not None)
        return And(held) if held else None
    return node


_OPERATORS = ("AND", "OR", "NOT")
_WAITING = (*_OPERATORS, "minus", "field", "open")


def _tokens(query: str) -> Iterator[tuple[str, str]]:
    at = 0
    query = query.rstrip()
    while at < len(query):
        found = _TOKEN.match(query, at)
        if found is None:
            return
        kind, text = str(found.lastgroup), found[str(found.lastgroup)]
        if kind == "field" and text.lower() not in FIELDS:
            found = re.compile(r"\s*([^\s()\"]+)").match(query, at)
            assert found is not None
            kind, text = "word", found[1]
        yield (text, "") if kind == "word" and text in _OPERATORS else (kind, text)
        at = found.end()


class _Reader:
    """Reads tokens from left to right; OR binds least, NOT and field: bind most."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        root = self._or(None)
        if self._peek() == "close":
            raise _Broken("a parenthesis is closed that was not opened")
        return root

    def _peek(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _take(self) -> tuple[str, str]:
        self._at += 1
        return self._tokens[self._at - 1]

    def _or(self, inside: str | None) -> Node:
        parts = [self._and(inside)]
        while self._peek() == "OR":
            self._take()
            parts.append(self._and(inside))
        if len(parts) == 1:
            return parts[0]
        if any(part == And((), loose=True) for part in parts):
            raise _Broken("OR has nothing on one side")
        return Or(tuple(parts))

    def _and(self, inside: str | None) -> Node:
        parts: list[Node] = []
        loose = True
        while self._peek() not in ("", "OR", "close"):
            if self._peek() == "AND":
                self._take()
                loose = False
                if not parts or self._peek() in ("", "OR", "close", "AND"):
                    raise _Broken("AND has nothing on one side")
            part = self._unary(inside)
            if isinstance(part, And) and loose and part.loose:
                parts += part.parts
            elif part is not None:
                parts.append(part)
        return parts[0] if len(parts) == 1 else And(tuple(parts), loose)

    def _unary(self, inside: str | None) -> Node | None:
        kind, text = self._take()
        if kind in ("NOT", "minus"):
            if self._peek() in ("", "OR", "AND", "close"):
                raise _Broken("NOT has nothing after it")
            part = self._unary(inside)
            return None if part is None else Not(part)
        if kind == "field":
            return self._unary(FIELDS[text.lower()])
        if kind == "open":
            return self._group(inside)
        if kind == "quote":
            raise _Broken("a quotation mark is not closed")
        return _leaf(kind, text, inside)

    def _group(self, inside: str | None) -> Node | None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _Broken("the parentheses are too deep")
        found = self._or(inside)
        if self._peek() != "close":
            raise _Broken("a parenthesis is not closed")
        self._take()
        self._depth -= 1
        return None if found == And((), loose=True) else found


def _leaf(kind: str, text: str, inside: str | None) -> Node | None:
    if not _LETTER.search(text):
        return None
    if kind == "phrase":
        return Phrase(text, inside)
    if inside in EXACT:
        return Prefix(text.rstrip("*"), inside) if text.endswith("*") else Word(text, inside)
    return _words(text, inside)


def _words(text: str, inside: str | None) -> Node:
    """What stands between two spaces: one word, or several with something like a comma or slash between them."""
    found = [piece for piece in _pieces(_GENITIVE.sub("", text)) if _LETTER.search(piece)]
    parts: list[Node] = [Word(piece.strip(".-'\u2019"), inside) for piece in found]
    if text.endswith("*"):
        parts[-1] = Prefix(found[-1], inside)
    return parts[0] if len(parts) == 1 else And(tuple(parts), loose=True)


def _pieces(text: str) -> list[str]:
    """What stands between signs of no word. Beyond ASCII that are those that the index takes for such."""
    if text.isascii():
        return _BETWEEN.split(text)
    spaced = [char if is_inside(char) or char in _IN_WORDS or char == "_" else " " for char in composed(text)]
    return "".join(spaced).split()


def _positive(node: Node) -> Iterator[str]:
    """The words that a document is wanted for."""
    if isinstance(node, (And, Or)):
        for part in node.parts:
            yield from _positive(part)
    elif not isinstance(node, Not) and node.field not in EXACT:
        yield node.text
