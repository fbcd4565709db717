"""A process that embeds what a store holds, until it is done or killed: `python embed_worker.py DIRECTORY`.

It prints a line after each commit.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rolltop.store import Library
from rolltop.store.meaning import embedding_follower

embedding_follower.VECTORS_A_COMMIT = 8


def main() -> None:
    library = Library(Path(sys.argv[1]))
    print("ready", flush=True)
    while not library.search.meaning.follow(lambda done, total: print(done, "of", total, flush=True)):
        time.sleep(0.01)  # another process is at it
    print("done", flush=True)
    library.close()


if __name__ == "__main__":
    main()
