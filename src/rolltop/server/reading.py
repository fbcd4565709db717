"""JSON of a request, with every number as it was written."""

from __future__ import annotations

import json
from typing import Any

import orjson

__all__ = ["NotJson", "load"]

_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)
_LONG = b"0" * 19
_MOST_DIGITS = 1000


class NotJson(ValueError):
    """Why it cannot be read; what was read of it all the same, to know whom to answer."""

    def __init__(self, reason: str, document: Any = None) -> None:
        super().__init__(reason)
        self.document = document


def load(data: bytes | bytearray) -> Any:
    """The value of a JSON text. The fast reader rounds whole numbers beyond 64 bits, so a text with as many digits
    in a row is read by the exact one."""
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise NotJson(str(error), _leniently(data)) from None
    if _LONG in data.translate(_ZEROS):
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise NotJson(reason, document) from None
    return document


def _leniently(data: bytes | bytearray) -> Any:
    """What is JSON by its grammar, but not for the fast reader: a number beyond doubles, half a surrogate pair."""
    try:
        return json.loads(data, parse_int=lambda digits: int(digits) if len(digits) < _MOST_DIGITS else None)
    except (ValueError, RecursionError):
        return None
