"""The typed ways of a program, tried one after the other, whatever the input is decoded from."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from rolltop.errors import LimitExceeded
from rolltop.transform.compile.scopes import CannotCompile
from rolltop.transform.errors import EvaluationFailure
from rolltop.transform.stack import deep_stack

__all__ = ["TRIALS", "Judged", "Way", "Ways"]

TRIALS = 8
"""So many runs are given to a tier before it is judged."""


class Judged:
    """Counts its runs."""

    runs = 0
    failures = 0

    @property
    def hopeless(self) -> bool:
        """Whether it is not worth being asked again."""
        return self.failures * 2 > self.runs > TRIALS


class Way(Protocol):
    """Code over structures, judged by its runs."""

    runs: int
    failures: int

    @property
    def hopeless(self) -> bool: ...
    @property
    def run(self) -> Callable[[Any], Any]: ...


W = TypeVar("W", bound=Way)


class Ways(Generic[W]):
    """The ways that there are: `typed`, and behind it `projected`. A subclass says how one is made."""

    obstacle: str | None = None
    """Why there is no typed tier, once it was tried to make one."""

    def make(self, *, strict: bool) -> W:
        """One tier, or `CannotCompile` with the reason why not."""
        raise NotImplementedError

    @cached_property
    def typed(self) -> W | None:
        return self._made(strict=True)

    @cached_property
    def projected(self) -> W | None:
        return self._made(strict=False)

    def _made(self, *, strict: bool) -> W | None:
        try:
            return self.make(strict=strict)
        except CannotCompile as reason:
            self.obstacle = str(reason)
        except (SyntaxError, RecursionError, MemoryError, TypeError) as reason:
            self.obstacle = f"the code is beyond Python ({type(reason).__name__})"
        return None

    @property
    def hopeless(self) -> bool:
        """Whether no tier is worth being asked again."""
        if self.typed is None:
            return True
        return self.typed.hopeless and (self.projected is None or self.projected.hopeless)

    def value_of(self, decode: Callable[[W], Any]) -> tuple[bool, Any]:
        """Whether a tier could take what is decoded for it, and the program's value if so."""
        tier = self.typed
        while tier is not None:
            if not tier.hopeless:
                tier.runs += 1
                try:
                    with deep_stack():
                        return True, tier.run(decode(tier))
                except (LimitExceeded, MemoryError):
                    raise
                except EvaluationFailure:
                    break  # the evaluator says it with its place
                except msgspec.ValidationError:
                    tier.failures += 1
                except msgspec.DecodeError:
                    break  # no JSON for any tier
                except Exception:
                    tier.failures += 1
            tier = self.projected if tier is self.typed else None
        return False, None
