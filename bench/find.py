"""Finding documents: speed and quality of the store beside FTS5 and tantivy alone, in one run on one corpus.

    python bench/find.py                      10,000 documents
    python bench/find.py --documents 100000   the large corpus
    python bench/find.py --quality            only the known-item sets

The corpus is documentation and code that is on the machine (Python packages, /usr/share/doc, /usr/include), filled up
to the number of documents by mixing its paragraphs. CPU seconds; the machine may be shared. Known-item sets: a
heading finds its page, the first sentence of a docstring finds its function. The weights of the fields were chosen on
one half of the queries (`--half tune`); what is reported is the other half. Results go to bench/results/find.json.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import resource
import shutil
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import apsw
import tantivy

from _measure import save, table
from rolltop.store import Library, Pattern, Source
from rolltop.store.text.words.analysis import stems, words_in

ENDINGS = (".py", ".md", ".rst", ".txt", ".h", ".html", ".pyi", ".c", ".js", ".css", ".json", ".xml", ".pod", ".tex")
LONGEST = 200_000
PATTERNS = ("deadlock", r"def .*async", r"[a-z]+_init\(self")
Rows = list[list[object]]
Documents = list[tuple[str, str]]


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def memory(part: str = "RssAnon") -> float:
    """Megabytes of this process: its own (`RssAnon`), or with the parts of files that are mapped (`VmRSS`)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(part):
            return int(line.split()[1]) / 1024
    return 0.0


# the corpus ------------------------------------------------------------------------------------------


def files() -> Iterator[tuple[str, str]]:
    places = [sysconfig.get_paths()["stdlib"], sysconfig.get_paths()["purelib"], "/usr/share/doc", "/usr/include"]
    places += ["/usr/share/perl", "/usr/lib/python3", "/usr/lib/node_modules"]
    for place in places:
        for directory, folders, names in os.walk(place):
            folders.sort()
            for name in sorted(names):
                if name.endswith(ENDINGS):
                    try:
                        text = Path(directory, name).read_bytes()[: LONGEST + 1].decode()
                    except (OSError, UnicodeDecodeError):
                        continue
                    if 200 < len(text) <= LONGEST:
                        yield f"{directory}/{name}".lstrip("/"), text


def corpus(count: int, seed: int = 5) -> Iterator[tuple[str, str]]:
    """`count` documents of 12 kB in the middle: files that are there, then mixtures of their paragraphs."""
    rng = random.Random(seed)
    pool: list[str] = []
    made = 0
    for path, text in files():
        if made >= count // 2:
            break
        for start in range(0, len(text), 24_000):
            yield (f"{path}.{start // 24_000}" if start else path), text[start : start + 24_000]
            made += 1
        if len(pool) < 60_000:
            pool += [paragraph for paragraph in text.split("\n\n") if 40 < len(paragraph) < 2000]
    while made < count:
        size, parts = rng.lognormvariate(9.0, 0.9), []
        at = rng.randrange(len(pool))
        while size > 0:
            paragraph = pool[(at + rng.randrange(400)) % len(pool)]
            parts.append(paragraph)
            size -= len(paragraph)
        yield f"mixed/{made % 97}/{rng.choice(('note', 'page', 'part'))}{made}.md", "\n\n".join(parts)
        made += 1


# speed -----------------------------------------------------------------------------------------------


def questions(documents: Documents, count: int = 400) -> list[str]:
    """Two to five words that stand near each other in some document; one in ten is a phrase or an identifier."""
    rng, asked = random.Random(9), []
    while len(asked) < count:
        words = re.findall(r"[A-Za-z_]{3,}", rng.choice(documents)[1])
        if len(words) > 40:
            at = rng.randrange(len(words) - 12)
            chosen = rng.sample(words[at : at + 12], rng.randint(2, 5))
            asked.append(f'"{" ".join(words[at : at + 3])}"' if rng.random() < 0.05 else " ".join(chosen))
    return asked


Asker = Callable[[str], object]


