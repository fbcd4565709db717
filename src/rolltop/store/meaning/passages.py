"""Documents cut into passages that a vector can stand for."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["MOST", "passages"]

MOST = 256
"""Passages of one document: of a longer one, as many stretches evenly spread over it."""


def passages(text: str, reach: int, most: int = MOST) -> list[tuple[int, str]]:
    """(where it begins, its text) of pieces of about `reach` characters that end with a paragraph, a line or a word."""
    step = max(reach, -(-len(text) // most))
    cuts = list(_cuts(text, step))
    return [(start, text[start : min(end, start + reach)]) for start, end in cuts if not text[start:end].isspace()]


def _cuts(text: str, step: int) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = start + step
        if end < len(text):
            end = _good_end(text, start + step // 2, end)
        yield start, end
        start = end


def _good_end(text: str, least: int, most: int) -> int:
    """The last end of a paragraph, else of a line, else of a word, in the second half of the piece."""
    for mark in ("\n\n", "\n", " "):
        found = text.rfind(mark, least, most)
        if found >= 0:
            return found + len(mark)
    return most
