"""Stores batches of texts and searches for them, as a client does; prints searches, wrong answers and rebuilds."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rolltop.store import Library, Options, Source


def run(directory: Path, name: str, seconds: float) -> None:
    library = Library(directory, Options(background=True))
    searches = wrong = batch = 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        texts = (
            f"batch {name}x{batch} holds number {n}\n" * 5 + " ".join(f"w{n * k}" for k in range(60))
            for n in range(100)
        )
        library.documents.add_many(
            [Source(f"{name}/{batch}/{n}.txt", text.encode(), 1, 1) for n, text in enumerate(texts)]
        )
        if batch % 5 == 4:
            for asked in (batch, batch // 2, 0):
                found = library.search.keyword(f"{name}x{asked}")
                searches += 1
                # What is not indexed yet is said in the answer; anything else that is missing is wrong.
                wrong += found.total != 100 and not found.unindexed
                wrong += "damaged" in (found.note or "")
        batch += 1
    library.close()
    print(searches, wrong, batch)


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
