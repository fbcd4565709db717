"""Finding out what an input is from its first characters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rolltop.transform.formats.table import read as read_as
from rolltop.transform.formats.text import decode

__all__ = ["detect", "read"]


def read(data: str | bytes, options: Mapping[str, Any]) -> Any:
    return read_as(detect(data), data, options)


def detect(data: str | bytes) -> str:
    """`xml`, `json`, `yaml` or `csv`."""
    text = decode(data, "input")[:100_000].strip()
    if text.startswith("<"):
        return "xml"
    if text[:1] in ("{", "["):
        return "json"
    if text.startswith("---"):
        return "yaml"
    if _is_table(text):
        return "csv"
    if re.search(r":(\s|$)", text, re.MULTILINE) and not text.startswith('"'):
        return "yaml"
    return "json"


def _is_table(text: str) -> bool:
    lines = text.splitlines()
    if len(lines) < 2 or re.search(r"^\s*[\w-]+:(\s|$)", lines[0]):
        return False
    counts = {line.count(",") for line in lines[:3]}
    return len(counts) == 1 and counts != {0}
