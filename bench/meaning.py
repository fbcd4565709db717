"""Search by meaning: quality on known-item sets, speed of embedding, speed, recall and memory of the vector index.

    python bench/meaning.py [--models wordllama,minilm] [--documents 3000,600] [--sets functions,hidden,headings]
                            [--tune] [--vectors 1000000] [--keep DIR]

Sets come from the documentation and the Python packages on this machine (_known_items.py): the first sentence of
a docstring and its function without the docstring; a heading and its page without the heading; a heading and its page
as it is. How much the meaning counts beside the words was tuned on one half of the questions (`--tune` shows the grid);
what is reported comes from the other half. With `--keep` the stores stay, so a second run does not embed again.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from _known_items import KnownItems, functions, headings
from _measure import save, table
from find import memory
from rolltop.store import Library, Options, Source
from rolltop.store.meaning import Blend, fuse
from rolltop.store.meaning.vectors import ByteVectors

Rows = list[list[Any]]
Asked = list[tuple[str, str]]


def reciprocal(order: list[int], wanted: int) -> float:
    return 1 / (order.index(wanted) + 1) if wanted in order[:10] else 0.0


def mean(ranks: list[float]) -> float:
    return sum(ranks) / len(ranks) if ranks else 0.0


SETS: dict[str, Callable[[], KnownItems]] = {
    "functions": functions,
    "hidden": partial(headings, hidden=True),
    "headings": partial(headings, hidden=False),
}


def sets(count: int, names: Sequence[str]) -> list[KnownItems]:
    every = [SETS[name]() for name in names]
    return [known.limited(count) if count < len(known.documents) else known for known in every]


def quality(model: str, chosen: list[KnownItems], work: Path, rows: Rows, *, tune: bool) -> None:
    for known in chosen:
        place = work / f"{Path(model).name}-{len(known.documents)}-{known.name.replace(' ', '-')}"
        library = Library(place, Options(model=model))
        library.documents.add_many(Source(path, text.encode(), 1, 2) for path, text in known.documents)
        library.search.catch_up()
        _ = library.search.meaning.model
        before, had = time.process_time(), len(library.search.meaning.index.vectors)
        library.search.embed()
        spent, made = time.process_time() - before, len(library.search.meaning.index.vectors) - had
        label = f"{Path(model).name}, {known.name}"
        asked = known.tuning if tune else known.reporting
        rows.append([f"{label}: documents, questions", f"{len(known.documents)}, {len(asked)}", ""])
        if made:
            rows.append([f"{label}: passages embedded per CPU second", f"{made / spent:.1f}", ""])
        (tuned if tune else reported)(library, label, asked, rows)
        library.close()


def reported(library: Library, label: str, asked: Asked, rows: Rows) -> None:
    """The orders as the library gives them."""
    ranks: dict[str, list[float]] = {"keyword": [], "semantic": [], "hybrid": []}
    spent: dict[str, list[float]] = {kind: [] for kind in ranks}
    for query, path in asked:
        wanted = library.documents.get(path).id
        for kind, reached in ranks.items():
            before = time.process_time()
            found = library.search.find(query, kind, limit=10)
            spent[kind].append((time.process_time() - before) * 1000)
            reached.append(reciprocal([hit.document.id for hit in found.hits], wanted))
    rows += [[f"{label}: MRR@10 {kind}", f"{mean(found):.3f}", ""] for kind, found in ranks.items()]
    ratio, low, high = over_better_leg(ranks)
    no_room = label.endswith(", heading to page")  # words alone find nearly all of them
    goal = ">= 1" if label.startswith("wordllama") or no_room else ">= 1.05"
    rows.append(
        [f"{label}: hybrid / its better leg (95 % of 2000 resamplings)", f"{ratio:.3f} ({low:.3f}-{high:.3f})", goal]
    )
    rows.append([f"{label}: CPU ms p50, keyword / semantic / hybrid", " / ".join(middle(spent[k]) for k in ranks), ""])


def middle(spent: list[float]) -> str:
    return f"{sorted(spent)[len(spent) // 2]:.1f}"


def over_better_leg(ranks: dict[str, list[float]]) -> tuple[float, float, float]:
    """How much better hybrid is than the better leg, and between what bounds that would be with other questions."""
    table = np.array([ranks["keyword"], ranks["semantic"], ranks["hybrid"]])
    chosen = np.random.default_rng(1).integers(0, table.shape[1], (2000, table.shape[1]))
    means = table[:, chosen].mean(axis=2)
    ratios = np.sort(means[2] / np.maximum(means[0], means[1]))
    whole = table.mean(axis=1)
    return float(whole[2] / max(whole[0], whole[1])), float(ratios[50]), float(ratios[1949])


def tuned(library: Library, label: str, asked: Asked, rows: Rows) -> None:
    """The mean reciprocal rank for different weights."""
    found = [(library.documents.get(path).id, library.search.legs(query)) for query, path in asked]
    for nearness in (1.0, 1.5, 2.0, 2.5, 3.0):
        for few_words in (1.0, 1.25, 1.5):
            blend = Blend(nearness, few_words=few_words)
            orders = [
                ([each.document for each in fuse(those.candidates, blend, those.full)], wanted)
                for wanted, those in found
            ]
            value = mean([reciprocal(order, wanted) for order, wanted in orders])
            rows.append([f"{label}: nearness {nearness}, few words {few_words}", f"{value:.4f}", ""])


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
    parser.add_argument("--documents", default="3000,600", help="for each model")
    parser.add_argument("--sets", default=",".join(SETS), help="which sets of questions")
    parser.add_argument("--vectors", type=int, default=1_000_000)
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--keep", type=Path, help="directory for the stores")
    args = parser.parse_args()
    rows: Rows = []
    with tempfile.TemporaryDirectory() as work:
        for model, count in zip(args.models.split(","), args.documents.split(","), strict=True):
            chosen = sets(int(count), args.sets.split(","))
            quality(model, chosen, args.keep or Path(work), rows, tune=args.tune)
        if not args.tune and args.vectors:
            index_speed(args.vectors, Path(work), rows)
    table(["what", "figure", "goal"], rows)
    save("meaning-tune" if args.tune else "meaning", rows)


if __name__ == "__main__":
    main()
