"""The bearer token of the HTTP server and the daemon: made once, kept in the workspace for its owner only."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import secrets
import stat
from pathlib import Path
from urllib.parse import urlsplit

from rolltop.errors import InvalidInput, PermissionDenied

__all__ = ["NAME", "checked_token", "is_local", "is_loopback_url", "kept_token", "made_token"]

NAME = "http-token"
SHORTEST = 22
"""Characters of 128 random bits in base64."""
_DIFFERENT = 8


def is_local(host: str) -> bool:
    """True if an address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_loopback_url(url: str) -> bool:
    """True if a URL names this machine: only there is the token that we keep the right one."""
    return is_local(urlsplit(url).hostname or "")


def checked_token(token: str, source: str) -> str:
    """`token` if it can hold 128 bits; raises `InvalidInput`."""
    if len(token) < SHORTEST or len(set(token)) < _DIFFERENT:
        raise InvalidInput(
            f"the HTTP token from {source} is too short to be safe: 128 random bits are the least",
            hint="Make one with `openssl rand -hex 16`, or give none: the server makes its own.",
        )
    return token


def kept_token(workspace: Path) -> str | None:
    """The token that a server of this workspace made, if one did."""
    path = workspace / NAME
    try:
        status = path.stat()
        if stat.S_IMODE(status.st_mode) & 0o077 or status.st_uid != os.getuid():
            raise PermissionDenied(
                f"{path} can be read by others", hint=f"Remove it, and the next start makes a new one: rm {path}"
            )
        return checked_token(path.read_text("utf-8").strip(), str(path))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise PermissionDenied(f"the token in {path} cannot be read: {error}", hint=f"Remove it: rm {path}") from None


def made_token(workspace: Path) -> str:
    """The kept token, or a new one. `workspace` is there; of several servers that start at once, one makes it."""
    while (kept := kept_token(workspace)) is None:
        temporary = workspace / f".{NAME}.{os.getpid()}-{secrets.token_hex(4)}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(secrets.token_urlsafe(32) + "\n")
                file.flush()
                os.fsync(file.fileno())
            with contextlib.suppress(FileExistsError):
                os.link(temporary, workspace / NAME)
        finally:
            temporary.unlink(missing_ok=True)
    return kept
