"""`@tool`: marks a Python function as a tool where its docstring should not.

A build reads the decorator as text, as it reads everything; at run time it leaves the function as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, overload

__all__ = ["tool"]

F = TypeVar("F", bound=Callable[..., object])


@overload
def tool(function: F, /) -> F: ...
@overload
def tool(
    *, name: str | None = None, category: str | None = None, dangerous: bool = False, requires_approval: bool = False
) -> Callable[[F], F]: ...
def tool(
    function: F | None = None,
    /,
    *,
    name: str | None = None,
    category: str | None = None,
    dangerous: bool = False,
    requires_approval: bool = False,
) -> F | Callable[[F], F]:
    """Mark a function as a tool: `@tool`, or `@tool(name="scale", category="recipes", dangerous=True)`.

    The arguments are constants: a build does not run the code.
    """
    for value, kind in ((name, str), (category, str), (dangerous, bool), (requires_approval, bool)):
        if value is not None and not isinstance(value, kind):
            raise TypeError(f"@tool takes texts (name, category) and booleans (the others), not {value!r}")
    return function if function is not None else lambda marked: marked
