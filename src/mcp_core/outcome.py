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
    """What `call` returns, as a Result; what it raises, as a failure.

    That includes `sys.exit`, an interrupt or a cancellation that the tool raised itself: none of them may end
    the server for everybody. What ends the call from outside passes.
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
    """Whether an exception ends a call because somebody wants that, and not because the tool raised it."""
    if isinstance(error, GeneratorExit):
        return True  # the coroutine itself is thrown away
    if isinstance(error, asyncio.CancelledError):
        return _is_given_up()
    # Where Python's own handler is in place, Ctrl-C raises wherever the program happens to be; asyncio's own cancels
    # the task at the first one, and raises at the second.
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
    """The failure that an exception becomes.

    One that carries an `error_type` was meant for the caller and keeps its words, hint, position and details.
    Any other is a defect of ours: its text may hold paths or secrets, so the caller gets only a reference
    under which the log has the rest.
    """
    if hasattr(error, "error_type"):
        try:
            return _expected(error)
        except Exception as worse:  # its text cannot even be asked for
            error = worse
    return Result.failure(
        f"the tool failed unexpectedly; the server's log has the details under {reference_for(error)}",
        "unexpected_error",
        instruction="This is a defect of the tool, not of the arguments; trying again will not help.",
    )


def reference_for(error: BaseException) -> str:
    """Log an exception that nobody expected, and give the reference under which it stands there."""
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
