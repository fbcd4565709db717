"""From one JSON document straight to the written result: decoder, typed code and encoder, with nothing in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import orjson

from rolltop.errors import LimitExceeded
from rolltop.transform.stack import deep_stack

if TYPE_CHECKING:
    from rolltop.transform.program import Program

__all__ = ["Shortcut", "shortcut_of"]

_TRIALS = 8
"""So many failures are looked over before they are counted."""
Shortcut = Callable[[str | bytes], bytes | None]


def shortcut_of(program: Program) -> Shortcut | None:
    """The short cut of a program from one JSON document to JSON; None when it has none.

    The short cut gives None for documents that are not for it: they are read the long way, which also tells failures.
    """
    output = program.header.outputs[0]
    if not program.is_json_alone or output.format != "json" or program.runs_whole:
        return None
    tier = program.tiers.typed
    if tier is None or tier.ready is None:
        return None
    layout = 0 if output.options.get("compact") is True else orjson.OPT_INDENT_2
    return _made(tier.decode, tier.ready, layout)


def _made(decode: Callable[..., object], ready: Callable[[object], object], layout: int) -> Shortcut:
    runs = failures = 0
    dumps = orjson.dumps

    def shortcut(data: str | bytes) -> bytes | None:
        nonlocal runs, failures
        if failures > _TRIALS and failures * 2 > runs:
            return None
        runs += 1
        try:
            if not data.isascii() and type(data) is bytes:
                data.decode()  # the decoder does not look at texts that it skips
            return dumps(ready(decode(data)), None, layout)
        except (LimitExceeded, MemoryError):
            raise
        except Exception:
            failures += 1
            return None

    with deep_stack():
        return shortcut
