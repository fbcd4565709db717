"""Documents are read in processes that can do nothing but compute, and that can be lost."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rolltop.errors import Cancelled, ForeignFailure, LimitExceeded, MemoryLimit, PartMissing, TimeLimit
from rolltop.store.extract.record import Extracted, decode, request

if TYPE_CHECKING:
    from rolltop.confine import WorkerPool

__all__ = ["Studied", "Workers"]

READ, STUDY = "rolltop.store.extract.worker:extract", "rolltop.store.extract.code:study"
"""Named, not imported: they load every reader and every parser there is."""

MEMORY = 768 << 20
SECONDS = 30.0
LONGEST_ANSWER = 64 << 20


@dataclass(frozen=True, slots=True)
class Studied:
    """Names that a code defines, each with its line, names that it calls, and its import statements."""

    defines: dict[str, int]
    calls: tuple[str, ...]
    imports: tuple[str, ...]


class Workers:
    """Reads documents, each in a process of its own: what one did to its reader, the next does not meet."""

    def __init__(self, size: int = 2, *, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self.size = size
        self._seconds = seconds
        self._memory = memory
        self._lock = threading.Lock()
        self._pool: WorkerPool | None = None
        self._closed = False

    def read(self, name: str, data: bytes) -> Extracted:
        """The text of a document; what ends the reading is said in its note. Raises only where no worker can be."""
        try:
            return decode(self._ready().call(request(name, data)))
        except (Cancelled, PartMissing):
            raise
        except TimeLimit:
            return Extracted(note=f"reading it took longer than {self._seconds:g} s and was ended")
        except MemoryLimit:
            return Extracted(note=f"reading it needed more than {self._memory >> 20} MB and was ended")
        except (LimitExceeded, ForeignFailure) as error:
            why = f" ({error.hint.rstrip('.')})" if error.hint else ""
            return Extracted(note=f"reading it failed: {error.message}{why}")
        except ValueError:
            return Extracted(note="reading it failed: the reader did not answer with a text")

    def study(self, codes: Sequence[tuple[str, str]]) -> list[Studied | None]:
        """What (language, code) define, call and import; None where that cannot be said."""
        try:
            answer = json.loads(self._ready().call(json.dumps(codes).encode("utf-8", "replace"), job=STUDY))
            return [None if found is None else _studied(found) for found in answer][: len(codes)]
        except (Cancelled, PartMissing):
            raise
        except (LimitExceeded, ForeignFailure, ValueError, TypeError):
            # One of them may have ended the worker: alone, it does so to nobody else.
            return [found for code in codes for found in self.study([code])] if len(codes) > 1 else [None]

    def _ready(self) -> WorkerPool:
        from rolltop.confine import WorkerPool  # noqa: PLC0415 - only where something has to be read

        with self._lock:
            if self._closed:
                raise Cancelled("the store is being closed")
            if self._pool is None:
                self._pool = WorkerPool(
                    [READ, STUDY],
                    size=self.size,
                    spares=1,
                    memory=self._memory,
                    timeout=self._seconds,
                    max_calls=1,
                    max_answer=LONGEST_ANSWER,
                )
            return self._pool

    def rest(self) -> None:
        """End the processes; the next reading starts them again."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def close(self) -> None:
        """End the processes for good; what is being read is given up."""
        with self._lock:
            self._closed = True
        self.rest()


def _studied(found: tuple[dict[str, int], list[str], list[str]]) -> Studied:
    """Of an answer that may be anything."""
    defines, calls, imports = found
    lines = {name: int(line) for name, line in dict(defines).items() if str(name).isidentifier()}
    return Studied(lines, tuple(map(str, calls)), tuple(map(str, imports)))
