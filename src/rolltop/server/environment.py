"""The environment that requirement 002 asks for, set once, before anything is built."""

from __future__ import annotations

import os
from collections.abc import MutableMapping

from mcp_core.decorator import PREFIX_VARIABLE

__all__ = ["DEFAULT_PREFIX", "_configure_environment"]

DEFAULT_PREFIX = "guide"


def _configure_environment(env: MutableMapping[str, str] | None = None) -> bool:
    """Set `MCP_TOOL_PREFIX` to `guide` unless it is set, be it to nothing; say whether it was ours.

    A prefix that came by this default applies to the guide tools alone: the other tool sets have names
    that are fixed.
    """
    env = os.environ if env is None else env
    if PREFIX_VARIABLE in env:
        return False
    env[PREFIX_VARIABLE] = DEFAULT_PREFIX
    return True
