"""The parts that an index on disk is made of, and the words in those that are new.

tantivy has counted the words of what it was given; asking it for them costs a look at each different word, where
counting them here would cost one at every word of every text.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection
from pathlib import Path

import tantivy

from rolltop.store.text import fields

__all__ = ["part_names", "words_in", "words_in_parts"]

_VOCABULARY = ("body", fields.LABEL)
_TRIES = 5


def part_names(directory: Path) -> set[str]:
    """The names of the parts that the last commit is made of."""
    return {part["segment_id"] for part in _meta(directory)["segments"]}


def _meta(directory: Path) -> dict[str, list[dict[str, str]]]:
    meta: dict[str, list[dict[str, str]]] = json.loads((directory / "meta.json").read_bytes())
    return meta


def words_in(index: tantivy.Index) -> set[str]:
    """Every word of an index."""
    index.reload()
    searcher = index.searcher()
    return {word for field in _VOCABULARY for word, _ in searcher.terms_with_prefix(field, "")}


def words_in_parts(directory: Path, known: Collection[str]) -> set[str] | None:
    """The words in the parts that are not known; None where they cannot be looked at alone."""
    for _ in range(_TRIES):
        try:
            return _alone(directory, directory / "new", known)
        except FileNotFoundError:
            continue  # merged with others meanwhile: the part that they are now is looked at
        except (OSError, ValueError):
            return None
    return None


def _alone(directory: Path, place: Path, known: Collection[str]) -> set[str]:
    """The words of the new parts, as an index of their own over the same files."""
    meta = _meta(directory)
    meta["segments"] = [part for part in meta["segments"] if part["segment_id"] not in known]
    if not meta["segments"]:
        return set()
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    try:
        for part in meta["segments"]:
            name = part["segment_id"].replace("-", "")
            for file in [*directory.glob(f"{name}.*")]:
                os.link(file, place / file.name)
        (place / "meta.json").write_text(json.dumps(meta))
        return words_in(fields.reopened(str(place)))
    finally:
        shutil.rmtree(place, ignore_errors=True)
