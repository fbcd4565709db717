"""Which habits a program shows, and the fewest changes that make it valid."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from rolltop.transform.repair.edits import Edit, edits_between
from rolltop.transform.repair.habits import BODY, HEADER, Habit
from rolltop.transform.repair.habits.headers import split_header
from rolltop.transform.repair.script import Script

__all__ = ["Edit", "Repair", "find_repair"]

_LONGEST, _DEEPEST = 8_000, 100
"""Characters and levels of brackets of a program that is looked at: beyond that no repair is small."""
_SECONDS = 0.25
"""Processor time after which no further repair is tried."""
_ROUNDS = 3
"""One repair can bring another habit to light."""


Mistakes = tuple[int, int]
"""How many syntax errors a program has, and how many other mistakes: fewer of the first come before all else."""
NO_MISTAKES = (0, 0)


@dataclass(frozen=True, slots=True)
class Repair:
    """A program with fewer mistakes, and how it came from the one that has more."""

    text: str
    edits: list[Edit]
    reasons: list[str]
    complete: bool = True
    """Whether nothing is left to be said against it."""


def find_repair(text: str, mistakes: Callable[[str], Mistakes]) -> Repair | None:
    """A repair after which `mistakes` finds nothing, else less than before; None when no habit explains anything."""
    if len(text) > _LONGEST or Script(text).depth() > _DEEPEST or mistakes(text) == NO_MISTAKES:
        return None
    try:
        return _Search(text, mistakes).run()
    except _TooLong:
        return None


class _TooLong(Exception):
    """Looking for a repair has taken enough time."""


class _Search:
    def __init__(self, text: str, mistakes: Callable[[str], Mistakes]) -> None:
        self.text = text
        # A program without a body is valid, but nobody meant it.
        self.mistakes = cache(lambda made: mistakes(made) if split_header(made)[1].strip() else (len(made), 0))
        self.until = time.thread_time() + _SECONDS

    def run(self) -> Repair | None:
        chosen = self._explaining([habit for habit in _ALL if self._changed(self.text, habit) != self.text])
        if chosen is None:
            return None
        for habit in reversed(list(chosen)):  # the last ones are the most general
            fewer = [other for other in chosen if other is not habit]
            if fewer and self.mistakes(self._applied(fewer)) <= self.mistakes(self._applied(chosen)):
                chosen = fewer
        changed = self._applied(chosen)
        reasons = [habit.reason for habit in chosen]
        complete = self.mistakes(changed) == NO_MISTAKES
        return Repair(changed, edits_between(self.text, changed), reasons, complete)

    def _explaining(self, habits: list[Habit]) -> list[Habit] | None:
        """Habits that together explain everything: one alone, all that apply, all but one, all there are.

        When none do, those that leave the fewest mistakes and no syntax error: one name that nobody knows does not take
        the other repairs away.
        """
        choices = [[habit] for habit in habits]
        choices.append(habits)
        choices += [[other for other in habits if other is not habit] for habit in habits]
        choices.append(list(_ALL))
        best, fewest = None, self.mistakes(self.text)
        for choice in filter(None, choices):
            left = self.mistakes(self._applied(choice))
            if left < fewest and left[0] == 0:
                best, fewest = choice, left
            if left == NO_MISTAKES:
                break
        return best

    def _applied(self, habits: list[Habit]) -> str:
        text = self.text
        for _ in range(_ROUNDS):
            before = text
            for habit in habits:
                text = self._changed(text, habit)
            if text == before:
                break
        return text

    def _changed(self, text: str, habit: Habit) -> str:
        if time.thread_time() > self.until or len(text) > 2 * _LONGEST:
            raise _TooLong
        return habit.rule(text)


def _on_body(habit: Habit) -> Habit:
    def rule(text: str) -> str:
        header, body = split_header(text)
        return header + habit.rule(body)

    return Habit(habit.reason, rule)


def _on_header(text: str) -> str:
    header, body = split_header(text)
    made, bindings = HEADER(header)
    return text if not header.strip() else made + bindings + ("" if body.startswith("\n") else "\n") + body


_ALL = (
    Habit("The header is %utlx 1.0, input FORMAT, output FORMAT and ---.", _on_header),
    *map(_on_body, BODY),
)
