"""Environment variables that look like ours and mean nothing: usually a typing error."""

from __future__ import annotations

from collections.abc import Mapping

from rolltop.settings.options import OPTIONS, SECTIONS

__all__ = ["unknown_variables"]

_PREFIX = "ROLLTOP_"
_OTHERS = ("ROLLTOP_CONFIG", "ROLLTOP_PACKAGE")
"""Variables that are no settings: where the settings are, and what a catalog's worker is told."""


def unknown_variables(env: Mapping[str, str]) -> dict[str, str | None]:
    """Variables that begin with ROLLTOP_ and set nothing, each with the one that was probably meant.

    Engines check the keys of their own section, so `ROLLTOP_STORE_…` is not judged here.
    """
    known = [*_OTHERS, *(name for option in OPTIONS for name in option.env if name.startswith(_PREFIX))]
    sections = tuple(f"{_PREFIX}{section.upper()}_" for section in SECTIONS)
    unknown = sorted(
        name for name in env if name.startswith(_PREFIX) and name not in known and not name.startswith(sections)
    )
    if not unknown:
        return {}
    from difflib import get_close_matches  # noqa: PLC0415 - seldom needed

    return {name: next(iter(get_close_matches(name, known, n=1, cutoff=0.75)), None) for name in unknown}
