"""What typst, or our writing of pages for it, cannot do: rmarkdown then renders after all."""

from __future__ import annotations

__all__ = ["CannotSet", "refuse_raw"]

FORMULAS = "the document has formulas or LaTeX, which typst does not read"


class CannotSet(Exception):
    """A document tree has something in it that would be lost or shown wrong; says what."""


def refuse_raw(language: str) -> None:
    """Raw LaTeX would be lost; raw HTML is left out of every PDF, by pandoc too."""
    if language in ("tex", "latex", "context"):
        raise CannotSet(FORMULAS)
