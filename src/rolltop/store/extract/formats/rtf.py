"""RTF: paragraphs, headings, tables, notes and links. One pass over the bytes, groups on a stack of bounded depth."""

from __future__ import annotations

import re
from typing import NamedTuple

from rolltop.store.extract.formats.draft import PARTED, Draft, joined
from rolltop.store.extract.formats.limits import Unreadable

__all__ = ["read"]

DEEPEST = 2000
MOST_FONTS = 10_000
LONGEST_ASIDE = 10_000
"""Characters of a title, an instruction or the name of a style."""

_TOKEN = re.compile(
    rb"\\([A-Za-z]{1,32})(-?[0-9]{1,9})? ?|\\'([0-9A-Fa-f]{2})|\\([^A-Za-z])|([{}])|([^\\{}\r\n]+)", re.DOTALL
)
_SKIPPED = frozenset(
    b"colortbl pict object objdata objclass objname themedata colorschememapping latentstyles datastore listtable "
    b"listoverridetable revtbl rsidtbl generator filetbl author operator company category keywords doccomm comment "
    b"subject manager hlinkbase creatim revtim printim buptim xmlnstbl mmathPr pntext listtext nonshppict "
    b"shpinst xe tc tcn ftnsep ftnsepc aftnsep aftnsepc".split()
)
_APART = frozenset(b"footnote annotation shptxt header headerl headerr headerf footer footerl footerr footerf".split())
"""Stand in the middle of a paragraph and have paragraphs of their own. Some are marked as what an older program may
leave out, but they are text; a text box is inside of what describes its shape, which is none."""
_ASIDES = {b"title": "title", b"fldinst": "instruction", b"fonttbl": "fonts", b"stylesheet": "styles", b"bkmkstart": ""}
_SAID = {
    **dict.fromkeys((b"line", b"lbr", b"softline"), "\n"),
    **dict.fromkeys((b"tab", b"cell", b"nestcell"), "\t"),
    **dict.fromkeys((b"emspace", b"enspace", b"qmspace"), " "),
    b"emdash": "\N{EM DASH}",
    b"endash": "\N{EN DASH}",
    b"bullet": "\N{BULLET}",
    b"lquote": "\N{LEFT SINGLE QUOTATION MARK}",
    b"rquote": "\N{RIGHT SINGLE QUOTATION MARK}",
    b"ldblquote": "\N{LEFT DOUBLE QUOTATION MARK}",
    b"rdblquote": "\N{RIGHT DOUBLE QUOTATION MARK}",
}
_SYMBOLS = {b"~": " ", b"_": "-", b"\\": "\\", b"{": "{", b"}": "}"}
_ENDS = frozenset({b"par", b"sect", b"page", b"row", b"nestrow", b"column"})
_CHARSETS = {
    0: "cp1252", 77: "mac-roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
    254: "cp437", 255: "cp850",
}  # fmt: skip
_CODE_PAGES = {
    **{page: f"cp{page}" for page in (437, 850, 866, 874, 932, 949, *range(1250, 1259))},
    936: "gbk", 950: "big5", 10000: "mac-roman", 65001: "utf-8",
}  # fmt: skip
_PAGES = {b"mac": "mac-roman", b"pc": "cp437", b"pca": "cp850"}
_HEEDED = frozenset({*_SAID, *_ENDS, *_APART, *_SKIPPED, *_ASIDES})
_GONE = frozenset({b"deleted", b"mvf"})
_SETTINGS = frozenset(
    {b"f", b"ansicpg", b"fcharset", *_PAGES, b"uc", b"pard", b"plain", b"s", b"intbl", b"outlinelevel", *_GONE}
)
_HEADING = re.compile(r"(?:heading \d|title)\b", re.IGNORECASE)
_LINK = re.compile(r'HYPERLINK\s+(?:\\l\s+)?"([^"]+)"')


def read(data: bytes, draft: Draft) -> None:
    _Rtf(draft).read(data)


class _Group(NamedTuple):
    """What holds inside a pair of braces. `aside` is where text goes that is not part of the body."""

    aside: str | None = None
    encoding: str = "cp1252"
    after_unicode: int = 1
    """How many characters after one in Unicode say the same for programs that do not know it."""
    style: int | None = None
    outlined: bool = False
    in_table: bool = False
    gone: bool = False
    """Deleted or moved away, with tracked changes."""
    apart: int = 0
    """Inside of how many notes, boxes and margins."""


