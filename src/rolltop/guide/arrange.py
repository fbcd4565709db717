"""Setting a project up: adding, changing and removing its categories and collections.

Each function is one transaction; what is not given (None) stays as it is. `check` sees the project inside of it, and
may raise to leave everything as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from rolltop.errors import Conflict
from rolltop.guide.config import Config
from rolltop.guide.model import Category, Collection, Project

__all__ = [
    "add_category",
    "add_collection",
    "change_category",
    "change_collection",
    "remove_category",
    "remove_collection",
]


Check = Callable[[Project], None]


def add_category(config: Config, project: Project, category: Category) -> Category:
    def edit(current: Project) -> Project:
        if category.name in current.categories:
            raise _exists("category", category.name)
        return current.with_category(category)

    return config.change_project(project, edit).categories[category.name]


def change_category(
    config: Config,
    project: Project,
    name: str,
    *,
    directory: str | None = None,
    patterns: Sequence[str] | None = None,
    description: str | None = None,
) -> Category:
    def edit(current: Project) -> Project:
        old = current.category(name)
        new = Category(
            name,
            dir=old.dir if directory is None else directory,
            patterns=old.patterns if patterns is None else tuple(patterns),
            description=old.description if description is None else description,
        )
        return current.with_category(new)

    return config.change_project(project, edit).categories[name]


def remove_category(config: Config, project: Project, name: str, *, check: Check | None = None) -> list[str]:
    """Remove a category, and its terms from collections; which collections that changed."""
    touched: list[str] = []

    def edit(current: Project) -> Project:
        if check is not None:
            check(current)
        after = current.without_category(name)
        touched[:] = _changed(current, after)
        return after

    config.change_project(project, edit)
    return touched


def add_collection(config: Config, project: Project, collection: Collection) -> Collection:
    def edit(current: Project) -> Project:
        if collection.name in current.collections:
            raise _exists("collection", collection.name)
        return current.with_collection(collection)

    return config.change_project(project, edit).collections[collection.name]


def change_collection(
    config: Config,
    project: Project,
    name: str,
    *,
    members: Sequence[str] | None = None,
    description: str | None = None,
) -> Collection:
    def edit(current: Project) -> Project:
        new = current.collection(name)
        if members is not None:
            new = replace(new, members=tuple(members))
        if description is not None:
            new = replace(new, description=description)
        return current.with_collection(new)

    return config.change_project(project, edit).collections[name]


def remove_collection(config: Config, project: Project, name: str, *, check: Check | None = None) -> list[str]:
    """Remove a collection, and its terms from others; which others that changed."""
    touched: list[str] = []

    def edit(current: Project) -> Project:
        if check is not None:
            check(current)
        after = current.without_collection(name)
        touched[:] = _changed(current, after)
        return after

    config.change_project(project, edit)
    return touched


def _changed(before: Project, after: Project) -> list[str]:
    return [name for name, collection in after.collections.items() if before.collections[name] != collection]


def _exists(kind: str, name: str) -> Conflict:
    return Conflict(f"a {kind} is called {name} already", hint=f"Change the {kind}, or choose another name.")
