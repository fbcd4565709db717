"""The examples, from files or from an index that was kept; rebuilt when the files have changed."""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import asdict
from pathlib import Path

import orjson

from rolltop.base.atomic_files import write_file
from rolltop.transform.examples.corpus import OWN, Example, load_corpus, load_suite
from rolltop.transform.examples.finder import Finder

__all__ = ["build_finder"]


_MADE_AS = b"2"
"""Another number when the same files give other examples."""


def build_finder(suite: Path | None = None, kept: Path | None = None, *, rebuild: bool = False) -> Finder:
    """An index over our own examples and a suite's cases; `kept` is where the examples are read from next time."""
    print_ = _fingerprint([OWN, *([suite] if suite else [])])
    examples = None if rebuild or kept is None else _read(kept, print_)
    if examples is None:
        examples = [*load_corpus(), *(load_suite(suite) if suite else [])]
        if kept is not None:
            _write(kept, print_, examples)
    return Finder(examples)


def _fingerprint(directories: list[Path]) -> str:
    """Changes whenever a file comes, goes or is written to."""
    digest = hashlib.sha256(_MADE_AS)
    for directory in directories:
        for path in sorted(directory.rglob("*.yaml")):
            status = path.stat()
            digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _read(kept: Path, print_: str) -> list[Example] | None:
    try:
        document = orjson.loads(kept.read_bytes())
        if document["fingerprint"] != print_:
            return None
        return [Example(**{**entry, "functions": tuple(entry["functions"])}) for entry in document["examples"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None  # absent, of another version or damaged: made anew


def _write(kept: Path, print_: str, examples: list[Example]) -> None:
    """A place that cannot be written to only costs time at the next start."""
    document = {"fingerprint": print_, "examples": [asdict(example) for example in examples]}
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_file(kept, orjson.dumps(document), durable=False)
