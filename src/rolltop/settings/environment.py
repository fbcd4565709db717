"""Environment variables that look like ours and mean nothing: usually a typing error."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from rolltop.settings.options import OPTIONS, SECTIONS

__all__ = ["unknown_variables"]

_PREFIX = "ROLLTOP_"
_OTHERS = ("ROLLTOP_CONFIG", "ROLLTOP_PACKAGE")
"""Variables that are no settings: where the settings are, and what a catalog's worker is told."""


def unknown_variables(env: Mapping[str, str]) -> list[str]:
    """One sentence for each variable that begins with ROLLTOP_ and sets nothing, with the likely meaning.

    Engines check the keys of their own section, so `ROLLTOP_STORE_…` is not judged here.
    """
    known = [*_OTHERS, *(name for option in OPTIONS for name in option.env if name.startswith(_PREFIX))]
    sections = tuple(f"{_PREFIX}{section.upper()}_" for section in SECTIONS)
    return [
        f"the environment variable {name} sets nothing{_suggestion(name, known)}"
        for name in sorted(env)
        if name.startswith(_PREFIX) and name not in known and not name.startswith(sections)
    ]


def _suggestion(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
    return f"; did you mean {near[0]}?" if near else "; `rolltop doctor --settings` shows every setting"
