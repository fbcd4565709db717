"""What is wrong with the parameters of a request, in words; the SDK only says that something is."""

from __future__ import annotations

from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from rolltop.server.paging import INVALID_PARAMS

__all__ = ["Explained"]

_MOST = 3
_EARLY = "Invalid request parameters"
"""What the SDK says of a request before `initialize`; in other words it is a handler's own answer."""


class Explained:
    """Middleware of the SDK's server: names the parameter, or the request that has to come first."""

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        try:
            return await call_next(ctx)
        except ValidationError as error:
            raise MCPError(INVALID_PARAMS, f"Invalid params of {ctx.method}: {_wrong(error)}") from None
        except MCPError as error:
            if error.error.message == _EARLY and ctx.session.client_params is None:
                raise MCPError(INVALID_PARAMS, f"{ctx.method} came before initialize; send initialize first") from None
            raise


def _wrong(error: ValidationError) -> str:
    found: dict[str, str] = {}
    for item in error.errors(include_url=False, include_context=False, include_input=False):
        place = ".".join(str(part) for part in item["loc"] if part != "params") or "params"
        found.setdefault(place, item["msg"])
    shown = [f"{place}: {_expected(said)}" for place, said in list(found.items())[:_MOST]]
    more = f"; and {len(found) - _MOST} more" if len(found) > _MOST else ""
    return "; ".join(shown) + more


def _expected(said: str) -> str:
    if said == "Field required":
        return "is missing"
    wanted = said.removeprefix("Input should be ").partition(" or instance of ")[0]
    return f"expected {wanted.replace('a valid dictionary', 'an object').replace('a valid string', 'a text')}"
