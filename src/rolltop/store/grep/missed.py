"""Documents that a search could not look at because they are damaged: named, while the rest is answered for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rolltop.errors import Damaged

__all__ = ["Missed", "missing_documents", "told"]

Missed = dict[str, str]
"""Paths of documents that could not be searched because they are damaged, and why."""

_NAMED = 5


def missing_documents(missed: Missed) -> str:
    """What an answer says of the documents that it could not look at."""
    names = ", ".join(sorted(missed)[:_NAMED]) + (", …" if len(missed) > _NAMED else "")
    return f"{len(missed)} documents are damaged and were not searched: {names}"


@contextmanager
def told(missed: Missed | None) -> Iterator[Missed]:
    """Where to note what is damaged; where the caller does not take it, it is an error when all else is told."""
    if missed is not None:
        yield missed
        return
    found: Missed = {}
    yield found
    if found:
        raise Damaged(missing_documents(found), hint="Run `rolltop store repair`.", details={"documents": [*found]})
