"""Documents that the index on disk has not learned yet: few, held as words in memory, and found all the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rolltop.store.seams import TextUnit
from rolltop.store.text.disk_index.previews import pack_head
from rolltop.store.text.fields import ANYWHERE, EXACT, LABEL, STEMMED, texts_of
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
)
from rolltop.store.text.words.analysis import stem_analyzer, stems
from rolltop.store.text.words.splitting import LONGEST_WORD, MOST_BYTES

__all__ = ["Fresh", "FreshDocument"]

_K1, _B = 1.2, 0.75
_VOCABULARY = ("body", LABEL)


@dataclass(frozen=True, slots=True)
class FreshDocument:
    """A document as words by field."""

    number: int
    head: bytes
    counts: dict[str, Counter[str]]
    runs: dict[str, list[list[str]]]
    """The words in order, for the fields that know phrases; a list for each piece of text, "" for what is too long."""

    @classmethod
    def of(cls, unit: TextUnit) -> FreshDocument:
        runs = {field: [_words(field, text) for text in texts] for field, texts in texts_of([unit])[0].fields.items()}
        counts = {field: Counter(word for run in pieces for word in run if word) for field, pieces in runs.items()}
        return cls(unit.document, pack_head(unit), counts, {field: runs[field] for field in EXACT})

    def occurrences(self, field: str, words: Sequence[str]) -> int:
        """How often the words follow each other."""
        size = len(words)
        first, wanted = words[0], list(words)
        return sum(
            run[at : at + size] == wanted
            for run in self.runs.get(field, ())
            for at, word in enumerate(run)
            if word == first
        )

    def score(self, plan: Plan, averages: Mapping[str, float]) -> float | None:
        """The score by the plan; None where the document does not answer it."""
        if isinstance(plan, (Term, Stem, Run)):
            return self._weighed(plan, averages)
        if isinstance(plan, InOrder):
            return plan.score if self.occurrences(plan.field, plan.words) else None
        if isinstance(plan, Terms):
            return plan.score if any(word in plan.words for word in self.counts[plan.field]) else None
        if isinstance(plan, Starts):
            return plan.score if any(word.startswith(plan.prefix) for word in self.counts[plan.field]) else None
        if isinstance(plan, Everything):
            return 0.0
        if isinstance(plan, Without):
            banned = any(self.score(part, averages) is not None for part in plan.banned)
            return None if banned else self.score(plan.part, averages)
        if isinstance(plan, Raised):
            least = self.score(plan.part, averages)
            return None if least is None else least + sum(self.score(part, averages) or 0.0 for part in plan.more)
        return self._joined(plan, averages)

    def _joined(self, plan: AnyOf | Best | AllOf, averages: Mapping[str, float]) -> float | None:
        scores = [score for part in plan.parts if (score := self.score(part, averages)) is not None]
        if not scores or (isinstance(plan, AllOf) and len(scores) < len(plan.parts)):
            return None
        return max(scores) if isinstance(plan, Best) else sum(scores)

    def _weighed(self, plan: Term | Stem | Run, averages: Mapping[str, float]) -> float | None:
        """BM25 of one word or phrase."""
        counts = self.counts[plan.field]
        times = self.occurrences(plan.field, plan.words) if isinstance(plan, Run) else counts[plan.word]
        if not times:
            return None
        length = counts.total() / max(averages.get(plan.field, 1.0), 1.0)
        return plan.weight * plan.idf * times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * length))


def _words(field: str, text: str) -> list[str]:
    if field in EXACT:
        return [word if len(word) < LONGEST_WORD or len(word.encode()) < MOST_BYTES else "" for word in text.split()]
    if field in STEMMED:
        return stem_analyzer().analyze(text)
    return text.split() if field in (ANYWHERE, "names") else [text]


class Fresh:
    """Fresh documents by number, and the numbers of those that are gone. Never changed, only replaced."""

    def __init__(self, entries: Mapping[int, tuple[int, FreshDocument | None]] | None = None) -> None:
        self._entries = dict(entries or {})
        self.documents = [document for _, document in self._entries.values() if document is not None]
        self.stale = frozenset(self._entries)
        self._frequencies: dict[str, Counter[str]] = {}
        self._stems: dict[str, list[str]] | None = None
        self._lengths: Counter[str] | None = None

    def after(self, mark: int) -> Fresh:
        """Without what the index on disk knows by now."""
        left = {number: entry for number, entry in self._entries.items() if entry[0] > mark}
        return self if len(left) == len(self._entries) else Fresh(left)

    def joined(self, changes: Mapping[int, tuple[int, FreshDocument | None]]) -> Fresh:
        """With some changes more: (change, document), or (change, None) for one that is gone."""
        if not changes:
            return self
        fresh = Fresh({**self._entries, **changes})
        new = [document for _, document in changes.values() if document is not None]
        old = [self._entries[number][1] for number in changes if number in self._entries]
        fresh._count_on(self, new, [document for document in old if document is not None])
        return fresh

    def _count_on(self, before: Fresh, new: list[FreshDocument], gone: list[FreshDocument]) -> None:
        """Take over what has been counted: to count everything again would take longer with every document."""
        for field, counted in list(before._frequencies.items()):
            counts = Counter(counted)
            for document in new:
                counts.update(document.counts[field].keys())
            for document in gone:
                counts.subtract(document.counts[field].keys())
            self._frequencies[field] = +counts if gone else counts  # without what nobody has any more
        if before._stems is not None:
            known = [before._frequencies[field] for field in _VOCABULARY]
            held = {word for document in new for field in _VOCABULARY for word in document.counts[field]}
            words = [word for word in held if not any(word in counted for counted in known)]
            self._stems = dict(before._stems)  # a word that is gone may stay: it is found nowhere
            for word, its in zip(words, stems(words), strict=True):
                self._stems[its] = [*self._stems.get(its, ()), word]
        if before._lengths is not None:
            self._lengths = before._lengths + _lengths(new) - _lengths(gone)

    def known(self, number: int, change: int) -> bool:
        entry = self._entries.get(number)
        return entry is not None and entry[0] == change

    def frequency(self, field: str, word: str) -> int:
        if field not in self._frequencies:
            self._frequencies[field] = Counter(word for d in self.documents for word in d.counts[field])
        return self._frequencies[field][word]

    def lengths(self) -> Counter[str]:
        """How many words the documents have in each field."""
        if self._lengths is None:
            self._lengths = _lengths(self.documents)
        return self._lengths

    def words(self, field: str) -> Iterable[str]:
        self.frequency(field, "")
        return self._frequencies[field].keys()

    def variants(self, stem: str) -> list[str]:
        """The words that have this stem."""
        if self._stems is None:
            self._stems = {}
            words = list(dict.fromkeys(word for field in _VOCABULARY for word in self.words(field)))
            for word, its in zip(words, stems(words), strict=True):
                self._stems.setdefault(its, []).append(word)
        return self._stems.get(stem, [])


def _lengths(documents: Iterable[FreshDocument]) -> Counter[str]:
    lengths: Counter[str] = Counter()
    for document in documents:
        lengths.update({field: counts.total() for field, counts in document.counts.items()})
    return lengths
