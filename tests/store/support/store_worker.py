"""A process that writes to a store until it is stopped: `python store_worker.py DIRECTORY NAME SECONDS`.

Each document that was acknowledged is printed after the call has answered.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rolltop.store import Library


def main() -> None:
    directory, name, seconds = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
    library = Library(directory)
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        path = f"{name}/{number % 50}.txt"
        added = library.documents.add_text(path, f"{name} wrote {number}\n" * (1 + number % 200), tags=[name])
        print(path, number, added.hash, flush=True)
        if number % 7 == 0:
            library.search.keyword(f"{name}")
        if number % 23 == 5:
            library.documents.delete([library.documents.get(path)])
            print(path, -1, "deleted", flush=True)
        number += 1
    library.close()


if __name__ == "__main__":
    main()