class _Rtf:
    """Writes a document into the draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._group = _Group()
        self._outer: list[_Group] = []
        self._default = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._headings: set[int] = set()
        self._paragraph: list[str] = []
        self._size = 0
        self._around: list[list[str]] = []
        """What has been said of the paragraphs around a note."""
        self._after: list[str] = []
        """What comes after the paragraph, so that its own words stay together."""
        self._bytes = bytearray()
        self._said_aside: list[str] = []
        self._to_skip = 0
        self._starred = False

    def read(self, data: bytes) -> None:
        place = 0
        while (token := _TOKEN.search(data, place)) is not None:
            place = token.end()
            word, number, code, symbol, brace, text = token.groups()
            if word is not None:
                if word == b"bin" and number:
                    place += max(0, int(number))
                self._word(word, int(number) if number else None)
            elif text is not None:
                self._text(text)
            elif code is not None:
                self._text(bytes.fromhex(code.decode()))
            elif brace is not None:
                self._brace(brace)
            else:
                self._symbol(symbol)
        while self._around:
            self._end_apart()
        self._end_paragraph()

    # groups --------------------------------------------------------------------------------------

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self._to_skip, self._starred = 0, False
        if brace == b"{":
            if len(self._outer) >= DEEPEST:
                raise Unreadable("its groups are nested too deeply")
            self._outer.append(self._group)
        elif self._outer:
            if self._group.apart > self._outer[-1].apart:
                self._end_apart()
            ended, self._group = self._group, self._outer.pop()
            if ended.aside != self._group.aside or ended.aside == "styles":
                self._end_aside(ended)

    def _end_aside(self, ended: _Group) -> None:
        said, self._said_aside = "".join(self._said_aside), []
        if ended.aside == "title":
            self._draft.title = said
        elif ended.aside == "instruction" and (link := _LINK.search(said)):
            self._draft.link(link[1])
        elif ended.aside == "styles" and ended.style is not None and _HEADING.match(said.strip()):
            self._headings.add(ended.style)

    def _aside(self, kind: str) -> None:
        self._group = self._group._replace(aside=kind)
        self._said_aside = []

    # words ---------------------------------------------------------------------------------------

    def _word(self, word: bytes, number: int | None) -> None:
        starred, self._starred = self._starred, False
        if word == b"u" and number is not None:
            self._unicode(number)
            return
        self._to_skip = 0
        if not starred and word not in _HEEDED:
            if word in _SETTINGS:
                self._setting(word, number)
        elif word in _SAID:
            self._say(_SAID[word])
        elif word == b"par" and self._group.in_table:
            self._say(" ")
        elif word in _ENDS:
            self._end_paragraph()
        elif word in _APART:
            self._begin_apart()
        elif word in _SKIPPED or (starred and word not in _ASIDES):
            self._aside("")
        else:
            self._aside(_ASIDES[word])

    def _setting(self, word: bytes, number: int | None) -> None:
        """What changes how the text that follows is read."""
        if word in (b"f", b"ansicpg", b"fcharset") or word in _PAGES:
            self._flush()
            self._encoding(word, number or 0)
        elif word == b"uc":
            self._group = self._group._replace(after_unicode=max(0, min(number or 0, 100)))
        elif word == b"pard":
            self._group = self._group._replace(style=None, outlined=False, in_table=False)
        elif word == b"s":
            self._group = self._group._replace(style=number or 0)
        elif word in _GONE or word == b"plain":
            self._flush()
            self._group = self._group._replace(gone=word in _GONE and number != 0)
        elif word == b"intbl":
            self._group = self._group._replace(in_table=True)
        elif word == b"outlinelevel":
            self._group = self._group._replace(outlined=(number or 0) < 9)

    def _encoding(self, word: bytes, number: int) -> None:
        if word == b"fcharset":
            if self._group.aside == "fonts" and len(self._fonts) < MOST_FONTS:
                self._fonts[self._font] = _CHARSETS.get(number, self._default)
            return
        if word == b"f":
            self._font = number
            encoding = self._fonts.get(number, self._default)
        else:
            encoding = self._default = _PAGES.get(word) or _CODE_PAGES.get(number, "cp1252")
        self._group = self._group._replace(encoding=encoding)

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._starred = True
        elif symbol in b"\r\n":
            self._end_paragraph()
        elif self._to_skip:
            self._to_skip -= 1
        elif symbol in _SYMBOLS:
            self._say(_SYMBOLS[symbol])

    # notes, boxes, margins -----------------------------------------------------------------------

    def _begin_apart(self) -> None:
        if self._paragraph:
            self._paragraph.append(PARTED)
        self._around.append(self._paragraph)
        self._paragraph, self._size = [], 0
        apart = self._group.apart + 1
        self._group = self._group._replace(aside=None, apart=apart, style=None, outlined=False, in_table=False)

    def _end_apart(self) -> None:
        self._end_paragraph()
        self._paragraph = self._around.pop()
        self._group = self._group._replace(apart=self._group.apart - 1)
        if not self._around and not self._paragraph:
            self._say_after()

    def _say_after(self) -> None:
        after, self._after = self._after, []
        for text in after:
            self._draft.line(text)

    # text ----------------------------------------------------------------------------------------

    def _text(self, text: bytes) -> None:
        skipped = min(self._to_skip, len(text))
        self._to_skip -= skipped
        if self._group.aside != "":
            self._bytes += text[skipped:]

    def _unicode(self, number: int) -> None:
        self._say(chr(number % 0x10000))
        self._to_skip = self._group.after_unicode

    def _flush(self) -> None:
        """Bytes become text when it is sure that no more of the same character follow."""
        if self._bytes:
            text = self._bytes.decode(self._group.encoding, "replace")
            self._bytes.clear()
            self._say(text)

    def _say(self, text: str) -> None:
        self._flush()
        if self._group.gone:
            return
        if self._group.aside is None:
            self._paragraph.append(text)
            self._size += len(text)
            if self._size > self._draft.spent.limits.characters:
                self._draft.line(_whole("".join(self._paragraph)))  # which says that it is enough
        elif self._group.aside and len(self._said_aside) < LONGEST_ASIDE:
            self._said_aside.append(text[:LONGEST_ASIDE])

    def _end_paragraph(self) -> None:
        self._flush()
        if self._group.aside is not None:
            return
        text = _whole(joined(self._paragraph))
        self._paragraph, self._size = [], 0
        if self._group.outlined or self._group.style in self._headings:
            self._draft.heading(text)
        if self._around:
            if text.strip():
                self._after.append(text)
        else:
            self._draft.line(text)
            self._say_after()


def _whole(text: str) -> str:
    """Characters beyond the first 65,536 are written as two halves."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
