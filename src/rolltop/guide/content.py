"""Content by expression: find, read, order, format, and say what was left out."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rolltop.errors import RolltopError
from rolltop.guide.discovery import Found, Tree
from rolltop.guide.errors import DocumentUnreadable
from rolltop.guide.expression import Expression
from rolltop.guide.flags import FlagValue
from rolltop.guide.formats import DEFAULT_FORMAT, Document, format_documents
from rolltop.guide.frontmatter import split_front_matter
from rolltop.guide.model import Project
from rolltop.guide.pattern import Pattern
from rolltop.guide.resolve import Wanted, resolve

__all__ = ["Content", "Limits", "excluded", "gather", "read_inside"]


@dataclass(frozen=True, slots=True)
class Limits:
    documents: int = 100
    bytes: int = 1 << 20
    """Of all documents together; the first is given however large it is, up to `largest`."""
    largest: int = 4 << 20
    depth: int = 8
    entries: int = 50_000


@dataclass(frozen=True, slots=True)
class Content:
    text: str
    documents: tuple[Document, ...]
    unmatched: tuple[str, ...] = ()
    """What was asked for and matched no file."""
    unreadable: tuple[str, ...] = ()
    """Files that matched but are not text."""
    warnings: tuple[str, ...] = ()
    truncated: bool = False
    omitted: int = 0
    next_offset: int | None = None
    """Where to go on when documents were omitted."""


ReadDocument = Callable[[Path, Path, int], bytes]
"""Reads a document below a root, up to one byte more than the number says."""


@dataclass(frozen=True, slots=True)
class _Match:
    wanted: Wanted
    found: Found
    root: Path


def gather(
    docroot: Path,
    project: Project,
    expression: Expression,
    flags: Mapping[str, FlagValue],
    *,
    limits: Limits | None = None,
    offset: int = 0,
    how: str | None = None,
    read: ReadDocument | None = None,
) -> Content:
    """The documents that an expression stands for: term order, member order, pattern order, path.

    `read` reads a document of a root; the default never leaves the root.
    """
    limits = limits or Limits()
    wanted = resolve(project, expression)
    trees = {root: Tree(root, limits.depth, limits.entries) for root in {_root(want, docroot) for want in wanted}}
    matches, unmatched = _find(trees, docroot, wanted, excluded(flags))
    read = read or read_inside
    documents, unreadable, taken = _read(read, matches[offset:], limits, keep=flags.get("content-front-matter"))
    if matches and not documents and len(unreadable) == len(matches):
        raise DocumentUnreadable(
            f"none of the documents can be read: {'; '.join(unreadable[:5])}", hint="Documents have to be UTF-8 text."
        )
    omitted = max(0, len(matches) - offset - taken)
    return Content(
        text=format_documents(documents, how or str(flags.get("content-format", DEFAULT_FORMAT))),
        documents=tuple(documents),
        unmatched=tuple(unmatched),
        unreadable=tuple(unreadable),
        warnings=tuple(warning for tree in trees.values() for warning in tree.warnings),
        truncated=any(tree.truncated for tree in trees.values()) or omitted > 0,
        omitted=omitted,
        next_offset=offset + taken if omitted else None,
    )


def excluded(flags: Mapping[str, FlagValue]) -> Sequence[Pattern]:
    """What is never given out."""
    patterns = flags.get("content-exclude", [])
    return [Pattern.compile(text) for text in patterns] if isinstance(patterns, list) else []


def _root(want: Wanted, docroot: Path) -> Path:
    return want.category.root or docroot


def _find(
    trees: Mapping[Path, Tree], docroot: Path, wanted: Sequence[Wanted], excluded: Sequence[Pattern]
) -> tuple[list[_Match], list[str]]:
    """The matches in order, each file once; and what matched nothing at all."""
    matches: dict[Path, _Match] = {}
    hits: dict[str, bool] = {}
    for want in wanted:
        root = _root(want, docroot)
        found = [
            item
            for item in (trees[root].find(want.category.dir, want.pattern) if want.pattern else ())
            if (want.within is None or want.within.contains(item.path))
            and not any(pattern.matches(item.path) for pattern in excluded)
        ]
        for item in found:
            matches.setdefault(item.real, _Match(want, item, root))
        hits[want.asked] = bool(found) or hits.get(want.asked, False)
    return list(matches.values()), [asked for asked, hit in hits.items() if not hit]


def _read(
    read: ReadDocument, matches: Sequence[_Match], limits: Limits, *, keep: FlagValue | None
) -> tuple[list[Document], list[str], int]:
    """As many documents as the limits allow, what could not be read, and how many matches that used up."""
    documents: list[Document] = []
    unreadable: list[str] = []
    left = limits.bytes
    for taken, match in enumerate(matches):
        if len(documents) >= limits.documents:
            return documents, unreadable, taken
        try:
            document = _document(read, match, limits.largest)
        except DocumentUnreadable as error:
            unreadable.append(error.message)
            continue
        if document.size > left and documents:
            return documents, unreadable, taken
        left -= document.size
        documents.append(document if keep is True else replace(document, text=split_front_matter(document.text)[1]))
    return documents, unreadable, len(matches)


def _document(read: ReadDocument, match: _Match, largest: int) -> Document:
    name = f"{match.wanted.category.name}/{match.found.path}"
    try:
        data = read(match.root, match.found.real, largest)
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DocumentUnreadable(f"{name} is not UTF-8 text") from None
    except OSError as error:
        raise DocumentUnreadable(f"{name} cannot be read: {error.strerror}") from None
    except RolltopError as error:
        raise DocumentUnreadable(f"{name} cannot be read: {error.message}") from None
    if "\0" in text:
        raise DocumentUnreadable(f"{name} is binary")
    if len(data) > largest:
        raise DocumentUnreadable(f"{name} is larger than {largest} bytes")
    pattern = match.wanted.pattern.text if match.wanted.pattern else ""
    return Document(match.wanted.category.name, match.found.path, len(data), pattern, text)


def read_inside(docroot: Path, real: Path, largest: int) -> bytes:
    """Read a file by walking down from the document root without following a single link.

    `real` was resolved before; if somebody swaps a directory for a link meanwhile, the walk fails
    instead of leading outside.
    """
    directory = os.open(docroot, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        *parents, name = real.relative_to(docroot).parts
        for part in parents:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
            os.close(directory)
            directory = inner
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with open(os.open(name, flags, dir_fd=directory), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(0, "not a regular file")
            return file.read(largest + 1)
    finally:
        os.close(directory)
