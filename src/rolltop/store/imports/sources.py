"""Which kind of export a file is, and what is in it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from email import policy
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from rolltop.errors import InvalidData, SizeLimit
from rolltop.store.blobs.writer import Writer
from rolltop.store.documents.ingest import Tally
from rolltop.store.extract.formats.mailbox import messages_in
from rolltop.store.imports.bibtex import entries_in, is_bibliography
from rolltop.store.imports.bookmarks import are_bookmarks, bookmarks_in
from rolltop.store.imports.conversations import are_conversations, conversations_in
from rolltop.store.imports.item import Item, file_name, moment_of

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["FORMATS", "Item", "foreign_items", "import_foreign"]

FORMATS = "conversations of ChatGPT and Claude, bookmarks of a browser, mailboxes, BibTeX"

LARGEST = 1 << 30
"""Bytes of conversations in an archive: what is packed may be far larger than its file."""

BATCH = 500

_CONVERSATIONS = "conversations.json"


def foreign_items(data: bytes) -> Iterator[Item]:
    """The documents of an export; an error where it is none that is known."""
    if zipfile.is_zipfile(io.BytesIO(data)):
        data = _unpacked(data)
    if data.lstrip()[:1] == b"[" and are_conversations(exported := _json(data)):
        yield from conversations_in(exported)
    elif are_bookmarks(data):
        yield from bookmarks_in(data)
    elif data.startswith(b"From ") and (messages := list(messages_in(data))):
        yield from map(_message, messages)
    elif is_bibliography(text := data.decode("utf-8", "replace")):
        yield from entries_in(text)
    else:
        raise InvalidData("this is no export that rolltop knows", hint=f"It reads archives of `export`, {FORMATS}.")


def import_foreign(library: Library, data: bytes, progress: Callable[[int], None] = lambda _: None) -> Tally:
    """Store the documents of an export, some hundreds in each transaction; later exports make new versions."""
    tally, items = Tally(), foreign_items(data)
    while batch := list(islice(items, BATCH)):
        library.write(partial(_store_all, library, batch, tally))
        progress(tally.documents)
    return tally


def _store_all(library: Library, items: Sequence[Item], tally: Tally, _: Writer) -> None:
    for item in items:
        _store(library, item, tally)


def _store(library: Library, item: Item, tally: Tally) -> None:
    added = library.documents.add(
        item.path,
        item.content,
        tags=item.tags,
        metadata=item.metadata,
        created=item.created,
        modified=item.modified,
    )
    tally.documents += 1
    tally.new += added.outcome == "new"
    tally.versions += added.outcome == "version"
    tally.unchanged += added.outcome == "unchanged"
    tally.bytes += added.document.size
    tally.bytes_stored += added.bytes_stored


def _json(data: bytes) -> list[object]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidData(f"the export is not whole: {error}", hint="Download it again.") from None
    return found if isinstance(found, list) else []


def _unpacked(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        inside = [each for each in archive.infolist() if each.filename.rpartition("/")[2] == _CONVERSATIONS]
        if not inside:
            raise InvalidData(f"the archive has no {_CONVERSATIONS}", hint=f"rolltop imports {FORMATS}.")
        with archive.open(inside[0]) as file:
            content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise SizeLimit(f"{_CONVERSATIONS} is larger than {LARGEST >> 30} GiB", hint="Split the export first.")
    return content


def _message(data: bytes) -> Item:
    """A message as it was sent: its text is read out of it like that of any mail."""
    head = BytesHeaderParser(policy=policy.compat32).parsebytes(data)
    subject, identity = str(head.get("Subject", "")), str(head.get("Message-ID", "")) or data[:4096].decode("latin-1")
    try:
        sent = moment_of(parsedate_to_datetime(str(head.get("Date", ""))).timestamp())
    except (ValueError, TypeError):
        sent = None
    return Item(f"mail/{file_name(subject, identity, 'eml')}", data, ("mail",), {}, sent, sent)
