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
from rolltop.guide.errors import unknown_name
from rolltop.guide.expression import Expression, Term
from rolltop.guide.model import Category, Project
from rolltop.guide.pattern import Pattern

__all__ = ["Wanted", "resolve"]

MOST = 2000
"""Terms after expansion; nested collections can multiply."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Files of one category that match `pattern` and, if given, lie `within` a directory."""

    category: Category
    pattern: Pattern
    asked: str
    """As it was asked for, to report what matched nothing."""
    within: Pattern | None = None


def resolve(project: Project, wanted: Expression) -> list[Wanted]:
    found: list[Wanted] = []
    for item in _terms(project, wanted, ()):
        found.append(item)
        if len(found) > MOST:
            raise LimitExceeded(
                f"the expression stands for more than {MOST} patterns", hint="Ask for fewer collections at a time."
            )
    return found


def _terms(project: Project, wanted: Expression, trail: tuple[str, ...]) -> Iterator[Wanted]:
    for term in wanted.terms:
        if term.name in project.collections:
            yield from _collection(project, term, trail)
        elif term.name in project.categories:
            yield from _category(project.categories[term.name], term)
        else:
            where = f"; collection {trail[-1]} names it" if trail else f" in project {project.name}"
            known = [*project.categories, *project.collections]
            raise unknown_name("category or collection", term.name, known, where=where)


def _collection(project: Project, term: Term, trail: tuple[str, ...]) -> Iterator[Wanted]:
    if term.name in trail:
        return
    for member in project.collections[term.name].members:
        parsed = expression.parse(member)
        terms = tuple(each if each.patterns else replace(each, patterns=term.patterns) for each in parsed.terms)
        yield from _terms(project, Expression(terms), (*trail, term.name))


def _category(category: Category, term: Term) -> Iterator[Wanted]:
    for text in term.patterns or category.patterns:
        pattern = Pattern.compile(text)
        asked = f"{category.name}/{text}"
        if not pattern.narrows:
            yield Wanted(category, pattern, asked)
            continue
        for own in category.patterns:
            yield Wanted(category, Pattern.compile(own), asked, within=pattern)
