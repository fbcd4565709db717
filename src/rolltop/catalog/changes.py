"""What a rebuild would change, as unified diffs."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from pathlib import Path

from rolltop.catalog.build import find_tools, is_ours, yaml_of
from rolltop.catalog.check import code_of
from rolltop.catalog.found import Found
from rolltop.catalog.library import Broken, locate, read_all
from rolltop.catalog.sources import SourceTree, source_tree
from rolltop.catalog.tree_files import read_inside

__all__ = ["Change", "diff"]


@dataclass(frozen=True, slots=True)
class Change:
    """One file that a rebuild would add, change or remove."""

    action: str
    tool: str
    path: Path
    diff: str


def diff(path: str | Path) -> list[Change]:
    """The changes a rebuild would make. Examples are not run: output is kept where the code is the same."""
    tree, location = source_tree(path), locate(path)
    old = {item.name: item for item in read_all(location.tools) if not isinstance(item, Broken)}
    changes: list[Change] = []
    expected: set[Path] = set()
    for tool in find_tools(tree):
        file = location.tools / tool.definition.file_name
        expected.add(file)
        known = old.get(tool.definition.name)
        if known and code_of(known.implementation_example) == tool.example.shown.strip():
            tool = _with_output_of(tool, known.implementation_example, known.execution_time)  # noqa: PLW2901
        if change := _change(tree, tool, file):
            changes.append(change)
    if Path(path).is_dir():
        changes += [_removal(file) for file in sorted(location.tools.glob("*.yaml")) if _goes(file, expected)]
    return changes


def _with_output_of(tool: Found, example: str, seconds: float | None) -> Found:
    return replace(tool, definition=replace(tool.definition, implementation_example=example, execution_time=seconds))


def _change(tree: SourceTree, tool: Found, file: Path) -> Change | None:
    before = _text(file) if file.is_file() else ""
    after = yaml_of(tree, tool)
    if before == after:
        return None
    return Change("change" if before else "add", tool.definition.name, file, _unified(before, after, file.name))


def _text(file: Path) -> str:
    return read_inside(file).decode("utf-8", "replace")


def _goes(file: Path, expected: set[Path]) -> bool:
    return file not in expected and is_ours(file)


def _removal(file: Path) -> Change:
    return Change("remove", file.stem, file, _unified(_text(file), "", file.name))


def _unified(before: str, after: str, name: str) -> str:
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), f"a/{name}", f"b/{name}")
    return "".join(lines)
