"""Search by meaning in the library, alone and together with the keywords."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from rolltop.base.os_errors import ignoring_write_errors
from rolltop.base.priority import serving_request
from rolltop.errors import RolltopError
from rolltop.store.follower import Pressing, Task
from rolltop.store.meaning import NONE, Candidate, Fused, fuse
from rolltop.store.query import Listing
from rolltop.store.records import Document
from rolltop.store.seams import TextAnswer, TextHead, TextHit, TextIndex, no_head
from rolltop.store.search.function_words import without_function_words
from rolltop.store.search.hit_display import beginning
from rolltop.store.search.keyword_search import NO_WORDS, KeywordSearch, has_words
from rolltop.store.search.paging import Shown
from rolltop.store.search.results import Results
from rolltop.store.search.similar_names import similar_names
from rolltop.store.text.query.grammar import conditions, is_plain, parse

if TYPE_CHECKING:
    from rolltop.store.library import Library
    from rolltop.store.meaning import Meaning, Near

__all__ = ["Legs", "Search"]

Progress = Callable[[int, int], None]

BEST_WORDS = 100
BEST_MEANINGS = 100
"""So many of each order are joined into one; what the keywords find beyond follows in its own order."""

SPELT_NEARLY = 0.7
WORDS_TOLD = 5

NEAR_ENOUGH = 0.5
"""A document without any of the words is shown if it is at least so near, in shares of the nearest."""

CLOSELY = 16
"""So many of the best documents are looked at for words in order, as in the keyword index."""

ROUNDING = 0.001

MOST_PASSAGES = 50_000
"""Of more, a better model than the quickest is not tried unless it is chosen by name: it would work for hours."""

NOT_EMBEDDED = "are known by their meaning so far; the others are still being embedded. Ask again in a moment."

ONLY_NEAR = "No document holds any of these words; these are the nearest in meaning."


@dataclass(frozen=True, slots=True)
class Legs:
    """What both legs say about everything that either of them found."""

    answer: TextAnswer
    behind: int
    candidates: list[Candidate]
    full: float
    """About what a document is worth that holds every word."""
    starts: dict[int, int]
    heads: dict[int, Callable[[], TextHead | None]]


class Search:
    """Finds documents by words, by meaning and by both: `library.search`. No model is loaded before it is asked."""

    def __init__(self, library: Library, index: TextIndex | None = None) -> None:
        self._library = library
        self.words = KeywordSearch(library, index)
        self.embedding = Task("vectors", self._embed_pending)

    @cached_property
    def meanings(self) -> tuple[Meaning, ...]:
        """The vectors of each model that the settings stand for, the quickest model first."""
        from rolltop.store.meaning import Meaning, models_of  # noqa: PLC0415 - it brings numpy

        library = self._library
        place, later = library.directory / "vectors", partial(library.follower.wanted, self.embedding)
        return tuple(
            Meaning(place, library.catalog, library.texts.extracts, model, later=later)
            for model in models_of(library.options.model)
        )

    @property
    def meaning(self) -> Meaning:
        """The vectors that answer now: of the best model that knows the documents, else of the quickest."""
        if self._library.committer.active:
            return self.meanings[0]
        for better in reversed(self.meanings[1:]):
            if better.is_worth_loading() and better.knows_enough():
                return better
        return self.meanings[0]

    def _embed_pending(self, pressing: Pressing) -> bool | None:
        """For the background: nothing where nobody has asked for meanings yet."""
        if "meanings" not in self.__dict__ or not any(each.is_open for each in self.meanings):
            return None
        for each in self.meanings:
            if each is not self.meanings[0] and self.meanings[0].index.spans.vectors() > MOST_PASSAGES:
                break
            if not each.follow(stop=pressing):
                return not pressing()
        return True

    def find(
        self,
        query: str,
        kind: str = "hybrid",
        *,
        limit: int = 10,
        offset: int = 0,
        similarity: float | None = None,
        why: bool = False,
        shown: Shown | None = None,
        within: Listing | None = None,
    ) -> Results:
        """By `keyword`, `semantic` or `hybrid`; with `similarity` by nearly spelled words, whatever the kind.

        `shown` is `next` of the page before: what was on the pages so far is left out. `within` says which documents
        count at all.
        """
        with serving_request():
            among = None if within is None else frozenset(self._library.catalog.listings.ids(within))
            paged: dict[str, Any] = {"limit": limit, "offset": offset, "shown": shown, "among": among}
            if kind == "semantic" and similarity is None:
                found = self.semantic(query, **paged)
            elif kind == "keyword" or similarity is not None:
                found = self.keyword(query, similarity=similarity, why=why, **paged)
            else:
                found = self.hybrid(query, why=why, **paged)
            if found.total or (kind == "semantic" and has_words(query)):
                return found
            if not has_words(query):
                return _noted(found, NO_WORDS)
            if similarity is not None or found.unindexed:
                return found
            return _noted(found, self._spelling(query, among))

    def _spelling(self, query: str, among: frozenset[int] | None) -> str | None:
        """Which words of the store a query that no document answers may have meant."""
        nearly = self.words.by_words(query, 1, 0, SPELT_NEARLY, among=among)[0]
        if not nearly.total:
            return None
        words = ", ".join(nearly.words[:WORDS_TOLD])
        many = "1 document" if nearly.total == 1 else f"{nearly.total} documents"
        return f"No document holds these words as they are spelled. Did you mean: {words}? A fuzzy search finds {many}."

    def keyword(
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
        """Documents that answer the query by their words; see `KeywordSearch.search`."""
        return self.words.search(
            query, limit=limit, offset=offset, similarity=similarity, why=why, shown=shown, among=among
        )

    def numbers_of(self, query: str) -> tuple[tuple[int, ...], str | None]:
        """Only the numbers of all documents that answer the query by their words, and what there is to say."""
        return self.words.numbers_of(query)

    def similar_names(self, name: str) -> list[str]:
        """Paths of documents whose name is spelled nearly so, the nearest first."""
        return similar_names(self.words, name)

    def beginning(self, document: Document) -> str:
        """The piece that the text of a document begins with; empty where it has none."""
        return beginning(self._library.texts.extracts, document)

    def semantic(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        shown: Shown | None = None,
        among: frozenset[int] | None = None,
    ) -> Results:
        """Every document that has text, the ones that mean most nearly the same as the query first.

        Of a query with conditions (`tag:x`, `-word`, `"phrase"`), those that meet them; its words say what is meant.
        """
        meaning, has_conditions = self.meaning, conditions(parse(query).root) is not None
        met, missing, note = (
            self.words.asked(partial(self.words.index.meeting, query)) if has_conditions else (None, 0, None)
        )
        asked = query if met is None else " ".join(parse(query).words) or query
        if among is not None:
            met = among if met is None else met & among
        before = shown.documents if shown else frozenset()
        near = [
            each
            for each in self._near(meaning, asked, offset + limit + 1 + len(before), met)
            if each.document not in before
        ]
        ranked = [
            TextHit(each.document, each.score, {"meaning": each.score}, offset=each.start) for each in near[offset:]
        ]
        total = meaning.index.spans.with_text(met) if near or offset or before else 0
        waiting = self.words.waiting(missing) if missing else None
        note = " ".join(filter(None, (note, waiting, meaning.lacking()))) or None
        return _by_meaning(meaning, self.words.page(ranked, limit, shown, Results([], total, "semantic", note)))

    def hybrid(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        why: bool = False,
        shown: Shown | None = None,
        among: frozenset[int] | None = None,
    ) -> Results:
        """Documents that hold the words, and those whose meaning is near, in one order."""
        if self._library.options.model == NONE:
            return self.keyword(query, limit=limit, offset=offset, why=why, shown=shown, among=among)
        try:
            meaning = self.meaning
            meaning.model  # noqa: B018 - whatever is wrong with it, words can be searched
        except RolltopError as missing:
            found = self.keyword(query, limit=limit, offset=offset, why=why, shown=shown, among=among)
            problem = " ".join(filter(None, [f"Only words were searched: {str(missing).rstrip('.')}.", missing.hint]))
            return replace(found, note=" ".join(filter(None, (found.note, problem))))
        legs = self.legs(query, shown, among, meaning=meaning)
        answer = legs.answer
        joined = fuse(legs.candidates, meaning.model.blend, legs.full)
        left = [each for each in joined if shown is None or each.document not in shown.documents]
        page = left[offset : offset + limit + 1]  # one more than is shown: it tells that there are more
        if len(page) <= limit and answer.total > BEST_WORDS:
            start, count = max(0, offset - len(left)), limit + 1 - len(page)
            page += self._further(query, joined, start, count, shown=shown, among=among)
        if why:
            page = self._with_fields(query, page)
        found_by_words = {hit.document for hit in answer.hits}
        ranked = [
            TextHit(
                each.document,
                each.score,
                each.parts,
                legs.heads.get(each.document, no_head),
                None if each.document in found_by_words else legs.starts.get(each.document),
            )
            for each in page
        ]
        beside = [each.document for each in joined if each.document not in found_by_words]
        total = answer.total + len(beside) - len(answer.holding(beside))
        note = " ".join(filter(None, (answer.note, self.words.waiting(legs.behind), meaning.lacking()))) or None
        results = Results([], total, "hybrid", note, unindexed=legs.behind)
        found = _by_meaning(meaning, self.words.page(ranked, limit, shown, results, answer))
        if not total or answer.total or legs.behind or not is_plain(query):
            return found
        return _noted(found, self._spelling(query, among) or ONLY_NEAR)

    def _with_fields(self, query: str, page: Sequence[Fused]) -> list[Fused]:
        """With the fields that the words stand in; only for what is shown, because each field is another question."""
        weights = self.words.weighed(query, [each.document for each in page], why=True)
        return [
            replace(each, fields=weights[each.document].parts) if each.document in weights else each for each in page
        ]

    def legs(
        self,
        query: str,
        shown: Shown | None = None,
        among: frozenset[int] | None = None,
        *,
        meaning: Meaning | None = None,
    ) -> Legs:
        """Ask both legs, then ask each about what the other one found."""
        meaning = meaning or self.meaning
        near = self._near(meaning, query, BEST_MEANINGS, among)
        answer, behind = self.words.by_words(query, BEST_WORDS, 0, None, shown=_as_before(shown), among=among)
        hits = {hit.document: hit for hit in answer.hits}
        plain = is_plain(query)
        topic = without_function_words(query) if plain else query
        any_of, full = self._any_words(topic) if plain else ({}, answer.full)
        if among is not None:
            any_of = {number: hit for number, hit in any_of.items() if number in among}
        numbers = list(hits.keys() | any_of.keys() | {each.document for each in near}) if plain else list(hits)
        weights = any_of | self.words.weighed(topic, [number for number in numbers if number not in any_of])
        in_order = self._in_order(query, answer, weights if topic == query else None)
        nearness = meaning.weigh(query, numbers)
        least = _least(near, meaning.model.noise)
        kept = [
            Candidate(n, _score(weights.get(n) or hits.get(n)), in_order.get(n, 0.0), _nearness(nearness.get(n)))
            for n in numbers
            if n in hits or n in any_of or (n in nearness and nearness[n].score >= least)
        ]
        starts = {number: each.start for number, each in nearness.items()}
        heads = {number: hit.head for number, hit in {**weights, **hits}.items()}
        return Legs(answer, behind, kept, full, starts, heads)

    def _in_order(self, query: str, answer: TextAnswer, weights: Mapping[int, TextHit] | None) -> dict[int, float]:
        """What it is worth in the best documents that all words stand in order: their score beyond the words'."""
        best = [hit.document for hit in answer.hits[:CLOSELY]] if answer.complete else []
        known = self.words.weighed(query, best) if weights is None else weights
        more = {hit.document: hit.score - _score(known.get(hit.document)) for hit in answer.hits[:CLOSELY] if best}
        return {number: worth for number, worth in more.items() if worth > ROUNDING * _score(known.get(number))}

    def _any_words(self, topic: str) -> tuple[dict[int, TextHit], float]:
        """The documents where any of the words are worth most, and what all of them together would be worth."""
        answer, _ = self.words.by_words(topic, BEST_WORDS, 0, None, shown=Shown(complete=False))
        if not answer.total:  # a single word has no other way to be asked
            answer, _ = self.words.by_words(topic, BEST_WORDS, 0, None)
        if not answer.total:
            answer, _ = self.words.by_words(topic, BEST_WORDS, 0, SPELT_NEARLY)
            answer = replace(answer, full=max((hit.score for hit in answer.hits), default=0.0))
        return {hit.document: hit for hit in answer.hits}, answer.full

    def _near(self, meaning: Meaning, query: str, limit: int, among: frozenset[int] | None = None) -> list[Near]:
        with ignoring_write_errors():
            self._library.indexes.finish_purge()
        # What a transaction has written may yet be rolled back: it is not embedded before it is committed.
        return meaning.rank(query, limit, keep_up=not self._library.committer.active, among=among)

    def _further(
        self,
        query: str,
        joined: Sequence[Fused],
        start: int,
        count: int,
        *,
        shown: Shown | None,
        among: frozenset[int] | None,
    ) -> list[Fused]:
        """What the keywords find after the documents that were joined; less than the last of them."""
        passed, least = {each.document for each in joined} | (shown.documents if shown else set()), joined[-1].score
        most = start + count + len(passed)
        answer, _ = self.words.by_words(query, most, BEST_WORDS, None, shown=_as_before(shown), among=among)
        rest = [hit for hit in answer.hits if hit.document not in passed][start : start + count]
        best = max((hit.score for hit in answer.hits), default=1.0)
        return [Fused(hit.document, score := least * hit.score / best, score, 0.0) for hit in rest]

    # keeping up ----------------------------------------------------------------------------------

    def unindexed(self) -> int:
        """How many changed documents the keyword index on disk has not learned yet."""
        return self.words.unindexed()

    def catch_up(self, progress: Progress | None = None, stop: Callable[[], bool] = lambda: False) -> int:
        """Let the keyword index learn every change there is, or all until `stop`; how many documents it learned."""
        return self.words.catch_up(progress, stop)

    def rebuild_words(self, progress: Progress | None = None, stop: Callable[[], bool] = lambda: False) -> int:
        """Build the keyword index again; the old one answers until the new one is there."""
        return self.words.learning.rebuild(progress, stop)

    def embed(self, progress: Progress | None = None) -> bool:
        """Embed every document that is not, with each model; False if another process is at it."""
        return all(each.follow(progress) for each in self.meanings)

    def close(self) -> None:
        for each in self.meanings if "meanings" in self.__dict__ else ():
            each.close()
        self.words.close()


def _as_before(shown: Shown | None) -> Shown | None:
    """For asking as on the page before, with nothing left out."""
    return shown and replace(shown, documents=frozenset())


def _noted(found: Results, note: str | None) -> Results:
    return replace(found, note=" ".join(filter(None, (found.note, note))) or None)


def _by_meaning(meaning: Meaning, results: Results) -> Results:
    """With the model that answered, and how much of the store it knows."""
    state = meaning.state()
    found = replace(results, model=state.model, embedded=state.share)
    if not state.pending or meaning.lacking():
        return found
    whole = state.documents + state.pending
    return _noted(found, f"Only {state.documents} of {whole} documents {NOT_EMBEDDED}")


def _score(hit: TextHit | None) -> float:
    return hit.score if hit else 0.0


def _nearness(near: Near | None) -> float | None:
    return near.score if near else None


def _least(near: Sequence[Near], noise: float) -> float:
    """How near a document must be that has none of the words: it depends on how near the nearest is."""
    return max(noise, near[0].score * NEAR_ENOUGH) if near else noise
