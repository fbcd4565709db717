"""How large a result is when it is written out."""

from __future__ import annotations

from typing import Any

from rolltop.errors import SizeLimit

__all__ = ["refuse_endless"]

_MOST = 20_000_000


def refuse_endless(value: Any) -> None:
    """Refuse a value that has few parts in memory, used so often that writing it would not end.

    Each container is counted once and its size kept, so this takes no longer than looking at every part.
    """
    sizes: dict[int, int] = {}
    waiting = [value]
    while waiting:
        item = waiting[-1]
        inner = item.values() if isinstance(item, dict) else item if isinstance(item, list) else None
        if inner is None or id(item) in sizes:
            waiting.pop()
            continue
        unknown = [part for part in inner if isinstance(part, (dict, list)) and id(part) not in sizes]
        if unknown:
            waiting += unknown
            continue
        waiting.pop()
        sizes[id(item)] = 1 + sum(sizes[id(part)] if isinstance(part, (dict, list)) else 1 for part in inner)
        if sizes[id(item)] > _MOST:
            raise SizeLimit(
                f"the result has more than {_MOST:,} parts",
                hint="Some part is used again and again inside of others; put out less of it.",
            )
