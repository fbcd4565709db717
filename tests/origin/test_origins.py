"""Origins as a library: what is recorded, how it is followed, and what is out of date."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rolltop.errors import Damaged, NotFound
from rolltop.origin import (
    Making,
    Memo,
    Origins,
    Part,
    as_dot,
    as_prov,
    as_tree,
    differences,
    lineage,
    stale_makings,
)


def part(name: str, content: str, role: str = "input") -> Part:
    return Part(role, f"doc://{name}", hashlib.sha256(content.encode()).hexdigest(), len(content))


def making(tool: str, inputs: list[Part], output: Part, **more: object) -> Making:
    return replace(Making(tool, {"a": 1}, tuple(inputs), (output,), {"rolltop": "1"}, time=time.time()), **more)


FEED, TABLE, PAGE = part("feed", "1"), part("table", "2"), part("page", "3")
TRANSFORM, RENDER = making("transform", [FEED], TABLE), making("render", [TABLE], PAGE)


@pytest.fixture
def origins(tmp_path: Path) -> Iterator[Origins]:
    opened = Origins(tmp_path / "origin.sqlite")
    yield opened
    opened.close()


def test_a_making_is_found_by_what_it_made_and_by_what_it_used(origins: Origins) -> None:
    kept = origins.record(TRANSFORM)
    assert origins.made(uri="doc://table") == kept == origins.made(digest=TABLE.hash[:10])
    assert origins.used(FEED.hash) == [kept]
    assert origins.made(uri="doc://feed") is None
    assert (origins.path.stat().st_mode & 0o777) == 0o600


def test_the_same_making_is_recorded_once_and_another_one_is_the_newest(origins: Origins) -> None:
    first = origins.record(TRANSFORM)
    assert origins.record(replace(TRANSFORM, time=1.0, client="other")).id == first.id
    newer = origins.record(making("transform", [part("feed", "1b")], part("table", "2b")))
    assert [each.id for each in origins.newest()] == [newer.id]
    assert len(origins.recent()) == 2


def test_long_arguments_are_kept_by_hash_and_come_back_whole(origins: Origins) -> None:
    text = "é" * 5000
    kept = origins.record(replace(TRANSFORM, arguments={"program": text, "deep": [{"data": text}], "n": 1}))
    assert len(json.dumps(origins.recent()[0].arguments)) < 400
    assert origins.arguments(origins.recent()[0]) == {"program": text, "deep": [{"data": text}], "n": 1}
    assert kept.id == 1


def test_a_text_that_is_too_large_is_known_by_its_hash_alone(origins: Origins) -> None:
    origins.record(replace(TRANSFORM, arguments={"data": "x" * ((16 << 20) + 1)}))
    with pytest.raises(NotFound, match="too large to be kept"):
        origins.arguments(origins.recent()[0])


def test_a_lineage_goes_back_to_the_sources_and_on_to_what_was_made(origins: Origins) -> None:
    first, second = origins.record(TRANSFORM), origins.record(RENDER)
    back = lineage(origins, PAGE)
    assert back.made_by == second.id
    assert back.sources == {(second.id, 0): first.id}
    on = lineage(origins, FEED)
    assert on.made_by is None
    assert set(on.used_by) == {first.id, second.id}
    assert "made by transform" in "\n".join(as_tree(back))
    assert as_dot(back).count("->") == 4


def test_provenance_is_prov_json(origins: Origins) -> None:
    origins.record(TRANSFORM)
    origins.record(replace(RENDER, principal="local:ann", client="desk"))
    document = as_prov(lineage(origins, PAGE))
    assert len(document["entity"]) == 3
    assert len(document["activity"]) == 2
    for kind, ends in {
        "used": ("prov:activity", "prov:entity"),
        "wasGeneratedBy": ("prov:entity", "prov:activity"),
        "wasDerivedFrom": ("prov:generatedEntity", "prov:usedEntity"),
    }.items():
        for statement in document[kind].values():
            known = document["entity"] | document["activity"]
            assert all(statement[end] in known for end in ends)
    assert {each["prov:label"] for each in document["agent"].values()} == {"local:ann", "desk", "unknown"}


NOW = {each.uri: each.hash for each in (FEED, TABLE, PAGE)}


def numbered(*makings: Making) -> list[Making]:
    return [replace(each, id=number) for number, each in enumerate(makings, 1)]


def test_what_depends_on_a_change_is_stale_in_the_order_of_making() -> None:
    assert stale_makings(numbered(TRANSFORM, RENDER), NOW) == []
    found = stale_makings(numbered(TRANSFORM, RENDER), {**NOW, "doc://feed": "other"})
    assert [each.making.tool for each in found] == ["transform", "render"]
    assert found[0].changed == ("doc://feed",)
    assert found[1].after == ("doc://table",)


def test_what_is_gone_is_told_and_what_was_replaced_by_hand_is_left_alone() -> None:
    (gone,) = stale_makings(numbered(TRANSFORM), {**NOW, "doc://feed": None})
    assert gone.missing == ("doc://feed",)
    assert stale_makings(numbered(TRANSFORM), {**NOW, "doc://feed": "x", "doc://table": "edited"}) == []


def test_a_thing_that_was_made_from_itself_ends() -> None:
    itself = making("tidy", [replace(TABLE, hash="before")], TABLE)
    (found,) = stale_makings(numbered(itself), NOW)
    assert found.changed == ("doc://table",)


def test_differences_name_inputs_programs_and_engines() -> None:
    new = making("transform", [part("feed", "1b"), part("more", "")], TABLE, versions={"rolltop": "2"})
    said = differences(TRANSFORM, new)
    assert len(said) == 3
    assert "doc://feed" in said[0]
    assert "doc://more is new" in said[1]
    assert said[2] == "engine rolltop: 1 is now 2"
    assert differences(TRANSFORM, TRANSFORM) == []


def _record_and_wait(path: Path, ready: object) -> None:
    Origins(path).record(TRANSFORM)
    ready.set()  # type: ignore[attr-defined]
    signal.pause()


def test_what_was_recorded_survives_a_kill(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    process = context.Process(target=_record_and_wait, args=(tmp_path / "origin.sqlite", ready))
    process.start()
    assert ready.wait(60)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert Origins(tmp_path / "origin.sqlite").made(uri="doc://table") is not None


def test_a_damaged_file_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "origin.sqlite").write_bytes(b"not a database, and long enough to be looked at" * 50)
    with pytest.raises(Damaged, match="damaged"):
        Origins(tmp_path / "origin.sqlite").made(uri="doc://table")


def test_a_memo_keeps_answers_drops_the_oldest_and_never_fails(tmp_path: Path) -> None:
    memo = Memo(tmp_path / "memo.sqlite", largest=100, limit=1000)
    memo.put("large", b"x" * 101)
    assert memo.get("large") is None
    for number in range(200):
        memo.put(str(number), b"x" * 90)
    assert memo.get("199") is not None
    assert memo.get("0") is None
    memo.close()
    held = sqlite3.connect(tmp_path / "memo.sqlite").execute("SELECT sum(length(answer)) FROM answers").fetchone()[0]
    assert held <= 1000 + 64 * 90
    (tmp_path / "memo.sqlite").write_bytes(b"not a database" * 100)
    damaged = Memo(tmp_path / "memo.sqlite")
    assert damaged.get("199") is None
    damaged.put("1", b"y")
    assert damaged.get("1") == b"y"
