"""The indexes of the library: followed, asked, mended."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rolltop.base.os_errors import ignoring_write_errors
from rolltop.base.priority import serving_request
from rolltop.errors import Damaged, InvalidInput, NotFound
from rolltop.store.core import Options
from rolltop.store.extract import Extracting
from rolltop.store.meaning import unit_score
from rolltop.store.records import Document
from rolltop.store.seams import BlobStore, Catalog, GrepIndex, TextAnswer, TextHit, TextIndex
from rolltop.store.search.hit_display import Showing, beginning
from rolltop.store.search.index_follower import Learning
from rolltop.store.search.paging import Shown
from rolltop.store.search.results import Hit, Results

if TYPE_CHECKING:
    from rolltop.store.grep import Grep, SharedGrep

__all__ = ["NO_WORDS", "Searching", "has_words"]

Answer = TypeVar("Answer")

NO_WORDS = "The query has no words to look for."

_REBUILT = "The keyword index was damaged and has to be built again."


def has_words(query: str) -> bool:
    """Whether there is anything in a query that could be a word."""
    return any(map(str.isalnum, query))


def _unit_scores(answer: TextAnswer) -> list[TextHit]:
    """The hits with scores from 0 to 1: by how much of what all words are worth they have."""
    full = answer.full or max((hit.score for hit in answer.hits), default=0.0) or 1.0
    shares = [unit_score(hit.score / full) / hit.score if hit.score > 0 else 0.0 for hit in answer.hits]
    return [
        hit._replace(score=hit.score * share, parts={name: part * share for name, part in hit.parts.items()})
        for hit, share in zip(answer.hits, shares, strict=True)
    ]


class Searching(Extracting):
    """The finding part that needs indexes. What a call has stored is found by the next one."""

    def __init__(
        self,
        directory: Path,
        options: Options | None = None,
        *,
        catalog: Catalog | None = None,
        blobs: BlobStore | None = None,
        text: TextIndex | None = None,
        trigrams: GrepIndex | None = None,
    ) -> None:
        super().__init__(directory, options, catalog=catalog, blobs=blobs)
        self._trigrams, self._text = trigrams, text
        self._opening = threading.Lock()
        self._learning = Learning(self.catalog, self.extracts, lambda: self.text, background=self.options.background)

    @property
    def text(self) -> TextIndex:
        """The keyword index, opened when it is first needed."""
        if self._text is None:
            from rolltop.store.text import KeywordIndex  # noqa: PLC0415 - it brings numpy

            with self._opening:
                if self._text is None:
                    self._text = KeywordIndex(self.directory / "text", self.catalog.identity())
        return self._text

    @cached_property
    def _grepping(self) -> SharedGrep:
        from rolltop.store.grep import SharedGrep  # noqa: PLC0415 - it brings numpy

        return SharedGrep(
            self.directory / "grep",
            self.catalog,
            self.reader,
            self.extracts,
            steady=self._steadily,
            frames=self._trigrams,
        )

    def _steadily(self) -> AbstractContextManager[None]:
        """One state of the store; inside a transaction there is but one."""
        return nullcontext() if self.committer.active else self.steady()

    def written(self) -> None:
        super().written()
        self._learning.wanted()

    @property
    def grep(self) -> Grep:
        """Regular expressions. Inside a transaction with a memory of its own, which a rollback takes with it."""
        if self.committer.active:
            return self._grepping.another()
        self.settle()
        self._grepping.background.wanted()
        return self._grepping.engine

    # searching -----------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        similarity: float | None = None,
        why: bool = False,
        shown: Shown | None = None,
        among: frozenset[int] | None = None,
    ) -> Results:
        """Documents that answer the query, better ones first. With `similarity`, nearly spelled words count too.

        `why` also tells what each score is made of. `shown` is `next` of the page before, `offset` counts in the order
        of now. If `among` is given, only these documents count.

        The query language and the meaning of `similarity` are in docs/design/search.md.
        """
        if similarity is not None and not 0 <= similarity <= 1:
            raise InvalidInput("similarity is a number from 0 to 1")
        with serving_request():
            return self._searched(query, limit, offset, similarity, shown, why=why, among=among)

    def _searched(
        self,
        query: str,
        limit: int,
        offset: int,
        similarity: float | None,
        shown: Shown | None,
        *,
        why: bool,
        among: frozenset[int] | None,
    ) -> Results:
        # One more than is shown: it tells that there are more.
        answer, missing = self._by_words(query, limit + 1, offset, similarity, why=why, shown=shown, among=among)
        note = " ".join(filter(None, (answer.note, self._waiting(missing))))
        kind = "full-text" if similarity is None else "fuzzy"
        results = Results([], answer.total, kind, note or None, unindexed=missing)
        return self._page(_unit_scores(answer), limit, shown, results, answer)

    def _page(
        self,
        ranked: Sequence[TextHit],
        limit: int,
        shown: Shown | None,
        results: Results,
        answer: TextAnswer | None = None,
    ) -> Results:
        """With the first hits of a ranking, and with what is needed for the next page where there are more."""
        page = ranked[:limit]
        before = shown or Shown(complete=answer is None or answer.complete)
        following = before.and_these(each.document for each in page) if len(ranked) > limit else None
        return replace(results, hits=self._shown(page, answer), next=following)

    def _by_words(
        self,
        query: str,
        limit: int,
        offset: int,
        similarity: float | None,
        *,
        why: bool = False,
        shown: Shown | None = None,
        among: frozenset[int] | None = None,
    ) -> tuple[TextAnswer, int]:
        """The keyword leg, and how many documents it does not know yet."""
        asked: dict[str, Any] = {"limit": limit, "offset": offset, "similarity": similarity, "why": why}
        asked |= {"shown": shown, "among": among}
        answer, missing, note = self._asked(partial(self.text.search, query, **asked))
        return (replace(answer, note=" ".join(filter(None, (answer.note, note)))) if note else answer), missing

    def _asked(self, ask: Callable[..., Answer]) -> tuple[Answer, int, str | None]:
        """What the index answers, how many documents it does not know yet, and a note where it had to be mended."""
        if self.committer.active:
            return ask(also=self._learning.uncommitted()), 0, None
        with ignoring_write_errors():
            self.finish_purge()
        self.settle()
        missing = self._learning.freshen()
        try:
            return ask(), missing, None
        except Damaged as error:
            if not self.text.doubt():
                return ask(), missing, None
            missing = self._learning.freshen()  # what the index held is learned again from the catalogue
            if missing and not self.options.background:
                raise Damaged("the keyword index is damaged", hint="Run `rolltop store repair`.") from error
            return ask(), missing, _REBUILT

    def _weighed(self, query: str, documents: Sequence[int], *, why: bool = False) -> dict[int, TextHit]:
        """What the keyword leg says about some documents, whichever of its words they hold."""
        also = self._learning.uncommitted() if self.committer.active else None
        return self.text.weigh(query, documents, why=why, also=also)

    def _shown(self, ranked: Sequence[TextHit], answer: TextAnswer | None = None) -> list[Hit]:
        """The documents of a ranking, with the piece of text that answers best."""
        words, families = (answer.words, answer.families) if answer else ((), ())
        return Showing(self.catalog, self.extracts, words, families).hits(ranked)

    def beginning(self, document: Document) -> str:
        """The piece that the text of a document begins with; empty where it has none."""
        return beginning(self.extracts, document)

    def _waiting(self, missing: int) -> str | None:
        """What an answer says of documents that it could not know."""
        if missing and self._learning.refused:
            return f"{missing} documents are not indexed, because nothing can be written in the store; grep finds them."
        if missing:
            return f"{missing} documents are not indexed yet: ask again in a moment."
        return " ".join(filter(None, (self.unread(), self.too_long()))) or None

    def numbers_of(self, query: str) -> tuple[tuple[int, ...], str | None]:
        """Only the numbers of all documents that answer the query, better ones first; and what there is to say."""
        with serving_request():
            answer, missing = self._by_words(query, sys.maxsize, 0, None)
        about = (answer.note, None if has_words(query) else NO_WORDS, self._waiting(missing))
        return tuple(hit.document for hit in answer.hits), " ".join(filter(None, about)) or None

    def unindexed(self) -> int:
        """How many changed documents the keyword index on disk has not learned yet."""
        return self.catalog.documents.pending(self.text.mark)[0]

    def catch_up(
        self, progress: Callable[[int, int], None] | None = None, stop: Callable[[], bool] = lambda: False
    ) -> int:
        """Let the keyword index learn every change there is, or all until `stop`; how many documents it learned."""
        if self.committer.active:
            return 0  # what a transaction has written may yet be rolled back: the index must not learn it
        return self._learning.catch_up(progress, stop)

    def rebuild_words(
        self, progress: Callable[[int, int], None] | None = None, stop: Callable[[], bool] = lambda: False
    ) -> int:
        """Build the keyword index again; the old one answers until the new one is there."""
        return self._learning.rebuild(progress, stop)

    # indexes -------------------------------------------------------------------------------------

    def index(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Bring every index up to date."""
        self.finish_purge()
        self.read_texts(progress)
        self.grep.index_pending(progress=progress)
        self.catch_up(progress)

    def index_damage(self) -> list[str]:
        if self.catalog.objects.purging() is not None:
            return ["indexes: a collection was interrupted, so they may still know what it removed"]
        return self.text.damage() + self.grep.index_damage()

    def mend_indexes(self, *, anew: bool) -> list[str]:
        mended = ["made the indexes forget what was collected"] if self.finish_purge() else []
        mended += [f"dropped the trigram segment {name}" for name in self._drop_bad_segments()]
        if anew or self.text.damage():
            self._learning.rebuild()
            mended.append("built the keyword index again")
        with contextlib.suppress(Damaged, NotFound):  # what cannot be read cannot be indexed; verify names it
            self.index()
        return mended

    def forget_trigrams(self) -> None:
        """Empty the indexes of grep; the next look builds them again."""
        self._grepping.clear()

    def _drop_bad_segments(self) -> list[str]:
        dropped = self.grep.drop_stale()
        if self.grep.index_damage():
            self.forget_trigrams()
            dropped.append("*")
        return dropped

    def purge_indexes(self, documents: Sequence[int]) -> None:
        # A word of a collected document may lie in any file of the keyword index: they are all written anew.
        if documents:
            self.text.clear()
            self.catch_up()
        self.forget_texts()
        self.grep.drop_stale()

    def close(self) -> None:
        self._learning.stop()
        if "_grepping" in self.__dict__:
            self._grepping.close()
        elif self._trigrams is not None:
            self._trigrams.close()
        if self._text is not None:
            self._text.close()
        super().close()
