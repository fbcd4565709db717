"""What every MCP method has in common: whatever goes wrong in it is answered with a code, and gives nothing away.

The SDK would send the text of any exception to the client, with the code 0.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from mcp_core import InputNeeded, ProtocolFault
from mcp_core.jsonable import without_surrogates
from mcp_core.outcome import comes_from_outside
from rolltop.errors import InvalidInput, NotFound
from rolltop.server.asking import input_required
from rolltop.server.jsonrpc import INTERNAL_ERROR, defect_text
from rolltop.server.paging import INVALID_PARAMS

__all__ = ["guarded"]

P = TypeVar("P")
Context = ServerRequestContext[Any, Any]


def guarded(handler: Callable[[Context, P], Awaitable[Any]]) -> Callable[[Context, P], Awaitable[Any]]:
    """`handler`, whose exceptions are all errors of the protocol and whose results are all JSON."""

    @wraps(handler)
    async def handle(ctx: Context, params: P) -> Any:
        try:
            return _sendable(await handler(ctx, params))
        except MCPError:
            raise
        except InputNeeded as needed:
            return input_required(needed)
        except BaseException as error:
            if comes_from_outside(error):
                raise
            raise fault_of(error) from None

    return handle


def fault_of(error: BaseException) -> MCPError:
    """The error of the protocol that an exception becomes; the words of an unexpected one stay in the log."""
    if isinstance(error, ProtocolFault):
        return MCPError(error.code, without_surrogates(error.message), without_surrogates(error.data))
    error_type = getattr(error, "error_type", None)
    if error_type is None:
        return MCPError(INTERNAL_ERROR, defect_text(error))
    code = INVALID_PARAMS if isinstance(error, InvalidInput | NotFound) else INTERNAL_ERROR
    data = {"code": error_type, "hint": getattr(error, "hint", None)}
    return MCPError(code, without_surrogates(str(error)), without_surrogates(data))


def _sendable(result: Any) -> Any:
    """The result in a form that the SDK can send: it has no answer to half a surrogate pair.

    The answer of a tool, which is no model here, has been through this already.
    """
    if not isinstance(result, BaseModel):
        return result
    try:
        result.model_dump_json(by_alias=True)
    except (PydanticSerializationError, UnicodeError):
        return type(result).model_validate(without_surrogates(result.model_dump(by_alias=True, exclude_unset=True)))
    return result
