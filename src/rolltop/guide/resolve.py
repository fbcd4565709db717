"""From an expression to the ordered list of (category, pattern) that it stands for.

A name is a collection first, then a category. A pattern on a collection goes to those members that
have none of their own. A collection inside itself stops there: the guard is the path from the
expression down, so the same collection may well appear twice side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rolltop.errors import LimitExceeded
from rolltop.guide import expression
from rolltop.guide.errors import NameUnknown, unknown_name
from rolltop.guide.expression import Expression, Term
from rolltop.guide.model import Category, Project
from rolltop.guide.pattern import Pattern

__all__ = ["Wanted", "resolve"]

MOST = 2000
"""Patterns after expansion; nested collections can multiply."""

NAMES = 10_000
"""Names that are followed on the way there: a category without patterns is one too."""

DEEPEST = 100
"""Collections inside one another."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Files of one category that match `pattern` and, if given, lie `within` a directory."""

    category: Category
    pattern: Pattern | None
    """None where the category has no patterns, which no file matches."""
    asked: str
    """As it was asked for, to report what matched nothing."""
    within: Pattern | None = None


def resolve(project: Project, wanted: Expression) -> list[Wanted]:
    found: list[Wanted] = []
    patterns = 0
    for item in _Following(project).terms(wanted, ()):
        found.append(item)
        patterns += item.pattern is not None
        if patterns > MOST:
            raise _too_many(f"the expression stands for more than {MOST} patterns")
    return found


def _too_many(what: str) -> LimitExceeded:
    return LimitExceeded(what, hint="Ask for fewer collections at a time.")


@dataclass(slots=True)
class _Following:
    """Follows the names of a project, and counts them."""

    project: Project
    followed: int = 0

    def terms(self, wanted: Expression, trail: tuple[str, ...]) -> Iterator[Wanted]:
        for term in wanted.terms:
            self.followed += 1
            if self.followed > NAMES:
                raise _too_many(f"the expression leads to more than {NAMES} names of categories and collections")
            if term.name in self.project.collections:
                yield from self._collection(term, trail)
            elif term.name in self.project.categories:
                yield from _category(self.project.categories[term.name], term)
            else:
                raise self._unknown(term.name, trail)

    def _collection(self, term: Term, trail: tuple[str, ...]) -> Iterator[Wanted]:
        if term.name in trail:
            return
        if len(trail) >= DEEPEST:
            raise _too_many(f"more than {DEEPEST} collections lie inside one another at {term.name}")
        for member in self.project.collections[term.name].members:
            parsed = expression.parse(member)
            terms = tuple(each if each.patterns else replace(each, patterns=term.patterns) for each in parsed.terms)
            yield from self.terms(Expression(terms), (*trail, term.name))

    def _unknown(self, name: str, trail: tuple[str, ...]) -> NameUnknown:
        where = f"; collection {trail[-1]} names it" if trail else f" in project {self.project.name}"
        known = [*self.project.categories, *self.project.collections]
        return unknown_name("category or collection", name, known, where=where)


def _category(category: Category, term: Term) -> Iterator[Wanted]:
    if not (term.patterns or category.patterns):
        yield Wanted(category, None, category.name)
    for text in term.patterns or category.patterns:
        pattern = Pattern.compile(text)
        asked = f"{category.name}/{text}"
        if not pattern.narrows:
            yield Wanted(category, pattern, asked)
            continue
        for own in category.patterns:
            yield Wanted(category, Pattern.compile(own), asked, within=pattern)
