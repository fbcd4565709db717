"""The keyword index: what lies on disk and what is too fresh for that, asked as one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rolltop.errors import Damaged
from rolltop.store.replication.parts import Part
from rolltop.store.seams import TextAnswer, TextChanges, TextHit
from rolltop.store.search.paging import Shown
from rolltop.store.text.disk_index.disk_index import DiskIndex, View, means_damage
from rolltop.store.text.disk_index.previews import unpack_head
from rolltop.store.text.fields import ANYWHERE, WEIGHTS
from rolltop.store.text.fresh import Fresh, FreshDocument
from rolltop.store.text.query import grammar
from rolltop.store.text.query.plan import (
    Plan,
    Raised,
    Run,
    Stem,
    Term,
    families_of,
    in_field,
    inverse_frequency,
    leaves_of,
    words_of,
)
from rolltop.store.text.query.plan_execution import Asking, Place
from rolltop.store.text.query.planner import Planner
from rolltop.store.text.query.score_breakdown import breakdown
from rolltop.store.text.words.analysis import leaves_out
from rolltop.store.text.words.lexicon import Words
from rolltop.store.text.words.splitting import LONGEST_WORD

__all__ = ["KeywordIndex"]

CLOSELY = 16
"""So many of the best documents are looked at for what only raises a score: whether their words stand in order."""

LEFT_OUT = f"Words of {LONGEST_WORD} letters and more are not indexed; grep finds them."


MANY = 2000
"""Documents that are named one by one in a question to the index."""


class KeywordIndex:
    """Finds documents by words. `store` ties it to one catalogue."""

    def __init__(self, directory: Path, store: str) -> None:
        self._disk = DiskIndex(directory, store)
        self._fresh = Fresh()
        self._seen = 0
        self._base = 0
        """How far the index on disk went when something was last remembered."""
        self._guard = threading.Lock()

    # following the catalogue ---------------------------------------------------------------------

    @property
    def mark(self) -> int:
        """How far the index on disk has followed the catalogue's changes."""
        return self._disk.view().state.mark

    @property
    def seen(self) -> int:
        """How far this index has followed them, in memory or on disk."""
        mark = self.mark
        # An index on disk that was begun again knows less than before: what lies between is known nowhere.
        return max(mark, self._seen) if mark >= self._base else mark

    def learn(self, changes: Callable[[int], Iterable[TextChanges]], *, wait: bool = True) -> int | None:
        """Follow the catalogue on disk."""
        return self._disk.learn(changes, wait=wait)

    def remember(self, changes: TextChanges) -> None:
        """Follow it in memory: found from now on, learned for good later."""
        new = _made_fresh(changes, self._fresh)
        with self._guard:
            mark = self.mark
            self._fresh = self._fresh.after(mark).joined(new)
            self._seen = max(self._seen, changes.mark) if mark >= self._base else changes.mark
            self._base = mark

    @property
    def part(self) -> Part:
        """What servers share of it."""
        return self._disk

    def forget_fresh(self) -> None:
        """Drop what is only in memory."""
        with self._guard:
            self._fresh, self._seen, self._base = Fresh(), 0, 0

    # searching -----------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        limit: int,
        offset: int = 0,
        similarity: float | None = None,
        why: bool = False,
        also: TextChanges | None = None,
        shown: Shown | None = None,
        among: frozenset[int] | None = None,
    ) -> TextAnswer:
        """Documents that answer the query, better ones first, without those that were shown.

        `also` is known for this query only. If `among` is given, only these documents count.
        """
        ask = grammar.parse(query)
        note = " ".join(filter(None, (ask.note, LEFT_OUT if any(map(leaves_out, ask.words)) else None))) or None
        state = self._state(also)
        lexicon = Words(state.view, state.fresh)
        passed = shown.documents if shown else frozenset[int]()
        with _damage_named():
            state.view.files.check()
            for plan, complete in Planner(lexicon, similarity).plans(ask.root):
                if shown is not None and complete != shown.complete:
                    continue
                hits, raised, total = state.page(plan, limit, offset, passed, among)
                if total:
                    told = state.told_page(plan, hits, raised, why=why)
                    families = tuple(dict.fromkeys(families_of(plan)))
                    rarest_first = tuple(sorted(families, key=_telling(plan, lexicon), reverse=True))
                    return TextAnswer(
                        told,
                        total,
                        words_of(plan),
                        note,
                        rarest_first,
                        complete,
                        partial(state.holding, plan),
                        _full(plan),
                    )
        return TextAnswer([], 0, note=note)

    def weigh(
        self, query: str, documents: Sequence[int], *, why: bool = False, also: TextChanges | None = None
    ) -> dict[int, TextHit]:
        """How well each of these documents answers the query where any of its words counts; none that has none."""
        state = self._state(also)
        with _damage_named():
            state.view.files.check()
            planner = Planner(Words(state.view, state.fresh))
            plans = [plan for plan, _ in planner.plans(grammar.parse(query).root)]
            hits = state.weighed(plans[-1], documents) if plans and documents else []
            return {hit.document: hit for hit in state.told(plans[-1], hits, why=why)} if hits else {}

    def meeting(self, query: str, *, also: TextChanges | None = None) -> frozenset[int] | None:
        """The documents that meet the conditions of a query, whichever of its words they hold; None if it has none."""
        conditions = grammar.conditions(grammar.parse(query).root)
        if conditions is None:
            return None
        state = self._state(also)
        lexicon = Words(state.view, state.fresh)
        with _damage_named():
            state.view.files.check()
            plans = [plan for plan, _ in Planner(lexicon).plans(conditions)]
            found = state.page(plans[0], max(1, lexicon.documents), 0)[0] if plans else []
            return frozenset(number for number, _ in found)

    def _state(self, also: TextChanges | None) -> _State:
        view = self._disk.view()
        fresh = self._fresh.after(view.state.mark)
        return _State(view, fresh if also is None else fresh.joined(_made_fresh(also, fresh)))

    # care ----------------------------------------------------------------------------------------

    def clear(self) -> None:
        """Forget everything, on disk too; the next catching-up builds it again."""
        self.forget_fresh()
        self._disk.clear()

    def rebuild(self, changes: Callable[[int], Iterable[TextChanges]]) -> int:
        """Build the index on disk again; the old one answers until the new one is there."""
        return self._disk.rebuild(changes)

    def doubt(self) -> bool:
        """Check the index on disk after a question failed; True if it is damaged and has to be built again."""
        return self._disk.doubt()

    def damage(self) -> list[str]:
        return self._disk.damage()

    def close(self) -> None:
        self.forget_fresh()
        self._disk.close()


