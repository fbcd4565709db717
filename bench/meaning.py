"""Search by meaning: quality on known-item sets, speed of embedding, speed, recall and memory of the vector index.

    python bench/meaning.py [--models wordllama,minilm] [--documents 5000,700] [--tune] [--vectors 1000000]

The sets are made from the documentation and the Python packages on this machine: a heading and its page, the first
sentence of a docstring and its function without the docstring. How much the meaning counts beside the words was tuned
on one half of the questions (`--tune` shows the grid); what is reported comes from the other half.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from _measure import save, table
from find import functions, headings, memory
from rolltop.store import Library, Options, Source
from rolltop.store.meaning import fuse
from rolltop.store.understanding import BEST_MEANINGS, BEST_WORDS
from rolltop.store.vectors import ByteVectors

Rows = list[list[Any]]
Asked = list[tuple[str, str]]
Order = list[tuple[int, float]]


def chosen(documents: list[tuple[str, str]], asked: Asked, count: int) -> tuple[list[tuple[str, str]], Asked]:
    """So many documents, with those that are asked for among them."""
    wanted = {path for _, path in asked}
    rng = random.Random(3)
    first = [each for each in documents if each[0] in wanted and len(each[1]) < 20_000]
    rest = [each for each in documents if each[0] not in wanted and len(each[1]) < 20_000]
    kept = (rng.sample(first, min(len(first), count * 2 // 3)) + rng.sample(rest, len(rest)))[:count]
    paths = {path for path, _ in kept}
    return kept, [(query, path) for query, path in asked if path in paths]


def reciprocal(order: list[int], wanted: int) -> float:
    return 1 / (order.index(wanted) + 1) if wanted in order[:10] else 0.0


def mean(ranks: list[float]) -> float:
    return sum(ranks) / len(ranks) if ranks else 0.0


def quality(model: str, count: int, work: Path, rows: Rows, *, tune: bool) -> None:
    for name, made in (("docstring to function", functions), ("heading to page", headings)):
        documents, asked = chosen(*made(), count)
        asked = asked[::2] if tune else asked[1::2]
        library = Library(work / f"{model}-{name}".replace(" ", "-"), Options(model=model))
        library.add_many(Source(path, text.encode(), 1, 2) for path, text in documents)
        library.catch_up()
        _ = library.meaning.model
        before = time.process_time()
        library.embed()
        spent = time.process_time() - before
        size = sum(len(text) for _, text in documents)
        rows += [
            [f"{model}, {name}: documents, questions", f"{len(documents)}, {len(asked)}", ""],
            [
                f"{model}, {name}: embedded per CPU second",
                f"{len(documents) / spent:.0f} ({size / 1e6 / spent:.2f} MB)",
                "",
            ],
        ]
        (tuned if tune else reported)(library, model, name, asked, rows)
        library.close()


def reported(library: Library, model: str, name: str, asked: Asked, rows: Rows) -> None:
    """The orders as the library gives them."""
    ranks: dict[str, list[float]] = {"keyword": [], "semantic": [], "hybrid": []}
    for query, path in asked:
        wanted = library.document(path).id
        for kind, ask in (
            *(("keyword", library.search), ("semantic", library.search_near)),
            *(("hybrid", library.search_hybrid),),
        ):
            ranks[kind].append(reciprocal([hit.document.id for hit in ask(query, limit=10).hits], wanted))
    rows += [[f"{model}, {name}: MRR@10 {kind}", f"{mean(found):.3f}", ""] for kind, found in ranks.items()]
    better = max(mean(ranks["keyword"]), mean(ranks["semantic"]))
    goal = ">= 1" if model == "wordllama" else ">= 1.05"
    rows.append([f"{model}, {name}: hybrid / its better leg", f"{mean(ranks['hybrid']) / better:.3f}", goal])


def tuned(library: Library, model: str, name: str, asked: Asked, rows: Rows) -> None:
    """The mean reciprocal rank for different shares of the meaning, by whether the words were all found."""
    legs: dict[bool, list[tuple[int, Order, Order]]] = {True: [], False: []}
    for query, path in asked:
        answer, _ = library._by_words(query, BEST_WORDS, 0, None)
        near = [(each.document.id, each.score) for each in library.meaning.rank(query, BEST_MEANINGS)]
        words = [(hit.document, hit.score) for hit in answer.hits]
        legs[answer.complete].append((library.document(path).id, words, near))
    for complete, found in legs.items():
        for share in (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.8, 1.0) if found else ():
            orders = [([each.document for each in fuse(words, near, share)], wanted) for wanted, words, near in found]
            held = "all words" if complete else "some words"
            value = mean([reciprocal(order, wanted) for order, wanted in orders])
            rows.append([f"{model}, {name}: {held}, {len(found)} questions, share {share}", f"{value:.3f}", ""])


def index_speed(count: int, work: Path, rows: Rows) -> None:
    """Rows like those of real texts: near to one of some thousand themes."""
    rng = np.random.default_rng(1)
    themes = rng.normal(0, 1, (4000, 256)).astype(np.float32)
    vectors = ByteVectors(work / "rows.vec")
    for start in range(0, count, 50_000):
        size = min(50_000, count - start)
        block = themes[rng.integers(0, 4000, size)] + rng.normal(0, 1, (size, 256)).astype(np.float32)
        vectors.add(range(start, start + size), block)
    asked = themes[rng.integers(0, 4000, 60)] + rng.normal(0, 0.7, (60, 256)).astype(np.float32)
    vectors.close()
    empty = memory()
    vectors = ByteVectors(work / "rows.vec")
    vectors.nearest(asked[0], 50)
    spent, found = [], []
    for vector in asked:
        before = time.process_time()
        found.append({key for key, _ in vectors.nearest(vector, 10)})
        spent.append((time.process_time() - before) * 1000)
    exact = ByteVectors(work / "rows.vec", scanned=1 << 40)
    begun = time.process_time()
    truth = [{key for key, _ in exact.nearest(vector, 10)} for vector in asked[:20]]
    scan = (time.process_time() - begun) / 20 * 1000
    shared = mean([len(a & b) / 10 for a, b in zip(found, truth, strict=False)])
    size = (work / "rows.vec").stat().st_size
    spent.sort()
    rows += [
        [f"{count} vectors: on disk, MB", f"{size / 1e6:.0f}", ""],
        [f"{count} vectors: nearest 10, CPU ms p50 / p99", f"{spent[30]:.1f} / {spent[-1]:.1f}", ""],
        [f"{count} vectors: a scan of all, CPU ms", f"{scan:.1f}", ""],
        [f"{count} vectors: recall@10 against the scan", f"{shared:.3f}", ">= 0.98"],
        [f"{count} vectors: own memory, MB", f"{memory() - empty:.0f}", ""],
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default="wordllama,minilm")
    parser.add_argument("--documents", default="5000,500", help="for each model")
    parser.add_argument("--vectors", type=int, default=1_000_000)
    parser.add_argument("--tune", action="store_true")
    args = parser.parse_args()
    rows: Rows = []
    with tempfile.TemporaryDirectory() as work:
        for model, count in zip(args.models.split(","), args.documents.split(","), strict=True):
            quality(model, int(count), Path(work), rows, tune=args.tune)
        if not args.tune:
            index_speed(args.vectors, Path(work), rows)
    table(["what", "figure", "goal"], rows)
    save("meaning-tune" if args.tune else "meaning", rows)


if __name__ == "__main__":
    main()
