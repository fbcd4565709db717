"""A tool as read from its source, in whichever language."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rolltop.catalog.definition import Definition
from rolltop.errors import Position

__all__ = ["CATEGORY", "MARKER", "NAME", "ExampleCode", "Found", "Remark", "flags_of", "name_given_in"]

MARKER = "mcp-tool"
CATEGORY = "mcp-category-"
NAME = "mcp-name-"


@dataclass(frozen=True, slots=True)
class ExampleCode:
    """`shown` goes into the definition, `run` is executed; either may be empty."""

    shown: str = ""
    run: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something the reader noticed that the author may want to know."""

    tool: str
    message: str
    position: Position | None = None

    def __str__(self) -> str:
        place = f"{self.position}: " if self.position else ""
        return f"{place}{self.tool} {self.message}"


@dataclass(frozen=True, slots=True)
class Found:
    """The definition without example output, the example's code, where it is, remarks."""

    definition: Definition
    example: ExampleCode
    file: Path
    line: int
    remarks: tuple[Remark, ...] = field(default=())


def flags_of(keywords: tuple[str, ...]) -> dict[str, Any]:
    """The fields of a definition that keywords set; of several categories the last counts."""
    categories = [word.removeprefix(CATEGORY) for word in keywords if word.startswith(CATEGORY)]
    return {
        "category": categories[-1] if categories else None,
        "dangerous": "mcp-dangerous" in keywords,
        "requires_approval": "mcp-requires-approval" in keywords,
    }


def name_given_in(keywords: tuple[str, ...]) -> str | None:
    """The name that a tool has in place of its function's, from `mcp-name-NAME`."""
    return next((word.removeprefix(NAME) for word in reversed(keywords) if word.startswith(NAME)), None)