def timed(begin: Callable[[], Asker], asked: list[str]) -> tuple[float, float]:
    """Milliseconds of CPU of the least of three rounds: in the middle, and of the slowest hundredth.

    What a library remembers of the queries of a round is for `begin` to take away.
    """
    least = [float("inf")] * len(asked)
    for _ in range(3):
        work = begin()
        for at, query in enumerate(asked):
            start = cpu()
            clock = time.thread_time()
            work(query)
            least[at] = min(least[at], max(cpu() - start, time.thread_time() - clock) * 1000)
    least.sort()
    return least[len(least) // 2], least[int(len(least) * 0.99)]


def opened_anew(store: Path, ask: Callable[[Library, str], object]) -> Callable[[], Asker]:
    """Gives an asker of a library that has never been asked these queries."""
    before: list[Library] = []

    def begin() -> Asker:
        while before:
            before.pop().close()
        library = Library(store)
        before.append(library)
        library.search.keyword("warm")
        return partial(ask, library)

    return begin


def shown(library: Library, asked: list[str]) -> float:
    """Which share of the words of a query a snippet shows, in any form."""
    shares = []
    for query in asked:
        wanted = set(stems(words_in(query.replace('"', " "))))
        found = [set(stems(words_in(hit.snippet))) for hit in library.search.keyword(query).hits]
        shares += [len(wanted & words) / max(1, len(wanted)) for words in found]
    return sum(shares) / max(1, len(shares))


def build(documents: int, work: Path, rows: Rows) -> tuple[Library, Documents]:
    sample: Documents = []
    size = 0
    rng = random.Random(3)

    def sources() -> Iterator[Source]:
        nonlocal size
        for path, text in corpus(documents):
            if len(sample) < 2000 or rng.random() < 0.02:
                sample.append((path, text))
            data = text.encode()
            size += len(data)
            yield Source(path, data, 1, 2)

    making = cpu()
    for _ in corpus(documents):
        pass
    making = cpu() - making
    library = Library(work / "store")
    start = cpu()
    library.documents.add_many(sources())
    stored = cpu() - start - making
    start = cpu()
    library.grep.index_pending()
    trigrams = cpu() - start
    start = cpu()
    library.search.catch_up()
    words = cpu() - start
    total = stored + trigrams + words
    rows += [
        ["documents, MB", f"{documents}, {size / 1e6:.0f}", ""],
        ["ingest: blobs, CPU s", stored, ""],
        ["ingest: trigrams, CPU s", trigrams, ""],
        ["ingest: words, CPU s", words, ""],
        ["ingest: documents of 12 kB per core-second", size / 12_000 / total, ">= 600"],
    ]
    index = sum(path.stat().st_size for path in (work / "store" / "text").rglob("*") if path.is_file())
    rows.append(["keyword index, MB", index / 1e6, ""])
    return library, sample


def peers(documents: int, work: Path, asked: list[str], rows: Rows) -> None:
    """FTS5 and tantivy with one field each and nothing around them."""
    database = apsw.Connection(str(work / "peer.db"))
    database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;")
    database.execute("CREATE VIRTUAL TABLE t USING fts5(path, body, content='', tokenize='porter unicode61')")
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("path", tokenizer_name="en_stem")
    builder.add_text_field("body", tokenizer_name="en_stem")
    (work / "peer").mkdir()
    index = tantivy.Index(builder.build(), str(work / "peer"))
    spent = {"fts5": 0.0, "tantivy": 0.0}
    writer = index.writer(64 << 20, 1)
    with database:
        for number, (path, text) in enumerate(corpus(documents)):
            start = cpu()
            database.execute("INSERT INTO t(rowid, path, body) VALUES(?, ?, ?)", (number, path, text))
            middle = cpu()
            document = tantivy.Document()
            document.add_text("path", path)
            document.add_text("body", text)
            writer.add_document(document)
            spent["fts5"] += middle - start
            spent["tantivy"] += cpu() - middle
    start = cpu()
    writer.commit()
    writer.wait_merging_threads()
    spent["tantivy"] += cpu() - start
    index.reload()
    searcher = index.searcher()

    def by_fts5(query: str) -> object:
        words = re.findall(r"\w+", query)
        joined = f'"{" ".join(words)}"' if query.startswith('"') else " ".join(f'"{word}"' for word in words)
        (total,) = database.execute("SELECT count(*) FROM t WHERE t MATCH ?", (joined,)).fetchone()
        rows = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t, 3.0, 1.0) LIMIT 10"
        return total, database.execute(rows, (joined,)).fetchall()

    def by_tantivy(query: str) -> object:
        found = index.parse_query_lenient(query, ["path", "body"], conjunction_by_default=True)[0]
        return searcher.search(found, 10)

    for name, work_of in (("fts5", by_fts5), ("tantivy", by_tantivy)):
        middle_ms, slow = timed(lambda work_of=work_of: work_of, asked)
        rows.append([f"{name} alone: index CPU s", spent[name], ""])
        rows.append([f"{name} alone: all words, p50 / p99 ms", f"{middle_ms:.2f} / {slow:.2f}", ""])


