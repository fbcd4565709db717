"""Files that are zip archives of XML: Office documents, OpenDocument, EPUB."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from urllib.parse import unquote

from rolltop.store.extract.formats.limits import Spent, Unreadable
from rolltop.store.extract.formats.xml import END, START, TEXT, Event, events

__all__ = ["Package"]

_PIECE = 1 << 18


class Package:
    """Members by name, unpacked no further than is allowed."""

    def __init__(self, data: bytes, spent: Spent) -> None:
        self._spent = spent
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OverflowError, NotImplementedError, OSError) as error:
            raise Unreadable(f"the zip archive is damaged ({error})") from None
        self.names = self._zip.namelist()
        self._known = set(self.names)
        self._relations: dict[str, dict[str, tuple[str, str]]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def size(self, name: str) -> int:
        """How long the member says it is; it may lie."""
        return self._zip.getinfo(name).file_size

    def read(self, name: str) -> bytes:
        """A member, whole."""
        try:
            with self._zip.open(name) as member:
                pieces = []
                while piece := member.read(_PIECE):
                    self._spent.unpack(len(piece))
                    pieces.append(piece)
                return b"".join(pieces)
        except RuntimeError as error:
            if "encrypted" in str(error):
                raise Unreadable("it is encrypted") from None
            raise Unreadable(f"{name} cannot be unpacked ({error})") from None
        except KeyError:
            raise Unreadable(f"it has no {name}") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, OSError) as error:
            raise Unreadable(f"{name} cannot be unpacked ({error})") from None

    def events(self, name: str) -> Iterator[Event]:
        return events(self.read(name), name)

    def main_part(self, usual: str) -> str:
        """The part that an Office document begins with: the one that it names, else where that usually is."""
        named = (target for kind, target in self.relations("").values() if kind == "officeDocument")
        for part in (*named, usual):
            if part in self:
                return part
        raise Unreadable(f"it has no {usual}")

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """Relations of a part of an Office document: id → (kind, target); outside targets as they are."""
        if name not in self._relations:
            self._relations[name] = self._read_relations(name)
        return self._relations[name]

    def _read_relations(self, name: str) -> dict[str, tuple[str, str]]:
        folder, _, file = name.rpartition("/")
        place = f"{folder}/_rels/{file}.rels".lstrip("/")
        if place not in self:
            return {}
        found = {}
        for event, element, said in self.events(place):
            if event == START and element == "Relationship":
                target = said.get("Target", "")
                if said.get("TargetMode") != "External":
                    target = posixpath.normpath(posixpath.join("/", folder, unquote(target))).lstrip("/")
                found[said.get("Id", "")] = (said.get("Type", "").rpartition("/")[2], target)
        return found

    def title(self, name: str) -> str:
        """The title among the properties of the document."""
        if name not in self:
            return ""
        inside, title = False, ""
        for event, value, _ in self.events(name):
            if event != TEXT and value == "title":
                if event == END and title:
                    break
                inside = event == START
            elif event == TEXT and inside:
                title += value
        return title
