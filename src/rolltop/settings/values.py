"""Parse the text of a setting. Every function raises `ValueError` with what it expected."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

__all__ = [
    "boolean",
    "count",
    "host",
    "names",
    "one_of",
    "optional_text",
    "path",
    "paths",
    "places",
    "port",
    "positive",
    "prefix",
    "seconds",
    "strict_true",
    "token",
    "web_address",
]


def prefix(text: str) -> str:
    """A prefix of tool names."""
    if not all(sign.isascii() and (sign.isalnum() or sign in "_.-") for sign in text):
        raise ValueError("expected letters, digits, _, - or .")
    return text


def boolean(text: str) -> bool:
    """`true/false`, `1/0`, `yes/no`, `on/off`, in any case."""
    match text.strip().lower():
        case "1" | "true" | "yes" | "on":
            return True
        case "0" | "false" | "no" | "off" | "":
            return False
    raise ValueError("expected true or false")


def strict_true(text: str) -> bool:
    return text == "true"


def names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def places(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.replace(os.pathsep, ",").split(",") if part.strip())


def paths(text: str) -> tuple[Path, ...]:
    return tuple(path(part) for part in text.split(os.pathsep) if part.strip())


def path(text: str) -> Path:
    if not text.strip():
        raise ValueError("expected a path")
    try:
        return Path(os.path.expandvars(text)).expanduser().absolute()
    except FileNotFoundError:
        raise ValueError("expected a full path, because the working directory was removed") from None
    except RuntimeError:
        raise ValueError("expected a full path, because there is no home directory for ~ to stand for") from None


def positive(text: str) -> int:
    number = int(text)
    if number <= 0:
        raise ValueError("expected a number above 0")
    return number


def count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError("expected a number, or 0")
    return number


def port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65535:
        raise ValueError("expected a port from 0 to 65535")
    return number


def seconds(text: str) -> float:
    number = float(text)
    if not 0 < number < 1e7:
        raise ValueError("expected a number of seconds above 0")
    return number


def one_of(*choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        for choice in choices:
            if text.strip().lower() == choice.lower():
                return choice
        raise ValueError(f"expected one of {', '.join(choices)}")

    return parse


def optional_text(text: str) -> str | None:
    return text or None


def token(text: str) -> str | None:
    """A token that a client can send in a header."""
    if not text:
        return None
    if not all(sign.isascii() and sign.isprintable() and not sign.isspace() for sign in text):
        raise ValueError("expected letters, digits and signs without spaces")
    return text


def host(text: str) -> str:
    """An address or a host name to listen on."""
    if not text or not all(sign.isprintable() and not sign.isspace() for sign in text):
        raise ValueError("expected an address or a host name")
    return text


def web_address(text: str) -> str:
    """The URL of a server; without a user, a query or a fragment."""
    parts = urlsplit(text.strip())
    extra = parts.username or parts.password or parts.query or parts.fragment
    if parts.scheme not in ("http", "https") or not parts.hostname or extra:
        raise ValueError("expected a URL, as in https://desk.example.org")
    return text.strip()
