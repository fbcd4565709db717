"""OpenDocument: texts, sheets and presentations, which share one language."""

from __future__ import annotations

import contextlib
import posixpath
import re
from collections.abc import Iterator

from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.embedded import write_part
from rolltop.store.extract.formats.limits import Unreadable
from rolltop.store.extract.formats.odf.sheets import Sheets, kept_value
from rolltop.store.extract.formats.odf.texts import Texts
from rolltop.store.extract.formats.package import Package
from rolltop.store.extract.formats.xml import START, TEXT, Event, events

__all__ = ["read"]

_CONTENT = "content.xml"
_MANIFEST = "META-INF/manifest.xml"
_MARGINS = frozenset(f"{where}{which}" for where in ("header", "footer") for which in ("", "-left", "-first"))
_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?<[\w:.-]+(?:\s[^<>]*)?>")
_MASTERS = re.compile(rb"<(?:[\w.-]+:)?master-styles\b")
_HAS_MARGINS = re.compile(rb"[:<](?:header|footer)(?:-left|-first)?[\s>]")


def read(data: bytes, draft: Draft) -> None:
    package = Package(data, draft.spent)
    if _is_encrypted(package):
        raise Unreadable("it is encrypted")
    if _CONTENT not in package:
        raise Unreadable(f"it has no {_CONTENT}")
    draft.title = package.title("meta.xml")
    kind = package.read("mimetype").strip() if "mimetype" in package else b""
    sheets = kind.endswith((b".spreadsheet", b".spreadsheet-template"))
    draft.is_table = sheets
    reader = Sheets(draft) if sheets else Texts(draft)
    reader.write(package.events(_CONTENT))
    for place, label in reader.objects.items():
        _object(package, posixpath.normpath(place), draft, label)
    if kind.endswith((b".text", b".text-template")) and "styles.xml" in package:
        styles = package.read("styles.xml")
        if _HAS_MARGINS.search(styles):
            _Margins(draft).write(events(_only_masters(styles), "styles.xml"))


def _is_encrypted(package: Package) -> bool:
    """Whether the manifest says so of the text, or of the whole document, which newer programs pack as one."""
    entry = ""
    with contextlib.suppress(Unreadable):  # what cannot be read does not say so
        for event, name, said in package.events(_MANIFEST) if _MANIFEST in package else ():
            if event == START and name == "file-entry":
                entry = said.get("full-path", "")
            elif event == START and name == "encryption-data" and entry in (_CONTENT, "encrypted-package"):
                return True
    return False


def _object(package: Package, place: str, draft: Draft, label: str) -> None:
    """Write the words of a chart or of another object that is drawn into the document."""
    if place in package and place != _CONTENT:
        write_part(package, place, draft)
    part = f"{place}/{_CONTENT}"
    if part not in package:
        return
    words = _Words(draft)
    try:
        content = package.read(part)
        words.write(events(content, part))
        if not words.said and (formula := _formula(events(content, part))):
            words.said[formula] = None
    except Unreadable as error:
        draft.note(f"{label}: {error}")
    if words.said:
        draft.at(label)
        draft.line("\n".join(words.said))


def _formula(found: Iterator[Event]) -> str:
    """The signs of a formula in their order, without how it was typed; nothing where the object is none."""
    signs: list[str] = []
    aside, is_formula = 0, False
    for event, value, _ in found:
        if event == TEXT:
            if not aside:
                signs.append(value.strip())
        elif value.startswith("annotation"):
            aside += 1 if event == START else -1
        elif value == "math":
            is_formula = True
    return "".join(signs) if is_formula else ""


def _only_masters(styles: bytes) -> bytes:
    """Without the styles themselves, which are long and say nothing."""
    root, masters = _ROOT.match(styles), _MASTERS.search(styles)
    return root[0] + styles[masters.start() :] if root and masters else styles


class _Words(Texts):
    """Each text of an object once; the numbers that a chart is drawn from are none."""

    heeded = Texts.heeded | {"table-cell"}

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        self.said: dict[str, None] = {}
        self._is_number = False

    def start(self, name: str, said: dict[str, str]) -> None:
        if name == "table-cell":
            self._is_number = bool(kept_value(said))
        else:
            super().start(name, said)

    def end(self, name: str) -> None:
        if name == "table-cell":
            self._is_number = False
        else:
            super().end(name)

    def paragraph(self, text: str, *, heading: bool) -> None:
        if text.strip() and not self._is_number:
            self.said[text.strip()] = None


class _Margins(Texts):
    """What stands above and below the text of every page."""

    heeded = Texts.heeded | _MARGINS

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
