"""The words between a pool and its workers: frames over a stream socket, errors as JSON.

A frame is a header (length of the body, a mark, a number) and the body. In a request the number says which
job, in an answer what the body is: `OK` the job's bytes, `FAILED` an error. The mark of a request is drawn at
random and comes back with its answer: a worker that went bad cannot answer a request it has not seen yet.

In the midst of a job a worker may ask for a data file: a frame `WANTED` with the name, answered by `OK` and the
file's bytes, or by `FAILED` when the pool's library has none of that name.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

from rolltop import errors
from rolltop.errors import ForeignFailure, MemoryLimit, Position, RolltopError

__all__ = [
    "FAILED",
    "HEADER",
    "LONGEST_NAME",
    "OK",
    "OUT_OF_MEMORY",
    "WANTED",
    "Library",
    "decode_error",
    "encode_error",
]

HEADER = struct.Struct("<QQQ")
OK, FAILED, OUT_OF_MEMORY, WANTED = range(4)
LONGEST_NAME = 200
"""Bytes in the name of a data file."""

Library = Callable[[str], bytes | None]
"""Gives the bytes of a data file by its name, None for a name it does not have. A worker is not trusted: it may ask
for anything."""


def encode_error(error: BaseException) -> bytes:
    """An error as bytes; of foreign exceptions only the class and the message."""
    if not isinstance(error, RolltopError):
        return _pack({"class": "ForeignFailure", "message": f"{type(error).__name__}: {error}"[:2000]})
    fields: dict[str, Any] = {
        "class": _public_class(error),
        "message": error.message,
        "code": error.error_type,
        "hint": error.hint,
        "details": error.details,
    }
    if error.position is not None:
        fields["position"] = [error.position.line, error.position.column, error.position.source]
    return _pack(fields)


def _pack(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, default=str).encode("utf-8", "backslashreplace")


def _public_class(error: RolltopError) -> str:
    """The nearest class of `rolltop.errors`: subclasses of an engine keep their code, not their type."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == errors.__name__)


def decode_error(body: bytes) -> RolltopError:
    """The error that a worker sent. A worker is not trusted: whatever does not fit becomes a ForeignFailure."""
    try:
        fields = json.loads(body)
        kind = getattr(errors, fields["class"])
        if not (isinstance(kind, type) and issubclass(kind, RolltopError)):
            raise TypeError
        position = Position(*fields["position"]) if fields.get("position") else None
        return kind(
            str(fields["message"]),
            code=fields.get("code"),
            hint=fields.get("hint"),
            position=position,
            details=fields.get("details"),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return ForeignFailure("the worker answered with an error that cannot be read")


def memory_error(limit: int) -> MemoryLimit:
    return MemoryLimit(
        f"the job needed more than the {limit >> 20} MiB it is allowed",
        hint="Work on less data at once, or allow more memory.",
    )
