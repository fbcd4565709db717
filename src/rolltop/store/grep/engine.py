"""Grep over the store: the trigram index names frames, frames are scanned in joined runs, hits become documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass

import numpy as np

from rolltop.base.priority import serving_request, yielding_to_requests
from rolltop.errors import Damaged, InvalidInput, NotFound
from rolltop.store.blobs.reader import Reader
from rolltop.store.file_types import storable_path
from rolltop.store.grep.layout import Layout, LayoutView, Numbers
from rolltop.store.grep.lines import FileLines, blocks_of, lines_of, streamed_lines_of
from rolltop.store.grep.matcher import Matcher
from rolltop.store.grep.missed import Missed, told
from rolltop.store.grep.texts import TextLines, lines_in
from rolltop.store.query import Listing
from rolltop.store.records import Document, Frame
from rolltop.store.seams import Catalog, GrepIndex

__all__ = ["Grep", "Pattern"]

JOINED = 1 << 20
"""Frames are joined to runs of about this size before they are scanned."""


STREAMED = 16 << 20
"""Bytes of a document above which it is never held as a whole."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What to look for, where, and in which sense."""

    pattern: str
    paths: tuple[str, ...] = ()
    ignore_case: bool = False
    word: bool = False
    invert: bool = False
    max_count: int = 0

    def __post_init__(self) -> None:
        if self.max_count < 0:
            raise InvalidInput("max_count must not be negative", hint="0 means no limit.")
        if "\n" in self.pattern:
            raise InvalidInput("a pattern cannot hold a line end: grep looks at one line at a time")
        if storable_path(self.pattern) != self.pattern:
            raise InvalidInput("the pattern holds bytes that are not UTF-8", hint="Write it in UTF-8.")


