"""The part of the library that knows how documents belong together."""

from __future__ import annotations

import contextlib
import importlib.util
import threading
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from rolltop.base.os_errors import ignoring_write_errors
from rolltop.base.priority import serving_request, waiting_for_background, yielding_to_requests
from rolltop.errors import PartMissing
from rolltop.store.extract import Extracted
from rolltop.store.extract.import_statements import LANGUAGES
from rolltop.store.extract.worker_pool import Studied
from rolltop.store.follower import Pressing, Task
from rolltop.store.records import Document
from rolltop.store.replication.parts import Part
from rolltop.store.replication.sqlite_part import SqlitePart
from rolltop.store.sqlite.sidecar import alone

if TYPE_CHECKING:
    from rolltop.store.graph.edges import Node
    from rolltop.store.graph.trait_file import TraitFile
    from rolltop.store.graph.walk import Neighbourhood
    from rolltop.store.library import Library

__all__ = ["Relations"]

STEP = 50
"""Documents whose traits are learned in one transaction."""
PATIENCE = 2.0
"""Seconds that a question waits for documents that were stored just now."""
MOST_RELATED = 100
LONGEST_STUDIED = 1 << 20
REST = 0.2
"""The background leaves the processor to others for so much of the time that it worked."""


class Relations:
    """Relations of documents, followed as they change. What calculates with numpy is loaded when it is needed."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._tracing = threading.Lock()
        self._ended = threading.Event()
        self.task = Task("relations", self.follow, is_done=lambda: not self.untraced())

    @cached_property
    def traits(self) -> TraitFile:
        from rolltop.store.graph.trait_file import TraitFile  # noqa: PLC0415

        return TraitFile(self._library.directory / "graph.db", self._library.catalog.identity())

    def part(self) -> Part:
        """What servers share of them."""
        from rolltop.store.graph.trait_file import TRAITS  # noqa: PLC0415

        place = self._library.directory
        return SqlitePart(f"relations-{TRAITS}", place / "graph.db", place / "graph.lock", lambda: self.traits)

    def related(self, start: Node | Document, depth: int = 2, limit: int = MOST_RELATED) -> Neighbourhood:
        """The documents around one, breadth first; `behind` says how many changes have not been looked at yet."""
        from rolltop.store.graph.edges import Edges, Node  # noqa: PLC0415
        from rolltop.store.graph.walk import walk  # noqa: PLC0415

        self.trace(seconds=PATIENCE)
        node = Node(start) if isinstance(start, Document) else start
        with serving_request():
            found = walk(Edges(self._library.catalog, self.traits), node, depth, limit)
        found.behind = self.untraced()
        return found

    def node(self, document: Document, number: int) -> Node:
        """A document with this content: as it is, or the version that had it."""
        from rolltop.store.graph.edges import Node  # noqa: PLC0415

        history = self._library.catalog.documents.versions(document)
        earlier = next((version for version in reversed(history) if version.object == number), None)
        return Node(document, None if earlier is None or earlier.object == document.object else earlier)

    def untraced(self) -> int:
        """Changes whose traits are not known yet."""
        return max(0, self._library.catalog.documents.last_change() - self.traits.mark)

    def trace(self, seconds: float | None = None, progress: Callable[[int, int], None] | None = None) -> None:
        """Learn what belongs together of everything that changed; or as much as so many seconds allow."""
        end = None if seconds is None else time.monotonic() + seconds
        while not self._library.committer.active and self.untraced() and not self._ended.is_set():
            with ignoring_write_errors() as refused:
                if not self._trace_step(None if end is None else end - time.monotonic()):
                    with waiting_for_background():
                        time.sleep(0.02)  # another process is at it
            if refused:
                return  # what is known has to do
            if progress:
                progress(self.traits.mark, self._library.catalog.documents.last_change())
            if end is not None and time.monotonic() > end:
                return

    def _trace_step(self, patience: float | None = None) -> bool:
        """Some more documents; false where another one is doing that, or nothing is left."""
        with waiting_for_background():
            mine = self._tracing.acquire(timeout=-1 if patience is None else max(0.0, patience))
        if not mine:
            return False
        try:
            return self._traced()
        finally:
            self._tracing.release()

    def _traced(self) -> bool:
        from rolltop.store.graph.traits import traits_of  # noqa: PLC0415

        with alone(self._library.directory / "graph.lock") as only:
            last = self._library.catalog.documents.last_change()
            documents = self._library.catalog.documents.changed(self.traits.mark, STEP) if only else []
            if only and not documents:  # what changed last has been collected since
                self.traits.update([], [], last)
            if documents:
                live = [document for document in documents if document.deleted is None]
                texts = [self._library.extracts.of(document) for document in yielding_to_requests(live)]
                studied = self._studied(live, texts)
                traits = [
                    (document.id, traits_of(text, document.extension, code))
                    for document, text, code in yielding_to_requests(zip(live, texts, studied, strict=True))
                ]
                gone = [document.id for document in documents if document.deleted is not None]
                self.traits.update(traits, gone, documents[-1].change)
                self._tell_names(live, texts, studied)
            return bool(documents)

    def _tell_names(
        self, documents: Sequence[Document], texts: Sequence[Extracted], studied: Sequence[Studied | None]
    ) -> None:
        """Let words be found too that only a parser knows to be names of what is defined."""
        if self._library.options.read_only:
            return
        pairs = [pair for pair in zip(documents, texts, studied, strict=True) if pair[2] is not None]
        news = [d for d, text, code in pairs if code and self._library.extracts.learn_names(d, text, code.defines)]
        if news:
            self._library.texts.look_again(news)

    def _studied(self, documents: Sequence[Document], texts: Sequence[Extracted]) -> list[Studied | None]:
        """What the parsers say about the codes among the documents."""
        found: list[Studied | None] = [None] * len(documents)
        codes = {
            place: (language, text.body)
            for place, (document, text) in enumerate(zip(documents, texts, strict=True))
            if (language := LANGUAGES.get(document.extension)) and 0 < len(text.body) <= LONGEST_STUDIED
        }
        if codes and importlib.util.find_spec("tree_sitter"):
            with contextlib.suppress(PartMissing):  # no workers on this machine: lines that look so have to do
                for place, studied in zip(
                    codes, self._library.texts.following.workers.study(list(codes.values())), strict=False
                ):
                    found[place] = studied
        return found

    def follow(self, pressing: Pressing) -> bool:
        """Learn the traits of what changed, until something else is `pressing`; whether that was all."""
        while not pressing():
            begun = time.monotonic()
            if not self._trace_step():
                return True
            self._ended.wait(REST * (time.monotonic() - begun))
        return False

    def purge(self, documents: Sequence[int]) -> None:
        """Forget documents that were collected."""
        with self._tracing:
            self.traits.update([], documents, self.traits.mark)
            self.traits.purge()

    def stop(self) -> None:
        """End what is being learned after the step it is at."""
        self._ended.set()

    def close(self) -> None:
        if "traits" in self.__dict__:
            self.traits.close()
