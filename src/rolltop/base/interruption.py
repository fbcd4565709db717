"""Long work in a thread that ends when its caller has left: the work calls `checkpoint` now and then."""

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
    """Raise if nobody waits for this work any more."""
    _check.get()()


def interruptible(func: Callable[P, T], check: Callable[[], None]) -> Callable[P, T]:
    """`func`, in which every `checkpoint` calls `check`; `check` raises to end the work."""

    @wraps(func)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        before = _check.set(check)
        try:
            return func(*args, **kwargs)
        finally:
            _check.reset(before)

    return run
