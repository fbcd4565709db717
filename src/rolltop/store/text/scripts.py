"""Scripts that put no space between words: every character is a word, and neighbours are found as a phrase."""

__all__ = ["UNSPACED"]

UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""For a class of characters in a pattern."""
