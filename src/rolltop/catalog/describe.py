"""The text form of a Python value, cut where it stops being useful.

Only the standard library, and nothing of rolltop: this file also runs inside the sandbox.
"""

from __future__ import annotations

import inspect
import pprint
from typing import Any

__all__ = ["mcp_describe"]

_WIDEST = 2000
_MOST_BITS = 14_000
"""Of a whole number that is written out: Python gives up at 4,300 digits."""


def mcp_describe(x: Any, max_print: int = 100) -> str:
    """Describe a value in at most about `max_print` lines."""
    try:
        return _cut(_text(x, max_print), max_print)
    except Exception as error:  # a broken __repr__ must not take the answer down
        return f"<{type(x).__name__} that cannot be shown: {_reason(error)}>"


def _reason(error: Exception) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


def _text(x: Any, max_print: int) -> str:
    if isinstance(x, str):
        return repr(x) if len(x) < 200 and "\n" not in x else x
    if isinstance(x, int) and x.bit_length() > _MOST_BITS:
        return f"<whole number of about {x.bit_length() * 30103 // 100000 + 1} digits>"
    if x is None or isinstance(x, (bool, int, float, complex, bytes)):
        return repr(x)
    if _is_frame(x):
        return _frame(x, max_print)
    if inspect.isroutine(x) or inspect.isclass(x):
        return _callable(x)
    if isinstance(x, (list, tuple, set, frozenset, dict)):
        return _collection(x, max_print)
    return repr(x)


def _is_frame(x: Any) -> bool:
    return type(x).__name__ in ("DataFrame", "Series") and hasattr(x, "to_string") and hasattr(x, "head")


def _frame(x: Any, max_print: int) -> str:
    shape = " x ".join(str(size) for size in x.shape)
    shown = x.head(max_print)
    more = len(x) - len(shown)
    rest = f"\n... and {more} more rows" if more > 0 else ""
    return f"{type(x).__name__} {shape}\n{shown.to_string()}{rest}"


def _callable(x: Any) -> str:
    kind = "class" if inspect.isclass(x) else "function"
    try:
        signature = str(inspect.signature(x))
    except (ValueError, TypeError):
        signature = "(...)"
    first = (inspect.getdoc(x) or "").split("\n")[0]
    return f"<{kind} {x.__qualname__}{signature}>" + (f" {first}" if first else "")


def _collection(x: Any, max_print: int) -> str:
    """Large collections are cut before they are formatted: formatting a million items to show 100 is waste."""
    more = len(x) - max_print
    if more > 0:
        x = dict(list(x.items())[:max_print]) if isinstance(x, dict) else list(x)[:max_print]
    text = pprint.pformat(x, width=80, compact=True, sort_dicts=False)
    return f"{text}\n... and {more} more items" if more > 0 else text


def _cut(text: str, most: int) -> str:
    lines = [line if len(line) <= _WIDEST else f"{line[:_WIDEST]} ..." for line in text.split("\n")]
    if len(lines) > most + 2:
        lines = [*lines[:most], f"... and {len(lines) - most} more lines"]
    return "\n".join(lines)
