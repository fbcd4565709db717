"""A shopping list that is kept between calls (Sphinx docstrings)."""

from __future__ import annotations

from typing import Any


def mcp_tool_shopping_add(item: str, count: int = 1, *, _state_env: Any = None) -> dict[str, int]:
    """Put something on the shopping list.

    :param item: What to buy, such as ``"flour"``.
    :param count: How many.
    :returns: The whole list.

    >>> notes = mcptool_state_factory()
    >>> mcp_tool_shopping_add("flour", 2, _state_env=notes)
    {'flour': 2}
    """
    wanted: dict[str, int] = dict(_state_env.get("shopping", {}))
    wanted[item] = wanted.get(item, 0) + count
    _state_env.set("shopping", wanted)
    return wanted


def mcp_tool_shopping_clear(_state_env: Any = None) -> int:
    """Throw the shopping list away.

    :returns: How many things were on it.

    >>> mcp_tool_shopping_clear(_state_env=mcptool_state_factory({"shopping": {"eggs": 6}}))
    1

    Keywords: mcp-tool mcp-dangerous
    """
    count = len(_state_env.get("shopping", {}))
    _state_env.remove("shopping")
    return count