def speed(documents: int, work: Path, rows: Rows, *, alone: bool) -> None:
    library, sample = build(documents, work, rows)
    asked = questions(sample)
    library.search.keyword("warm")
    rounds: list[tuple[str, Callable[[], Asker], str]] = [
        (
            "ten hits with snippets",
            opened_anew(work / "store", lambda opened, query: opened.search.keyword(query)),
            "<= 2 / 10",
        ),
        ("the same, asked again", lambda: library.search.keyword, ""),
        (
            "numbers only",
            opened_anew(work / "store", lambda opened, query: opened.search.words.index.search(query, limit=10)),
            "",
        ),
        (
            "fuzzy 0.7",
            opened_anew(work / "store", lambda opened, query: opened.search.keyword(query, similarity=0.7)),
            "",
        ),
    ]
    for label, begin, target in rounds:
        middle, slow = timed(begin, asked)
        rows.append([f"keyword, {label}: p50 / p99 ms", f"{middle:.2f} / {slow:.2f}", target])
    rows.append(["share of the words asked for that a snippet shows", shown(library, asked), ""])
    for pattern in PATTERNS:
        start = cpu()
        found = sum(1 for _ in library.grep.files(Pattern(pattern)))
        rows.append([f"grep {pattern}: documents, CPU ms", f"{found}, {(cpu() - start) * 1000:.0f}", ""])
    spent = []
    for number in range(200):
        word = "zq" + "".join(chr(97 + int(digit)) for digit in str(number))
        library.documents.add_text(f"fresh/{number}.md", f"quite fresh {word} {sample[number][1][:4000]}")
        start = time.thread_time()
        found = library.search.keyword(word)
        spent.append((time.thread_time() - start) * 1000)
        assert f"fresh/{number}.md" in [hit.document.path for hit in found.hits], "a fresh document was not found"
    rows.append(["stored, then searched: p50 / p99 ms", f"{sorted(spent)[100]:.2f} / {sorted(spent)[198]:.2f}", ""])
    library.close()
    memory_at(work, asked, rows)
    if not alone:
        peers(documents, work, asked, rows)


