"""Search by meaning in the library, alone and together with the keywords."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from rolltop.errors import PartMissing
from rolltop.store.meaning import NONE, Fused, Meaning, Near, fuse
from rolltop.store.results import Ranked, Results
from rolltop.store.seams import no_head
from rolltop.store.searching import Searching
from rolltop.store.text.grammar import is_plain

__all__ = ["Understanding"]

BEST_WORDS = 100
BEST_MEANINGS = 50
"""So many of each order are joined into one; what the keywords find beyond follows in its own order."""

NEARER = 0.15
"""So much nearer a document must be that lacks words, where others hold them all."""


class Understanding(Searching):
    """The finding part that needs a model. Nothing of it is loaded before it is asked."""

    @cached_property
    def meaning(self) -> Meaning:
        """The vectors of the documents, by the model that the settings name."""
        place, choice = self.directory / "vectors", self.options.model
        return Meaning(place, self.catalog, self.extracts, choice, background=self.options.background)

    def written(self) -> None:
        super().written()
        self.meaning.wanted()

    def find(
        self,
        query: str,
        kind: str = "hybrid",
        *,
        limit: int = 10,
        offset: int = 0,
        similarity: float | None = None,
        why: bool = False,
    ) -> Results:
        """By `keyword`, `semantic` or `hybrid`; with `similarity` by nearly spelled words, whatever the kind."""
        if kind == "keyword" or similarity is not None:
            return self.search(query, limit=limit, offset=offset, similarity=similarity, why=why)
        ask = self.search_near if kind == "semantic" else self.search_hybrid
        return ask(query, limit=limit, offset=offset)

    def search_near(self, query: str, *, limit: int = 10, offset: int = 0) -> Results:
        """Every document that has text, the ones that mean most nearly the same as the query first."""
        near = self._near(query, offset + limit)[offset:]
        ranked = [Ranked(each.document.id, each.score, {"meaning": each.score}, each.start) for each in near]
        total = self.meaning.index.spans.with_text() if near or offset else 0
        return self._by_meaning(Results(self._shown(ranked), total, "semantic"))

    def search_hybrid(self, query: str, *, limit: int = 10, offset: int = 0) -> Results:
        """Documents that hold the words, and those whose meaning is near, in one order."""
        if self.options.model == NONE:
            return self.search(query, limit=limit, offset=offset)
        try:
            near = self._near(query, BEST_MEANINGS)
        except PartMissing as missing:
            found = self.search(query, limit=limit, offset=offset)
            return replace(found, note=" ".join(filter(None, (found.note, f"Only words were searched: {missing}."))))
        answer, behind = self._by_words(query, BEST_WORDS, 0, None)
        words = [(hit.document, hit.score) for hit in answer.hits]
        trust = self.meaning.model.trust.beside(bool(words), complete=answer.complete)
        floor = self._floor(query, complete=bool(words) and answer.complete)
        joined = fuse(words, self._kept(near, dict(words), floor), trust)
        page = joined[offset : offset + limit]
        if len(page) < limit and answer.total > BEST_WORDS:
            page += self._further(query, joined, max(0, offset - len(joined)), limit - len(page))
        starts = {each.document.id: each.start for each in near if each.document.id not in dict(words)}
        heads = {hit.document: hit.head for hit in answer.hits}
        ranked = [
            Ranked(f.document, f.score, f.parts, starts.get(f.document), heads.get(f.document, no_head)) for f in page
        ]
        beside = [each.document for each in joined if each.document not in dict(words)]
        total = answer.total + len(beside) - len(answer.holding(beside))
        note = " ".join(filter(None, (answer.note, self._waiting(behind)))) or None
        return self._by_meaning(Results(self._shown(ranked, answer), total, "hybrid", note))

    def _near(self, query: str, limit: int) -> list[Near]:
        # What a transaction has written may yet be rolled back: it is not embedded before it is committed.
        return self.meaning.rank(query, limit, keep_up=not self.committer.active)

    def _floor(self, query: str, *, complete: bool) -> float:
        """How near a document without the words must be: nearer than any, if the query sets conditions."""
        if not is_plain(query):
            return 2.0
        return self.meaning.model.floor + (NEARER if complete else 0)

    @staticmethod
    def _kept(near: Sequence[Near], words: dict[int, float], floor: float) -> list[tuple[int, float]]:
        return [(n.document.id, n.score) for n in near if n.document.id in words or n.score >= floor]

    def _further(self, query: str, joined: Sequence[Fused], start: int, count: int) -> list[Fused]:
        """What the keywords find after the documents that were joined; less than the last of them."""
        shown, least = {each.document for each in joined}, joined[-1].score
        answer, _ = self._by_words(query, start + count + len(shown), BEST_WORDS, None)
        rest = [hit for hit in answer.hits if hit.document not in shown][start : start + count]
        best = max((hit.score for hit in answer.hits), default=1.0)
        return [Fused(hit.document, score := least * hit.score / best, score, 0.0) for hit in rest]

    def _by_meaning(self, results: Results) -> Results:
        state = self.meaning.state()
        return replace(results, model=state.model, embedded=state.share)

    # indexes -------------------------------------------------------------------------------------

    def embed(self, progress: Callable[[int, int], None] | None = None) -> bool:
        """Embed every document that is not; False if another process is at it."""
        return self.meaning.follow(progress)

    def index_damage(self) -> list[str]:
        return super().index_damage() + self.meaning.damage()

    def mend_indexes(self, *, anew: bool) -> list[str]:
        mended = self.meaning.mend(anew=anew)
        return super().mend_indexes(anew=anew) + mended

    def purge_indexes(self, documents: Sequence[int]) -> None:
        super().purge_indexes(documents)
        self.meaning.purge(documents)

    def close(self) -> None:
        self.meaning.close()
        super().close()
