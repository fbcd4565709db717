"""The configuration file: TOML, with a key for each setting and a table for each engine."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rolltop.errors import InvalidData, InvalidInput, Position

__all__ = ["read_config"]


def read_config(path: Path, *, must_exist: bool, keys: Sequence[str], sections: Sequence[str]) -> Mapping[str, Any]:
    """Read the file; an absent one is empty. Errors carry their position in it."""
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        if must_exist:
            raise InvalidInput(f"the configuration file {path} does not exist") from None
        return {}
    except OSError as error:
        raise InvalidInput(f"the configuration file {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InvalidData(
            f"the configuration file {path} is not UTF-8 text: byte {error.start + 1} is not valid",
            hint="Save it as UTF-8, or move it away to start from the defaults.",
        ) from None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line, column = _toml_position(str(error))
        raise InvalidData(
            f"the configuration file is not valid TOML: {error}",
            position=Position(line, column, str(path)),
            hint="Correct the line, or move the file away to start from the defaults.",
        ) from None
    _refuse_unknown(document, path, keys, sections)
    return document


def _toml_position(message: str) -> tuple[int, int]:
    words = message.replace(",", " ").replace(")", " ").split()
    numbers = [int(word) for word in words if word.isdigit()]
    return (numbers[-2], numbers[-1]) if len(numbers) >= 2 else (1, 1)


def _refuse_unknown(document: Mapping[str, Any], path: Path, keys: Sequence[str], sections: Sequence[str]) -> None:
    known = [*keys, *sections]
    for key in document:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise InvalidInput(f"{path} has an unknown key {key!r}{meant}")
        if key in sections and not isinstance(document[key], dict):
            raise InvalidInput(f"{path}: {key} must be a table, as in [{key}]")
