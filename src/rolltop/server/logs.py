"""Where the log goes, as the settings say."""

from __future__ import annotations

import os

from mcp_core.log import configure
from rolltop.errors import InvalidInput
from rolltop.settings import Settings

__all__ = ["start_logging"]


def start_logging(settings: Settings) -> None:
    """Called once by an entry point. A new file is for its user alone: arguments and paths stand in it."""
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
