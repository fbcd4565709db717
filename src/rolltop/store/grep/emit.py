"""Writes the tree out for the engines, in a form where nothing matches a line end.

For RE2 the pattern speaks of characters, for Hyperscan of bytes. The byte form is exact on ASCII text; it is also
exact on any UTF-8 text when the pattern is `byte_safe`: nothing in it counts or excludes single characters that
may be longer than a byte.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rolltop.store.grep.syntax import MAX_CHAR, Alternatives, Anchor, CharSet, Literal, Node, Repeat, Sequence_

__all__ = ["byte_safe", "for_hyperscan", "for_re2", "matches_empty", "trimmed", "word_form"]

_UNICODE_NAMES = {"w": r"\pL\pM\p{Nd}\p{Pc}", "s": r"\p{Z}\x{85}"}
_FOLDED = {"\u212a": "k", "\u017f": "s"}
"""Characters beyond ASCII that are ASCII letters without case: the Kelvin sign and the long s."""

_FOLDING = frozenset("kKsS")

_NEWLINE = 10
_NON_WORD = CharSet(((48, 57), (65, 90), (95, 95), (97, 122)), frozenset("w"), negated=True)


def word_form(node: Node) -> Node:
    """The pattern between two ends of words; the neighbours are part of the match."""
    before = Alternatives((Anchor("^"), _NON_WORD))
    after = Alternatives((_NON_WORD, Anchor("$")))
    return Sequence_((before, Sequence_((node,)), after))


def for_re2(node: Node) -> str:
    return _write(node, _re2_char, _re2_set)


def for_hyperscan(node: Node, *, ignore_case: bool) -> bytes:
    return _write(node, partial(_byte_char, ignore_case), partial(_byte_set, ignore_case)).encode("latin-1")


def _write(node: Node, char: Callable[[str], str], charset: Callable[[CharSet], str]) -> str:
    match node:
        case Literal(value):
            return char(value)
        case CharSet():
            return charset(node)
        case Anchor(kind):
            return kind if kind in "^$" else f"\\{kind}"
        case Alternatives(options):
            return "(?:" + "|".join(_write(option, char, charset) for option in options) + ")"
        case Sequence_(items):
            return "(?:" + "".join(_write(item, char, charset) for item in items) + ")"
        case Repeat(item, least, most):
            return f"(?:{_write(item, char, charset)}){_bounds(least, most)}"


def _bounds(least: int, most: int | None) -> str:
    if most is None and least in (0, 1):
        return "*+"[least]
    return f"{{{least},{'' if most is None else most}}}"


def _re2_char(char: str) -> str:
    return f"\\x{{{ord(char):x}}}" if char != "\n" else r"[^\x00-\x{10ffff}]"


def _re2_set(charset: CharSet) -> str:
    members = "".join(f"\\x{{{low:x}}}-\\x{{{high:x}}}" for low, high in charset.ranges)
    members += "".join(_UNICODE_NAMES[name] for name in sorted(charset.named))
    if charset.negated:
        return f"[^{members}\\n]"
    members = "".join(f"\\x{{{low:x}}}-\\x{{{high:x}}}" for low, high in _without_newline(charset.ranges)) + "".join(
        _UNICODE_NAMES[name] for name in sorted(charset.named)
    )
    return f"[{members}]" if members else r"[^\x00-\x{10ffff}]"


def _without_newline(ranges: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    kept = []
    for low, high in ranges:
        if low <= _NEWLINE <= high:
            kept += [pair for pair in ((low, _NEWLINE - 1), (_NEWLINE + 1, high)) if pair[0] <= pair[1]]
        else:
            kept.append((low, high))
    return kept


def _byte_char(ignore_case: bool, char: str) -> str:
    if ignore_case:
        char = _FOLDED.get(char, char)  # on text beyond ASCII, where it is not the same, the byte form is not used
    if char == "\n":
        return r"\xff"  # no UTF-8 text holds this byte
    encoded = "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))
    return encoded if len(encoded) == 4 else f"(?:{encoded})"


def _byte_set(ignore_case: bool, charset: CharSet) -> str:
    # Case is folded before the set is negated: without case, [^a-z] excludes A to Z as well.
    def held(value: int) -> bool:
        return any(_holds(charset, case) for case in (_cases(value) if ignore_case else (value,)))

    members = [value for value in range(128) if value != _NEWLINE and held(value) != charset.negated]
    out = "".join(f"\\x{value:02x}" for value in members)
    if _holds_beyond_ascii(charset):
        out += r"\x80-\xfe"
    return f"[{out}]" if out else r"\xff"


def _cases(value: int) -> list[int]:
    char = chr(value)
    return [
        ord(char.lower()),
        ord(char.upper()),
        *(ord(other) for other, its in _FOLDED.items() if its == char.lower()),
    ]


def _holds(charset: CharSet, value: int) -> bool:
    return any(low <= value <= high for low, high in charset.ranges)


def _holds_beyond_ascii(charset: CharSet) -> bool:
    """Whether every character beyond ASCII is a member."""
    if charset.negated:
        return not charset.named and all(high < 128 for _, high in charset.ranges)
    return any(low <= 128 and high >= MAX_CHAR for low, high in charset.ranges)


def _only_ascii(charset: CharSet) -> bool:
    return not charset.negated and not charset.named and all(high < 128 for _, high in charset.ranges)


def byte_safe(node: Node, *, ignore_case: bool) -> bool:
    """Whether the byte form says the same as the character form on any UTF-8 text."""
    match node:
        case Literal(char):
            return not ignore_case or (char.isascii() and char not in _FOLDING)
        case CharSet():
            folds = ignore_case and any(_holds(node, ord(char)) for char in _FOLDING)
            return _only_ascii(node) and not folds
        case Anchor(kind):
            return kind in "^$"
        case Repeat(CharSet() as item, least, None) if least <= 1 and _holds_beyond_ascii(item):
            return not ignore_case or not item.ranges
        case Repeat(item, _, _):
            return byte_safe(item, ignore_case=ignore_case)
        case Sequence_(parts) | Alternatives(parts):
            return all(byte_safe(part, ignore_case=ignore_case) for part in parts)


def matches_empty(node: Node) -> bool:
    """Whether the pattern matches the empty text anywhere, whatever stands around it."""
    match node:
        case Literal() | CharSet() | Anchor():
            return False
        case Repeat(item, least, _):
            return least == 0 or matches_empty(item)
        case Sequence_(parts):
            return all(matches_empty(part) for part in parts)
        case Alternatives(parts):
            return any(matches_empty(part) for part in parts)


def trimmed(node: Node) -> Node:
    """A shorter pattern that matches in the same lines: repetition at the ends is cut to its least."""
    while isinstance(node, Sequence_) and len(node.items) == 1:
        node = node.items[0]
    if isinstance(node, Repeat) and node.most != node.least:
        return trimmed(Repeat(node.item, node.least, node.least)) if node.least > 1 else _least(node)
    if not isinstance(node, Sequence_):
        return node
    items = list(node.items)
    for end in (0, -1):
        while items and matches_empty(items[end]):
            items.pop(end)
        if items:
            items[end] = trimmed(items[end])
    return items[0] if len(items) == 1 else Sequence_(tuple(items))


def _least(node: Repeat) -> Node:
    return trimmed(node.item) if node.least == 1 else Sequence_(())
