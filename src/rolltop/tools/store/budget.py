"""Answers that fit: a page that is too large comes smaller, and its cursor leads on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import BaseModel

__all__ = ["SHARE", "fitting", "how_many_fit", "json_size"]

SHARE = 0.7
"""How much of an answer's budget its entries may take; the rest is for escapes and the other fields."""

Answer = TypeVar("Answer")


def json_size(entry: BaseModel | str) -> int:
    return len(entry) + 4 if isinstance(entry, str) else len(entry.model_dump_json(exclude_none=True)) + 1


def how_many_fit(entries: Sequence[BaseModel | str], budget: int) -> int:
    """How many of the first entries fit into an answer; at least one."""
    left = int(budget * SHARE)
    for count, entry in enumerate(entries):
        left -= json_size(entry)
        if left < 0:
            return max(1, count)
    return len(entries)


def fitting(
    ask: Callable[[int], Answer], entries: Callable[[Answer], Sequence[BaseModel | str]], limit: int, budget: int
) -> Answer:
    """The answer to `ask(limit)`, or where that is too large, to the most that fits."""
    answer = ask(limit)
    found = entries(answer)
    fit = how_many_fit(found, budget)
    while fit < len(found):
        answer = ask(fit)
        found = entries(answer)
        fit = how_many_fit(found, budget)
        if len(found) == 1:
            break
    return answer