@contextmanager
def _damage_named() -> Iterator[None]:
    """What tantivy raises where the index is not what was written, as `Damaged`."""
    try:
        yield
    except BaseException as error:
        if not means_damage(error):
            raise
        raise Damaged("the keyword index cannot be read", hint="Run `rolltop store repair`.") from error


def _telling(plan: Plan, lexicon: Words) -> Callable[[Sequence[str]], float]:
    """How telling a family of words of the plan is."""
    known = {
        leaf.forms if isinstance(leaf, Stem) else leaf.written: leaf.idf
        for leaf in leaves_of(plan)
        if isinstance(leaf, (Stem, Run))
    }

    def telling(family: Sequence[str]) -> float:
        found = known.get(tuple(family))
        return inverse_frequency(lexicon.documents, lexicon.having(family)) if found is None else found

    return telling


def _full(plan: Plan) -> float:
    """What the words of a plan add up to, each of them once."""
    leaves = dict.fromkeys(leaf for leaf in leaves_of(plan) if isinstance(leaf, (Stem, Run, Term)))
    return sum(leaf.weight * leaf.idf for leaf in leaves)


def _made_fresh(changes: TextChanges, known: Fresh) -> dict[int, tuple[int, FreshDocument | None]]:
    made: dict[int, tuple[int, FreshDocument | None]] = {number: (when, None) for number, when in changes.removed}
    for unit in changes.units:
        if not known.known(unit.document, unit.change):
            made[unit.document] = unit.change, FreshDocument.of(unit)
    return made


