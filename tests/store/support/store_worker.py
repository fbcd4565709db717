"""A process that writes to a store: `python store_worker.py DIRECTORY NAME WRITES`.

Each document that was acknowledged is printed after the call has answered.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rolltop.store import Library


def main() -> None:
    directory, name, writes = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    library = Library(directory)
    for number in range(writes):
        path = f"{name}/{number % 50}.txt"
        added = library.documents.add_text(path, f"{name} wrote {number}\n" * (1 + number % 200), tags=[name])
        print(path, number, added.hash, flush=True)
        if number % 7 == 0:
            library.search.keyword(f"{name}")
        if number % 23 == 5:
            library.documents.delete([library.documents.get(path)])
            print(path, -1, "deleted", flush=True)
    library.close()


if __name__ == "__main__":
    main()
