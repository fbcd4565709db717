"""Trigrams: how text is folded to them, and which of them a line must hold for a pattern to match in it.

Bytes are folded to 64 classes, so that a trigram is an 18-bit number: letters lose their case, digits and common
punctuation keep their identity, everything else shares a few classes. Folding only ever merges; a text that matches
always has the trigrams that the pattern asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rolltop.store.grep.syntax import Alternatives, Anchor, CharSet, Literal, Node, Repeat, Sequence_
from rolltop.store.seams import Trigrams

__all__ = ["ANYTHING", "CODES", "codes_of_text", "question"]

CODES = 1 << 18
ANYTHING: Trigrams = ("and", ())
_OWN = b"abcdefghijklmnopqrstuvwxyz0123456789_ \t.,:;()[]{}<>=+-*/\"'#"
_MOST_TEXTS, _LONGEST = 16, 64


def _fold_table() -> bytes:
    table = bytearray(256)
    for value in range(256):
        lowered = bytes([value]).lower()
        place = _OWN.find(lowered)
        # What has no class of its own: control and other ASCII in one class, bytes of UTF-8 in two.
        table[value] = place if place >= 0 else (61 if value < 128 else 62 + (value & 1))
    return bytes(table)


_FOLD = _fold_table()
assert len(_OWN) <= 61
_KELVIN, _LONG_S = "\u212a".encode(), "\u017f".encode()


def codes_of_text(data: bytes) -> NDArray[np.uint32]:
    """The trigrams that a text holds, each once, in order."""
    found = np.zeros(CODES, np.bool_)
    for variant in _variants(data):
        folded = np.frombuffer(variant.translate(_FOLD), np.uint8)
        if len(folded) >= 3:
            wide = folded.astype(np.uint32)
            found[(wide[:-2] << 12) | (wide[1:-1] << 6) | wide[2:]] = True
    return np.flatnonzero(found).astype(np.uint32)


def _variants(data: bytes) -> Iterable[bytes]:
    """The text, and the text as a search without case sees the two characters that fold into ASCII."""
    yield data
    if not data.isascii() and (_KELVIN in data or _LONG_S in data):
        yield data.replace(_KELVIN, b"k").replace(_LONG_S, b"s")


def _codes(text: str) -> tuple[int, ...]:
    folded = text.encode("utf-8", "surrogatepass").translate(_FOLD)
    return tuple({(folded[i] << 12) | (folded[i + 1] << 6) | folded[i + 2] for i in range(len(folded) - 2)})


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known about the texts a node matches: all of them if few, and what each must hold."""

    exact: frozenset[str] | None
    needs: Trigrams


def question(node: Node, *, ignore_case: bool) -> Trigrams:
    """What a frame must hold for the pattern to match in one of its lines."""
    return _settled(_analyse(node, ignore_case))


def _settled(known: _Known) -> Trigrams:
    return known.needs if known.exact is None else _both(known.needs, _any_of(known.exact))


def _any_of(texts: Iterable[str]) -> Trigrams:
    options = [("and", _codes(text)) for text in texts]
    if not options or any(not codes for _, codes in options):
        return ANYTHING
    return options[0] if len(options) == 1 else ("or", tuple(options))


def _both(left: Trigrams, right: Trigrams) -> Trigrams:
    parts = tuple(part for part in (left, right) if part != ANYTHING)
    if not parts:
        return ANYTHING
    return parts[0] if len(parts) == 1 else ("and", parts)


_UNKNOWN = _Known(None, ANYTHING)
_NOTHING = _Known(frozenset({""}), ANYTHING)


def _analyse(node: Node, ignore_case: bool) -> _Known:
    match node:
        case Literal(char):
            return _Known(frozenset({char}), ANYTHING) if _plain(char, ignore_case) else _UNKNOWN
        case CharSet():
            return _of_set(node, ignore_case)
        case Anchor():
            return _NOTHING
        case Sequence_(items):
            return _in_row([_analyse(item, ignore_case) for item in items])
        case Alternatives(options):
            return _one_of([_analyse(option, ignore_case) for option in options])
        case Repeat(item, least, most):
            return _repeated(_analyse(item, ignore_case), least, most)


def _plain(char: str, ignore_case: bool) -> bool:
    """Whether every text that this character matches is folded to the same bytes."""
    return not ignore_case or char.isascii()


def _of_set(charset: CharSet, ignore_case: bool) -> _Known:
    size = sum(high - low + 1 for low, high in charset.ranges)
    if charset.negated or charset.named or size > 8:
        return _UNKNOWN
    chars = {chr(value) for low, high in charset.ranges for value in range(low, high + 1)}
    if not all(_plain(char, ignore_case) for char in chars):
        return _UNKNOWN
    return _Known(frozenset(chars), ANYTHING)


def _in_row(parts: Sequence[_Known]) -> _Known:
    texts: frozenset[str] = frozenset({""})
    needs, whole = ANYTHING, True
    for part in parts:
        joined = _joined(texts, part.exact)
        if joined is not None:
            texts = joined
            needs = _both(needs, part.needs)
            continue
        # What was known so far becomes a demand, and the run of known text begins again.
        whole = False
        needs = _both(needs, _any_of(texts))
        needs = _both(needs, part.needs)
        texts = part.exact if part.exact is not None else frozenset({""})
    if whole:
        return _Known(texts, needs)
    return _Known(None, _both(needs, _any_of(texts)))


def _joined(left: frozenset[str], right: frozenset[str] | None) -> frozenset[str] | None:
    if right is None or len(left) * len(right) > _MOST_TEXTS:
        return None
    joined = frozenset(a + b for a in left for b in right)
    return joined if all(len(text) <= _LONGEST for text in joined) else None


def _one_of(parts: Sequence[_Known]) -> _Known:
    exact = [part.exact for part in parts if part.exact is not None]
    if len(exact) == len(parts) and all(part.needs == ANYTHING for part in parts):
        union = frozenset().union(*exact)
        if len(union) <= _MOST_TEXTS:
            return _Known(union, ANYTHING)
    options = [_settled(part) for part in parts]
    if any(option == ANYTHING for option in options):
        return _UNKNOWN
    return _Known(None, ("or", tuple(options)))


def _repeated(known: _Known, least: int, most: int | None) -> _Known:
    if least == 0:
        if most == 1 and known.exact is not None and known.needs == ANYTHING:
            return _Known(known.exact | {""}, ANYTHING)
        return _UNKNOWN
    if least == most and least <= 4:
        return _in_row([known] * least)
    return _Known(None, _settled(known))
