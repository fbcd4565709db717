"""The page at 100,000 documents and 1,000 calls: CPU and time of each page, beside a workspace with 100 documents.

    python bench/page.py                     100,000 documents
    python bench/page.py --documents 10000
    python bench/page.py --keep FOLDER       build the workspaces there, or use those that are there

Each page is asked for through the page's own application, in this process. The figure is the CPU time of the whole
process, all threads, least of several; what must stay constant is the ratio to the small workspace.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import tempfile
import time
from pathlib import Path

import httpx2 as httpx

from _measure import save, table
from rolltop.journal import Entry
from rolltop.server.application import Application
from rolltop.settings import load
from rolltop.store import Library, Source
from rolltop.web import Doorkeeper, page_app

GOAL = 100.0
"""Milliseconds a page."""
CALLS = 1000
ROUNDS = 7
SYLLABLES = [
    "bel",
    "cor",
    "dan",
    "fer",
    "gal",
    "hol",
    "lim",
    "mar",
    "nor",
    "pel",
    "ado",
    "ain",
    "amo",
    "anto",
    "ella",
    "ent",
    "erio",
    "eta",
    "ita",
    "osa",
    "umo",
    "ura",
]
WORDS = ["".join(each) for each in itertools.product(SYLLABLES, repeat=3)]
WEIGHTS = [1 / (rank + 10) for rank in range(len(WORDS))]
"""Some words are frequent and most are rare, as in real texts."""


def notes(count: int) -> list[Source]:
    """Short notes with a heading, in folders, with five extensions."""
    rng = random.Random(7)
    made = []
    for number in range(count):
        text = " ".join(rng.choices(WORDS, WEIGHTS, k=60))
        ending = ("md", "md", "txt", "py", "csv")[number % 5]
        name, body = f"notes/{number % 211}/note{number}.{ending}", f"# Note {number}\n\n{text}\n"
        made.append(Source(name, body.encode(), 1, 2))
    return made


def build(root: Path, documents: int) -> None:
    library = Library(root / "store")
    library.documents.add_many(notes(documents))
    library.indexes.update()
    library.graph.trace()
    library.close()


def fill_journal(application: Application) -> None:
    rng = random.Random(1)
    for number in range(CALLS):
        entry = Entry(
            time=time.time() - number * 60,
            tool=rng.choice(("store_text", "search_documents", "render_rmd", "get_stats", "execute_transformation")),
            toolset="store",
            client=rng.choice(("claude", "cursor")),
            transport="stdio",
            outcome="ok" if number % 9 else "failed",
            error_type=None,
            seconds=rng.random() / 10,
            size_in=200,
            size_out=900,
            digest="0" * 16,
            arguments='{"query": "belbelado corella"}',
            tokens_in=50,
            tokens_out=225,
        )
        application.workspace.journal.add_unheard(entry)
    application.workspace.journal.flush(60)


async def measure(root: Path, documents: int) -> dict[str, float]:
    """Milliseconds of CPU by page."""
    if not (root / "store").exists():
        build(root, documents)
    application = Application(load(env={"ROLLTOP_WORKSPACE": str(root), "HOME": str(root)}))
    if application.workspace.journal.last_id() < CALLS:
        fill_journal(application)
    keeper = Doorkeeper("secret")
    transport = httpx.ASGITransport(page_app(application, keeper))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1", cookies={"rolltop_page": keeper.new_session()}
    ) as client:
        await _quiet()
        listed = (await client.get("/store.json")).json()["results"]
        paths = ["/", "/calls", "/calls/500", "/approvals", "/store", "/store?q=belbelado+corella", "/store?tag=none",
                 f"/store/{listed[0]['hash']}", "/reports", "/made", "/tools", "/settings"]  # fmt: skip
        found = {path.replace(listed[0]["hash"], "HASH"): await _least(client, path) for path in paths}
    application.close()
    return found


async def _quiet() -> None:
    """Wait until background work has ended."""
    for _ in range(600):
        before = time.process_time()
        await asyncio.sleep(1)
        if time.process_time() - before < 0.05:
            return


async def _least(client: httpx.AsyncClient, path: str) -> float:
    least = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        answer = await client.get(path)
        least = min(least, (time.process_time() - start) * 1000)
        assert answer.status_code == 200, (path, answer.text)
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        folder = given.keep or Path(work)
        small = asyncio.run(measure(folder / "small", 100))
        large = asyncio.run(measure(folder / f"large{given.documents}", given.documents))
    rows = [[path, large[path], small[path], large[path] / small[path], f"< {GOAL:.0f}"] for path in large]
    table(["page", f"CPU ms at {given.documents:,}", "CPU ms at 100", "ratio", "goal ms"], rows)
    save("page", {"documents": given.documents, "calls": CALLS, "large": large, "small": small})


if __name__ == "__main__":
    main()
