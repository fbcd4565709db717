"""Build definitions from sources: read, run the examples if wanted, write one YAML file per tool."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rolltop.base.atomic_files import write_file
from rolltop.base.interruption import checkpoint
from rolltop.catalog import yaml_text
from rolltop.catalog.definition import Definition, untyped_line
from rolltop.catalog.found import MARKER, NAME, Found, Remark
from rolltop.catalog.rlang.foreign import Help
from rolltop.catalog.rlang.package import Sources, read_text
from rolltop.catalog.rlang.syntax import require_r
from rolltop.catalog.rlang.tools import tools_in
from rolltop.catalog.schema import is_tool_name
from rolltop.catalog.sources import SourceTree, source_tree
from rolltop.catalog.tree_files import is_inside, read_inside
from rolltop.errors import InvalidInput, PermissionDenied, Position, RolltopError

__all__ = ["Built", "ExampleRunner", "Outcome", "find_tools", "mcptool_build", "yaml_of"]

HEADER = "# Made by `rolltop catalog build` from "
_INHERITS_FROM_ELSEWHERE = re.compile(r"@inherit(?:Params|DotParams)?[ \t]+[\w.]+::")
_HEADER_TAIL = "; change the documentation there, not this file.\n"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one tool's example: the text for the definition, the time it took, a failure.

    `remark` is what else came to light, such as a package that cannot be loaded.
    """

    text: str
    seconds: float | None = None
    failure: str | None = None
    remark: str | None = None


ExampleRunner = Callable[[SourceTree, list[Found]], Iterable[Outcome]]


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did: definitions by name, files written, unchanged and removed, remarks for the author."""

    definitions: dict[str, Definition]
    directory: Path
    written: tuple[Path, ...] = ()
    unchanged: tuple[Path, ...] = ()
    removed: tuple[Path, ...] = ()
    remarks: tuple[Remark, ...] = ()


def find_tools(tree: SourceTree, remarks: list[Remark] | None = None) -> list[Found]:
    """Every tool in a source tree as read, nothing evaluated, in the order of the sources.

    What is marked and can be no tool is left out; `remarks` gets the reasons.
    """
    everything = [tool for read in SOURCES.values() for tool in read(tree)]
    noticed = remarks if remarks is not None else []
    seen: dict[str, Found] = {}
    for tool in everything:
        name = tool.definition.name
        if not is_tool_name(name):
            noticed.append(_not_a_tool(tree, tool))
        elif other := seen.get(name):
            noticed.append(_second_of_a_name(tool, other))
        else:
            seen[name] = tool
    return list(seen.values())


def _second_of_a_name(tool: Found, other: Found) -> Remark:
    message = (
        f"is defined twice, and the first is taken: {other.file.name}:{other.line} and {tool.file.name}:{tool.line}"
    )
    hint = f"name one of them with the keyword {NAME}ANOTHER"
    return Remark(tool.definition.name, f"{message}; {hint}", Position(tool.line, 1, str(tool.file)))


def _not_a_tool(tree: SourceTree, tool: Found) -> Remark:
    if name := tool.definition.function:
        message = f"has no tool {name}: a tool's name has letters, digits, dots, hyphens and underscores, at most 100"
    else:
        message = f"has a block marked {MARKER} that names no function, so it is no tool: write `name <- function(...)`"
    return Remark(tree.package, message, Position(tool.line, 1, str(tool.file)))


def _r_tools(tree: SourceTree) -> Iterator[Found]:
    texts = {file: read_text(file, tree.root) for file in tree.r_context}
    # Most packages have few tools: without a marker no file needs to be read closely.
    if not any(MARKER in texts[file] for file in tree.r_files):
        return
    with _help_of(texts.values()) as help_of:
        sources = Sources(tree.package, tree.markdown, help_of)
        for file, text in texts.items():
            checkpoint()
            require_r(text, file)
            sources.add(file, text)
        yield from tools_in(sources, set(tree.r_files))


def _help_of(texts: Iterable[str]) -> contextlib.AbstractContextManager[Help | None]:
    """Where documentation of other packages comes from, for sources that ask for some."""
    if not any(_INHERITS_FROM_ELSEWHERE.search(text) for text in texts):
        return contextlib.nullcontext()
    from rolltop.catalog.live.installed_help import InstalledHelp  # noqa: PLC0415 - few sources need it

    return InstalledHelp()


def _python_tools(tree: SourceTree) -> Iterator[Found]:
    if tree.py_files:
        from rolltop.catalog.pylang import python_tools  # noqa: PLC0415 - dear to load, and most trees are R

        yield from python_tools(tree)


def _openapi_tools(tree: SourceTree) -> Iterator[Found]:
    if tree.openapi_files:
        from rolltop.catalog.openapi import openapi_tools  # noqa: PLC0415 - most trees have none

        yield from openapi_tools(tree)


SOURCES: Mapping[str, Callable[[SourceTree], Iterator[Found]]] = {
    "r": _r_tools,
    "python": _python_tools,
    "openapi": _openapi_tools,
}
"""What reads each kind of source: the value of `language` in the definitions that come from it."""


def mcptool_build(
    path: str | Path = ".",
    *,
    output: str | Path | None = None,
    run_examples: ExampleRunner | None = None,
    check: Callable[[], None] | None = None,
) -> Built:
    """Write a definition for every tool in the sources at `path`.

    Files of tools that are gone are removed, if they carry our header and the whole tree was read; in a
    directory that packages may share only those of this package.
    `run_examples` runs the examples; without it they are written as not run. `check` is called before anything is
    written, and may raise.
    """
    tree = source_tree(path)
    overlooked: list[Remark] = []
    found = find_tools(tree, overlooked)
    if output is None:
        _refuse_links_out(tree)
    outcomes = list((run_examples or not_run)(tree, found))
    directory = Path(output).expanduser().absolute() if output else tree.tools_directory
    if check is not None:
        check()
    finished = [_finished(tool, outcome) for tool, outcome in zip(found, outcomes, strict=True)]
    written, unchanged = _write_all(directory, [(tool, yaml_of(tree, tool)) for tool in finished])
    removed = _remove_stale(tree, directory, {*written, *unchanged}) if Path(path).is_dir() else ()
    return Built(
        {tool.definition.name: tool.definition for tool in finished},
        directory,
        tuple(written),
        tuple(unchanged),
        tuple(removed),
        (*overlooked, *(remark for tool in finished for remark in tool.remarks)),
    )


def _refuse_links_out(tree: SourceTree) -> None:
    if not is_inside(tree.tools_directory, tree.root):
        raise PermissionDenied(
            f"{tree.tools_directory} is a link that leads out of {tree.root}", hint="Name the output directory instead."
        )


def not_run(tree: SourceTree, found: list[Found]) -> Iterator[Outcome]:
    """Every example as it is written, marked as not run."""
    return (unexecuted(tool, "not run") for tool in found)


def unexecuted(tool: Found, why: str) -> Outcome:
    shown = tool.example.shown
    return Outcome(f"{shown}\n#\n#> ({why})\n" if shown else "")


def _finished(tool: Found, outcome: Outcome) -> Found:
    definition = replace(tool.definition, implementation_example=outcome.text, execution_time=outcome.seconds)
    messages = [f"has an example that fails: {outcome.failure}"] if outcome.failure else []
    messages += [outcome.remark] if outcome.remark else []
    remarks = (Remark(definition.name, message) for message in messages)
    return replace(tool, definition=definition, remarks=(*tool.remarks, *remarks))


def yaml_of(tree: SourceTree, tool: Found) -> str:
    """The text of a tool's file."""
    source = tool.file.relative_to(tree.root).as_posix() if tool.file.is_relative_to(tree.root) else tool.file.name
    head = f"{HEADER}{source}{_HEADER_TAIL}{untyped_line(tool.definition)}"
    return f"{head}{yaml_text.dump(tool.definition.to_dict())}"


