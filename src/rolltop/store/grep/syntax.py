"""Reads a regular expression into a small tree.

The tree is what the rest of grep works on: the trigram question is drawn from it, and both engines get
a pattern written out from it, in which nothing can match a line end. What the tree cannot say (Unicode properties,
flags inside groups) raises `NotInTree`; RE2 then runs the pattern as it is, over every frame.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Alternatives", "Anchor", "CharSet", "Literal", "Node", "NotInTree", "Repeat", "Sequence_", "parse"]

MAX_CHAR = 0x10FFFF
_DEEPEST = 200


class NotInTree(Exception):
    """A construct that only the engine knows."""


@dataclass(frozen=True, slots=True)
class Literal:
    char: str


@dataclass(frozen=True, slots=True)
class CharSet:
    """Ranges of characters, and of `w` (word) and `s` (space) where Unicode counts; perhaps negated."""

    ranges: tuple[tuple[int, int], ...]
    named: frozenset[str] = frozenset()
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Anchor:
    """^ $ b B"""

    kind: str


@dataclass(frozen=True, slots=True)
class Sequence_:  # noqa: N801
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    item: Node
    least: int
    most: int | None


Node = Literal | CharSet | Anchor | Sequence_ | Alternatives | Repeat

ANY = CharSet((), frozenset(), negated=True)
_DIGIT = ((48, 57),)
_WORD = ((48, 57), (65, 90), (95, 95), (97, 122))
_SPACE = ((9, 13), (32, 32))
_POSIX = {
    "alpha": ((65, 90), (97, 122)), "digit": _DIGIT, "alnum": ((48, 57), (65, 90), (97, 122)),
    "upper": ((65, 90),), "lower": ((97, 122),), "space": _SPACE, "blank": ((9, 9), (32, 32)),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)), "xdigit": ((48, 57), (65, 70), (97, 102)),
    "print": ((32, 126),), "graph": ((33, 126),), "cntrl": ((0, 31), (127, 127)), "word": _WORD,
}  # fmt: skip
_ENDS = {"A": "^", "z": "$"}
"""Where a text begins and ends: every line is a text of its own."""

_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_CLASSES = {
    "d": CharSet(_DIGIT),
    "D": CharSet(_DIGIT, negated=True),
    "w": CharSet(_WORD, frozenset("w")),
    "W": CharSet(_WORD, frozenset("w"), negated=True),
    "s": CharSet(_SPACE, frozenset("s")),
    "S": CharSet(_SPACE, frozenset("s"), negated=True),
}


def parse(pattern: str) -> Node:
    """The tree of a pattern that RE2 has already accepted."""
    reader = _Reader(pattern)
    node = reader.alternatives(0)
    if reader.rest():
        raise NotInTree("an unbalanced )")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def rest(self) -> str:
        return self._text[self._at :]

    def _next(self) -> str:
        char = self._text[self._at : self._at + 1]
        if not char:
            raise NotInTree("the pattern ends early")
        self._at += 1
        return char

    def _take(self, text: str) -> bool:
        if self._text.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def alternatives(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise NotInTree("nested too deeply")
        options = [self._sequence(depth)]
        while self._take("|"):
            options.append(self._sequence(depth))
        return options[0] if len(options) == 1 else Alternatives(tuple(options))

    def _sequence(self, depth: int) -> Node:
        items: list[Node] = []
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            items.append(self._repeated(self._atom(depth)))
        return items[0] if len(items) == 1 else Sequence_(tuple(items))

    def _repeated(self, item: Node) -> Node:
        while (bounds := self._bounds()) is not None:
            self._take("?")  # lazy or not makes no difference to which lines match
            item = Repeat(item, *bounds)
        return item

    def _bounds(self) -> tuple[int, int | None] | None:
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._take(sign):
                return bounds
        if not self.rest().startswith("{"):
            return None
        inside, closed, _ = self.rest()[1:].partition("}")
        least, comma, most = inside.partition(",")
        if not closed or not least.isdecimal() or (most and not most.isdecimal()):
            return None  # a literal brace
        self._at += len(inside) + 2
        return int(least), int(most) if most else (None if comma else int(least))

    def _atom(self, depth: int) -> Node:
        char = self._next()
        if char == "(":
            return self._group(depth)
        if char == "[":
            return self._set()
        if char == "\\":
            return self._escape()
        if char == ".":
            return ANY
        if char in "^$":
            return Anchor(char)
        if char in "*+?":
            raise NotInTree("nothing to repeat")
        return Literal(char)

    def _group(self, depth: int) -> Node:
        if self._take("?"):
            if self._take("P<") or self._take("<"):
                self._at = self._text.index(">", self._at) + 1
            elif not self._take(":"):
                raise NotInTree("flags inside a group")
        node = self.alternatives(depth + 1)
        if not self._take(")"):
            raise NotInTree("an unbalanced (")
        # Kept as a group: (ab)* must not become a(b*).
        return Sequence_((node,))

    def _escape(self) -> Node:
        char = self._next()
        if char in _CLASSES:
            return _CLASSES[char]
        if char in "bB":
            return Anchor(char)
        if char in _ENDS:
            return Anchor(_ENDS[char])
        return Literal(self._escaped(char))

    def _escaped(self, char: str) -> str:
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char == "x":
            return self._hexadecimal()
        if char.isalnum():
            raise NotInTree(f"the escape \\{char}")
        return char

    def _hexadecimal(self) -> str:
        if self._take("{"):
            digits, _, _ = self.rest().partition("}")
            self._at += len(digits) + 1
        else:
            digits = self._next() + self._next()
        return chr(int(digits, 16))

    def _set(self) -> Node:
        negated = self._take("^")
        ranges: list[tuple[int, int]] = []
        named: set[str] = set()
        first = True
        while first or not self._take("]"):
            first = False
            self._member(ranges, named)
        return CharSet(tuple(ranges), frozenset(named), negated)

    def _member(self, ranges: list[tuple[int, int]], named: set[str]) -> None:
        if self._take("[:"):
            name, _, _ = self.rest().partition(":]")
            self._at += len(name) + 2
            if name not in _POSIX:
                raise NotInTree(f"the class {name}")
            ranges += _POSIX[name]
            return
        low = self._member_char()
        if isinstance(low, CharSet):
            if low.negated:
                raise NotInTree("a negated class inside a set")
            ranges += low.ranges
            named |= low.named
            return
        high = low
        if self.rest()[:1] == "-" and self.rest()[1:2] not in ("]", ""):
            self._at += 1
            found = self._member_char()
            if isinstance(found, CharSet):
                raise NotInTree("a class at the end of a range")
            high = found
        ranges.append((ord(low), ord(high)))

    def _member_char(self) -> str | CharSet:
        char = self._next()
        if char != "\\":
            return char
        char = self._next()
        if char == "b":
            return "\b"
        return _CLASSES.get(char) or self._escaped(char)
