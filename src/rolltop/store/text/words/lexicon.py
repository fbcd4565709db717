"""What is known about words: on disk, and in documents that are too fresh for that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rolltop.store.text.disk_index.disk_index import View
from rolltop.store.text.fresh import Fresh
from rolltop.store.text.query.plan import Plan
from rolltop.store.text.words.edit_distance import near_in

__all__ = ["Words"]

_TELLING = 8
"""Forms of a word that say how frequent it is."""


@dataclass(frozen=True, slots=True)
class Words:
    """What both halves know about words."""

    view: View
    fresh: Fresh

    @property
    def documents(self) -> int:
        own = 1 if self.view.state.mark else 0  # the commit's note about itself
        return self.view.searcher.num_docs - own + len(self.fresh.documents)

    def frequency(self, field: str, word: str) -> int:
        on_disk = self.view.frequency(field, word)
        return on_disk + self.fresh.frequency(field, word) if self.fresh.documents else on_disk

    def having(self, family: Sequence[str]) -> int:
        """How many documents have one of these words, roughly: words that are only near come last."""
        return sum([self.frequency("body", word) for word in family[:_TELLING]])

    def variants(self, stem: str) -> Iterable[str]:
        forms = self.view.memory.forms.known(stem)
        if forms is None:
            forms = self.view.memory.forms.keep(stem, self.view.vocabulary.variants(stem))
        return dict.fromkeys([*forms, *self.fresh.variants(stem)]) if self.fresh.documents else forms

    def planned(self, word: str, field: str | None, make: Callable[[str, str | None], Plan]) -> Plan:
        """What is asked for a word: remembered, unless fresh documents have a say in how telling it is."""
        if self.fresh.documents:
            return make(word, field)
        plans = self.view.memory.plans
        return plans.known((word, field)) or plans.keep((word, field), make(word, field))

    def near(self, word: str, similarity: float) -> list[tuple[str, float]]:
        """Words at least so similar, the likelier ones first."""
        found = dict(self.view.vocabulary.near(word, similarity))
        if self.fresh.documents:
            fresh = {*self.fresh.words("body"), *self.fresh.words("label")}
            found.update(near_in(word, fresh, similarity))
        typed = sorted(word)

        def unlikely(near: str) -> tuple[bool, bool, int]:
            """Letters that changed places are meant first; the first letter is seldom a wrong one."""
            return sorted(near) != typed, near[:1] != word[:1], -self.frequency("body", near)

        return sorted(found.items(), key=lambda pair: (-pair[1], *unlikely(pair[0]), pair[0]))

    def prefixed(self, field: str, prefix: str, limit: int) -> list[str]:
        known = [word for word, _ in self.view.searcher.terms_with_prefix(field, prefix, limit=limit)]
        fresh = sorted(word for word in self.fresh.words(field) if word.startswith(prefix))
        return list(dict.fromkeys([*known, *fresh]))[:limit]
