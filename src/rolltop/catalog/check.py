"""Compare definitions with their sources, with the format and with themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rolltop.catalog.build import find_tools, is_ours
from rolltop.catalog.definition import Definition
from rolltop.catalog.found import Found, Remark
from rolltop.catalog.library import Broken, Location, locate, read_all
from rolltop.catalog.schema import type_problems, validator_for
from rolltop.catalog.sources import SourceTree, source_tree
from rolltop.errors import NotFound

__all__ = ["Problem", "check"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong. `kind` is invalid, stale, missing, orphan, undescribed, types, example or source.

    What only times of files say is not certain: a checkout writes files in any order.
    """

    kind: str
    tool: str
    message: str
    path: Path | None = None
    is_certain: bool = True

    @property
    def is_serious(self) -> bool:
        """Whether the definition should not be used as it is."""
        return self.is_certain and self.kind in ("invalid", "stale", "missing", "orphan", "types")


def check(path: str | Path) -> list[Problem]:
    """Everything that is wrong with the definitions of a package or path."""
    location = locate(path)
    problems: list[Problem] = []
    definitions: dict[str, Definition] = {}
    for item in read_all(location.tools):
        if isinstance(item, Broken):
            problems.append(Problem("invalid", item.path.stem, item.error.message, item.path))
        else:
            definitions[item.name] = item
            problems += _of_definition(item, location.tools / item.file_name)
    if not location.is_installed:
        problems += _against_sources(location, definitions)
    return problems


def _of_definition(definition: Definition, path: Path) -> Iterator[Problem]:
    name = definition.name
    if not path.exists():
        yield Problem("invalid", name, f"the file is not called {path.name}", path)
    if not definition.description.strip():
        yield Problem("undescribed", name, "has no description", path)
    if not definition.implementation_example.strip():
        yield Problem("example", name, "has no example", path)
    for parameter, schema in definition.parameters["properties"].items():
        if not str(schema.get("description") or "").strip():
            yield Problem("undescribed", name, f"the parameter {parameter} has no description", path)
        for message in type_problems(schema, f"the parameter {parameter}"):
            yield Problem("types", name, message, path)
    yield from (Problem("invalid", name, message, path) for message in _draft_problems(definition))


def _draft_problems(definition: Definition) -> Iterator[str]:
    from jsonschema import SchemaError  # noqa: PLC0415

    schemas: list[tuple[str, Any]] = [("parameters", definition.parameters), ("returns", definition.returns or {})]
    for where, schema in schemas:
        try:
            validator_for(schema)
        except SchemaError as error:
            yield f"{where} is not a Draft 7 schema: {error.message}"


def _against_sources(location: Location, definitions: dict[str, Definition]) -> Iterator[Problem]:
    try:
        tree = source_tree(location.origin)
    except NotFound:
        return
    overlooked: list[Remark] = []
    found = {tool.definition.name: tool for tool in find_tools(tree, overlooked)}
    for name, tool in found.items():
        path = location.tools / tool.definition.file_name
        if name not in definitions:
            if not path.exists():
                yield Problem("missing", name, f"has no definition yet; it is in {_place(tree, tool)}", path)
        elif changed := changed_fields(tool, definitions[name]):
            message = f"{_place(tree, tool)} now says something else about {', '.join(changed)}"
            yield Problem("stale", name, message, path)
        elif _is_newer(tool.file, path):
            message = f"{tool.file.relative_to(tree.root)} is newer than the definition, which says the same"
            yield Problem("stale", name, message, path, is_certain=False)
        yield from (Problem("source", name, remark.message, tool.file) for remark in tool.remarks)
    yield from (Problem("source", remark.tool, remark.message, _file_of(remark)) for remark in overlooked)
    for name in definitions.keys() - found.keys():
        path = location.tools / definitions[name].file_name
        if is_ours(path) and location.origin.is_dir():
            yield Problem("orphan", name, "has a definition but no function in the sources", path)


def _file_of(remark: Remark) -> Path | None:
    return Path(remark.position.source) if remark.position and remark.position.source else None


def _place(tree: SourceTree, tool: Found) -> str:
    return f"{tool.file.relative_to(tree.root)}:{tool.line}"


def _is_newer(source: Path, definition: Path) -> bool:
    return definition.exists() and source.stat().st_mtime > definition.stat().st_mtime


def changed_fields(tool: Found, definition: Definition) -> list[str]:
    """The fields that a rebuild would change; an example counts by its code, not by its output."""
    new, old = tool.definition.to_dict(), definition.to_dict()
    ignored = {"execution_time", "implementation_example"}
    changed = [key for key in {**new, **old} if key not in ignored and new.get(key) != old.get(key)]
    if tool.definition.untyped != definition.untyped and "parameters" not in changed:
        changed.append("parameters")
    if code_of(definition.implementation_example) != tool.example.shown.strip():
        changed.append("implementation_example")
    return changed


def code_of(example: str) -> str:
    """The code of an example without the output that a build appended."""
    lines = example.rstrip("\n").split("\n")
    while lines and lines[-1].startswith("#>"):
        lines.pop()
    if lines and lines[-1] == "#":
        lines.pop()
    return "\n".join(lines).strip()
