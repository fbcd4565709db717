"""The state that tools share between calls: a small keyed store with the documented methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["State", "mcptool_state_factory"]


class State:
    """What a tool finds in `.state_env` (R) or `_state_env` (Python)."""

    def __init__(self, initial: Mapping[str, Any] | None = None) -> None:
        self._values = dict(initial or {})

    def get(self, key: str, missing: Any = None) -> Any:
        """The value under `key`, or `missing`."""
        return self._values.get(key, missing)

    def set(self, key: str, value: Any) -> None:
        self._values[key] = value

    def has(self, key: str) -> bool:
        return key in self._values

    def remove(self, keys: str | Iterable[str]) -> None:
        """Forget one or more keys; a key that is not there is no error."""
        for key in [keys] if isinstance(keys, str) else keys:
            self._values.pop(key, None)

    def keys(self) -> list[str]:
        return list(self._values)

    def reset(self) -> None:
        """Clear everything that was stored."""
        self._values = {}

    def clear(self) -> None:
        """The same as `reset`."""
        self.reset()

    def size(self) -> int:
        return len(self._values)

    def as_list(self) -> dict[str, Any]:
        """A copy of everything, by key."""
        return dict(self._values)


def mcptool_state_factory(initialize: Mapping[str, Any] | None = None) -> State:
    """A new state, holding what `initialize` gives."""
    return State(initialize)
