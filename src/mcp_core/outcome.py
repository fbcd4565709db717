"""The one place where an exception becomes a `Result`."""

from __future__ import annotations

import asyncio
import logging
import secrets
import signal
from collections.abc import Awaitable, Callable
from typing import Any

from mcp_core.consent import InputNeeded
from mcp_core.envelope import ProtocolFault
from mcp_core.result import Result

__all__ = ["comes_from_outside", "failure_of", "reference_for", "result_of"]

logger = logging.getLogger("mcp_core.tools")


async def result_of(call: Callable[[], Awaitable[Any]]) -> Result[Any]:
    """Await `call` and return its value as a Result, or its exception as a failure.

    `sys.exit`, an interrupt or a cancellation that the tool raised itself is a failure too, and does not end the
    server. A cancellation from outside is raised.
    """
    try:
        returned = await call()
    except (InputNeeded, ProtocolFault):
        raise
    except BaseException as error:
        if comes_from_outside(error):
            raise
        return failure_of(error)
    return returned if isinstance(returned, Result) else Result.ok(returned)


def comes_from_outside(error: BaseException) -> bool:
    """True if an exception comes from outside (cancellation, Ctrl-C) and was not raised by the tool."""
    if isinstance(error, GeneratorExit):
        return True  # the coroutine is closed
    if isinstance(error, asyncio.CancelledError):
        return _is_given_up()
    # With Python's default handler, Ctrl-C raises at any point of the program; with asyncio's, the first one cancels
    # the task and the second one raises.
    return isinstance(error, KeyboardInterrupt) and (
        _is_given_up() or signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )


def _is_given_up() -> bool:
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return False
    return task is not None and task.cancelling() > 0


def failure_of(error: BaseException) -> Result[Any]:
    """Turn an exception into a failure.

    An exception with an `error_type` is meant for the caller: its message, hint, position and details are kept. Any
    other is a defect, and its text may hold paths or secrets: the caller gets only a reference to the log entry.
    """
    if hasattr(error, "error_type"):
        try:
            return _expected(error)
        except Exception as worse:  # its __str__ raises
            error = worse
    return Result.failure(
        f"the tool failed unexpectedly; the server's log has the details under {reference_for(error)}",
        "unexpected_error",
        instruction="This is a defect of the tool, not of the arguments; trying again will not help.",
    )


def reference_for(error: BaseException) -> str:
    """Log an unexpected exception and return the reference of the log entry."""
    reference = secrets.token_hex(4)
    logger.error("unexpected error %s", reference, exc_info=error)
    return reference


def _expected(error: Any) -> Result[Any]:
    details = dict(getattr(error, "details", None) or {})
    if (position := getattr(error, "position", None)) is not None:
        details.setdefault("line", position.line)
        details.setdefault("column", position.column)
    return Result.failure(
        str(error), str(error.error_type), instruction=getattr(error, "hint", None), details=details or None
    )
