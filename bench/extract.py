"""Texts and relations: our readers against the usual library for each format, in one run, by CPU time; what a worker
adds to a document; how quickly relations are learned and looked up. `--documents N` sets the size of the corpus."""

from __future__ import annotations

import argparse
import io
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import docx
import openpyxl
import pptx

from _measure import save, table
from rolltop.store import Library, Source
from rolltop.store.extract.formats.readers import read_document
from rolltop.store.extract.worker_pool import Workers

WORDS = [f"{a}{b}{c}" for a in ("stone", "river", "light") for b in ("ful", "ward", "less", "ing") for c in range(80)]


def saved(document: object) -> bytes:
    file = io.BytesIO()
    document.save(file)  # type: ignore[attr-defined]
    return file.getvalue()


def letter(chance: random.Random) -> bytes:
    document = docx.Document()
    for _ in range(500):
        document.add_paragraph(" ".join(chance.choices(WORDS, k=20)))
    return saved(document)


def sheet(chance: random.Random) -> bytes:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    for row in range(2000):
        page.append([chance.choice(WORDS), row, chance.random(), chance.choice(WORDS), f"note {row}"])
    return saved(book)


def slides(chance: random.Random) -> bytes:
    show = pptx.Presentation()
    for _ in range(60):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = chance.choice(WORDS)
        slide.placeholders[1].text = "\n".join(" ".join(chance.choices(WORDS, k=8)) for _ in range(10))
    return saved(show)


def peer_docx(data: bytes) -> int:
    return sum(len(paragraph.text) for paragraph in docx.Document(io.BytesIO(data)).paragraphs)


def peer_xlsx(data: bytes) -> int:
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True)
    return sum(len(str(cell)) for page in book for row in page.iter_rows(values_only=True) for cell in row)


def peer_pptx(data: bytes) -> int:
    show = pptx.Presentation(io.BytesIO(data))
    return sum(len(shape.text_frame.text) for s in show.slides for shape in s.shapes if shape.has_text_frame)


def cpu(work: Callable[[], object], times: int) -> float:
    """The best of several, in seconds."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def formats(chance: random.Random) -> list[list[object]]:
    rows: list[list[object]] = []
    for name, make, peer, library in (
        ("a.docx", letter, peer_docx, "python-docx"),
        ("a.xlsx", sheet, peer_xlsx, "openpyxl"),
        ("a.pptx", slides, peer_pptx, "python-pptx"),
    ):
        data = make(chance)
        ours = cpu(lambda data=data, name=name: read_document(data, name), 5)
        theirs = cpu(lambda data=data, peer=peer: peer(data), 5)
        rows.append([name, library, ours * 1000, theirs * 1000, theirs / ours])
    return rows


def worker_cost() -> float:
    """Milliseconds from asking to answer for a tiny document in a worker of its own."""
    workers = Workers()
    workers.read("a.html", b"<html>x</html>")
    before = time.monotonic()
    for _ in range(50):
        workers.read("a.html", b"<html>x</html>")
    wall = (time.monotonic() - before) / 50 * 1000
    workers.close()
    return wall


def relations(count: int, chance: random.Random) -> dict[str, float]:
    """Pages that link to each other; one in ten is an edited copy."""
    with tempfile.TemporaryDirectory() as place:
        library = Library(Path(place))
        library.documents.add_many(pages(count, chance))
        start = time.process_time()
        library.graph.trace()
        learned = time.process_time() - start
        asked: dict[int, list[float]] = {1: [], 2: [], 5: []}
        for document in chance.sample(library.documents.page().documents, 30):
            for depth, times in asked.items():
                start = time.process_time()
                library.graph.related(document, depth)
                times.append((time.process_time() - start) * 1000)
        size = (Path(place) / "graph.db").stat().st_size
        library.close()
    medians = {f"depth {depth}, ms p50": statistics.median(times) for depth, times in asked.items()}
    return {
        "documents": count,
        "learned per CPU second": count / learned,
        "bytes per document": size / count,
        **medians,
    }


def pages(count: int, chance: random.Random) -> list[Source]:
    texts: list[str] = []
    for number in range(count):
        if texts and number % 10 == 0:
            words = chance.choice(texts[-100:]).split(" ")
            for _ in range(20):
                words[chance.randrange(len(words))] = chance.choice(WORDS)
        else:
            words = [f"{chance.choice(WORDS)}{chance.randrange(50)}" for _ in range(400)]
            words += [f"[see]({chance.randrange(count)}.md)" for _ in range(5)]
        texts.append(" ".join(words))
    return [Source(f"pages/{number}.md", text.encode(), 0, number) for number, text in enumerate(texts)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=5000)
    count = parser.parse_args().documents
    chance = random.Random(5)
    rows = formats(chance)
    table(["file", "peer", "ours, CPU ms", "peer, CPU ms", "peer / ours"], rows)
    wall = worker_cost()
    print(f"\na tiny page in a worker of its own: {wall:.1f} ms, one after the other")
    graph = relations(count, chance)
    print()
    table(["relations", "figure"], [[name, float(figure)] for name, figure in graph.items()])
    save("extract", {"formats": rows, "worker_ms": wall, "relations": graph})


if __name__ == "__main__":
    main()
