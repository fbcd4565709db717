"""Relations against brute force: every pair compared, every path walked."""

from __future__ import annotations

import posixpath
import random
import tempfile
from collections import deque
from math import log2
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.store import Document, Library
from rolltop.store.graph.edges import COMMON_CITATION, FEWEST_TERMS, RARE, Edges, Node
from rolltop.store.graph.references import CITES, references_of
from rolltop.store.graph.sketch import BANDS, LEAST, NUMBERS, alike, bands_of, sketch_of
from rolltop.store.graph.terms import telling_terms

WORDS = [f"word{chr(97 + a)}{chr(97 + b)}" for a in range(12) for b in range(12)]
ADDRESSES = [f"https://example.org/{number}" for number in range(6)]

Found = set[tuple[str, str, str, float]]


def corpus(chance: random.Random, count: int) -> dict[str, tuple[str, list[str]]]:
    """path → (text, tags); some texts are edited copies, some link to paths that may not exist."""
    made: dict[str, tuple[str, list[str]]] = {}
    for number in range(count):
        folder = chance.choice(["", "a/", "a/b/", "c/"])
        if made and chance.random() < 0.4:
            words = chance.choice(list(made.values()))[0].split()
            for _ in range(chance.randrange(8)):
                words[chance.randrange(len(words))] = chance.choice(WORDS)
        else:
            words = chance.choices(WORDS, k=chance.randrange(5, 120))
        for _ in range(chance.randrange(3)):
            name = f"{chance.randrange(count)}.md"
            words.append(f"[x]({chance.choice(['', '../', 'a/', './'])}{name})")
        if chance.random() < 0.4:
            words.append(chance.choice(ADDRESSES))
        tags = chance.sample(["red", "green", "blue"], chance.randrange(3))
        made[f"{folder}{number}.md"] = (" ".join(words), tags)
    return made


def every_pair(library: Library, documents: list[Document]) -> Found:
    """All relations that the definitions ask for, by comparing all with all."""
    texts = {d.id: library.texts.of(d) for d in documents}
    sketches = {d.id: sketch_of(texts[d.id].body) for d in documents}
    terms = {d.id: set(telling_terms(texts[d.id])) for d in documents}
    holders = {term: sum(term in found for found in terms.values()) for term in set().union(*terms.values())}
    found: Found = set()
    for one in documents:
        for other in documents:
            if one.id != other.id:
                found |= {(one.path, other.path, *edge) for edge in _pair(one, other, texts, sketches, terms, holders)}
                found |= {(one.path, other.path, *edge) for edge in _said(library, one, other, documents, texts)}
    return found


def _pair(one, other, texts, sketches, terms, holders):
    if one.object == other.object:
        yield "near_duplicate", 1.0
    elif sketches[one.id] is not None and sketches[other.id] is not None:
        share = float(alike(sketches[one.id], sketches[other.id]))
        if share >= LEAST:
            family = _family(one.name) == _family(other.name) and one.modified != other.modified
            yield ("version" if family else "near_duplicate"), round(share, 2)
    common = [term for term in terms[one.id] & terms[other.id] if holders[term] <= RARE]
    if len(common) >= FEWEST_TERMS:
        yield "rare_terms", round(min(0.7, sum(0.2 / log2(holders[term]) for term in common)), 2)


def _said(library, one, other, documents, texts):
    cited = {r.key for r in references_of(texts[one.id]) if r.kind == CITES}
    holders = [
        sum(any(r.key == key for r in references_of(texts[d.id])) for d in documents)
        for key in sorted(cited & {r.key for r in references_of(texts[other.id]) if r.kind == CITES})
    ]
    both = [count for count in holders if count <= COMMON_CITATION]
    if both:
        yield "citation", round(min(0.8, sum(0.4 / log2(count) for count in both)), 2)
    if _links(one, other, documents, texts) or _links(other, one, documents, texts):
        yield "link", 0.9
    tags = set(library.documents.filled(one).tags) & set(library.documents.filled(other).tags)
    if tags:
        counts = [sum(tag in library.documents.filled(d).tags for d in documents) for tag in tags]
        yield "tag", round(min(0.6, sum(0.4 / log2(count) for count in counts)), 2)


def _links(source, target, documents, texts) -> bool:
    paths = {document.path for document in documents}
    for reference in references_of(texts[source.id]):
        if reference.kind != CITES and _meant(source.path, reference.path, paths) == target.path:
            return True
    return False


def _meant(source: str, path: str, paths: set[str]) -> str | None:
    here = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    if here in paths:
        return here
    if path.startswith((".", "/")):
        return None
    if path in paths:
        return path
    ending = [each for each in paths if each.endswith(f"/{path}")]
    return ending[0] if len(ending) == 1 else None


def _family(name: str) -> str:
    # Every name in the corpus is a number: nothing is left of it that could be stripped.
    return name


def looked_up(library: Library, documents: list[Document]) -> Found:
    edges = Edges(library.catalog, library.graph.traits)
    return {
        (document.path, edge.node.document.path, edge.kind, edge.weight)
        for document in documents
        for edge in edges.of(Node(document))
    }


@given(st.integers(0, 10_000), st.integers(2, 24))
@settings(max_examples=15, deadline=None)
def test_relations_are_those_of_every_pair(seed: int, count: int) -> None:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        library = Library(Path(place))
        for path, (text, tags) in corpus(chance, count).items():
            library.documents.add_text(path, text, tags=tags)
            if chance.random() < 0.3:
                library.graph.trace()  # in steps, as documents come
        documents = library.documents.page().documents
        gone = chance.sample(documents, chance.randrange(2))
        library.documents.delete(gone)
        library.graph.trace()
        left = [document for document in documents if document not in gone]
        assert looked_up(library, left) == every_pair(library, left)
        rings_are_shortest_ways(library, left)
        library.close()


def rings_are_shortest_ways(library: Library, documents: list[Document]) -> None:
    """Distances equal those of a plain search over all relations."""
    found = looked_up(library, documents)
    start = documents[0]
    distances = {start.path: 0}
    queue = deque([start.path])
    while queue:
        path = queue.popleft()
        for source, target, _, _ in found:
            if source == path and target not in distances:
                distances[target] = distances[path] + 1
                queue.append(target)
    walked = library.graph.related(start, 5, limit=1000)
    assert walked.complete
    assert {r.node.document.path: r.distance for r in walked.related} == {
        path: distance for path, distance in distances.items() if 1 <= distance <= 5
    }
    assert library.graph.related(start, 5, limit=1000).related == walked.related


@given(st.integers(0, 100_000))
@settings(max_examples=30, deadline=None)
def test_a_pair_that_is_alike_always_shares_a_band(seed: int) -> None:
    chance = random.Random(seed)
    words = chance.choices(WORDS, k=200)
    edited = [chance.choice(WORDS) if chance.random() < chance.choice([0.01, 0.03, 0.06]) else word for word in words]
    one, other = sketch_of(" ".join(words)), sketch_of(" ".join(edited))
    assert one is not None
    assert other is not None
    if alike(one, other) >= LEAST:
        assert set(bands_of(one)) & set(bands_of(other))


def test_as_many_differences_as_there_are_bands_are_too_many() -> None:
    assert NUMBERS - round(LEAST * NUMBERS) == BANDS - 1