def _write_all(directory: Path, files: list[tuple[Found, str]]) -> tuple[list[Path], list[Path]]:
    written: list[Path] = []
    unchanged: list[Path] = []
    if not files:
        return written, unchanged
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InvalidInput(f"{directory} cannot be made: a file is in its way", hint="Move the file away.") from None
    for tool, text in files:
        path = directory / tool.definition.file_name
        if _says_the_same(path, text):
            os.utime(path)  # as new as a file that was written: not stale
            unchanged.append(path)
        else:
            write_file(path, text.encode("utf-8"), mode=0o644, durable=False)
            written.append(path)
    return written, unchanged


def _says_the_same(path: Path, text: str) -> bool:
    """Whether the file differs from `text` in nothing but the time an example took."""
    try:
        return without_time(read_inside(path).decode("utf-8")) == without_time(text)
    except (OSError, UnicodeDecodeError, RolltopError):
        return False


def without_time(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not line.startswith("execution_time: "))


def _remove_stale(tree: SourceTree, directory: Path, kept: set[Path]) -> Iterator[Path]:
    is_own = directory.resolve() == tree.tools_directory.resolve()
    for path in sorted(directory.glob("*.yaml")):
        # The first hyphen ends a package's name, so no package's prefix begins another's.
        if path not in kept and (is_own or path.name.startswith(f"{tree.package}-")) and is_ours(path):
            path.unlink()
            yield path


def is_ours(path: Path) -> bool:
    """Whether a build wrote this file."""
    return path.is_file() and not path.is_symlink() and read_inside(path).startswith(HEADER.encode("utf-8"))
