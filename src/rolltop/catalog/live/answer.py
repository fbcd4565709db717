"""What a call or an example gave, in either language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["MOST_IMAGES", "Answer", "Ran", "plots_left_out"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a tool: as data, as text, and what happened on the way. Images are PNG in base64."""

    value: Any
    text: str
    printed: str = ""
    warnings: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ran:
    """An example that ran: its output lines, the seconds it took, what went wrong if anything did."""

    output: tuple[str, ...]
    seconds: float
    failure: str | None = None


MOST_IMAGES = 8
"""Plots that an answer carries."""


def plots_left_out(drawn: int) -> tuple[str, ...]:
    """The warning that there were more plots than an answer carries, if there were."""
    if drawn <= MOST_IMAGES:
        return ()
    return (f"{drawn} plots were drawn; the answer has the first {MOST_IMAGES}. Draw fewer, or several on one page.",)
