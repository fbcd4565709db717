"""What a configuration means: projects with flags, categories and collections. All of it is frozen."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from rolltop.errors import Conflict
from rolltop.guide import expression
from rolltop.guide.errors import ArgumentInvalid, PathUnsafe, unknown_name
from rolltop.guide.flags import FlagValue
from rolltop.guide.names import check_name, project_name
from rolltop.guide.pattern import Pattern

__all__ = ["Category", "Collection", "Project", "check_directory", "project_key"]


@dataclass(frozen=True, slots=True)
class Category:
    """A directory of documents, and what it gives when nothing more is asked."""

    name: str
    dir: str
    patterns: tuple[str, ...] = ()
    description: str = ""
    root: Path | None = None
    """What its directory lies below, where that is not the document root: the team's categories are in the project."""

    def checked(self) -> Category:
        check_name("category", self.name)
        for pattern in self.patterns:
            if Pattern.compile(pattern).narrows:
                raise ArgumentInvalid(
                    f"the pattern {pattern!r} of category {self.name} ends in a slash and so names no files",
                    hint=f"Write {pattern}* or {pattern}**.",
                )
        return replace(self, dir=check_directory(self.dir), patterns=tuple(dict.fromkeys(self.patterns)))


@dataclass(frozen=True, slots=True)
class Collection:
    """An ordered list of expressions under one name."""

    name: str
    members: tuple[str, ...]
    description: str = ""

    def checked(self) -> Collection:
        check_name("collection", self.name)
        if not self.members:
            raise ArgumentInvalid(f"collection {self.name} would be empty", hint="Give it at least one expression.")
        return replace(self, members=tuple(str(_possible(member)) for member in self.members))


def _possible(member: str) -> expression.Expression:
    """A member, with patterns that some file can match."""
    parsed = expression.parse(member)
    for pattern in (pattern for term in parsed.terms for pattern in term.patterns):
        Pattern.compile(pattern)
    return parsed


@dataclass(frozen=True, slots=True)
class Project:
    key: str
    name: str
    path: Path
    flags: Mapping[str, FlagValue] = field(default_factory=lambda: MappingProxyType({}))
    categories: Mapping[str, Category] = field(default_factory=lambda: MappingProxyType({}))
    collections: Mapping[str, Collection] = field(default_factory=lambda: MappingProxyType({}))

    @staticmethod
    def at(path: Path) -> Project:
        """An empty project for a directory."""
        real = Path(os.path.realpath(path))
        return Project(project_key(real), project_name(real.name), real)

    def category(self, name: str) -> Category:
        if name not in self.categories:
            raise unknown_name("category", name, self.categories, where=f" in project {self.name}")
        return self.categories[name]

    def collection(self, name: str) -> Collection:
        if name not in self.collections:
            raise unknown_name("collection", name, self.collections, where=f" in project {self.name}")
        return self.collections[name]

    def with_category(self, category: Category) -> Project:
        checked = category.checked()
        if checked.name in self.collections:
            raise Conflict(f"a collection is called {checked.name}", hint="Choose another name for the category.")
        return replace(self, categories={**self.categories, checked.name: checked})

    def with_collection(self, collection: Collection) -> Project:
        checked = collection.checked()
        if checked.name in self.categories:
            raise Conflict(f"a category is called {checked.name}", hint="Choose another name for the collection.")
        for member in checked.members:
            self._check_member(checked.name, member)
        return replace(self, collections={**self.collections, checked.name: checked})

    def without_category(self, name: str) -> Project:
        """Without it, and without what collections said about it."""
        self.category(name)
        rest = {key: value for key, value in self.categories.items() if key != name}
        return replace(self, categories=rest)._without_members(name)

    def without_collection(self, name: str) -> Project:
        self.collection(name)
        rest = {key: value for key, value in self.collections.items() if key != name}
        return replace(self, collections=rest)._without_members(name)

    def with_flag(self, name: str, value: FlagValue | None) -> Project:
        rest = {key: kept for key, kept in self.flags.items() if key != name or value is not None}
        return replace(self, flags=rest if value is None else {**rest, name: value})

    def _check_member(self, collection: str, member: str) -> None:
        known = {*self.categories, *self.collections, collection}
        for term in expression.parse(member).terms:
            if term.name not in known:
                where = f", but collection {collection} names it"
                raise unknown_name("category or collection", term.name, known - {collection}, where=where)

    def _without_members(self, name: str) -> Project:
        kept = {
            key: replace(collection, members=_without_term(collection.members, name))
            for key, collection in self.collections.items()
        }
        return replace(self, collections=kept)


def _without_term(members: tuple[str, ...], name: str) -> tuple[str, ...]:
    left = (
        str(expression.Expression(tuple(term for term in expression.parse(member).terms if term.name != name)))
        for member in members
    )
    return tuple(member for member in left if member)


def project_key(real: Path) -> str:
    """`<name>-<first 8 hex digits of the path's SHA-256>`: two directories of one name differ."""
    digest = hashlib.sha256(os.fsencode(real)).hexdigest()[:8]
    return f"{project_name(real.name)}-{digest}"


def check_directory(text: str) -> str:
    """A category's directory: relative to the document root, inside it, not one of the hidden ones."""
    path = PurePosixPath(text)
    if not text.strip() or path.is_absolute() or ".." in path.parts or "\0" in text or "\\" in text:
        raise PathUnsafe(
            "a category's directory has to lie below the document root",
            hint="Give a relative path without .., such as lang/.",
        )
    if any(part.startswith(("_", ".")) for part in path.parts):
        raise PathUnsafe("directories that begin with _ or . hold no documents", hint="Choose another directory.")
    return f"{path}/"
