"""Small sources for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rolltop.catalog import Definition, find_tools, source_tree

EXAMPLES = Path(__file__).parents[2] / "examples"


def r_package(root: Path, source: str, name: str = "demo", **fields: str) -> Path:
    """A package with one file."""
    (root / "R").mkdir(parents=True, exist_ok=True)
    lines = [f"Package: {name}", "Version: 0.1", *(f"{key}: {value}" for key, value in fields.items())]
    (root / "DESCRIPTION").write_text("\n".join(lines) + "\n")
    (root / "R" / "tools.R").write_text(source)
    return root


def r_tool(root: Path, documentation: str, signature: str = "function(x) x", **fields: str) -> Definition:
    """The definition of one documented function."""
    block = "\n".join(f"#' {line}" for line in documentation.strip("\n").split("\n"))
    r_package(root, f"{block}\n#' @keywords mcp-tool\nmcp_tool_one <- {signature}\n", **fields)
    (found,) = find_tools(source_tree(root))
    return found.definition


def parameter(root: Path, text: str, signature: str = "function(x) x", **fields: str) -> dict[str, Any]:
    """The schema of the parameter `x` documented as `text`."""
    schema: dict[str, Any] = r_tool(root, f"Title\n@param x {text}", signature, **fields).parameters["properties"]["x"]
    return schema


def py_tool(root: Path, source: str) -> Definition:
    """The definition of the one tool in a Python file."""
    (root / "module.py").write_text(source)
    (found,) = find_tools(source_tree(root / "module.py"))
    return found.definition
