"""The relations of one document: each with its kind, a weight and the reason in words."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import log2

from rolltop.store.graph.references import CITES, IMPORTS, LINKS, NAMES, Reference
from rolltop.store.graph.sketch import LEAST
from rolltop.store.graph.trait_file import TraitFile
from rolltop.store.records import Document, Version
from rolltop.store.seams import Catalog

__all__ = ["KINDS", "Edge", "Edges", "Node"]

KINDS = ("version", "near_duplicate", "link", "citation", "import", "call", "rare_terms", "tag")

RARE = 8
"""A term that more documents are about says nothing about two of them."""
FEWEST_TERMS = 2
COMMON_CITATION = 30
COMMON_TAG = 100
MOST_REFERRING = 1000
MOST_COMPARED = 20_000
"""References that may lead to one document, and sketches that may be like one: beyond, `all_seen` is false."""
_COPY = re.compile(r"[ ._-]*(?:\(\d+\)|v?\d+|copy|final|draft|old|new|rev)$")


@dataclass(frozen=True, slots=True)
class Node:
    """A document, or (with `version`) what it was."""

    document: Document
    version: Version | None = None

    @property
    def hash(self) -> str:
        return self.version.hash if self.version else self.document.hash

    @property
    def key(self) -> tuple[int, int]:
        return self.document.id, self.version.number if self.version else 0

    @property
    def order(self) -> tuple[str, int]:
        return self.document.path, -self.key[1]


@dataclass(frozen=True, slots=True)
class Edge:
    """From the document that was asked about to another one."""

    kind: str
    node: Node
    weight: float
    reason: str


class Edges:
    """Looks relations up; nothing of them is kept, so nothing of them can be out of date."""

    def __init__(self, catalog: Catalog, traits: TraitFile) -> None:
        self._catalog = catalog
        self._traits = traits
        self._endings: dict[str, Document | None] = {}
        self.all_seen = True
        """Whether everything that may relate was looked at, for all documents that were asked about."""

    def of(self, node: Node) -> list[Edge]:
        """Every relation, the strongest first; at most one of each kind with the same document."""
        found = [*self._versions(node)]
        if node.version is None:
            document = node.document
            found += self._copies(document)
            found += self._alike(document)
            found += self._references(document)
            found += self._referring(document)
            found += self._citations(document)
            found += self._calls(document)
            found += self._terms(document)
            found += self._tags(document)
        best: dict[tuple[str, tuple[int, int]], Edge] = {}
        for edge in found:
            slot = (edge.kind, edge.node.key)
            if edge.node.key != node.key and (slot not in best or edge.weight > best[slot].weight):
                best[slot] = edge
        return sorted(best.values(), key=lambda edge: (-edge.weight, edge.node.order, KINDS.index(edge.kind)))

    # versions ------------------------------------------------------------------------------------

    def _versions(self, node: Node) -> Iterator[Edge]:
        """The version before and the one after."""
        history = self._catalog.documents.versions(node.document)
        place = len(history) - 1 if node.version is None else _place(history, node.version.number)
        for step in (place - 1, place + 1):
            if 0 <= step < len(history):
                other = history[step]
                current = other.number == node.document.version
                words = "before it" if step < place else "after it"
                yield Edge("version", Node(node.document, None if current else other), 1.0, f"the version {words}")

    def _copies(self, document: Document) -> Iterator[Edge]:
        """The same content elsewhere, now or before."""
        for other in self._catalog.documents.with_object(document.object):
            yield Edge("near_duplicate", Node(other), 1.0, "the same content")
        for other in self._catalog.documents.that_had(document.object):
            yield Edge("version", Node(other), 0.9, "had this content before")
        for version in self._catalog.documents.versions(document)[:-1]:
            if version.object != document.object:
                for other in self._catalog.documents.with_object(version.object):
                    yield Edge("version", Node(other), 0.9, f"has the content of version {version.number}")

    def _alike(self, document: Document) -> Iterator[Edge]:
        found, every = self._traits.alike(document.id, LEAST, MOST_COMPARED)
        self.all_seen &= every
        for number, share in found:
            if other := self._catalog.documents.get(number):
                if _family(document) == _family(other) and document.modified != other.modified:
                    age = "newer" if other.modified > document.modified else "older"
                    yield Edge("version", Node(other), round(share, 2), f"{age}, by name and {share:.0%} of its text")
                else:
                    yield Edge("near_duplicate", Node(other), round(share, 2), f"{share:.0%} of the text is the same")

    # references ----------------------------------------------------------------------------------

    def _references(self, document: Document) -> Iterator[Edge]:
        for reference in self._traits.references(document.id):
            other = self.meant(document, reference)
            if other is not None:
                yield _reference_edge(reference, other, incoming=False)

    def _referring(self, document: Document) -> Iterator[Edge]:
        keys = {document.name: (LINKS, IMPORTS, NAMES), document.hash: (NAMES,)}
        for key, kinds in keys.items():
            found = self._traits.referring(key, kinds, MOST_REFERRING + 1)
            self.all_seen &= len(found) <= MOST_REFERRING
            for number, reference in found[:MOST_REFERRING]:
                source = self._catalog.documents.get(number)
                if source is not None and source.id != document.id and _may_mean(document, source, reference):
                    meant = self.meant(source, reference)
                    if meant is not None and meant.id == document.id:
                        yield _reference_edge(reference, source, incoming=True)

    def meant(self, source: Document, reference: Reference) -> Document | None:
        """The document that a reference in another one means."""
        if reference.kind == NAMES:
            return self._named(reference.path)
        if reference.kind == CITES:
            return None
        path, here = reference.path, _from(source, reference.path)
        exact = self._catalog.documents.at(here)
        if exact is not None or path.startswith((".", "/")):
            return exact or self._catalog.documents.at(path)
        tail = posixpath.normpath(path)
        found = self._catalog.documents.at(tail)
        if found is not None:
            return found
        return self._only_ending(reference.key, tail)

    def _only_ending(self, name: str, tail: str) -> Document | None:
        """The only document whose path ends so; a walk asks for the same ones again and again."""
        if tail not in self._endings:
            ending = self._catalog.documents.ending(name, tail, 2)
            self._endings[tail] = ending[0] if len(ending) == 1 else None
        return self._endings[tail]

    def _named(self, name: str) -> Document | None:
        """What doc:// means: a path, a name that only one has, or a hash."""
        exact = self._catalog.documents.at(name)
        if exact is not None:
            return exact
        found = self._catalog.documents.named(name, 2)
        if not found and re.fullmatch(r"[0-9a-f]{64}", name):
            entries = self._catalog.objects.by_prefix(name, 1)
            found = self._catalog.documents.with_object(entries[0].id)[:1] if entries else []
        return found[0] if len(found) == 1 else None

    def _citations(self, document: Document) -> Iterator[Edge]:
        """Documents that cite what this one cites, unless everybody does: the fewer do, the stronger."""
        shared: dict[int, list[tuple[str, int]]] = {}
        for reference in self._traits.references(document.id):
            if reference.kind == CITES:
                others = self._traits.referring(reference.key, (CITES,), COMMON_CITATION + 1)
                citing = {number for number, _ in others} - {document.id}
                for number in citing if len(others) <= COMMON_CITATION else ():
                    shared.setdefault(number, []).append((reference.key, len(citing) + 1))
        for number, cited in sorted(shared.items()):
            if (other := self._catalog.documents.get(number)) is not None:
                weight = min(0.8, sum(0.4 / log2(count) for _, count in cited))
                yield Edge("citation", Node(other), round(weight, 2), f"both cite {_listed(key for key, _ in cited)}")

    # code, words, tags ---------------------------------------------------------------------------

    def _calls(self, document: Document) -> Iterator[Edge]:
        called, callers = self._traits.called(document.id), self._traits.callers(document.id)
        for rows, words in ((called, "defines what this calls:"), (callers, "calls")):
            shared: dict[int, list[str]] = {}
            for number, name in rows:
                shared.setdefault(number, []).append(name.partition(":")[2])
            yield from self._sharing(document, "call", shared, words, 0.3)

    def _terms(self, document: Document) -> Iterator[Edge]:
        """Documents about the same things that few are about."""
        shared: dict[int, list[tuple[str, int]]] = {}
        for number, term, holders in self._traits.sharing_terms(document.id, RARE):
            shared.setdefault(number, []).append((term, holders))
        for number, terms in sorted(shared.items()):
            other = self._catalog.documents.get(number)
            if other is not None and len(terms) >= FEWEST_TERMS:
                weight = min(0.7, sum(0.2 / log2(holders) for _, holders in terms))
                rarest = sorted(terms, key=lambda term: (term[1], term[0]))
                yield Edge("rare_terms", Node(other), round(weight, 2), f"both about {_listed(t for t, _ in rarest)}")

    def _tags(self, document: Document) -> Iterator[Edge]:
        shared: dict[int, list[tuple[str, int]]] = {}
        for tag in self._catalog.tags.of(document.id):
            others = self._catalog.tags.holders(tag, COMMON_TAG + 1)
            if len(others) <= COMMON_TAG:
                for number in others:
                    shared.setdefault(number, []).append((tag, len(others)))
        for number, tags in sorted(shared.items()):
            other = self._catalog.documents.get(number)
            if other is not None and number != document.id:
                weight = min(0.6, sum(0.4 / log2(count) for _, count in tags))
                yield Edge("tag", Node(other), round(weight, 2), f"both tagged {_listed(tag for tag, _ in tags)}")

    def _sharing(
        self, document: Document, kind: str, shared: dict[int, list[str]], words: str, least: float
    ) -> Iterator[Edge]:
        """An edge to each document that shares names with this one: the more names, the stronger."""
        for number, names in sorted(shared.items()):
            other = self._catalog.documents.get(number) if number != document.id else None
            if other is not None:
                weight = min(0.8, least + 0.1 * (len(names) - 1))
                yield Edge(kind, Node(other), round(weight, 2), f"{words} {_listed(names)}")


