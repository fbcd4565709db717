"""`given` for tests on a machine that others use too: fewer examples, no deadline for a single one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hypothesis

__all__ = ["given"]


def given(*strategies: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        return hypothesis.settings(deadline=None, max_examples=50)(hypothesis.given(*strategies)(test))

    return decorate