def memory_at(work: Path, asked: list[str], rows: Rows) -> None:
    """In a process of its own: the store opened, four hundred queries, plain and fuzzy."""
    import subprocess

    code = (
        "import sys; sys.path.insert(0, 'bench'); from find import Library, Path, memory\n"
        f"library = Library(Path({str(work / 'store')!r}))\n"
        f"for query in {asked!r}:\n    library.search.keyword(query); library.search.keyword(query, similarity=0.7)\n"
        "print(memory(), memory('VmRSS'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    own, mapped = map(float, done.stdout.split())
    rows.append(["memory after the queries, MB (own / with mapped files)", f"{own:.0f} / {mapped:.0f}", "<= 250"])


# quality ---------------------------------------------------------------------------------------------


def headings() -> tuple[Documents, list[tuple[str, str]]]:
    """Pages, and for some of their headings the page that has it."""
    pages, asked = [], []
    seen: dict[str, int] = {}
    for path, text in files():
        if path.endswith((".md", ".rst", ".txt")):
            pages.append((path, text))
            found = re.findall(r"^#{1,3} (.+)$", text, re.MULTILINE) if path.endswith(".md") else []
            found += re.findall(r"^([A-Z][^\n]{8,80})\n[=~-]{4,}\s*$", text, re.MULTILINE)
            for heading in dict.fromkeys(found):
                words = re.findall(r"[A-Za-z]{2,}", heading)
                if 3 <= len(words) <= 8:
                    seen[heading.lower()] = seen.get(heading.lower(), 0) + 1
                    asked.append((" ".join(words), path))
    unique = [(query, path) for query, path in asked if seen.get(query.lower(), 1) == 1]
    random.Random(1).shuffle(unique)
    return pages, unique[:1200]


def functions() -> tuple[Documents, list[tuple[str, str]]]:
    """Functions without their docstrings, and the first sentence of each docstring."""
    bodies: Documents = []
    asked: list[tuple[str, str]] = []
    for path, text in files():
        if not path.endswith(".py") or len(bodies) > 6000:
            continue
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        lines = text.splitlines()
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and len(node.body) > 1:
                doc = ast.get_docstring(node) or ""
                first = " ".join(doc.split("\n\n")[0].split())
                if 5 <= len(first.split()) <= 30:
                    string = node.body[0]
                    body = lines[node.lineno - 1 : string.lineno - 1] + lines[string.end_lineno or 0 : node.end_lineno]
                    name = f"{path}/{node.name}{node.lineno}.py"
                    bodies.append((name, "\n".join(body)))
                    asked.append((first, name))
    random.Random(2).shuffle(asked)
    return bodies, asked[:1200]


def with_typo(query: str, rng: random.Random) -> str:
    """One word of five letters or more, with a letter left out, doubled, replaced, or two that changed places."""
    words = query.split()
    long = [at for at, word in enumerate(words) if len(word) >= 5]
    if not long:
        return query
    at = rng.choice(long)
    word, place = words[at], rng.randrange(1, len(words[at]) - 1)
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    words[at] = rng.choice(
        [
            word[:place] + word[place + 1 :],
            word[:place] + word[place] + word[place:],
            word[:place] + letter + word[place + 1 :],
            word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        ]
    )
    return " ".join(words)


def mean_rank(library: Library, asked: list[tuple[str, str]], similarity: float | None = None) -> float:
    """The mean of 1 / rank of the wanted document among the first ten."""
    total = 0.0
    for query, wanted in asked:
        plain = re.sub(r"[^\w\s.'-]", " ", query)
        answer = library.search.words.index.search(plain, limit=10, similarity=similarity)
        paths = [document.path for document in _in_order(library, [hit.document for hit in answer.hits])]
        total += 1 / (paths.index(wanted) + 1) if wanted in paths else 0.0
    return total / len(asked)


def _in_order(library: Library, numbers: list[int]) -> list[object]:
    found = {document.id: document for document in library.catalog.listings.numbered(numbers)}
    return [found[number] for number in numbers if number in found]


def quality(work: Path, rows: Rows, half: str) -> None:
    for name, made in (("heading to page", headings), ("docstring to function", functions)):
        documents, asked = made()
        chosen = asked[::2] if half == "tune" else asked[1::2]
        library = Library(work / name.replace(" ", "-"))
        library.documents.add_many(Source(path, text.encode(), 1, 2) for path, text in documents)
        library.search.catch_up()
        clean = mean_rank(library, chosen)
        rng = random.Random(4)
        wrong = [(with_typo(query, rng), path) for query, path in chosen]
        rows += [
            [f"{name}: documents, queries", f"{len(documents)}, {len(chosen)}", ""],
            [f"{name}: MRR@10", clean, ""],
            [f"{name}: with a typo", mean_rank(library, wrong), ""],
        ]
        fuzzy = mean_rank(library, wrong, 0.7)
        rows.append([f"{name}: with a typo, fuzzy 0.7", fuzzy, ""])
        rows.append([f"{name}: share kept", fuzzy / clean, ">= 0.89"])
        rows.append([f"{name}: clean, fuzzy 0.7", mean_rank(library, chosen, 0.7), ""])
        library.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--quality", action="store_true", help="only the known-item sets")
    parser.add_argument("--speed", action="store_true", help="only speed and memory")
    parser.add_argument("--alone", action="store_true", help="without FTS5 and tantivy beside it")
    parser.add_argument("--half", choices=["tune", "report"], default="report", help="which half of the queries")
    parser.add_argument("--where", type=Path, default=None, help="directory for the stores")
    options = parser.parse_args()
    rows: Rows = []
    work = Path(tempfile.mkdtemp(dir=options.where))
    try:
        if not options.quality:
            speed(options.documents, work, rows, alone=options.alone)
        if not options.speed:
            quality(work, rows, options.half)
    finally:
        shutil.rmtree(work)
    table(["what", "figure", "target"], rows)
    save(f"find-{options.documents}", [dict(zip(("what", "figure", "target"), row, strict=True)) for row in rows])


if __name__ == "__main__":
    main()
