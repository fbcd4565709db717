"""The language card: the whole syntax by example, short enough to be read before every program."""

from __future__ import annotations

from functools import cache
from pathlib import Path

__all__ = ["language_card"]

_FILE = Path(__file__).with_name("language.md")


@cache
def language_card() -> str:
    return _FILE.read_text("utf-8")
