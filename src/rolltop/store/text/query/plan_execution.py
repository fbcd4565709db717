"""Carries a plan out with the index on disk."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import tantivy

from rolltop.store.text.disk_index.disk_index import View
from rolltop.store.text.fields import schema
from rolltop.store.text.query.plan import (
    AllOf,
    AnyOf,
    Best,
    Everything,
    InOrder,
    Plan,
    Raised,
    Run,
    Starts,
    Stem,
    Term,
    Terms,
    Without,
    inverse_frequency,
)
from rolltop.store.text.query.query_rewrites import Thrift

__all__ = ["Asking", "Place"]

Place = tuple[int, float]
"""A document and its score."""

FEW = 400
"""So many documents or words are asked for one by one."""

LONGEST_BEGINNING = 200
"""Bytes of the beginning of a word that tantivy can look for as a pattern; it refuses patterns of a thousand."""

ALL_THAT_BEGIN_SO = 1 << 16
"""Words with a longer beginning in common than that: more than there are."""


@dataclass(frozen=True, slots=True)
class Asking:
    """One state of the index on disk. Documents that are `stale` are known better elsewhere and do not count."""

    view: View
    stale: Collection[int] = ()

    def ranked(self, plan: Plan, limit: int, offset: int = 0) -> tuple[list[Place], int]:
        """Documents, the best first; and how many there are in all."""
        query = self._query(Thrift(self.view.searcher.num_docs, self.view.frequency).spread(plan))
        if query is None:
            return [], 0
        # tantivy makes room for as many as are asked for before it looks, so nobody may ask for more than there are.
        most = max(1, self.view.searcher.num_docs)
        found = self.view.searcher.search(self._current(query), min(limit, most), offset=min(offset, most))
        count: int = found.count  # type: ignore[attr-defined]
        return self._numbered(found.hits), count

    def _numbered(self, hits: list[tuple[float, tantivy.DocAddress]]) -> list[Place]:
        numbers = self.view.searcher.fast_field_values("document", [address for _, address in hits])
        return [(int(number or 0), score) for number, (score, _) in zip(numbers, hits, strict=True)]

    def added(self, plans: Sequence[Plan], documents: Sequence[int]) -> dict[int, float]:
        """What plans are worth in some documents, added up; for those that answer any."""
        worth: dict[int, float] = {}
        asked = _few(documents)
        for plan in plans if documents else ():
            # One by one: a union looks at some thousand documents at a time, whichever are asked for.
            for number, score in self._within(asked, plan, len(documents)):
                worth[number] = worth.get(number, 0.0) + score
        return worth

    def among(self, plan: Plan, documents: Sequence[int]) -> list[Place]:
        """Those of some documents that answer a plan, in no order."""
        return self._within(_few(documents), plan, len(documents)) if documents else []

    def _within(self, asked: tantivy.Query, plan: Plan, most: int) -> list[Place]:
        query = self._query(plan)
        if query is None:
            return []
        both = tantivy.Query.boolean_query([(tantivy.Occur.Must, asked), (tantivy.Occur.Must, query)])
        return self._numbered(self.view.searcher.search(both, most, count=False).hits)

    def _current(self, query: tantivy.Query) -> tantivy.Query:
        if not self.stale:
            return query
        return tantivy.Query.boolean_query(
            [(tantivy.Occur.Must, query), (tantivy.Occur.MustNot, _numbers(sorted(self.stale)))]
        )

    # plans as queries ----------------------------------------------------------------------------

    def _query(self, plan: Plan) -> tantivy.Query | None:
        """The query for a plan; None where nothing can answer it."""
        if isinstance(plan, (Term, Stem)):
            return self._term(plan)
        if isinstance(plan, Run):
            return self._run(plan)
        if isinstance(plan, InOrder):
            words = tantivy.Query.phrase_query(schema(), plan.field, list(plan.words))
            return tantivy.Query.const_score_query(words, plan.score)
        if isinstance(plan, (Terms, Starts)):
            return tantivy.Query.const_score_query(self._flat(plan), plan.score)
        if isinstance(plan, Everything):
            everything = tantivy.Query.term_query(schema(), "what", "document")
            return tantivy.Query.const_score_query(everything, 0.0)
        return self._joined(plan)

    def _joined(self, plan: AnyOf | Best | AllOf | Without | Raised) -> tantivy.Query | None:
        if isinstance(plan, Raised):
            least = self._query(plan.part)
            more = [(tantivy.Occur.Should, query) for part in plan.more if (query := self._query(part)) is not None]
            return least and tantivy.Query.boolean_query([(tantivy.Occur.Must, least), *more])
        if isinstance(plan, Without):
            wanted = self._query(plan.part)
            banned = [query for part in plan.banned if (query := self._query(part)) is not None]
            clauses = [(tantivy.Occur.MustNot, query) for query in banned]
            return wanted and tantivy.Query.boolean_query([(tantivy.Occur.Must, wanted), *clauses])
        parts = [query for part in plan.parts if (query := self._query(part)) is not None]
        if not parts or (isinstance(plan, AllOf) and len(parts) < len(plan.parts)):
            return None
        if len(parts) == 1:
            return parts[0]
        if isinstance(plan, Best):
            return tantivy.Query.disjunction_max_query(parts)
        occur = tantivy.Occur.Must if isinstance(plan, AllOf) else tantivy.Occur.Should
        return tantivy.Query.boolean_query([(occur, part) for part in parts])

    def _term(self, plan: Term | Stem) -> tantivy.Query | None:
        having = self.view.frequency(plan.field, plan.word)
        if not having:
            return None
        query = tantivy.Query.term_query(schema(), plan.field, plan.word)
        return tantivy.Query.boost_query(query, plan.weight * plan.idf / self._idf(having))

    def _run(self, plan: Run) -> tantivy.Query | None:
        having = [self.view.frequency(plan.field, word) for word in plan.words]
        if not all(having):
            return None
        query = tantivy.Query.phrase_query(schema(), plan.field, list(plan.words))
        return tantivy.Query.boost_query(query, plan.weight * plan.idf / sum(map(self._idf, having)))

    def _flat(self, plan: Terms | Starts) -> tantivy.Query:
        if isinstance(plan, Terms):
            return _any_of(plan.field, sorted(plan.words))
        if len(plan.prefix.encode()) > LONGEST_BEGINNING:
            begun = self.view.searcher.terms_with_prefix(plan.field, plan.prefix, limit=ALL_THAT_BEGIN_SO)
            return _any_of(plan.field, [word for word, _ in begun])
        return tantivy.Query.regex_query(schema(), plan.field, re.escape(plan.prefix) + "(?s:.*)")

    def _idf(self, having: int) -> float:
        """What the index takes for the word's measure: it is divided out, because plans bring their own."""
        return inverse_frequency(self.view.searcher.num_docs, having)


def _few(documents: Sequence[int]) -> tantivy.Query:
    """These documents, for no score."""
    return tantivy.Query.const_score_query(_numbers(documents), 0.0)


def _numbers(documents: Sequence[int]) -> tantivy.Query:
    return _any_of("document", documents)


def _any_of(field: str, values: Sequence[str] | Sequence[int]) -> tantivy.Query:
    if len(values) > FEW:
        return tantivy.Query.term_set_query(schema(), field, list(values))
    # A set walks the list of all there are; looking few up takes a fraction of that.
    each = [tantivy.Query.term_query(schema(), field, value) for value in values]
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in each])
