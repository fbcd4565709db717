"""The process environment: the tool prefix that requirement 002 asks for, and where the log goes."""

from __future__ import annotations

import os
from collections.abc import MutableMapping

from mcp_core.decorator import PREFIX_VARIABLE
from mcp_core.log import configure
from rolltop.errors import InvalidInput
from rolltop.settings import Settings

__all__ = ["DEFAULT_PREFIX", "_configure_environment", "start_logging"]

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


def start_logging(settings: Settings) -> None:
    """Send the log where the settings say. A new file is readable by its owner only: it holds arguments and paths."""
    file = settings.log_file
    if file is not None:
        try:
            os.close(os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except OSError as error:
            source = settings.sources.get("log_file", "default")
            raise InvalidInput(
                f"the setting log_file from {source} cannot be used: {file}: {error.strerror}",
                hint="Name a file in a directory that is there and can be written.",
            ) from None
    configure(settings.log_level, file=file)