class Grep:
    """Complete answers: a document that has a matching line is always found.

    The lines of a document whose bytes are not text (PDF, DOCX) are those of its text, as far as it has been read.
    """

    def __init__(
        self,
        catalog: Catalog,
        reader: Reader,
        index: GrepIndex,
        texts: TextLines | None = None,
        steady: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._catalog = catalog
        self._texts = texts
        self._steady = steady
        self._reader = reader
        self._index = index
        self._layout = Layout(catalog)

    # documents -----------------------------------------------------------------------------------

    def counts(self, asked: Pattern, missed: Missed | None = None) -> Iterator[tuple[Document, int]]:
        """Every document with a selected line, by path, and how many it has (`max_count` at most).

        Documents that are damaged come into `missed`; without it they are an error, after everything else.
        """
        with told(missed) as damaged:
            if asked.invert:
                for file in self.files(asked, missed=damaged):
                    yield file.document, len(file.selected)
                return
            limit = asked.max_count or 1 << 62
            for document, count in self._matching(asked, damaged):
                yield document, min(count, limit)

    def without(self, asked: Pattern, missed: Missed | None = None) -> Iterator[Document]:
        """Every document without a selected line, by path; damaged ones as in `counts`."""
        with told(missed) as damaged:
            found = {document.id for document, _ in self.counts(asked, damaged)}
            for document in self._selected(asked):
                if document.id not in found and document.path not in damaged:
                    yield document

    def files(
        self, asked: Pattern, after: str = "", line: int = 0, missed: Missed | None = None
    ) -> Iterator[FileLines]:
        """Every document with a selected line, with its lines, by path; those after a path if one is given.

        With `line`, the document of that path comes first, with what is selected after that line. Damaged ones are
        told as in `counts`.
        """
        with told(missed) as damaged:
            matcher = self._matcher(asked)
            if asked.invert:
                chosen: Iterable[Document] = self._selected(asked)
            else:
                chosen = (document for document, _ in self._matching(asked, damaged))
            for document in chosen:
                begun = line > 0 and document.path == after
                if begun or document.path > after:
                    try:
                        file = self._lines(document, matcher, asked)
                    except (Damaged, NotFound) as error:
                        damaged[document.path] = error.message
                        continue
                    if begun:
                        file = file.part([index for index in file.selected if index >= line])
                    if file.selected:
                        yield file

    def _matcher(self, asked: Pattern) -> Matcher:
        return Matcher(asked.pattern, ignore_case=asked.ignore_case, word=asked.word)

    def _lines(self, document: Document, matcher: Matcher, asked: Pattern) -> FileLines:
        text = self._texts.of(document) if self._texts else None
        if text is not None:
            return lines_of(document, lines_in(text), matcher, asked, text)
        entry = self._catalog.objects.get(document.object)
        if entry is None:
            raise NotFound("the content is not in the store any more", code="document_not_found")
        if entry.size > STREAMED:
            return streamed_lines_of(document, self._reader, entry, matcher, asked)
        return lines_of(document, self._reader.content(entry), matcher, asked)

    def _selected(self, asked: Pattern) -> list[Document]:
        return self._catalog.listings.all(Listing(paths=asked.paths))

    def _matching(self, asked: Pattern, missed: Missed) -> list[tuple[Document, int]]:
        """Documents with a matching line, by path, with the number of such lines."""
        matcher = self._matcher(asked)
        lost: dict[int, str] = {}
        with serving_request(), self._steady():
            view = self._layout.view()
            chosen = self._selected(asked) if asked.paths else None
            counts = self._object_counts(view, matcher, chosen, lost)
            in_texts = self._text_counts(matcher, chosen)
            numbers = counts.keys() | in_texts.keys() | lost.keys()
            if chosen is None:
                chosen = self._catalog.documents.with_objects(numbers)
        if lost:
            unread = [each for each in chosen if each.object in lost and not self._stands_text(each)]
            missed.update((each.path, lost[each.object]) for each in unread)
            chosen = [each for each in chosen if each.path not in missed]
        pairs = [(document, self._count(document, counts, in_texts)) for document in chosen]
        return sorted((pair for pair in pairs if pair[1]), key=lambda pair: pair[0].path)

    def _stands_text(self, document: Document) -> bool:
        """Whether its lines are those of the text that was read out of it."""
        return self._texts is not None and self._texts.stand_for(document)

    def _count(self, document: Document, counts: dict[int, int], in_texts: dict[int, int]) -> int:
        """The lines of its bytes or those of its text, whichever stand for the document."""
        count, in_text = counts.get(document.object, 0), in_texts.get(document.object, 0)
        if (count or in_text) and self._stands_text(document):
            return in_text
        return count

    def _text_counts(self, matcher: Matcher, chosen: list[Document] | None) -> dict[int, int]:
        """Matching lines of the texts that were read, by object."""
        if self._texts is None:
            return {}
        found = dict(self._texts.counts(matcher, None if chosen is None else {each.hash for each in chosen}))
        by_prefix = self._catalog.objects.by_prefix
        return {entry.id: count for digest, count in found.items() for entry in by_prefix(digest, 1)}

    # objects -------------------------------------------------------------------------------------

    def _object_counts(
        self, view: LayoutView, matcher: Matcher, chosen: list[Document] | None, lost: dict[int, str]
    ) -> dict[int, int]:
        """Matching lines of each object that has any; those that cannot be read, and why, come into `lost`."""
        places = self._candidates(view, matcher, chosen)
        totals: dict[int, int] = {}
        for leaf, count in self._leaf_counts(view, matcher, places, lost):
            totals[leaf] = totals.get(leaf, 0) + count
            for parent in view.parents.get(leaf, ()):
                if parent not in view.unaligned:
                    totals[parent] = totals.get(parent, 0) + count
        for number in self._unaligned(view, chosen):
            try:
                totals[number] = self._count_whole(number, matcher)
            except (Damaged, NotFound) as error:
                lost[number] = error.message
        return {number: count for number, count in totals.items() if count}

    def _candidates(self, view: LayoutView, matcher: Matcher, chosen: list[Document] | None) -> Numbers:
        table = view.table
        places = self._index.candidates(table, matcher.asked)
        if chosen is None:
            return places
        wanted = {document.object for document in chosen}
        leaves = [leaf for leaf, parents in view.parents.items() if not wanted.isdisjoint(parents)]
        inside = view.frames_of(np.array([*wanted, *leaves], np.int64))
        return places[np.isin(table.numbers[places], inside)]

    def _unaligned(self, view: LayoutView, chosen: list[Document] | None) -> Iterator[int]:
        """Objects whose lines do not end with their leaves: they are searched whole."""
        if chosen is not None:
            yield from {document.object for document in chosen} & view.unaligned
            return
        for number in view.unaligned:
            if self._catalog.documents.with_object(number):
                yield number

    def _count_whole(self, number: int, matcher: Matcher) -> int:
        entry = self._catalog.objects.get(number)
        if entry is None:
            return 0
        return sum(len(matcher.line_ends(block)) for _, block in blocks_of(self._reader.pieces(entry)))

    # frames --------------------------------------------------------------------------------------

    def _leaf_counts(
        self, view: LayoutView, matcher: Matcher, places: Numbers, lost: dict[int, str]
    ) -> Iterator[tuple[int, int]]:
        """(leaf, matching lines) for the leaves in some frames."""
        run, texts, size = list[int](), list[bytes](), 0
        table = view.table
        for place in places.tolist():
            try:
                text = self._raw(view, table.frames[place])
            except (Damaged, NotFound) as error:
                lost.update((number, error.message) for number in _objects_in(view, table.frames[place]))
                continue
            if not matcher.quick(text):
                yield from _scan_run(view, matcher, [place], [text])
                continue
            run.append(place)
            texts.append(text)
            size += len(text)
            if size >= JOINED:
                yield from _scan_run(view, matcher, run, texts)
                run, texts, size = [], [], 0
        if run:
            yield from _scan_run(view, matcher, run, texts)

    def _raw(self, view: LayoutView, frame: Frame) -> bytes:
        try:
            return self._reader.raw(frame) if frame.base is not None else self._reader.fresh(frame)
        except (Damaged, NotFound):
            if view.is_in_use(frame.id):
                raise
            return b"\n"  # all that was in it has been stored again elsewhere

    # the index -----------------------------------------------------------------------------------

    def index_pending(
        self,
        *,
        least: int = 1,
        progress: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Build the segments that are missing, or some until `stop`; how many frames were covered."""
        table = self._layout.frames()
        runs = list(self._index.missing(table, least=least))
        total, done = sum(map(len, runs)) + (self._texts.uncovered(least) if self._texts else 0), 0

        def covered(count: int) -> None:
            nonlocal done
            done += count
            if progress:
                progress(done, total)

        for run in runs:
            with suppress(Damaged, NotFound):  # what no segment covers is searched directly, and named if it cannot be
                self._index.add(table, run, [self._indexed(frame) for frame in yielding_to_requests(run)])
            covered(len(run))
            if stop():
                return done
        if self._texts:
            self._texts.index_pending(least, covered)
        return done

    def _indexed(self, frame: Frame) -> bytes:
        """What a segment is built from. What lies in frames is only looked up where one cannot be read."""
        try:
            return self._reader.raw(frame) if frame.base is not None else self._reader.fresh(frame)
        except (Damaged, NotFound):
            return self._raw(self._layout.view(), frame)

    def uncovered(self) -> int:
        """How many frames and texts have to be searched directly, as of the last search."""
        frames = sum(len(run) for run in self._index.missing(self._layout.known_frames, least=1))
        return frames + (self._texts.uncovered() if self._texts else 0)

    def index_damage(self) -> list[str]:
        return self._index.damage(self._layout.frames()) + (self._texts.damage() if self._texts else [])

    def drop_stale(self) -> list[str]:
        dropped = self._index.drop_stale(self._layout.frames())
        return dropped + (self._texts.drop_stale() if self._texts else [])


def _objects_in(view: LayoutView, frame: Frame) -> Iterator[int]:
    """The leaves in a frame, and what is made of them."""
    for leaf in view.leaves_in(np.array([frame.id], np.int64))[2].tolist():
        yield leaf
        yield from view.parents.get(leaf, ())


def _scan_run(view: LayoutView, matcher: Matcher, run: list[int], texts: list[bytes]) -> Iterator[tuple[int, int]]:
    """(leaf, matching lines) for some frames that are scanned as one text."""
    ends = matcher.line_ends(b"".join(texts) if len(texts) > 1 else texts[0])
    which, starts, leaves = view.leaves_in(view.table.numbers[run])
    if not ends or not len(leaves):  # a frame that is out of use has no leaves
        return
    offsets = np.concatenate(([0], np.cumsum([len(text) for text in texts])[:-1]))
    hit = np.searchsorted(offsets[which] + starts, np.array(ends), "right") - 1
    counts = np.bincount(hit[hit >= 0], minlength=len(leaves))
    found = np.flatnonzero(counts)
    yield from zip(leaves[found].tolist(), counts[found].tolist(), strict=True)
