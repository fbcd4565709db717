"""Large documents and long lines: only what is asked for is read, held and shown."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time

import pytest

from rolltop.store import Library, Listing, Pattern
from rolltop.store.extract import extracts, texts
from rolltop.tools.store.grep import GrepDocuments, grep
from rolltop.tools.store.reading import Wanted, read_part

LINES = 400_000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Library:
    library = Library(tmp_path_factory.mktemp("large") / "store")
    rng = random.Random(1)
    data = b"".join(b"%d %x\n" % (number, rng.getrandbits(160)) for number in range(1, LINES + 1))
    library.documents.add("large.txt", data)
    library.grep.index_pending()
    return library


@pytest.mark.parametrize("line", [1, 2, 777, LINES // 2, LINES - 1, LINES])
def test_a_line_is_read_without_the_rest(large: Library, line: int) -> None:
    document = large.documents.get("large.txt")
    large.reader.forget()
    read = 0
    leaf = large.reader.leaf

    def counted(entry: object) -> bytes:
        nonlocal read
        data = leaf(entry)  # type: ignore[arg-type]
        read += len(data)
        return data

    large.reader.leaf = counted  # type: ignore[assignment, method-assign]
    try:
        part = read_part(large, document, document.object, document.size, Wanted(start_line=line, end_line=line))
    finally:
        del large.reader.leaf
    assert part.content is not None
    assert part.content.split()[0] == str(line)
    assert (part.start_line, part.end_line, part.complete) == (line, line, True)
    assert large.documents.read_span(document.object, part.start, part.end).decode() == part.content
    assert read < 2 << 20


def test_lines_behind_the_end_are_none(large: Library) -> None:
    document = large.documents.get("large.txt")
    part = read_part(large, document, document.object, document.size, Wanted(start_line=LINES + 1))
    assert (part.content, part.complete, part.start) == ("", True, document.size)


MEMORY = """
import resource, sys
from pathlib import Path
from rolltop.store import Library, Pattern
library = Library(Path(sys.argv[1]))
list(library.grep.counts(Pattern("nothing like it")))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
if sys.argv[2] == "grep":
    (file,) = library.grep.files(Pattern("7$"))
    print(len(file.selected), *(match.line.split()[0] for match in list(file.matches())[-2:]), sep=",")
else:
    print(library.documents.read_lines(library.documents.get("large.txt").object, 100000, 100001).count)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


@pytest.mark.parametrize("what", ["grep", "read"])
def test_a_large_document_is_never_held_as_a_whole(large: Library, what: str) -> None:
    size = large.documents.get("large.txt").size >> 20
    assert size >= 18
    command = [sys.executable, "-c", MEMORY, str(large.directory), what]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    expected = [
        line.split()[0]
        for line in large.documents.read(large.documents.get("large.txt")).decode().split("\n")
        if line[-1:] == "7"
    ]
    assert out[0] == (",".join([str(len(expected)), *expected[-2:]]) if what == "grep" else "2")
    assert int(out[1]) < (60 if what == "grep" else 20)


def test_a_lone_carriage_return_ends_no_line(library: Library) -> None:
    library.documents.add_text("mac.txt", "one\rstill one\ntwo\r\nthree")
    document = library.documents.get("mac.txt")
    part = read_part(library, document, document.object, document.size, Wanted(start_line=1, end_line=1))
    assert part.content == "one\rstill one\n"
    part = read_part(library, document, document.object, document.size, Wanted(start_line=2))
    assert (part.content, part.end_line) == ("two\r\nthree", 3)
    (file,) = library.grep.files(Pattern("still"))
    assert list(file.selected) == [0]


def test_a_hit_in_a_long_line_is_shown_around_its_place_in_linear_time(library: Library) -> None:
    library.documents.add_text("long.txt", "a b " * 200_000 + "needle " + "a b " * 50_000)
    begun = time.process_time()
    (found,) = grep(library, GrepDocuments(pattern="needle"), 60_000).results or []
    (line,) = found.matches or []
    assert len(line.line) == 400
    assert line.line[line.column_start - line.line_from :].startswith("needle")  # type: ignore[operator]
    assert line.line_length == 1_000_007
    grep(library, GrepDocuments(pattern="[ab] ?"), 60_000)
    assert time.process_time() - begun < 2  # every place matches: it took many seconds


def test_grep_beside_writers_answers_as_one_state(library: Library) -> None:
    """Every batch is one transaction of ten documents: a state holds all of a batch or none of it."""
    stop, failures = threading.Event(), list[BaseException]()

    def write() -> None:
        batch = 0
        while not stop.is_set():

            def work(_: object, batch: int = batch) -> None:
                for number in range(10):
                    library.documents.add_text(
                        f"{batch % 40}/{number}.txt", f"needle of {batch}\n" * (1 + number * 300)
                    )

            library.write(work)
            library.grep.index_pending()
            batch += 1

    def ask() -> None:
        try:
            until = time.monotonic() + 4
            while time.monotonic() < until:
                counted = list(library.grep.counts(Pattern("needle")))
                assert len(counted) % 10 == 0
                assert all(count == 1 + int(document.name[0]) * 300 for document, count in counted)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write), *(threading.Thread(target=ask) for _ in range(3))]
    for thread in threads:
        thread.start()
    for thread in threads[1:]:
        thread.join()
    stop.set()
    threads[0].join()
    assert not failures, failures[0]
    assert library.documents.select(Listing())


def test_a_search_says_that_a_text_is_too_long_to_be_indexed(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (extracts, texts):
        monkeypatch.setattr(module, "LONGEST_READ", 1 << 20)
    library.documents.add_text("long.txt", "needle and hay\n" * 100_000)
    found = library.search.keyword("needle")
    assert found.total == 0
    assert found.note == "Texts of more than 1 MB, which are not searched by their words: 1. grep finds their lines."
