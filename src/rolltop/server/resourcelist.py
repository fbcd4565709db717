"""The resources of all tool sets as one list: a set that cannot say what it has hides no other."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from mcp_core import ProtocolFault, ResourceInfo, ResourceProvider, TemplateInfo, ToolContext
from mcp_core.log import one_line
from mcp_core.outcome import reference_for
from rolltop.server.paging import PAGE, bad_cursor, decode_cursor, encode_cursor

__all__ = ["Listed", "list_resources", "list_templates"]

logger = logging.getLogger("rolltop.server")


class Listed(NamedTuple):
    """A page, where the next one begins, and what could not be listed and why."""

    items: list[ResourceInfo]
    following: str | None
    missing: list[dict[str, Any]]


async def list_resources(providers: Sequence[ResourceProvider], cursor: str | None, ctx: ToolContext[Any]) -> Listed:
    """One provider after the other; the cursor says which one and where in it."""
    index, inner = decode_cursor(cursor, (int, str)) if cursor is not None else (0, None)
    if not isinstance(index, int) or not 0 <= index < len(providers):
        raise bad_cursor()
    listed = Listed([], None, [])
    while index < len(providers) and len(listed.items) < PAGE:
        try:
            page = await providers[index].list(inner, ctx)
        except ProtocolFault:
            raise
        except Exception as error:
            if inner is not None:
                logger.info("a cursor for %s is refused: %s", providers[index].schemes, one_line(error))
                raise bad_cursor() from None
            listed.missing.append(_missing(providers[index], error))
            index += 1
            continue
        listed.items.extend(page.items)
        inner = page.next_cursor
        if inner is None:
            index += 1
    return listed._replace(following=encode_cursor(index, inner) if index < len(providers) else None)


def list_templates(providers: Sequence[ResourceProvider]) -> Iterator[TemplateInfo]:
    for provider in providers:
        yield from _or_none(provider.templates)


def _or_none(templates: Callable[[], Sequence[TemplateInfo]]) -> Sequence[TemplateInfo]:
    try:
        return templates()
    except Exception as error:
        reference_for(error)
        return ()


def _missing(provider: ResourceProvider, error: Exception) -> dict[str, Any]:
    """What a client is told about resources that could not be listed."""
    if not hasattr(error, "error_type"):
        return {"schemes": list(provider.schemes), "error": f"see the server's log under {reference_for(error)}"}
    told = {"schemes": list(provider.schemes), "error": str(error), "code": error.error_type}
    logger.warning("resources of %s are not listed: %s", ", ".join(provider.schemes), one_line(error))
    hint = getattr(error, "hint", None)
    return {**told, "hint": hint} if hint else told
