"""Documents inside documents: members of archives, attachments of messages."""

from __future__ import annotations

from collections.abc import Callable

from rolltop.store.extract.formats import readers
from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.limits import Enough, Unreadable

__all__ = ["read_inside", "read_part"]


def read_part(data: bytes, name: str, draft: Draft, *, named: bool = True) -> None:
    """Write the name of a part and what it holds into the draft; a part that cannot be read only says why.

    With `named` false the name is ours, and only for telling places: nobody looks for it.
    """
    draft.at(name)
    if named:
        draft.line(name)
    read_inside(name, draft, lambda part: readers.read_into(data, name, part))


def read_inside(name: str, draft: Draft, read: Callable[[Draft], None]) -> None:
    """Let `read` write what a part holds, with its places under the name of the part."""
    if draft.depth >= draft.spent.limits.nesting:
        draft.note(f"{name}: packed too deep inside other files")
        return
    part = Draft(draft.spent, depth=draft.depth + 1)
    enough: Enough | None = None
    try:
        read(part)
    except Unreadable as error:
        part.refused(error)
    except Enough as reached:
        enough = reached
    draft.take_in(part, name)
    if enough:
        raise enough
