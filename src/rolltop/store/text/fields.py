"""The fields of the keyword index, and what a hit in each of them is worth. See docs/design/search.md."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import tantivy

from rolltop.base.atomic_files import is_read_only
from rolltop.store.text.words import analysis
from rolltop.store.text.words.splitting import Cut, cut_all
from rolltop.store.text.words.stem_counts import Parts, weighed

if TYPE_CHECKING:
    from rolltop.store.seams import TextUnit

__all__ = [
    "ANYWHERE",
    "EXACT",
    "FORMAT",
    "LABEL",
    "STEMMED",
    "WEIGHTS",
    "Texts",
    "nothing",
    "reopened",
    "schema",
    "texts_of",
]

FORMAT = 6
"""Part of the directory's name: another set of fields or another way to cut words is another index."""

EXACT = ("body", "label", "title", "path", "heading")
"""Fields of words as they are written (without case and accents), with positions. `label` is all but the body."""

STEMMED = ("tag_stem",)
"""The words of the tags by their stems."""

ANYWHERE = "stems"
"""All words of a document by their stems, those of identifiers also joined; see `weighing`."""

LABEL = "label"

WEIGHTS = {
    "stems": 1.0,
    "tag_stem": 2.5,
    "names": 2.0,
    "body": 1.0,
    "label": 1.5,
    "title": 3.0,
    "heading": 1.6,
    "path": 1.4,
}


@cache
def schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("document", indexed=True, fast=True)
    for name in EXACT:
        builder.add_text_field(name, tokenizer_name="exact", index_option="position")
    for name in STEMMED:
        builder.add_text_field(name, tokenizer_name="stem", index_option="freq")
    for name in (ANYWHERE, "names"):
        builder.add_text_field(name, tokenizer_name="plain", index_option="freq")
    for name in ("tag", "ext", "type", "what"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("state", stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()


_links: dict[str, TemporaryDirectory[str]] = {}


def _linked(path: str) -> str:
    """A directory of links to the files of an index that cannot be written: its reader wants to lock something."""
    if path not in _links:
        place = _links[path] = TemporaryDirectory(prefix="rolltop-index-")
        for name in os.listdir(path):
            if not name.endswith(".lock"):
                os.symlink(os.path.join(os.path.abspath(path), name), os.path.join(place.name, name))
    return _links[path].name


def reopened(path: str) -> tantivy.Index:
    """The index in a directory, made where there is none."""
    return _with_analyzers(tantivy.Index(schema(), _linked(path) if is_read_only(Path(path)) else path))


def nothing() -> tantivy.Index:
    """An index that holds nothing and lies nowhere."""
    return _with_analyzers(tantivy.Index(schema()))


def _with_analyzers(index: tantivy.Index) -> tantivy.Index:
    index.register_tokenizer("exact", analysis.exact_analyzer())
    index.register_tokenizer("stem", analysis.stem_analyzer())
    index.register_tokenizer("plain", analysis.plain_analyzer())
    return index


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a document by field, with cuts in their words; and how many words these are."""

    fields: dict[str, list[str]]
    lengths: dict[str, int]


def texts_of(units: Sequence[TextUnit]) -> list[Texts]:
    """The texts of documents. They are cut together: a document may have a thousand headings."""
    bodies = cut_all(unit.body for unit in units)
    labels = cut_all("\n".join([text.replace("\n", " ") for text in _short(unit)]) for unit in units)
    found = [_texts(unit, body, label) for unit, body, label in zip(units, bodies, labels, strict=True)]
    for each, (text, count) in zip(found, weighed(map(_parts, found)), strict=True):
        each.fields[ANYWHERE], each.lengths[ANYWHERE] = [text], count
    return found


def _parts(texts: Texts) -> Parts:
    fields = texts.fields
    named = [text for name in ("title", "heading", "tag_stem") for text in fields[name]]
    return Parts(fields["body"][0], " ".join([*fields["path"], *fields["names"]]), " ".join(named))


def _short(unit: TextUnit) -> tuple[str, ...]:
    return (unit.title or unit.name, unit.path, *unit.headings, *unit.symbols, *unit.tags)


def _texts(unit: TextUnit, body: Cut, label: Cut) -> Texts:
    pieces = label.text.split("\n")
    title, path, *rest = pieces
    headings, tags = rest[: len(rest) - len(unit.tags)], rest[len(rest) - len(unit.tags) :]
    names = body.joined | label.joined
    fields = {
        "body": [body.text],
        "title": [title],
        "path": [path],
        "heading": headings,
        "label": pieces,
        "tag_stem": tags,
        "names": [" ".join(names)],
        "tag": [level for tag in unit.tags for level in _levels(tag)],
        "ext": _extensions(unit),
        "type": [unit.kind],
    }
    return Texts(fields, _lengths(fields, body.words, label.words, len(names)))


def _lengths(texts: dict[str, list[str]], body: int, label: int, names: int) -> dict[str, int]:
    """Sums that averages are made of: near enough for that."""
    title, path, tags = (sum([text.count(" ") + 1 for text in texts[name]]) for name in ("title", "path", "tag_stem"))
    heading = max(0, label - title - path - tags)
    lengths = {"body": body, "label": label, "names": names, "title": title, "path": path, "heading": heading}
    return lengths | {"tag_stem": tags}


def _extensions(unit: TextUnit) -> list[str]:
    """The extension, and with those before it: gz, tar.gz."""
    last = unit.extension.lower().lstrip(".")
    parts = unit.name[1:].lower().split(".")[1:] if last else []
    return [last, *(".".join(parts[start:]) for start in range(len(parts) - 1))]


def _levels(tag: str) -> list[str]:
    """A tag and those above it: a/b/c lies under a/b and under a."""
    parts = tag.split("/")
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]