def _from(source: Document, path: str) -> str:
    """A path as it is written in a document, from the root."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(source.path), path))


def _may_mean(document: Document, source: Document, reference: Reference) -> bool:
    """Whether a reference could mean a document, by its path alone: most that have the name mean another one."""
    if reference.kind == NAMES:
        return True
    path, tail = reference.path, posixpath.normpath(reference.path)
    wanted = (_from(source, path), path, tail)
    return document.path in wanted or (not path.startswith((".", "/")) and document.path.endswith(f"/{tail}"))


def _place(history: list[Version], number: int) -> int:
    return next(place for place, version in enumerate(history) if version.number == number)


def _family(document: Document) -> tuple[str, str]:
    """Names that differ in a number, `copy` or `final` are of one family."""
    stem, ending = posixpath.splitext(document.name.lower())
    while (shorter := _COPY.sub("", stem)) not in ("", stem):
        stem = shorter
    return stem, ending


def _reference_edge(reference: Reference, other: Document, *, incoming: bool) -> Edge:
    if reference.kind == IMPORTS:
        return Edge("import", Node(other), 0.8, "imports this" if incoming else f"imported as {reference.path}")
    words = "links here as" if incoming else "linked as"
    return Edge("link", Node(other), 0.9, f"{words} {reference.path}")


def _listed(names: Iterable[str], most: int = 4) -> str:
    every = list(names)
    rest = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + rest
