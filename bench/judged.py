"""A judged collection from what is at hand, and every way of searching beside FTS5 in one run.

    python bench/judged.py [--half tune|report] [--documents 700] [--sets manual,modules,packages,notes] [--tune]

A question has one answer. `manual`: what a page says of itself in NAME finds the page without that line. `modules`: the
first sentence of a module's docstring finds the file without the docstring. `packages`: the one-line summary of a
Debian package finds its description. `titles`: a heading finds its page. `notes`: a vague recall finds the note
(_notes.py). The very large pages and files are always among the documents. Weights are chosen on the tuning half
(`--tune` prints a grid); the other half is reported.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import random
import re
import sqlite3
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

from _known_items import headings
from _measure import save, table
from _notes import NOTES
from meaning import mean, reciprocal
from rolltop.store import Library, Options, Source
from rolltop.store.meaning import Blend, fuse

Documents = list[tuple[str, str]]
Asked = list[tuple[str, str]]
Made = tuple[Documents, Asked]

LARGEST = 25
"""So many of the longest documents are always kept: they hold every word somewhere."""


def manual() -> Iterator[tuple[str, str, str]]:
    for section in ("man1", "man5", "man7", "man8"):
        for path in sorted(Path("/usr/share/man", section).glob("*.gz")):
            if path.is_symlink():
                continue
            text = _plain(gzip.decompress(path.read_bytes()).decode(errors="replace"))
            named = re.search(r"^NAME\n+(.+? \\?-+ (.+))\n", text, re.MULTILINE)
            yield (
                f"man/{path.name.removesuffix('.gz')}",
                *((text.replace(named[1], "", 1), named[2]) if named else (text, "")),
            )


def _plain(page: str) -> str:
    """The words of a page without the marks of roff."""
    lines = [
        line for line in page.splitlines() if not re.match(r"""['.]\\"|\.(de|ie|el|if|ds|nr|so|TH)\b|^\.\.""", line)
    ]
    text = re.sub(r"^\.[A-Za-z]+ ?", "", "\n".join(lines), flags=re.MULTILINE)
    text = re.sub(r"\\f[A-Z]|\\f\(..|\\&|\\s[-+]?\d", "", text).replace("\\-", "-").replace("\\(aq", "'")
    return re.sub(r'^"|"$', "", text, flags=re.MULTILINE)


def modules() -> Iterator[tuple[str, str, str]]:
    root = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(root.rglob("*.py")):
        if "site-packages" in path.parts or "idlelib" in path.parts:
            continue
        try:
            text = path.read_text()
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        doc = ast.get_docstring(tree) or ""
        lines = text.splitlines()
        if doc:
            string = tree.body[0]
            lines[string.lineno - 1 : string.end_lineno] = []
        yield f"lib/{path.relative_to(root)}", "\n".join(lines), doc.split("\n\n")[0]


def packages() -> Iterator[tuple[str, str, str]]:
    for entry in Path("/var/lib/dpkg/status").read_text().split("\n\n"):
        name, told = (
            re.search(r"^Package: (.+)$", entry, re.MULTILINE),
            re.search(r"^Description: (.+)\n((?: .*\n?)+)", entry, re.MULTILINE),
        )
        if name and told and not re.search(r"-(dev|doc|data|common)$", name[1]):
            yield f"packages/{name[1]}.txt", told[2], told[1]


def notes() -> Made:
    documents = [(f"notes/{number:02}.md", text) for number, (text, *_) in enumerate(NOTES)]
    return documents, [
        (recall, documents[number][0]) for number, (_, *recalls) in enumerate(NOTES) for recall in recalls
    ]


