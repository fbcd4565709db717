"""What a query asks of the index, without saying how it is kept: the same plan is carried out by the index on disk
(`asking`) and over documents that are too fresh to be in it (`fresh`)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = [
    "AllOf",
    "AnyOf",
    "Best",
    "Everything",
    "InOrder",
    "Leaf",
    "Plan",
    "Raised",
    "Run",
    "Starts",
    "Stem",
    "Term",
    "Terms",
    "Without",
    "families_of",
    "in_field",
    "inverse_frequency",
    "leaves_of",
    "words_of",
]


@dataclass(frozen=True, slots=True)
class Term:
    """One word in one field. `idf` is how telling the word is, which may be shared with words like it."""

    field: str
    word: str
    weight: float
    idf: float


@dataclass(frozen=True, slots=True)
class Stem:
    """A word in any form, anywhere in a document. `word` is the stem, `forms` are the words that have it."""

    word: str
    forms: tuple[str, ...]
    weight: float
    idf: float
    field: str = "stems"


@dataclass(frozen=True, slots=True)
class Run:
    """Words one after the other. Where they are one word, `written` are the ways in which it is."""

    field: str
    words: tuple[str, ...]
    weight: float
    idf: float
    written: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InOrder:
    """Words one after the other, however often, for one score."""

    field: str
    words: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Terms:
    """Any of these words, for the same score each."""

    field: str
    words: frozenset[str]
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Starts:
    """Any word that begins so, for the same score each."""

    field: str
    prefix: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part; scores add up."""

    parts: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class Best:
    """At least one part; the best score counts."""

    parts: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part; scores add up."""

    parts: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class Without:
    """A part, where none of the others holds."""

    part: Plan
    banned: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class Raised:
    """A part; where one of the others holds too, its score is added."""

    part: Plan
    more: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class Everything:
    """Every document."""


Plan = Term | Stem | Run | InOrder | Terms | Starts | AnyOf | Best | AllOf | Without | Raised | Everything
Leaf = Term | Stem | Run | InOrder | Terms | Starts


def inverse_frequency(documents: int, having: int) -> float:
    """BM25's measure of how telling a word is that so many of the documents have."""
    having = min(having, documents)
    return math.log(1 + (documents - having + 0.5) / (having + 0.5))


def leaves_of(plan: Plan) -> Iterator[Leaf]:
    """Every leaf that a document may be found by."""
    if isinstance(plan, Leaf):
        yield plan
    elif isinstance(plan, Without):
        yield from leaves_of(plan.part)
    elif isinstance(plan, Raised):
        for part in (plan.part, *plan.more):
            yield from leaves_of(part)
    elif not isinstance(plan, Everything):
        for part in plan.parts:
            yield from leaves_of(part)


def in_field(plan: Plan, field: str, weight: float) -> Plan | None:
    """What the plan asks for anywhere, asked of one field."""
    stems = [leaf for leaf in leaves_of(plan) if isinstance(leaf, Stem)]
    words = [(leaf, (leaf.word,) if field == "tag_stem" else leaf.forms) for leaf in stems]
    terms = [Term(field, word, weight, leaf.idf) for leaf, forms in words for word in forms]
    return AnyOf(tuple(terms)) if terms else None


def families_of(plan: Plan) -> list[tuple[str, ...]]:
    """The words that a document was found by, for finding them in its text; the forms of one word together."""
    if isinstance(plan, (Without, Raised)):
        return families_of(plan.part)  # what raises a score are the same words, in order
    if isinstance(plan, Stem):
        return [plan.forms]
    if isinstance(plan, Run):
        return [plan.written] if plan.written else [(word,) for word in _shown(plan)]
    if isinstance(plan, Everything):
        return []
    if isinstance(plan, AnyOf) and all(type(part) is Term for part in plan.parts):
        words = [part.word for part in plan.parts if part.field not in _SILENT]  # type: ignore[union-attr]
    elif isinstance(plan, (AllOf, AnyOf)):
        if isinstance(plan, AnyOf) and all(isinstance(part, (Run, Term)) for part in plan.parts):
            as_one = [part.written for part in plan.parts if isinstance(part, Run) and part.written]
            if as_one:
                return list(dict.fromkeys(as_one))  # the words beside them are among the ways
        return [family for part in plan.parts for family in families_of(part)]
    else:
        words = [word for leaf in leaves_of(plan) for word in _shown(leaf)]
    family = tuple(dict.fromkeys(words))  # in the order in which they were asked for
    return [family] if family else []


def words_of(plan: Plan) -> tuple[str, ...]:
    """The same words one by one, for marking them; behind the beginning of words stands a `*`."""
    return tuple(dict.fromkeys(word for leaf in leaves_of(plan) for word in _marked(leaf)))


def _marked(leaf: Leaf) -> tuple[str, ...]:
    return tuple(f"{word}*" for word in _shown(leaf)) if isinstance(leaf, Starts) else _shown(leaf)


_SILENT = frozenset({"tag", "ext", "type", "tag_stem"})
"""Fields whose words are not as they are written, or not in the text."""


def _shown(leaf: Leaf) -> tuple[str, ...]:
    if leaf.field in _SILENT:
        return ()
    if isinstance(leaf, Stem):
        return leaf.forms
    if isinstance(leaf, Term):
        return (leaf.word,)
    return (leaf.prefix,) if isinstance(leaf, Starts) else tuple(leaf.words)
