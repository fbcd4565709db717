"""The store beside cp, git and ripgrep: CPU seconds of one run on one generated corpus.

    python bench/store.py                 10,000 files
    python bench/store.py --files 100000  the large corpus

Ratios are what counts; the machine may be shared. Results go to bench/results/store.json.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from _measure import save, table
from rolltop.store import Library, Listing, Pattern, Source

RARE = "copy_from_user_nofault"
SYLLABLES = [
    *("re", "con", "data", "sto", "ver", "fra", "net", "lo", "get", "set", "user", "in", "dex", "pack", "ad", "min"),
]
KEYWORDS = ["return", "if", "for", "self", "const", "struct", "int", "import", "None", "error", "value", "name", "def"]
ENDINGS = ["", ":", ";", "(", ")", " = 0", "."]
Rows = list[dict[str, object]]


def cpu() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def timed(work: Callable[[], object]) -> tuple[float, object]:
    start = cpu()
    result = work()
    return cpu() - start, result


def best(work: Callable[[], object], times: int = 3) -> tuple[float, object]:
    return min((timed(work) for _ in range(times)), key=lambda pair: pair[0])


def shell(*command: str) -> str:
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout


# the corpus ------------------------------------------------------------------------------------------


def words(rng: random.Random) -> list[str]:
    def word() -> str:
        return "".join(rng.choices(SYLLABLES, k=rng.randint(1, 3)))

    return sorted({"_".join(word() for _ in range(rng.randint(1, 2))) for _ in range(30000)})


def lines(rng: random.Random, vocabulary: list[str], count: int) -> list[str]:
    """Lines of code and prose, with words as frequent as words are."""
    made, last = [], len(vocabulary) - 1
    for _ in range(count):
        body = [vocabulary[min(int(rng.paretovariate(0.35)) - 1, last)] for _ in range(rng.randint(2, 7))]
        if rng.random() < 0.5:
            body.insert(0, rng.choice(KEYWORDS))
        made.append("    " * rng.randint(0, 3) + " ".join(body) + rng.choice(ENDINGS) + "\n")
    return made


def make_corpus(root: Path, files: int, seed: int = 7) -> int:
    """Files of median 3 kB and mean 12 kB; every tenth is a copy of another, every twentieth an edited copy."""
    rng = random.Random(seed)
    pool = lines(rng, words(rng), 300_000)
    recent: list[str] = []
    total = 0
    for number in range(files):
        kind = rng.random()
        if recent and kind < 0.10:
            text = rng.choice(recent)
        elif recent and kind < 0.15:
            text = rng.choice(recent) + rng.choice(pool)
        else:
            length = min(int(rng.lognormvariate(4.3, 1.6)) + 1, 40_000)
            topic = rng.randrange(len(pool) - 3000)
            text = "".join(rng.choices(pool[topic : topic + 3000], k=length))
            if rng.random() < 0.0005:
                text += f"    if {RARE}(dst, src):\n"
            if rng.random() < 0.01:
                text += f"export function load{number}() async {{\n"
        recent = [*recent[-50:], text]
        folder = root / f"d{number // 1000:03d}" / f"s{number // 100 % 10}"
        path = folder / f"file{number}.{rng.choice(['py', 'c', 'md', 'txt'])}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        total += len(text)
    return total


def sources(root: Path) -> Iterator[Source]:
    for directory, _, names in os.walk(root):
        for name in names:
            path = f"{directory}/{name}"
            file = os.open(path, os.O_RDONLY)
            status = os.fstat(file)
            data = os.read(file, status.st_size + 1)
            os.close(file)
            yield Source(path, data, status.st_ctime_ns, status.st_mtime_ns)


def row(rows: Rows, what: str, figure: float, target: str, seconds: float = 0.0) -> None:
    rows.append({"what": what, "cpu_s": seconds, "figure": figure, "target": target})


# the questions ---------------------------------------------------------------------------------------


def ingest(corpus: Path, work: Path, rows: Rows) -> Library:
    copy, _ = timed(lambda: shell("cp", "-r", str(corpus), str(work / "copy")))
    shutil.rmtree(work / "copy")
    shell("git", "init", "-q", str(work / "git"))
    git, _ = timed(lambda: shell("git", f"--git-dir={work}/git/.git", f"--work-tree={corpus}", "add", "-A", "-f", "."))
    shutil.rmtree(work / "git")
    library = Library(work / "store")
    ours, _ = timed(lambda: library.documents.add_many(sources(corpus)))
    row(rows, "ingest: cp -r", ours / copy, "<= 3.5 (ours / cp)", copy)
    row(rows, "ingest: git add", ours / git, "<= 0.5 (ours / git)", git)
    row(rows, "ingest: rolltop blobs", 1.0, "", ours)
    trigrams, _ = timed(library.grep.index_pending)
    row(rows, "ingest: trigram index", trigrams / ours, "", trigrams)
    return library


GREPS = (
    ("rare literal", RARE, {}, ">= 8"),
    ("regex with a literal", "function.*async", {}, ">= 3"),
    ("common word", "return", {}, ">= 0.65"),
    ("no case", "NOFAULT", {"ignore_case": True}, ""),
    ("no literal", r"[0-9]{2}\(\) ", {}, ""),
)


def greps(library: Library, corpus: Path, rows: Rows) -> None:
    for name, pattern, options, target in GREPS:
        flags = ["-i"] if options else []
        asked = Pattern(pattern, **options)
        rg, out = best(lambda: shell("rg", "-uuu", "-a", "-c", *flags, "-e", pattern, str(corpus)))  # noqa: B023
        ours, found = best(lambda: list(library.grep.counts(asked)))  # noqa: B023
        theirs = {line.rpartition(":")[0]: int(line.rpartition(":")[2]) for line in str(out).splitlines()}
        assert {document.path: count for document, count in found} == theirs, f"{name}: other lines than ripgrep"
        row(rows, f"grep: {name} ({sum(theirs.values())} lines)", rg / ours, target, ours)


def latencies(library: Library, rows: Rows) -> None:
    rng = random.Random(3)
    texts = ["".join(rng.choices(lines(rng, words(random.Random(1))[:500], 400), k=110))[:4096] for _ in range(10)]
    spent = []
    for number in range(300):
        start = time.perf_counter()
        library.documents.add_text(f"fresh/{number}.txt", f"{number} {texts[number % 10]}")
        spent.append((time.perf_counter() - start) * 1000)
    row(rows, "store_text 4 kB, durable: p99 ms (wall)", _quantile(spent, 0.99), "<= 20")
    row(rows, "store_text 4 kB, durable: p50 ms (wall)", _quantile(spent, 0.50), "")


LISTINGS = [
    Listing(),
    Listing(sort_by="size"),
    Listing(sort_by="name", descending=False),
    Listing(extension=".py"),
    Listing(recent=10),
    Listing(sort_by="modified", type="text"),
    Listing(after={"indexed": 0}),
    Listing(tags=("t/1",)),
]


def many(work: Path, rows: Rows, count: int = 100_000) -> None:
    """Listing and opening with many documents, which may be small for that."""
    library = Library(work / "many")
    small = (
        Source(f"d{n % 100}/f{n}.{'py' if n % 3 else 'md'}", b"%d\n" % n, n, n * 7919 % count) for n in range(count)
    )
    library.documents.add_many(small)
    for n in range(0, count, 100):
        library.edits.tag(library.documents.get(f"d{n % 100}/f{n}.{'py' if n % 3 else 'md'}"), [f"t/{n % 5}"])
    spent = []
    for query in LISTINGS * 10:
        start = time.process_time()
        library.documents.page(query)
        spent.append((time.process_time() - start) * 1000)
    row(rows, f"list at {count} documents: p50 ms (CPU)", statistics.median(spent), "<= 10")
    row(rows, f"list at {count} documents: p99 ms (CPU)", _quantile(spent, 0.99), "")
    library.close()
    start = time.perf_counter()
    again = Library(work / "many")
    again.documents.page(Listing(limit=1))
    row(rows, f"open and list at {count} documents: s (wall)", time.perf_counter() - start, "< 1")
    row(rows, "peak memory of all this: MB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "")
    again.close()


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def dedup(work: Path, rows: Rows) -> None:
    rng = random.Random(11)
    library = Library(work / "dedup")
    pool = lines(rng, words(rng), 300_000)
    text = "".join(pool)[: 10 << 20].encode()
    library.documents.add("big.txt", text)
    before = kept_bytes(library)
    library.documents.add("big.txt", text[:100] + b"x" + text[100:])
    row(rows, "1 byte into 10 MB: bytes (packs + catalogue)", kept_bytes(library) - before, "<= 65536")
    notes = Library(work / "notes")
    empty = kept_bytes(notes)
    note = pool[:130]
    for number in range(200):
        note[number % 130] = f"line {number} was edited: {rng.choice(pool)}"
        notes.documents.add_text("note.md", "".join(note))
    row(
        rows,
        f"200 versions of {len(''.join(note))} B: bytes (packs + catalogue)",
        kept_bytes(notes) - empty,
        "<= 200000",
    )


def kept_bytes(library: Library) -> int:
    library.catalog.checkpoint()
    packs = sum(library.blobs.packs().values())
    return packs + (library.directory / "catalog.db").stat().st_size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--where", type=Path, default=None, help="directory for the corpus and the store")
    options = parser.parse_args()
    rows: Rows = []
    with tempfile.TemporaryDirectory(dir=options.where) as scratch:
        work = Path(scratch)
        size = make_corpus(work / "corpus", options.files)
        library = ingest(work / "corpus", work, rows)
        greps(library, work / "corpus", rows)
        latencies(library, rows)
        library.close()
        dedup(work, rows)
        many(work, rows)
    print(f"{options.files} files, {size / 1e6:.0f} MB")
    table(["what", "cpu s", "figure", "target"], [list(each.values()) for each in rows])
    save("store", {"files": options.files, "bytes": size, "rows": rows})


if __name__ == "__main__":
    sys.exit(main())