@dataclass(frozen=True, slots=True)
class _State:
    """Both halves of the index at one moment."""

    view: View
    fresh: Fresh

    def averages(self) -> Mapping[str, float]:
        """How many words the fields have in the middle."""
        state, fresh = self.view.state, self.fresh.lengths()
        documents = max(state.learned + len(self.fresh.documents), 1)
        return {name: (state.lengths.get(name, 0) + count) / documents for name, count in fresh.items()}

    def page(
        self,
        plan: Plan,
        limit: int,
        offset: int,
        shown: frozenset[int] = frozenset(),
        among: frozenset[int] | None = None,
    ) -> tuple[list[Place], int, int]:
        """One page without what was shown, how many of its documents were raised, and how many there are in all."""
        least, more = (plan.part, plan.more) if isinstance(plan, Raised) else (plan, ())
        if not shown and among is None and (not more or offset >= CLOSELY):
            hits, total = self._ranked(least, limit, offset)
            return hits, 0, total
        if among is None:
            found, total = self._ranked(least, max(CLOSELY, offset + limit + len(shown)))
        else:
            found = self._ranked_among(least, among)
            total = len(found)
        best = self._raised(found[:CLOSELY], more) if more else []
        hits = [hit for hit in [*best, *found[len(best) :]] if hit[0] not in shown][offset : offset + limit]
        raised = {number for number, _ in best}
        return hits, sum(number in raised for number, _ in hits), total

    def _ranked_among(self, plan: Plan, among: frozenset[int]) -> list[Place]:
        """Those of some documents that answer a plan, the best first; many are picked out of all that answer it."""
        if len(among) > MANY:
            return [hit for hit in self._ranked(plan, sys.maxsize)[0] if hit[0] in among]
        return sorted(self.weighed(plan, list(among)), key=lambda hit: (-hit[1], hit[0]))

    def _ranked(self, plan: Plan, limit: int, offset: int = 0) -> tuple[list[Place], int]:
        highest = self.view.state.highest  # what is newer is not on disk, so need not be kept out
        asking = Asking(self.view, [number for number in self.fresh.stale if number <= highest])
        new = list(self._fresh_hits(plan))
        if not new:
            return asking.ranked(plan, limit, offset)
        old, total = asking.ranked(plan, limit + offset)
        ranked = sorted([*old, *new], key=lambda hit: (-hit[1], hit[0]))
        return ranked[offset : offset + limit], total + len(new)

    def _raised(self, best: list[Place], more: Sequence[Plan]) -> list[Place]:
        """The best documents in a new order: what raises a score would be dear to ask of all."""
        numbers = {number for number, _ in best}
        worth = Asking(self.view).added(more, sorted(numbers - self.fresh.stale))
        for plan in more:
            for number, score in self._fresh_hits(plan, numbers):
                worth[number] = worth.get(number, 0.0) + score
        return sorted([(number, score + worth.get(number, 0.0)) for number, score in best], key=lambda hit: -hit[1])

    def holding(self, plan: Plan, documents: Sequence[int]) -> set[int]:
        """Which of the documents answer the plan."""
        with _damage_named():
            return {number for number, _ in self.weighed(plan, documents)}

    def weighed(self, plan: Plan, documents: Sequence[int]) -> list[Place]:
        """Those of some documents that answer a plan."""
        asked = set(documents)
        new = list(self._fresh_hits(plan, asked))
        old = sorted(asked - {*self.fresh.stale, *(hit[0] for hit in new)})
        return [*Asking(self.view).among(plan, old), *new]

    def _fresh_hits(self, plan: Plan, among: Collection[int] | None = None) -> Iterator[Place]:
        averages = self.averages() if self.fresh.documents else {}
        for document in self.fresh.documents:
            score = document.score(plan, averages) if among is None or document.number in among else None
            if score is not None:
                yield document.number, score

    def told_page(self, plan: Plan, hits: list[Place], raised: int, *, why: bool) -> list[TextHit]:
        """The hits of a page, of which the first ones have been raised."""
        if not isinstance(plan, Raised):
            return self.told(plan, hits, why=why)
        return self.told(plan, hits[:raised], why=why) + self.told(plan.part, hits[raised:], why=why)

    def told(self, plan: Plan, hits: list[Place], *, why: bool) -> list[TextHit]:
        """The hits with what they are shown with, and with what their scores are made of where that was asked for."""
        new = {document.number: document for document in self.fresh.documents}
        parts = breakdown(plan, [number for number, _ in hits], self.weighed) if why else {}
        shares = self._shares(plan, list(parts), new) if why else {}
        return [
            TextHit(
                number,
                score,
                _by_name(parts.get(number, {}), shares.get(number, {})),
                partial(unpack_head, new[number].head) if number in new else partial(self.view.heads.head, number),
            )
            for number, score in hits
        ]

    def _shares(
        self, plan: Plan, numbers: Sequence[int], new: Mapping[int, FreshDocument]
    ) -> dict[int, dict[str, float]]:
        """How much each field would add for the words that are asked for anywhere."""
        told: dict[int, dict[str, float]] = {number: {} for number in numbers}
        averages = self.averages()
        for field in _ANYWHERE:
            part = in_field(plan, field, WEIGHTS[field])
            if part is not None:
                found = Asking(self.view).among(part, [number for number in numbers if number not in new])
                fresh = [(number, new[number].score(part, averages)) for number in numbers if number in new]
                for number, score in (*found, *fresh):
                    if score:
                        told[number][field] = score
        return told


_ANYWHERE = ("body", "names", "title", "heading", "path", "tag_stem")
"""What the field that holds the words of all others is told as."""

_NAMES = {"tag_stem": "tag", "names": "body", ANYWHERE: "body"}


def _by_name(parts: dict[str, float], shares: dict[str, float]) -> dict[str, float]:
    """The parts by the names that people know the fields by."""
    told: dict[str, float] = {}
    whole = sum(shares.values())
    for field, score in parts.items():
        of_field = {field: score}
        if field == ANYWHERE and whole:
            of_field = {each: score * share / whole for each, share in shares.items()}
        for each, part in of_field.items():
            name = _NAMES.get(each, each)
            told[name] = told.get(name, 0.0) + part
    return told
