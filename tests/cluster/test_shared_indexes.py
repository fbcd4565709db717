"""Indexes that several servers share: one builds and publishes, the others take over; all answer alike."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster_servers import PostgresServer, S3Server
from conditions import wait_until
from shared_library import Desk

from rolltop.store import Library, Source
from rolltop.store.grep import Pattern
from rolltop.store.meaning import meaning

DATA = Path(__file__).parents[1] / "store" / "data"

WORDS = ("harbour", "lantern", "orchard", "granite", "meadow", "copper", "saddle", "willow", "ember", "quill")


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search embeds what is new for a tenth of a second, in which a busy machine may not get far."""
    monkeypatch.setattr(meaning, "WHILE_A_SEARCH_WAITS", 60.0)


@pytest.fixture
def desk(tmp_path: Path, postgres: PostgresServer, s3: S3Server) -> Desk:
    return Desk(tmp_path, postgres, s3)


def notes(count: int, start: int = 0) -> Iterator[Source]:
    for number in range(start, start + count):
        words = " ".join(WORDS[(number * step + step) % len(WORDS)] for step in range(1, 8))
        yield Source(f"notes/{number:04d}.md", f"# Note {number}\n\n{words} number{number}\n".encode(), 1, 2)


def found(library: Library, query: str, **how: object) -> list[str]:
    return [hit.document.path for hit in library.search.find(query, **how).hits]  # type: ignore[arg-type]


def mark(library: Library) -> int:
    return library.search.words.index.mark


def everything(library: Library) -> object:
    """What the library answers: to every kind of question, with scores, snippets and totals."""
    answers = []
    for query, how in (
        ("harbour lantern", {}),
        ('"copper saddle"', {"kind": "keyword", "why": True}),
        ("title:note orchard -granite", {"kind": "keyword"}),
        ("tag:kept meadow", {"kind": "keyword"}),
        ("harbor lantren", {"similarity": 0.7}),
        ("ships and lights", {"kind": "semantic"}),
        ("number12", {}),
    ):
        results = library.search.find(query, **how)  # type: ignore[arg-type]
        hits = [(hit.document.path, round(hit.score, 5), hit.snippet) for hit in results.hits]
        answers.append((query, results.total, hits))
    lines = [(each.path, count) for each, count in library.grep.counts(Pattern("copper (saddle|willow)"))]
    related = library.graph.related(library.documents.get("notes/0003.md")).related
    return answers, lines, [(each.node.document.path, each.distance, each.edges) for each in related]


def test_another_server_answers_alike(desk: Desk, tmp_path: Path) -> None:
    with desk.server("a") as first:
        first.documents.add_many(notes(300))
        first.edits.tag(first.documents.get("notes/0007.md"), ["kept"])
        assert first.search.find("harbour").total
        first.indexes.update()
        first.search.embed()
        first.graph.trace()
        first.indexes.publish()
        told = everything(first)
        with desk.server("b") as second:
            wait_until(lambda: mark(second) == mark(first))
            assert everything(second) == told
            assert not second.replica.is_builder  # type: ignore[union-attr]
