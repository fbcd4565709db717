"""What `@tool(...)` of `rolltop.catalog` above a function says, as the keywords that a docstring would have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from rolltop.catalog.found import CATEGORY, MARKER, NAME
from rolltop.catalog.pylang.modules import Function, Module

__all__ = ["marks_of"]

_HOMES = ("rolltop.catalog", "rolltop.catalog.tool_decorator")
_FLAGS = {"dangerous": "mcp-dangerous", "requires_approval": "mcp-requires-approval"}
_TEXTS = {"name": NAME, "category": CATEGORY}


def marks_of(function: Function, module: Module) -> tuple[str, ...]:
    """The keywords of the decorator; nothing where the function has none."""
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if _is_tool(called, module):
            given = decorator.keywords if isinstance(decorator, ast.Call) else []
            return (MARKER, *_keywords(given))
    return ()


def _is_tool(node: ast.expr, module: Module) -> bool:
    match node:
        case ast.Name(id=name):
            return module.imports.get(name) in [(home, "tool") for home in _HOMES]
        case ast.Attribute(value=base, attr="tool"):
            first, _, rest = ast.unparse(base).partition(".")
            source, member = module.imports.get(first, ("", ""))
            written = f"{source}.{member}" if member else source
            # `import rolltop.catalog` binds the first part of the name and makes the rest reachable.
            return written in _HOMES and (not rest or f"{first}.{rest}" in _HOMES)
    return False


def _keywords(given: list[ast.keyword]) -> Iterator[str]:
    for item in given:
        value = item.value.value if isinstance(item.value, ast.Constant) else None
        if item.arg in _TEXTS and isinstance(value, str):
            yield f"{_TEXTS[item.arg]}{value}"
        elif item.arg in _FLAGS and value is True:
            yield _FLAGS[item.arg]
