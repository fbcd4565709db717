"""Changing a document in place: every change of its text is a new version."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rolltop.errors import Conflict, InvalidInput, SizeLimit
from rolltop.store.blobs.writer import Writer
from rolltop.store.catalog import NewDocument
from rolltop.store.documents.encoding import text_codec
from rolltop.store.file_types import kind_of, mime_of, name_and_extension, storable_path
from rolltop.store.metadata_values import check_count, check_said
from rolltop.store.records import Added, Document
from rolltop.store.times import now

if TYPE_CHECKING:
    from rolltop.store.library import Library

    Change = Callable[[str], str]

__all__ = ["Edits"]

LONGEST = 64 << 20
"""Bytes of a document that is edited: it is held in memory."""

SHOWN = 5
"""Lines that are named where a passage is there more than once."""


class Edits:
    """Edits of a library's documents, each in one transaction."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def append(self, document: Document, text: str) -> Added:
        """Add a text at the end, on a line of its own."""
        return self._edit(document, lambda old: f"{old}\n{text}" if old and not old.endswith("\n") else old + text)

    def replace(self, document: Document, old: str, new: str) -> Added:
        """Put `new` in the place of a passage that is there exactly once."""
        if not old:
            raise InvalidInput("the passage to replace is empty", hint="To add text at the end, append it.")

        def put(text: str) -> str:
            places = _places(text, old)
            if len(places) == 1:
                return text[: places[0]] + new + text[places[0] + len(old) :]
            if not places:
                raise InvalidInput(
                    f"{document.path} does not have this passage", hint="Read the document and copy it exactly."
                )
            lines = ", ".join(str(text.count("\n", 0, place) + 1) for place in places[:SHOWN])
            raise InvalidInput(
                f"{document.path} has this passage {len(places)} times",
                hint=f"Give more of the text around the one you mean; they begin in the lines {lines}"
                + ("." if len(places) <= SHOWN else " and later."),
                details={"count": len(places)},
            )

        return self._edit(document, put)

    def move(self, document: Document, path: str) -> Document:
        """Give a document another path; its versions, tags and metadata go with it."""
        path = _checked(path)

        def work(_: Writer) -> Document:
            live = self._library.documents.live(document.id)
            self._refuse_taken(path)
            mime, kind = self._type_at(live, path)
            self._library.catalog.documents.rename(live, path, mime, kind)
            return self._library.documents.get(path)

        return self._library.write(work)

    def copy(self, document: Document, path: str) -> Document:
        """Store the content under a second path, with its tags and metadata; no byte is written again."""
        path = _checked(path)

        def work(_: Writer) -> Document:
            live = self._library.documents.filled(self._library.documents.live(document.id))
            self._refuse_taken(path)
            name, extension = name_and_extension(path)
            mime, kind = self._type_at(live, path)
            moment = now()
            new = NewDocument(path, name, extension, mime, kind, live.object, live.size, live.created, moment)
            number = self._library.catalog.documents.insert(new, moment)
            self._library.catalog.tags.add(number, live.tags)
            self._library.catalog.tags.set(number, live.metadata, moment)
            return self._library.documents.get(path)

        return self._library.write(work)

    def tag(self, document: Document, add: Sequence[str] = (), remove: Sequence[str] = ()) -> Document:
        """Add and remove tags."""
        check_said(document.path, add, {})

        def work(_: Writer) -> Document:
            live = self._library.documents.live(document.id)
            added = self._library.catalog.tags.add(document.id, add)
            if self._library.catalog.tags.remove(document.id, remove) or added:
                self._library.catalog.documents.touch(live)
            return self._as_it_is(document)

        return self._library.write(work)

    def set_metadata(
        self, document: Document, values: Mapping[str, Any], remove: Sequence[str] = ()
    ) -> tuple[Document, list[str]]:
        """Set and remove metadata; the document and the keys that changed."""
        check_said(document.path, (), values)
        check_count(values)

        def work(_: Writer) -> tuple[Document, list[str]]:
            live = self._library.documents.live(document.id)
            self._library.catalog.tags.refuse_expiry(document.id, values)
            changed = self._library.catalog.tags.set(document.id, values, now())
            changed += self._library.catalog.tags.unset(document.id, remove, now())
            if changed:
                self._library.catalog.documents.touch(live)
            return self._as_it_is(document), changed

        return self._library.write(work)

    def _as_it_is(self, document: Document) -> Document:
        documents = self._library.documents
        return documents.filled(documents.live(document.id))

    def _edit(self, document: Document, change: Change) -> Added:
        if document.kind != "text":
            raise InvalidInput(f"{document.path} is not text", hint="Store the changed file instead.")
        if document.size > LONGEST:
            raise SizeLimit(
                f"{document.path} is larger than {LONGEST >> 20} MB", hint="Store the changed file instead."
            )

        def work(_: Writer) -> Added:
            live = self._library.documents.live(document.id)
            codec, mark = text_codec(self._library, live, live.object)
            content = self._library.documents.read(live)
            try:
                after = change(content[mark:].decode(codec)).encode(codec)
            except UnicodeError:
                raise InvalidInput(
                    f"the text of {live.path} is written in {codec}, which cannot hold this change",
                    hint="Store the whole text anew in UTF-8.",
                ) from None
            return self._library.documents.add(live.path, content[:mark] + after, mime=live.mime)

        return self._library.write(work)

    def _refuse_taken(self, path: str) -> None:
        if self._library.catalog.documents.at(path):
            raise Conflict(f"there is a document {path} already", hint="Choose another path, or delete that one first.")

    def _type_at(self, document: Document, path: str) -> tuple[str, str]:
        """MIME type and kind under another name: what the old name said is said by the new one."""
        text, head = document.kind == "text", self._library.documents.read_span(document.object, 0, 64)
        said, _, charset = document.mime.partition(";")
        if said != mime_of(document.extension, head, text=text):
            return document.mime, document.kind
        mime = mime_of(name_and_extension(path)[1], head, text=text)
        return f"{mime};{charset}" if charset else mime, kind_of(mime, text=text)


def _checked(path: str) -> str:
    check_said(path, (), {})
    if ".." in path.split("/"):
        raise InvalidInput("a name cannot have .. as a part", hint="Leave it out, as in notes/a.md.")
    return storable_path(path)


def _places(text: str, passage: str) -> list[int]:
    """Where a passage begins in a text, also where it overlaps itself."""
    found, place = [], text.find(passage)
    while place >= 0:
        found.append(place)
        place = text.find(passage, place + 1)
    return found
