"""What the clock said, as long as nobody calculated with it.

`getType` calls a reading of the clock a string: it is text for whoever only writes it down. Every
function takes it as the moment that it is, and whatever is made of it is an ordinary moment.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

__all__ = ["Reading"]


class Reading(dt.datetime):
    """A moment as `now` gives it."""

    @classmethod
    def of(cls, moment: dt.datetime) -> Reading:
        return cls.combine(moment.date(), moment.timetz())

    def _plain(self) -> dt.datetime:
        return dt.datetime.combine(self.date(), self.timetz())

    def __add__(self, other: Any) -> Any:
        return self._plain() + other

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._plain() - other

    def __rsub__(self, other: Any) -> Any:
        return other - self._plain()

    def replace(self, *arguments: Any, **changes: Any) -> Any:
        return self._plain().replace(*arguments, **changes)

    def astimezone(self, tz: dt.tzinfo | None = None) -> Any:
        return self._plain().astimezone(tz)
