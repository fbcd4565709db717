"""The one place where an exception becomes a `Result`."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from mcp_core.context import InputNeeded
from mcp_core.envelope import ProtocolFault
from mcp_core.result import Result

__all__ = ["result_of"]

logger = logging.getLogger("mcp_core.tools")


async def result_of(call: Callable[[], Awaitable[Any]]) -> Result[Any]:
    """What `call` returns, as a Result; what it raises, as a failure.

    An exception that carries an `error_type` was meant for the caller and keeps its words, hint, position
    and details. Any other is a defect of ours: its text may hold paths or secrets, so the caller gets only
    a reference under which the log has the rest.
    """
    try:
        returned = await call()
    except (InputNeeded, ProtocolFault):
        raise
    except Exception as error:
        return _expected(error) if hasattr(error, "error_type") else _unexpected(error)
    return returned if isinstance(returned, Result) else Result.ok(returned)


def _expected(error: Any) -> Result[Any]:
    details = dict(getattr(error, "details", None) or {})
    if (position := getattr(error, "position", None)) is not None:
        details.setdefault("line", position.line)
        details.setdefault("column", position.column)
    return Result.failure(
        str(error), error.error_type, instruction=getattr(error, "hint", None), details=details or None
    )


def _unexpected(error: Exception) -> Result[Any]:
    reference = secrets.token_hex(4)
    logger.error("unexpected error %s", reference, exc_info=error)
    return Result.failure(
        f"the tool failed unexpectedly; the server's log has the details under {reference}",
        "unexpected_error",
        instruction="This is a defect of the tool, not of the arguments; trying again will not help.",
    )
