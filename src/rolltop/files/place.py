"""Paths as callers give them, and what is found at them."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from rolltop.errors import InvalidInput

__all__ = ["Info", "Target", "Written", "absolute", "kind_of"]

LONGEST_NAME = 255
LONGEST_PATH = 4095

Kind = Literal["file", "directory", "other"]


@dataclass(frozen=True, slots=True)
class Info:
    """A file or directory. `path` is its real path."""

    path: Path
    kind: Kind
    size: int
    modified: float


@dataclass(frozen=True, slots=True)
class Target:
    """Where a file is to be written, and what has that name: device, inode, size and time of change, or nothing.

    `asks`: the file would be new, in a place where a human has to agree to that.
    """

    place: Path
    state: tuple[int, int, int, int] | None
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written and may yet be undone; `aside` is the name that what was there before has for now."""

    place: Path
    aside: str | None
    identity: tuple[int, int]


def absolute(given: str | os.PathLike[str], base: Path) -> str:
    """Make the path that a caller gave absolute, unresolved; `~/` is the user's home, `file://` is understood."""
    text = os.fspath(given)
    if not isinstance(text, str) or not text:
        raise InvalidInput("a path must be a text that is not empty")
    if text.startswith("file://"):
        text = _local(text)
    if "\0" in text:
        raise InvalidInput("a path cannot contain NUL")
    try:
        size = len(os.fsencode(text))
        longest = max(len(os.fsencode(part)) for part in text.split("/"))
    except UnicodeEncodeError:
        raise InvalidInput("the path has characters that no file name can have") from None
    if size > LONGEST_PATH or longest > LONGEST_NAME:
        raise InvalidInput(
            f"the path is too long: {size} bytes; a path may have {LONGEST_PATH} and a name in it {LONGEST_NAME}"
        )
    if text == "~" or text.startswith("~/"):
        text = os.path.expanduser(text)
    return os.path.join(base, text)


def _local(uri: str) -> str:
    """The path of a `file://` URI of this machine."""
    host, slash, path = uri.removeprefix("file://").partition("/")
    if host not in ("", "localhost") or not slash:
        raise InvalidInput(f"{uri} is not a file of this machine", hint="Write file:///PATH, or the path alone.")
    return unquote(f"/{path}", errors="surrogateescape")


def kind_of(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return "file"
    return "directory" if stat.S_ISDIR(mode) else "other"
