"""Which names categories, collections, flags and projects may have."""

from __future__ import annotations

import re

from rolltop.guide.errors import NameInvalid

__all__ = ["NAME_RULE", "check_flag_name", "check_name", "is_name", "project_name"]

NAME_RULE = "1 to 30 letters, digits, - or _, beginning with a letter or digit"

_NAME = re.compile(r"[^\W_][\w-]{0,29}")
_FLAG = re.compile(r"[\w-]{1,100}")
_PROJECT_LENGTH = 50


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def check_name(what: str, name: str) -> str:
    """`name`, if a category or collection may be called that."""
    if not is_name(name):
        raise NameInvalid(f"{name!r} cannot name a {what}", hint=f"A name has {NAME_RULE}.")
    return name


def check_flag_name(name: str) -> str:
    if not _FLAG.fullmatch(name):
        raise NameInvalid(
            f"{name[:100]!r} cannot name a flag",
            hint="A flag name has 1 to 100 letters, digits, - or _; no dots and no blanks.",
        )
    return name


def project_name(text: str) -> str:
    """A short name for a project, made from the last part of its path."""
    name = re.sub(r"[^\w.-]+", "-", text).strip("-.")[:_PROJECT_LENGTH].rstrip("-.")
    return name or "project"
