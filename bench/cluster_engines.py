"""Two ways to have a keyword index in a bucket, in one run: LanceDB, and rolltop's own index published as files.

    python bench/cluster_engines.py --documents 10000

Both index the same documents and are asked the same questions, LanceDB over S3 (a real SeaweedFS), rolltop's index
from the copy that every server keeps. Quality is the mean reciprocal rank on known items (bench/find.py, second half).
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from _measure import save, table
from find import corpus, cpu, functions, headings, questions, with_typo

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

import random

import lancedb
import pyarrow as pa
from cluster_servers import BUCKET, S3Server, started
from lancedb.index import FTS
from lancedb.query import MatchQuery

from rolltop.store import Library, Source

Documents = list[tuple[str, str]]
Ask = Callable[[str, float | None], list[str]]

MANY = 10_000


def plain(query: str) -> str:
    return re.sub(r"[^\w\s.'-]", " ", query)


class Lance:
    """A table in S3 with an index over path and text."""

    name = "LanceDB in S3"

    def __init__(self, server: S3Server, documents: Documents) -> None:
        options = {key.lower(): value for key, value in server.environment().items()}
        database = lancedb.connect(f"s3://{BUCKET}/lance-{time.time_ns()}", storage_options=options)
        schema = pa.schema([("path", pa.string()), ("body", pa.string())])
        self._table = database.create_table("documents", schema=schema)
        for start in range(0, len(documents), 5000):
            part = documents[start : start + 5000]
            self._table.add(
                pa.table({"path": [p for p, _ in part], "body": [f"{p}\n{b}" for p, b in part]}, schema=schema)
            )
        self._table.create_index("body", config=FTS(stem=True, remove_stop_words=False, with_position=True))
        self._table.wait_for_index(["body_idx"])

    def ask(self, query: str, similarity: float | None = None) -> list[str]:
        asked = MatchQuery(plain(query), "body", fuzziness=2 if similarity else 0)
        rows = self._table.search(asked, query_type="fts").select(["path", "_score"]).limit(10).to_list()
        return [row["path"] for row in rows]

    def add(self, path: str, text: str) -> None:
        self._table.add([{"path": path, "body": text}])

    def close(self) -> None:
        pass


class Own:
    """rolltop's keyword index."""

    name = "rolltop's index, local copy"

    def __init__(self, place: Path, documents: Documents) -> None:
        self._library = Library(place)
        self._library.documents.add_many(Source(path, text.encode(), 1, 2) for path, text in documents)
        self.stored = cpu()
        self._library.search.catch_up()

    def ask(self, query: str, similarity: float | None = None) -> list[str]:
        return [hit.document.path for hit in self._library.search.keyword(plain(query), similarity=similarity).hits]

    def add(self, path: str, text: str) -> None:
        self._library.documents.add_text(path, text)

    def close(self) -> None:
        self._library.close()


def mean_rank(ask: Ask, asked: list[tuple[str, str]], similarity: float | None = None) -> float:
    total = 0.0
    for query, wanted in asked:
        paths = ask(query, similarity)
        total += 1 / (paths.index(wanted) + 1) if wanted in paths else 0.0
    return total / len(asked)


def middle(ask: Ask, asked: list[str]) -> tuple[float, float]:
    """Milliseconds of wall time and of CPU in the middle; the first round is not counted."""
    walls, cpus = [], []
    for number, query in enumerate([*asked[:40], *asked]):
        wall, spent = time.perf_counter(), cpu()
        ask(query, None)
        if number >= 40:
            walls.append((time.perf_counter() - wall) * 1000)
            cpus.append((cpu() - spent) * 1000)
    return sorted(walls)[len(walls) // 2], sorted(cpus)[len(cpus) // 2]


def speed(server: S3Server, work: Path, count: int, rows: list[list[object]]) -> None:
    documents = list(corpus(count))
    asked = questions(documents, 200)
    for make in (lambda: Own(work / "own", documents), lambda: Lance(server, documents)):
        start = cpu()
        engine = make()
        spent = cpu() - (engine.stored if isinstance(engine, Own) else start)
        rows.append([engine.name, f"index {count} documents, CPU ms a document", 1000 * spent / count])
        wall, spent = middle(engine.ask, asked)
        rows.append([engine.name, "keyword search p50, ms wall / CPU", f"{wall:.1f} / {spent:.1f}"])
        begun = time.perf_counter()
        engine.add("fresh/note.md", "a zyzzogeton was seen at dawn")
        found = "fresh/note.md" in engine.ask("zyzzogeton", None)
        rows.append([engine.name, "found at once, s", f"{found}, {time.perf_counter() - begun:.2f}"])
        engine.close()


def quality(server: S3Server, work: Path, rows: list[list[object]]) -> None:
    for name, made in (("heading to page", headings), ("docstring to function", functions)):
        documents, asked = made()
        chosen = asked[1::2][:300]
        rng = random.Random(4)
        wrong = [(with_typo(query, rng), path) for query, path in chosen]
        for engine in (Own(work / name.replace(" ", "-"), documents), Lance(server, documents)):
            rows.append([engine.name, f"{name}: MRR@10 of {len(chosen)}", mean_rank(engine.ask, chosen)])
            rows.append([engine.name, f"{name}: one typo, fuzzy", mean_rank(engine.ask, wrong, 0.7)])
            engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=MANY)
    parser.add_argument("--where", type=Path, default=None, help="directory for the stores")
    given = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="rolltop-engines-", dir=given.where))
    rows: list[list[object]] = []
    try:
        with started(S3Server()) as server:
            quality(server, work, rows)
            speed(server, work, given.documents, rows)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    table(["engine", "what", "figure"], rows)
    save("cluster_engines", {"documents": given.documents})


if __name__ == "__main__":
    main()
