"""Cancel long work in a thread: the work calls `checkpoint` regularly."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

__all__ = ["checkpoint", "interruptible"]

P = ParamSpec("P")
T = TypeVar("T")


def _go_on() -> None:
    return None


_check: ContextVar[Callable[[], None]] = ContextVar("check", default=_go_on)


def checkpoint() -> None:
    """Raise if the work was cancelled."""
    _check.get()()


def interruptible(func: Callable[P, T], check: Callable[[], None]) -> Callable[P, T]:
    """Wrap `func` so that every `checkpoint` in it calls `check`, which raises to end the work."""

    @wraps(func)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        before = _check.set(check)
        try:
            return func(*args, **kwargs)
        finally:
            _check.reset(before)

    return run
