"""Everything rolltop raises on purpose.

::

    RolltopError                 code, message, hint, position, details
    ├── InvalidInput             an argument, name or value is wrong               exit 2
    ├── InvalidData              a program, document or data file is malformed     exit 4
    ├── NotFound                 what was asked for does not exist                 exit 3
    ├── Conflict                 it exists already, or changed in the meantime     exit 1
    ├── PermissionDenied         outside the allowed roots, read-only, refused     exit 1
    ├── ConsentMissing           a human has to agree first                        exit 7
    ├── LimitExceeded            a limit was reached                               exit 6
    │   ├── TimeLimit
    │   ├── MemoryLimit
    │   └── SizeLimit
    ├── DiskFull                 there is no space left to write in                exit 1
    ├── Cancelled                the caller gave up                                exit 1
    ├── PartMissing              R, pandoc, an extra, an engine is not there       exit 5
    ├── Damaged                  stored bytes are not what was stored              exit 1
    └── ForeignFailure           foreign code ran and failed                       exit 1

An error is raised where it is known and becomes an answer in exactly one place. Its message says
what was wrong and where; its hint says what to do next. Both are shown to people and agents, so
neither ever carries a secret or the rejected value itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

__all__ = [
    "Cancelled",
    "Conflict",
    "ConsentMissing",
    "Damaged",
    "DiskFull",
    "ForeignFailure",
    "InvalidData",
    "InvalidInput",
    "LimitExceeded",
    "MemoryLimit",
    "NotFound",
    "PartMissing",
    "PermissionDenied",
    "Position",
    "RolltopError",
    "SizeLimit",
    "TimeLimit",
]


class Position(NamedTuple):
    """Where in a text: 1-based line and column, optionally the name of the text."""

    line: int
    column: int = 1
    source: str | None = None

    def __str__(self) -> str:
        place = f"{self.line}:{self.column}"
        return f"{self.source}:{place}" if self.source else place


class RolltopError(Exception):
    """The root of the tree: a sentence, and what to do about it."""

    code: ClassVar[str] = "failure"
    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        hint: str | None = None,
        position: Position | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.specific_code = code
        self.hint = hint
        self.position = position
        self.details: dict[str, Any] = dict(details or {})

    @property
    def error_type(self) -> str:
        """The code on the wire: a specific one if given, else the class's."""
        return self.specific_code or self.code

    def __str__(self) -> str:
        return f"{self.position}: {self.message}" if self.position else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the state as it is, whatever arguments a subclass takes."""
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[RolltopError], args: tuple[Any, ...], state: dict[str, Any]) -> RolltopError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class InvalidInput(RolltopError):
    code = "invalid_arguments"
    exit_code = 2


class InvalidData(RolltopError):
    code = "invalid_data"
    exit_code = 4


class NotFound(RolltopError):
    code = "not_found"
    exit_code = 3


class Conflict(RolltopError):
    code = "conflict"


class PermissionDenied(RolltopError):
    code = "permission_denied"


class ConsentMissing(RolltopError):
    code = "consent_required"
    exit_code = 7


class LimitExceeded(RolltopError):
    code = "limit_exceeded"
    exit_code = 6


class TimeLimit(LimitExceeded):
    code = "timeout"


class MemoryLimit(LimitExceeded):
    code = "memory_limit"


class SizeLimit(LimitExceeded):
    code = "size_limit"


class DiskFull(RolltopError):
    code = "disk_full"


class Cancelled(RolltopError):
    code = "cancelled"


class PartMissing(RolltopError):
    code = "part_missing"
    exit_code = 5


class Damaged(RolltopError):
    code = "damaged"


class ForeignFailure(RolltopError):
    code = "foreign_failure"
