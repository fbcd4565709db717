"""Between the document on disk and the model: reading what somebody may have edited by hand, and
writing only the keys that changed."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from rolltop.errors import Position, RolltopError
from rolltop.guide import expression
from rolltop.guide.configfile import line_of, storable
from rolltop.guide.errors import ConfigUnreadable
from rolltop.guide.flags import FlagValue, checked_value
from rolltop.guide.model import Category, Collection, Project, check_directory
from rolltop.guide.names import check_flag_name, check_name, project_name

__all__ = ["Reader", "stored_key", "write_flags", "write_project"]

V = TypeVar("V")
Table = Mapping[str, Any]

_QUOTE = "Put the name into quotes."


class Reader:
    """Reads the model out of a document; whatever is wrong is reported with its line."""

    def __init__(self, document: Table, source: Path) -> None:
        self.document = document
        self.source = source
        self._projects: dict[str, Project] = {}

    def docroot(self) -> str | None:
        return self._text(self.document, "docroot", "") or None

    @cached_property
    def feature_flags(self) -> Mapping[str, FlagValue]:
        return self._flags(self.document, "feature_flags")

    def project_keys(self) -> list[str]:
        return list(self._names(self._table(self.document, "projects")))

    def project_paths(self) -> Mapping[Path, str]:
        """The key of each project by its directory, without reading more of the entries than that."""
        projects = self._table(self.document, "projects")
        paths = (
            (name, self._text(self._table(projects, key), "path", "")) for name, key in self._names(projects).items()
        )
        return {Path(path): name for name, path in paths if path}

    def project(self, key: str) -> Project:
        """A project, read from the document once."""
        if key not in self._projects:
            self._projects[key] = self._project(key)
        return self._projects[key]

    def _project(self, key: str) -> Project:
        projects = self._table(self.document, "projects")
        table = self._table(projects, stored_key(projects, key))
        name = self._text(table, "name", key.rpartition("-")[0] or key)
        self._check_apart(table)
        return Project(
            key=key,
            name=project_name(name),
            path=Path(self._text(table, "path", "")),
            flags=self._flags(table, "project_flags"),
            categories=self._named(table, "categories", self._category),
            collections=self._named(table, "collections", self._collection),
        )

    def _check_apart(self, table: Table) -> None:
        """A name that a category and a collection share would only ever mean the collection."""
        collections = self._table(table, "collections")
        categories = self._names(self._table(table, "categories"))
        for name, key in self._names(collections).items():
            if name in categories:
                raise self._wrong(collections, key, f"{name} is the name of a category and of a collection")

    def _category(self, name: str, table: Table) -> Category:
        check_name("category", name)
        return Category(
            name,
            dir=check_directory(self._text(table, "dir", name)),
            patterns=self._texts(table, "patterns"),
            description=self._text(table, "description", ""),
        )

    def _collection(self, name: str, table: Table) -> Collection:
        check_name("collection", name)
        members = self._texts(table, "categories")
        for member in members:
            expression.parse(member)
        return Collection(name, members, self._text(table, "description", ""))

    def _named(self, table: Table, key: str, make: Callable[[str, Table], V]) -> Mapping[str, V]:
        entries = self._table(table, key)
        found: dict[str, V] = {}
        for name, stored in self._names(entries).items():
            try:
                found[name] = make(name, self._table(entries, stored))
            except ConfigUnreadable:
                raise
            except RolltopError as error:
                raise self._wrong(entries, stored, error.message, error.hint) from None
        return MappingProxyType(found)

    def _flags(self, table: Table, key: str) -> Mapping[str, FlagValue]:
        entries = self._table(table, key)
        found: dict[str, FlagValue] = {}
        for name, stored in self._names(entries).items():
            try:
                found[check_flag_name(name)] = checked_value(name, entries[stored])
            except RolltopError as error:
                raise self._wrong(entries, stored, error.message, error.hint) from None
        return MappingProxyType(found)

    def _names(self, table: Mapping[Any, Any]) -> dict[str, Any]:
        """The keys of a table by the names that they stand for: who writes 2024 means a name, and YAML a number."""
        names: dict[str, Any] = {}
        for key in table:
            if not isinstance(key, str) and type(key) is not int:
                raise self._wrong(
                    table, key, f"a name is expected here, and YAML reads {key} as something else", _QUOTE
                )
            if str(key) in names:
                raise self._wrong(table, key, f"the name {key} stands here twice")
            names[str(key)] = key
        return names

    def _table(self, table: Table, key: object) -> Table:
        value = table.get(key)  # type: ignore[call-overload]
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise self._wrong(table, key, f"{key} has to hold keys and values")
        return value

    def _text(self, table: Table, key: str, default: str) -> str:
        value = table.get(key)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self._wrong(table, key, f"{key} has to be a text")
        return str(value)

    def _texts(self, table: Table, key: str) -> tuple[str, ...]:
        value = table.get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._wrong(table, key, f"{key} has to be a list of texts")
        return tuple(str(item) for item in value)

    def _wrong(self, table: Table, key: object, why: str, hint: str | None = None) -> ConfigUnreadable:
        return ConfigUnreadable(
            f"the guide's configuration is not valid: {why}",
            position=Position(line_of(table, key), 1, str(self.source)),
            hint=f"Correct that line. {hint or ''}".rstrip(),
        )


def stored_key(table: Mapping[Any, Any], name: str) -> Any:
    """The key that stands for a name in a table that may have been written by hand."""
    if name not in table and name.isascii() and name.isdigit() and str(int(name)) == name and int(name) in table:
        return int(name)
    return name


def write_flags(document: MutableMapping[str, Any], before: Table, after: Table) -> None:
    """Global flags: the changed keys, and no other."""
    if before != after:
        _write_flags(_subtable(document, "feature_flags"), before, after)


def write_project(document: MutableMapping[str, Any], before: Project, after: Project) -> None:
    """What differs between two states of a project, key by key."""
    table = _subtable(_subtable(document, "projects"), before.key)
    table.setdefault("name", after.name)
    table.setdefault("path", storable(str(after.path)))
    if before.flags != after.flags:
        _write_flags(_subtable(table, "project_flags"), before.flags, after.flags)
    _write_named(table, "categories", before.categories, after.categories, _category_fields)
    _write_named(table, "collections", before.collections, after.collections, _collection_fields)


def _write_flags(table: MutableMapping[str, Any], before: Table, after: Table) -> None:
    for name in before.keys() - after.keys():
        del table[stored_key(table, name)]
    for name, value in after.items():
        if name not in before or before[name] != value or type(before[name]) is not type(value):
            table[stored_key(table, name)] = storable(value)


def _write_named(
    table: MutableMapping[str, Any],
    key: str,
    before: Mapping[str, V],
    after: Mapping[str, V],
    fields: Callable[[V], dict[str, Any]],
) -> None:
    if before == after:
        return
    entries = _subtable(table, key)
    for name in before.keys() - after.keys():
        del entries[stored_key(entries, name)]
    for name, value in after.items():
        if before.get(name) == value:
            continue
        entry = _subtable(entries, name)
        for field, content in fields(value).items():
            if content or field in entry:
                entry[field] = storable(content)


def _category_fields(category: Category) -> dict[str, Any]:
    return {"dir": category.dir, "patterns": list(category.patterns), "description": category.description}


def _collection_fields(collection: Collection) -> dict[str, Any]:
    return {"categories": list(collection.members), "description": collection.description}


def _subtable(table: MutableMapping[str, Any], name: str) -> MutableMapping[str, Any]:
    key = stored_key(table, name)
    if table.get(key) is None:
        table[key] = {}
    found: MutableMapping[str, Any] = table[key]
    if _is_shared(found):
        # An anchor: what is changed here may not change wherever else it is named.
        found = table[key] = copy.deepcopy(found)
        found.yaml_set_anchor(None)  # type: ignore[attr-defined]
    return found


def _is_shared(table: Any) -> bool:
    anchor = getattr(table, "anchor", None)
    return anchor is not None and anchor.value is not None
