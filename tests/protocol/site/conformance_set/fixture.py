"""How a fixture is declared, and the smallest files of their kinds."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from mcp_core import READS, Example, ToolArguments

__all__ = ["PIXEL", "SILENCE", "fixture"]

F = TypeVar("F", bound=Callable[..., Any])

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
"""A red dot, as PNG."""
SILENCE = base64.b64decode("UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=")
"""A WAV file without a single sample."""


def fixture(expect: str, arguments: Mapping[str, Any] | None = None, fails: str | None = None) -> Callable[[F], F]:
    """Declare a fixture; `expect` says what the suite looks for."""
    return ToolArguments.declare(
        toolset="conformance",
        annotations=READS,
        usage="The conformance suite calls it; there is no other use for it.",
        examples=[Example(arguments or {}, why="The suite calls it.", expect=expect, fails=fails)],
    )
