"""What the crash tests run under strace: operations on a store, each acknowledged on standard output.

`python crash_workload.py DIRECTORY` runs it; `expected(n)` says what the store holds after n acknowledgements.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

from rolltop.store import Library
from rolltop.store.blobs import packs

State = dict[str, tuple[bytes, tuple[str, ...]]]
PACK_LIMIT = 6_000


def text(seed: int, size: int) -> bytes:
    rng = random.Random(seed)
    return b"".join(b"%d some line of text %x\n" % (i, rng.getrandbits(40)) for i in range(size // 32))


def add(path: str, data: bytes, *tags: str) -> tuple[Callable[[Library], object], Callable[[State], None]]:
    def change(state: State) -> None:
        old = state.get(path, (b"", ()))[1]
        state[path] = (data, tuple(sorted({*old, *tags})))

    return lambda library: library.documents.add(path, data, tags=tags), change


def delete(*paths: str) -> tuple[Callable[[Library], object], Callable[[State], None]]:
    def change(state: State) -> None:
        for path in paths:
            del state[path]

    return lambda library: library.documents.delete([library.documents.get(path) for path in paths]), change


def collect() -> tuple[Callable[[Library], object], Callable[[State], None]]:
    return lambda library: library.care.collect(everything=True), lambda state: None


def noise(seed: int, size: int) -> bytes:
    return random.Random(seed).randbytes(size)


BIG = text(1, 60_000)
STEPS = [
    add("a.txt", text(2, 2000), "x"),
    add("b.txt", b""),
    add("a.txt", text(2, 2000) + b"one more line\n", "y"),
    add("big.txt", BIG),
    add("big.txt", BIG[:30_000] + b"!" + BIG[30_000:]),
    delete("b.txt"),
    add("c.bin", bytes(range(256)) * 20),
    delete("a.txt"),
    collect(),
    add("a.txt", text(3, 500)),
    add("d.txt", text(2, 2000)),
    delete("big.txt"),
    collect(),
    add("e.txt", text(4, 3000), "z"),
    # One call that fills many packs, then a collection that does.
    add("many.bin", noise(5, 400_000)),
    *(add(f"small/{number}.bin", noise(10 + number, 2_000)) for number in range(12)),
    delete(*(f"small/{number}.bin" for number in range(1, 12, 3))),
    collect(),
    add("f.txt", text(6, 1000)),
]


def expected(acknowledged: int) -> State:
    state: State = {}
    for _, change in STEPS[:acknowledged]:
        change(state)
    return state


def main() -> None:
    packs.PACK_LIMIT = PACK_LIMIT
    library = Library(Path(sys.argv[1]))
    os.write(1, b"ready\n")
    for step, _ in STEPS:
        step(library)
        os.write(1, b"done\n")
    library.close()


if __name__ == "__main__":
    main()
