"""Groups of tools by name: patterns that callers write, matched in time linear in the name.

RE2 runs them: Python's own expressions backtrack, and one pattern on one ordinary name could hold the process for ever.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from rolltop.errors import InvalidInput

__all__ = ["group_filter"]

_LONGEST = 200
_LACKING = {
    "invalid perl operator: (?=": "a look-ahead",
    "invalid perl operator: (?!": "a look-ahead",
    "invalid perl operator: (?<": "a look-behind",
    "invalid perl operator: (?>": "an atomic group",
    "invalid perl operator: (?P": "a back reference",
    "invalid perl operator: (?(": "a condition",
    "invalid perl operator: (?#": "a comment",
    "invalid escape sequence: \\k": "a back reference",
    "bad repetition operator: ": "two repetitions of one thing",
    "invalid repetition size: ": "a repetition of more than 1000 times",
} | {f"invalid escape sequence: \\{digit}": "a back reference" for digit in range(1, 10)}
"""What RE2 says of what it does not have, and how we call it."""


def group_filter(groups: str | Sequence[str] | None) -> Callable[[str], bool]:
    """Whether the name of a definition's file, without its suffix, is in one of the groups; None: all are wanted."""
    if groups is None:
        return lambda _: True
    wanted = [_pattern(group) for group in ([groups] if isinstance(groups, str) else groups)]
    return lambda stem: any(pattern.match(os.fsencode(stem)) for pattern in wanted)


def _pattern(group: str) -> Any:
    import re2  # noqa: PLC0415 - most calls have no groups

    if len(group) > _LONGEST:
        raise InvalidInput(f"a group pattern is longer than {_LONGEST} characters")
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(group, options)  # by itself, so that it cannot leave the brackets below
        # A dot or underscore in the package's name is allowed too: R and Python names have them.
        return re2.compile(f"^[a-zA-Z0-9._]+-mcp_tool_(?:{group})".encode(), options)
    except re2.error as error:
        raise _refusal(error) from None
    except UnicodeEncodeError:
        raise InvalidInput("a group has half a surrogate pair in it, which is no character") from None


def _refusal(error: Exception) -> InvalidInput:
    reason = error.args[0] if error.args else ""
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    for beginning, lacking in _LACKING.items():
        if text.startswith(beginning):
            return InvalidInput(
                f"a group uses {lacking}, which regular expressions here do not have: {text}",
                hint="Write it without, or give several groups: they are combined with or.",
            )
    return InvalidInput(
        f"a group is not a valid regular expression: {text}",
        hint="Escape what is meant literally with a backslash.",
    )