def made(found: Iterator[tuple[str, str, str]], count: int) -> Made:
    """So many documents, with the questions that only one of them answers."""
    every = list(
        {text: (path, text, " ".join(question.split())) for path, text, question in found if len(text) > 80}.values()
    )
    asked: dict[str, list[str]] = {}
    for path, _, question in every:
        if 3 <= len(question.split()) <= 20:
            asked.setdefault(question.lower(), []).append(path)
    large = sorted(every, key=lambda each: -len(each[1]))[:LARGEST]
    rest = [each for each in every if each not in large]
    chosen = [*large, *random.Random(7).sample(rest, min(len(rest), count - len(large)))]
    kept = {path for path, *_ in chosen}
    questions = sorted((words, paths[0]) for words, paths in asked.items() if len(paths) == 1 and paths[0] in kept)
    random.Random(8).shuffle(questions)
    return [(path, text) for path, text, _ in chosen], questions[:160]


def titles(count: int) -> Made:
    """A heading as it is written finds its page."""
    known = headings(count, hidden=False)
    return known.documents, [each for pair in zip(known.tuning, known.reporting, strict=False) for each in pair][:160]


SETS: dict[str, Callable[[int], Made]] = {
    "manual": lambda count: made(manual(), count),
    "modules": lambda count: made(modules(), count),
    "packages": lambda count: made(packages(), count),
    "titles": titles,
    "notes": lambda _: notes(),
}


def fts5(documents: Documents) -> Callable[[str], list[str]]:
    """Any of the words, by BM25, as twenty lines of SQLite do it."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE t USING fts5(path, body, tokenize='porter unicode61')")
    database.executemany("INSERT INTO t VALUES(?, ?)", documents)

    def ask(query: str) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        return [
            path
            for (path,) in database.execute("SELECT path FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT 10", (words,))
        ]

    return ask


def measured(library: Library, documents: Documents, asked: Asked) -> list[list[object]]:
    ways: dict[str, Callable[[str], list[str]]] = {"fts5": fts5(documents)}
    for kind in ("keyword", "semantic", "hybrid"):
        ways[kind] = lambda query, kind=kind: [hit.document.path for hit in library.search.find(query, kind).hits]
    rows = []
    for name, ask in ways.items():
        found = [(ask(query), wanted) for query, wanted in asked]
        hits = [sum(wanted in order[:depth] for order, wanted in found) for depth in (1, 3, 5)]
        rows.append([name, round(mean([reciprocal(order, wanted) for order, wanted in found]), 3), *hits, len(asked)])
    return rows


def grid(library: Library, asked: Asked) -> dict[Blend, float]:
    found = [(library.documents.get(path).id, library.search.legs(query)) for query, path in asked]
    values = {}
    for nearness, in_order in product((1.5, 2.0, 2.5), (0.5, 1.0, 2.0, 4.0)):
        blend = Blend(nearness, in_order)
        orders = [
            ([each.document for each in fuse(legs.candidates, blend, legs.full)], wanted) for wanted, legs in found
        ]
        values[blend] = mean([reciprocal(order, wanted) for order, wanted in orders])
    return values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["tune", "report"], default="report")
    parser.add_argument("--documents", type=int, default=700, help="of each set")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--model", default="auto")
    parser.add_argument("--tune", action="store_true", help="the grid of weights, on the tuning half")
    options = parser.parse_args()
    rows: list[list[object]] = []
    grids: dict[Blend, list[float]] = {}
    for name in options.sets.split(","):
        documents, asked = SETS[name](options.documents)
        asked = asked[::2] if options.tune or options.half == "tune" else asked[1::2]
        with tempfile.TemporaryDirectory() as work, Library(Path(work), Options(model=options.model)) as library:
            library.documents.add_many(Source(path, text.encode(), 1, 2) for path, text in documents)
            library.search.catch_up()
            library.search.embed()
            rows += [[f"{name}, {len(documents)} documents", *row] for row in measured(library, documents, asked)]
            for blend, value in grid(library, asked).items() if options.tune else ():
                grids.setdefault(blend, []).append(value)
    table(["set", "way", "MRR@10", "hit@1", "hit@3", "hit@5", "of"], rows)
    for blend, values in sorted(grids.items(), key=lambda each: -sum(each[1])):
        print(blend, *(f"{value:.3f}" for value in values))
    save("judged", rows)


if __name__ == "__main__":
    main()
