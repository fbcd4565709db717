"""Whether programs of this context are their user's own, and may therefore see the user's environment.

Apart from `host`, so that a command line can say so without loading what few programs ask for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["is_trusted", "trusted"]

_trusted: ContextVar[bool] = ContextVar("rolltop_transform_trusted", default=False)
is_trusted = _trusted.get


@contextmanager
def trusted() -> Iterator[None]:
    """Run the block's programs with the environment open to them, unless another host is installed."""
    token = _trusted.set(True)
    try:
        yield
    finally:
        _trusted.reset(token)
