"""What stands above and below the printed pages of a sheet, written with codes in between."""

from __future__ import annotations

import re

__all__ = ["MARGINS", "margin_words"]

MARGINS = {f"{which}{where.title()}": where for where in ("header", "footer") for which in ("odd", "even", "first")}
"""The elements of a sheet that hold them, and what they are."""

_CODE = re.compile(r'&(?:"[^"]*"|K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})|\d{1,3}|[A-Za-z&])')
_PARTS = frozenset({"&L", "&C", "&R"})


def margin_words(code: str) -> str:
    """The words, without fonts, colours and what differs from page to page; nothing where there are none."""
    text = _CODE.sub(lambda found: _said(found[0]), code)
    return " ".join(text.split()) if any(map(str.isalpha, text)) else ""


def _said(code: str) -> str:
    return "&" if code == "&&" else " " if code in _PARTS else ""
