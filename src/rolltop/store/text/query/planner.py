"""From what was typed to what is asked of the index: stems, whole identifiers, near words, weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from rolltop.store.text.fields import ANYWHERE, LABEL, WEIGHTS
from rolltop.store.text.query import grammar
from rolltop.store.text.query.grammar import And, Node, Not, Or, Phrase, Prefix, Word
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
from rolltop.store.text.words.analysis import leaves_out, stem_of, words_in

__all__ = ["Lexicon", "Planner"]

SCORED = 48
"""Words of a family (same beginning, nearly the same spelling) that are scored one by one; the rest alike."""

OTHER_FORM = 0.9
"""What another form of the word that was typed is worth."""

UNLIKE = 10.0
"""A near word counts as much as its similarity to this power."""

TOGETHER = {LABEL: 3.0, "body": 2.5}
"""What it is worth that the words of a query stand one after the other."""

BETWEEN = ("_", ".", "-", " ", "\n", "/", ":", "::", "->", ", ")
"""What stands between the parts of an identifier, the most usual first."""

IN_ORDER = 8
"""A longer query is a text, not the words of a heading."""

NOTHING = AnyOf(())
"""What is asked for a word that the index leaves out: no document is known to hold it."""


class Lexicon(Protocol):
    """What is known about words."""

    @property
    def documents(self) -> int: ...
    def frequency(self, field: str, word: str) -> int: ...
    def variants(self, stem: str) -> Iterable[str]: ...
    def planned(self, word: str, field: str | None, make: Callable[[str, str | None], Plan]) -> Plan: ...
    def near(self, word: str, similarity: float) -> list[tuple[str, float]]: ...
    def prefixed(self, field: str, prefix: str, limit: int) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans queries. With `similarity`, words stand for all words at least so near, and for nothing else."""

    lexicon: Lexicon
    similarity: float | None = None
    _near_known: dict[str, list[tuple[str, float]]] = field(default_factory=dict)

    def plans(self, root: Node) -> Iterator[tuple[Plan, bool]]:
        """What to ask, and whether it asks for everything; where that finds nothing, what to ask next."""
        strict = self._node(root)
        if strict is None:
            return
        if not isinstance(root, And) or not root.loose:
            yield strict, True
            return
        words = self._free_words(root)
        meant = self._as_meant(words)
        yield _raised(strict, (*self._in_order(root, words), *meant)), True
        if (relaxed := self._relaxed(root)) is not None:
            yield _raised(relaxed, meant), False

    def _free_words(self, root: And) -> tuple[str, ...]:
        """The words that may stand anywhere; where they are only near, those of the index that they are nearest to."""
        parts = [part for part in root.parts if isinstance(part, Word) and part.field is None]
        return tuple(self._meant(word) for part in parts for word in words_in(part.text))

    def _in_order(self, root: And, words: tuple[str, ...]) -> tuple[Plan, ...]:
        """The same words one after the other, as in a heading that somebody has in mind."""
        plain = all(isinstance(part, Word) and part.field is None for part in root.parts)
        if not plain or not 1 < len(words) <= IN_ORDER:
            return ()
        idf = sum([self._idf_of_stem(stem_of(word)) for word in words])
        return tuple(InOrder(field, words, weight * idf) for field, weight in TOGETHER.items())

    def _as_meant(self, words: tuple[str, ...]) -> tuple[Plan, ...]:
        """What the words would be worth if they had been spelled right: near words alone say less of a document."""
        if self.similarity is None or not words:
            return ()
        stems = {stem_of(word): word for word in words}
        parts = [Stem(stem, (word,), WEIGHTS[ANYWHERE], self._idf_of_stem(stem)) for stem, word in stems.items()]
        return (AnyOf(tuple(parts)),)

    def _meant(self, word: str) -> str:
        """The word itself, or the one that it is nearest to."""
        if self.similarity is None:
            return word
        near = self._near_words(word)
        return near[0][0] if near else word

    def _relaxed(self, root: And) -> Plan | None:
        """Any of the words; what was quoted, forbidden or tied to a tag, extension or type stays."""
        optional = [part for part in root.parts if isinstance(part, (Word, Prefix)) and part.field not in grammar.EXACT]
        fixed = [part for part in root.parts if part not in optional]
        some = [plan for part in optional if (plan := self._node(part)) is not None]
        if len(optional) < 2 or not some:
            return None
        return self._all([*fixed], [AnyOf(tuple(some))])

    def _node(self, node: Node) -> Plan | None:
        if isinstance(node, And):
            return self._all(node.parts, [])
        if isinstance(node, Or):
            parts = tuple(plan for part in node.parts if (plan := self._node(part)) is not None)
            return AnyOf(parts) if parts else None
        if isinstance(node, Not):
            banned = self._node(node.part)
            return None if banned is None else Without(Everything(), (banned,))
        return self._leaf(node)

    def _all(self, parts: Sequence[Node], more: list[Plan]) -> Plan | None:
        wanted = [p for part in parts if not isinstance(part, Not) and (p := self._node(part)) is not None] + more
        banned = [p for part in parts if isinstance(part, Not) and (p := self._node(part.part)) is not None]
        if not wanted and not banned:
            return None
        whole: Plan = Everything() if not wanted else wanted[0] if len(wanted) == 1 else AllOf(tuple(wanted))
        return Without(whole, tuple(banned)) if banned else whole

    def _leaf(self, node: Word | Phrase | Prefix) -> Plan | None:
        if node.field in grammar.EXACT:
            return _filter(node.field, node)
        words = words_in(node.text)
        if not words or leaves_out(node.text):
            return NOTHING
        if isinstance(node, Prefix):
            return self._prefix(words, node.field)
        if isinstance(node, Phrase):
            return self._phrase(words, node.field)
        if self.similarity is not None:
            groups = tuple(self._near(word, node.field) for word in dict.fromkeys(words))
            return groups[0] if len(groups) == 1 else AllOf(groups)
        return self._word(words[0], node.field) if len(words) == 1 else self._compound(node.text, words, node.field)

    def _near_words(self, word: str) -> list[tuple[str, float]]:
        """Words that are as near as is asked for, the nearest first; looked for once."""
        assert self.similarity is not None
        found = self._near_known.get(word)
        if found is None:
            found = self._near_known[word] = self.lexicon.near(word, self.similarity)
        return found

    # leaves --------------------------------------------------------------------------------------

    def _idf(self, words: Iterable[str]) -> float:
        """How telling a family of words is as they are written, wherever they stand."""
        known = self.lexicon
        having = sum(max(known.frequency("body", word), known.frequency(LABEL, word)) for word in words)
        return inverse_frequency(known.documents, having)

    def _idf_of_stem(self, stem: str) -> float:
        """How telling a word is in any form."""
        return inverse_frequency(self.lexicon.documents, self.lexicon.frequency(ANYWHERE, stem))

    def _word(self, word: str, field: str | None) -> Plan:
        return self.lexicon.planned(word, field, self._forms_of)

    def _forms_of(self, word: str, field: str | None) -> Plan:
        stem = stem_of(word)
        family = dict.fromkeys([word, *self.lexicon.variants(stem)])
        idf = self._idf_of_stem(stem)
        if field is None:
            return Stem(stem, tuple(family), WEIGHTS[ANYWHERE], idf)
        parts = [
            Term(field, each, WEIGHTS[field] if each == word else WEIGHTS[field] * OTHER_FORM, idf) for each in family
        ]
        if field == "body":
            parts.append(Term("names", word, WEIGHTS["names"], idf))
        return AnyOf(tuple(parts))

    def _compound(self, text: str, words: list[str], field: str | None) -> Plan:
        """An identifier or a word with a hyphen: its parts one after the other, or the whole as one word."""
        whole = "".join(words)
        written = tuple(dict.fromkeys((whole, text.lower(), *(between.join(words) for between in BETWEEN))))
        runs = [replace(run, written=written) for run in self._runs(words, field)]
        if field not in (None, "body"):
            return runs[0]
        idf = self._idf([whole]) if self.lexicon.frequency("body", whole) else runs[0].idf
        joined = (Term("names", whole, WEIGHTS["names"], idf), Term("body", whole, 1.0, idf))
        return AnyOf((*runs, *joined))

    def _runs(self, words: list[str], field: str | None) -> list[Run]:
        idf = sum([self._idf([word]) for word in words])
        return [Run(name, tuple(words), WEIGHTS[name], idf) for name in ((field,) if field else ("body", LABEL))]

    def _phrase(self, words: list[str], field: str | None) -> Plan:
        if len(words) > 1:
            plans: Sequence[Plan] = self._runs(words, field)
        else:
            idf = self._idf(words)
            plans = [Term(name, words[0], WEIGHTS[name], idf) for name in ((field,) if field else ("body", LABEL))]
        return plans[0] if len(plans) == 1 else AnyOf(tuple(plans))

    def _prefix(self, words: list[str], field: str | None) -> Plan:
        """The last word is a beginning; those before it must be there."""
        *before, prefix = words
        fields = (field,) if field else ("body", LABEL)
        parts: list[Plan] = []
        for name in fields:
            family = self.lexicon.prefixed(name, prefix, SCORED + 1)
            if len(family) > SCORED:
                parts.append(Starts(name, prefix, WEIGHTS[name]))
            else:
                idf = self._idf(family)
                parts += [Term(name, word, WEIGHTS[name], idf) for word in family]
        begun = AnyOf(tuple(parts))
        return AllOf((*(self._word(word, field) for word in before), begun)) if before else begun

    def _near(self, word: str, field: str | None) -> Plan:
        near = self._near_words(word)
        fields = (field,) if field else ("body", LABEL)
        scored, rest = near[:SCORED], frozenset(each for each, _ in near[SCORED:])
        idf = self._idf([each for each, _ in scored[:1]]) if scored else 0.0
        by_field: list[Plan] = []
        for name in fields:
            parts: list[Plan] = [Term(name, each, WEIGHTS[name] * alike**UNLIKE, idf) for each, alike in scored]
            by_field.append(Best((*parts, Terms(name, rest, 0.001)) if rest else tuple(parts)))
        return by_field[0] if field else AnyOf(tuple(by_field))


def _raised(plan: Plan, more: tuple[Plan, ...]) -> Plan:
    return Raised(plan, more) if more else plan


def _filter(field: str, node: Word | Phrase | Prefix) -> Plan:
    value = node.text if field == "tag" else node.text.casefold()  # tags are told apart by case, as in listings
    if field == "ext":
        value = value.lstrip(".")
    if field == "type" and value == "binary":
        # `binary` is everything that is not text, as in listings.
        return Without(Everything(), (Terms("type", frozenset({"text"})),))
    return Starts(field, value) if isinstance(node, Prefix) else Terms(field, frozenset({value}))
