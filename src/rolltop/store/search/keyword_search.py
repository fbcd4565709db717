"""Search by words: the keyword index, asked after it has learned what was stored last."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from rolltop.base.os_errors import ignoring_write_errors
from rolltop.base.priority import serving_request
from rolltop.errors import Damaged, InvalidInput
from rolltop.store.meaning import unit_score
from rolltop.store.seams import TextAnswer, TextHit, TextIndex
from rolltop.store.search.hit_display import Showing
from rolltop.store.search.index_follower import Learning
from rolltop.store.search.paging import Shown
from rolltop.store.search.results import Hit, Results

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["NO_WORDS", "KeywordSearch", "has_words"]

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


class KeywordSearch:
    """Search by words. What a call has stored is found by the next one."""

    def __init__(self, library: Library, index: TextIndex | None = None) -> None:
        self._library = library
        self._index = index
        self._opening = threading.Lock()
        self.learning = Learning(
            library.catalog, library.texts.extracts, lambda: self.index, library.follower, library.indexes.builds
        )

    @property
    def index(self) -> TextIndex:
        """The keyword index, opened when it is first needed."""
        if self._index is None:
            from rolltop.store.text import KeywordIndex  # noqa: PLC0415 - it brings numpy

            with self._opening:
                if self._index is None:
                    self._index = KeywordIndex(self._library.directory / "text", self._library.catalog.identity())
        return self._index

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
        answer, missing = self.by_words(query, limit + 1, offset, similarity, why=why, shown=shown, among=among)
        note = " ".join(filter(None, (answer.note, self.waiting(missing))))
        kind = "full-text" if similarity is None else "fuzzy"
        results = Results([], answer.total, kind, note or None, unindexed=missing)
        return self.page(_unit_scores(answer), limit, shown, results, answer)

    def page(
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
        return replace(results, hits=self.displayed(page, answer), next=following)

    def by_words(
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
        answer, missing, note = self.asked(partial(self.index.search, query, **asked))
        return (replace(answer, note=" ".join(filter(None, (answer.note, note)))) if note else answer), missing

    def asked(self, ask: Callable[..., Answer]) -> tuple[Answer, int, str | None]:
        """What the index answers, how many documents it does not know yet, and a note where it had to be mended."""
        if self._library.committer.active:
            return ask(also=self.learning.uncommitted()), 0, None
        with ignoring_write_errors():
            self._library.indexes.finish_purge()
        self._library.texts.settle()
        missing = self.learning.freshen()
        try:
            return ask(), missing, None
        except Damaged as error:
            if not self.index.doubt():
                return ask(), missing, None
            missing = self.learning.freshen()  # what the index held is learned again from the catalogue
            if missing and not self._library.options.background:
                raise Damaged("the keyword index is damaged", hint="Run `rolltop store repair`.") from error
            return ask(), missing, _REBUILT

    def weighed(self, query: str, documents: Sequence[int], *, why: bool = False) -> dict[int, TextHit]:
        """What the keyword leg says about some documents, whichever of its words they hold."""
        also = self.learning.uncommitted() if self._library.committer.active else None
        return self.index.weigh(query, documents, why=why, also=also)

    def displayed(self, ranked: Sequence[TextHit], answer: TextAnswer | None = None) -> list[Hit]:
        """The documents of a ranking, with the piece of text that answers best."""
        words, families = (answer.words, answer.families) if answer else ((), ())
        return Showing(self._library.catalog, self._library.texts.extracts, words, families).hits(ranked)

    def waiting(self, missing: int) -> str | None:
        """What an answer says of documents that it could not know."""
        if missing and (error := self.learning.task.error) is not None:
            return f"{missing} documents are not indexed, because indexing failed; it is tried again: {error!r}"
        if missing and self.learning.refused:
            return f"{missing} documents are not indexed, because nothing can be written in the store; grep finds them."
        if missing:
            return f"{missing} documents are not indexed yet: ask again in a moment."
        return " ".join(filter(None, (self._library.texts.unread(), self._library.texts.too_long()))) or None

    def numbers_of(self, query: str) -> tuple[tuple[int, ...], str | None]:
        """Only the numbers of all documents that answer the query, better ones first; and what there is to say."""
        with serving_request():
            answer, missing = self.by_words(query, sys.maxsize, 0, None)
        about = (answer.note, None if has_words(query) else NO_WORDS, self.waiting(missing))
        return tuple(hit.document for hit in answer.hits), " ".join(filter(None, about)) or None

    def unindexed(self) -> int:
        """How many changed documents the keyword index on disk has not learned yet."""
        return self._library.catalog.documents.pending(self.index.mark)[0]

    def catch_up(
        self, progress: Callable[[int, int], None] | None = None, stop: Callable[[], bool] = lambda: False
    ) -> int:
        """Let the keyword index learn every change there is, or all until `stop`; how many documents it learned."""
        if self._library.committer.active:
            return 0  # what a transaction has written may yet be rolled back: the index must not learn it
        return self.learning.catch_up(progress, stop)

    def close(self) -> None:
        if self._index is not None:
            self._index.close()
