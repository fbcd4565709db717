"""Mailboxes: messages behind each other in one file, each after a line that begins with `From `."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["messages_in"]

_PARTING = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\r\n\r\n))From [^\r\n]{0,200}\d\d:\d\d[^\r\n]{0,200}\r?\n(?=[!-9;-~]+:)")
"""A line with a time, after an empty one and before a header: others that begin so belong to a text."""
_QUOTED = re.compile(rb"^>(?=>*From )", re.MULTILINE)
"""In a text, such lines are marked, so that they part nothing."""


def messages_in(data: bytes) -> Iterator[bytes]:
    """The messages of a mailbox; nothing where it is no mailbox, or one with a single message."""
    parting = [found.span() for found in _PARTING.finditer(data)]
    if len(parting) < 2 or parting[0][0]:
        return
    ends = [begin for begin, _ in parting[1:]]
    for (_, start), end in zip(parting, [*ends, len(data)], strict=True):
        yield _QUOTED.sub(b"", data[start:end])
