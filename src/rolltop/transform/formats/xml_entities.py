"""References to entities that nobody declares, which stay as they are written.

expat refuses them, or leaves them out without a word where a document names a type of its own, which is never read. So
the parser is given another character for their ampersands, one that XML allows and nobody uses. It is as long as what
it stands for, so that places stay right, and is put back wherever it turns up: in text, attributes and CDATA alike.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from typing import AnyStr

__all__ = ["Mixed", "References", "decoded"]

_MARK = "\x7f"
_LONGEST = 256
"""Characters of a name that may be cut by the end of a block."""
_KNOWN = "(?:amp|lt|gt|quot|apos);"
_IN_TEXT = re.compile(rf"&(?=(?!{_KNOWN})[^\W\d][\w.:\-]*;)")
_IN_BYTES = re.compile(rb"&(?=(?!%b)[A-Za-z_:\x80-\xff][\w.:\-\x80-\xff]*;)" % _KNOWN.encode())
_MARK_IN_TEXT = re.compile("\x7f|&#(?:0*127|x0*7[fF]);")
_MARK_IN_BYTES = re.compile(_MARK_IN_TEXT.pattern.encode())
_BEGUN = re.compile(rb"&[\w.:\-\x80-\xff]*\Z")
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Mixed(Exception):
    """The document has the character itself, too."""


class References:
    """Hides such references of one document from the parser, a block at a time."""

    def __init__(self) -> None:
        self.found = False
        """Whether there were any so far."""
        self._held = b""

    def hide(self, block: str | bytes) -> str | bytes:
        """The block for the parser; the end of one that may be the beginning of a reference comes with the next."""
        if isinstance(block, str):
            return self._hidden(block, _IN_TEXT, _MARK_IN_TEXT, _MARK) if "&" in block or self.found else block
        if self._held:
            block, self._held = self._held + block, b""
        at = block.rfind(b"&")
        if at < 0 and not self.found:
            return block
        if at >= 0 and len(block) - at <= _LONGEST and _BEGUN.match(block, at):
            block, self._held = block[:at], block[at:]
        return self._hidden(block, _IN_BYTES, _MARK_IN_BYTES, _MARK.encode())

    def rest(self) -> bytes:
        """What was held back, when nothing comes any more."""
        return self._held

    def _hidden(self, block: AnyStr, unknown: re.Pattern[AnyStr], own: re.Pattern[AnyStr], mark: AnyStr) -> AnyStr:
        if not self.found and unknown.search(block) is None:
            return block
        if own.search(block) is not None:
            raise Mixed
        self.found = True
        return unknown.sub(mark, block)

    @staticmethod
    def shown(
        start: Callable[[str, dict[str, str]], None], characters: Callable[[str], None]
    ) -> tuple[Callable[[str, dict[str, str]], None], Callable[[str], None]]:
        """What expat has to call then for the start of an element and for text."""

        def start_shown(name: str, attributes: dict[str, str]) -> None:
            start(name, {key: text.replace(_MARK, "&") for key, text in attributes.items()})

        return start_shown, lambda text: characters(text.replace(_MARK, "&"))


def decoded(data: str | bytes) -> str | bytes:
    """A document whose encoding has no ASCII in it as text, if it has such references."""
    if isinstance(data, str) or data[:2] not in _WIDE:
        return data
    try:
        text = data.decode("utf-16")
    except UnicodeDecodeError:
        return data
    return data if _IN_TEXT.search(text) is None else text
