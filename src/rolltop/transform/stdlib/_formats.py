"""The engine's readers and writers as functions of the language use them: their refusals can be caught."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.transform import formats
from rolltop.transform.errors import FunctionFailure, ReadFailure, WriteFailure

__all__ = ["read_text", "write_text"]


def read_text(format_: str, text: str | bytes, options: Mapping[str, Any] | None = None) -> Any:
    try:
        return formats.read(format_, text, options)
    except (ReadFailure, InvalidInput) as error:
        raise FunctionFailure(error.message, hint=error.hint) from None


def write_text(format_: str, value: Any, options: Mapping[str, Any] | None = None) -> str:
    try:
        return formats.write(format_, value, options).text
    except (WriteFailure, InvalidInput) as error:
        raise FunctionFailure(error.message, hint=error.hint) from None
