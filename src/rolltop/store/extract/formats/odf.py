"""OpenDocument: texts, sheets and presentations, which share one language."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolltop.store.extract.formats.draft import PARTED, Draft, joined
from rolltop.store.extract.formats.limits import Unreadable
from rolltop.store.extract.formats.package import Package
from rolltop.store.extract.formats.rows import Rows
from rolltop.store.extract.formats.xml import START, TEXT, Event, events

__all__ = ["read"]

_SPACE = re.compile(r"[ \t\r\n]+")
"""Where more than one space is meant, an element says so."""
_PARAGRAPHS = frozenset({"p", "h"})
_LEFT_OUT = frozenset({"tracked-changes", "forms", "styles", "automatic-styles", "settings", "ruby-text"})
"""`ruby-text` says how the characters before it sound, between the characters of a word."""

_ASIDE = frozenset(
    {
        *("note", "annotation", "frame"),
        *("custom-shape", "rect", "ellipse", "circle", "line", "polyline", "polygon", "path", "connector"),
        *("caption", "measure", "regular-polygon"),
    }
)
"""What stands in the middle of a paragraph and has paragraphs of its own."""
_DESCRIBING = frozenset({"title", "desc"})
_MARGINS = frozenset(f"{where}{which}" for where in ("header", "footer") for which in ("", "-left", "-first"))
_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?<[\w:.-]+(?:\s[^<>]*)?>")
_MASTERS = re.compile(rb"<(?:[\w.-]+:)?master-styles\b")
_HAS_MARGINS = re.compile(rb"[:<](?:header|footer)(?:-left|-first)?[\s>]")
MOST_REPEATED = 1000
MOST_COMMENTS = 10_000


def read(data: bytes, draft: Draft) -> None:
    package = Package(data, draft.spent)
    if "content.xml" not in package:
        raise Unreadable("it has no content.xml")
    draft.title = package.title("meta.xml")
    kind = package.read("mimetype").strip() if "mimetype" in package else b""
    sheets = kind.endswith((b".spreadsheet", b".spreadsheet-template"))
    draft.is_table = sheets
    reader = _Sheets(draft) if sheets else _Texts(draft)
    reader.write(package.events("content.xml"))
    if kind.endswith((b".text", b".text-template")) and "styles.xml" in package:
        styles = package.read("styles.xml")
        if _HAS_MARGINS.search(styles):
            _Margins(draft).write(events(_only_masters(styles), "styles.xml"))


def _only_masters(styles: bytes) -> bytes:
    """Without the styles themselves, which are long and say nothing."""
    root, masters = _ROOT.match(styles), _MASTERS.search(styles)
    return root[0] + styles[masters.start() :] if root and masters else styles


class _Texts:
    """Paragraphs and headings; the pages of a presentation are slides.

    What a paragraph has beside its text (notes, comments, boxes) comes after it: its own words stay together.
    """

    heeded = _PARAGRAPHS | _ASIDE | _DESCRIBING | {"page", "notes", "a", "tab", "line-break", "s"}

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._pieces: list[str] | None = None
        """Of the paragraph that has begun; None outside, and in what has text only in paragraphs of its own."""
        self._open: list[tuple[str, list[str] | None]] = []
        """What has begun, with the pieces of what it stands in."""
        self._after: list[tuple[str, bool]] = []
        self._slides = 0

    def write(self, found: Iterator[Event]) -> None:
        left_out = 0
        heeded = self.heeded
        for event, value, said in found:
            if event == TEXT:
                if (pieces := self._pieces) is not None and not left_out:
                    pieces.append(_SPACE.sub(" ", value) if "\n" in value or "  " in value else value)
            elif value in _LEFT_OUT:
                left_out += 1 if event == START else -1
            elif value not in heeded or left_out:
                continue
            elif event == START:
                self.start(value, said)
            else:
                self.end(value)

    def start(self, name: str, said: dict[str, str]) -> None:
        if name in _PARAGRAPHS:
            self._begin(name, [])
        elif name in _ASIDE:
            self._begin(name, None)
        elif name == "page":
            self._slides += 1
            self.draft.at(f"slide {self._slides}")
        elif name == "notes":
            self.draft.at(f"slide {self._slides}, notes")
        elif name == "a":
            self.draft.link(said.get("href"))
        elif name in _DESCRIBING:
            if self._open and self._pieces is None:  # of a picture; in a paragraph, it is a part of that
                self._begin(name, [])
        elif self._pieces is not None:
            count = said.get("c", "1")
            spaces = " " * min(int(count), 100) if count.isdecimal() else " "
            self._pieces.append({"tab": "\t", "line-break": "\n"}.get(name, spaces))

    def _begin(self, name: str, pieces: list[str] | None) -> None:
        if self._pieces is not None:
            self._pieces.append(PARTED)
        self._open.append((name, self._pieces))
        self._pieces = pieces

    def end(self, name: str) -> None:
        if self._open and self._open[-1][0] == name:
            pieces = self._pieces
            _, self._pieces = self._open.pop()
            if pieces is not None:
                self._ended(joined(pieces), heading=name == "h")

    def _ended(self, text: str, *, heading: bool) -> None:
        if self._open and any(pieces is not None for _, pieces in self._open):
            self._after.append((text, heading))
            return
        self.paragraph(text, heading=heading)
        if self._after:
            after, self._after = self._after, []
            for each, is_heading in after:
                self.paragraph(each, heading=is_heading)

    def paragraph(self, text: str, *, heading: bool) -> None:
        self.draft.line(text)
        if heading:
            self.draft.heading(text)


class _Sheets(_Texts):
    """Tables whose cells have addresses."""

    heeded = _Texts.heeded | {"table", "table-row", "table-cell", "covered-table-cell"}

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        self._sheet = "Sheet"
        self._rows: Rows | None = None
        self._row = self._column = 0
        self._repeat = self._repeat_rows = 1
        self._cell: list[str] = []
        self._comment: list[str] | None = None
        self._comments: list[tuple[int, int, str]] = []

    def start(self, name: str, said: dict[str, str]) -> None:
        if name == "table":
            self._sheet = said.get("name", "Sheet")
            self.draft.heading(self._sheet)
            self._rows = Rows(self.draft, self._sheet)
            self._row = 0
        elif name == "table-row":
            self._column = 0
            self._repeat_rows = _count(said.get("number-rows-repeated"))
        elif name in ("table-cell", "covered-table-cell"):
            self._repeat = _count(said.get("number-columns-repeated"))
            self._cell = []
        else:
            if name == "annotation":
                self._comment = []
            super().start(name, said)

    def end(self, name: str) -> None:
        if name == "table" and self._rows:
            self._rows.finish(self._comments)
            self._comments = []
        elif name == "table-row":
            self._row += self._repeat_rows
        elif name in ("table-cell", "covered-table-cell"):
            self._end_cell(" ".join(self._cell))
        else:
            super().end(name)
            if name == "annotation":
                self._end_comment()

    def _end_cell(self, text: str) -> None:
        if text and self._rows:
            for copy in range(min(self._repeat, MOST_REPEATED)):
                self._rows.cell(self._row, self._column + copy, text)
        self._column += self._repeat

    def _end_comment(self) -> None:
        if self._comment and len(self._comments) < MOST_COMMENTS:
            self._comments.append((self._row, self._column, " ".join(self._comment)))
        self._comment = None

    def paragraph(self, text: str, *, heading: bool) -> None:
        (self._cell if self._comment is None else self._comment).append(text)


class _Margins(_Texts):
    """What stands above and below the text of every page."""

    heeded = _Texts.heeded | _MARGINS

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        self._where = ""

    def start(self, name: str, said: dict[str, str]) -> None:
        if name in _MARGINS:
            self._where = name
        super().start(name, said)

    def paragraph(self, text: str, *, heading: bool) -> None:
        if text.strip() and not text.strip().isdecimal():  # the number of the page
            self.draft.at(self._where or "margin")
            self.draft.line(text)


def _count(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 1
