"""What the guide raises, on top of the tree in `rolltop.errors`.

::

    InvalidInput
    ├── ArgumentInvalid          validation_error     two arguments contradict, a value has the wrong type
    ├── ExpressionInvalid        invalid_expression   a content expression or pattern does not parse
    └── NameInvalid              invalid_name         a category, collection, flag or project name
    NotFound
    ├── NameUnknown              not_found            with the nearest names
    └── NoProject                no_project           nothing says which project is meant
    InvalidData
    └── ConfigUnreadable         config_read_error    with the line
    RolltopError
    └── ConfigUnwritable         config_write_error
    PermissionDenied
    └── PathUnsafe               security_error       leads out of the document root
    InvalidData
    └── DocumentUnreadable       file_read_error
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from rolltop.errors import InvalidData, InvalidInput, NotFound, PermissionDenied, RolltopError

__all__ = [
    "ArgumentInvalid",
    "ConfigUnreadable",
    "ConfigUnwritable",
    "DocumentUnreadable",
    "ExpressionInvalid",
    "NameInvalid",
    "NameUnknown",
    "NoProject",
    "PathUnsafe",
    "nearest",
    "unknown_name",
]


class ArgumentInvalid(InvalidInput):
    code = "validation_error"


class ExpressionInvalid(InvalidInput):
    code = "invalid_expression"


class NameInvalid(InvalidInput):
    code = "invalid_name"


class NameUnknown(NotFound):
    code = "not_found"


class NoProject(NotFound):
    code = "no_project"


class ConfigUnreadable(InvalidData):
    code = "config_read_error"


class ConfigUnwritable(RolltopError):
    code = "config_write_error"


class PathUnsafe(PermissionDenied):
    code = "security_error"


class DocumentUnreadable(InvalidData):
    code = "file_read_error"


def nearest(name: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """The known names that someone who wrote `name` may have meant, the likeliest first."""
    by_folded: dict[str, str] = {}
    for candidate in known:
        by_folded.setdefault(candidate.casefold(), candidate)
    found = difflib.get_close_matches(name.casefold(), by_folded, n=limit, cutoff=0.6)
    return [by_folded[folded] for folded in found]


def unknown_name(what: str, name: str, known: Iterable[str], *, where: str = "") -> NameUnknown:
    """The error for a name that nobody defined: what it was, what exists, what was probably meant."""
    names = sorted(known)
    near = nearest(name, names)
    if near:
        hint = f"Did you mean {' or '.join(near)}?"
    elif names:
        shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
        hint = f"There are: {shown}."
    else:
        hint = f"There is no {what} yet."
    details = {"name": name, "nearest": near}
    return NameUnknown(f"{what} {name!r} does not exist{where}", hint=hint, details=details)
