"""What `source` names: something that the desk holds, a file under the allowed roots, or the data itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mcp_core import ToolContext
from rolltop.errors import InvalidInput, NotFound, PermissionDenied, RolltopError
from rolltop.recorder import Recorder, text_hash
from rolltop.references import LARGEST, is_reference
from rolltop.transform.structure.encodings import decode_source
from rolltop.transform.structure.references import collect
from rolltop.workspace import Workspace

__all__ = ["as_argument", "expand_sources", "read_data", "read_related", "read_source"]

_LONGEST_PATH = 4095
_WILD = re.compile(r"[*?]")
_PATH = re.compile(r"~?[^\s<>{}\[\]\"'|;,]*(/[^<>{}|\n]*|\.[A-Za-z][A-Za-z0-9]{0,9})", re.DOTALL)
"""Something with a slash or a file's ending and nothing that data begins with."""


async def read_source(ctx: ToolContext[Workspace], recorder: Recorder, source: str) -> str | bytes:
    """The text that a source stands for; bytes where it may be in any encoding, which its reader knows best."""
    if is_reference(source):
        return await read_data(recorder, source)
    data = await ctx.run(_file_or_data, ctx.workspace, source)
    if data is source:
        recorder.given("input", source)
    else:
        place = await ctx.run(ctx.workspace.files.resolve, source)
        recorder.used("input", f"file://{place}", text_hash(data), len(data))
    return data


async def read_data(recorder: Recorder, data: str, role: str = "input") -> str | bytes:
    """Data that was given, or what a reference names."""
    if is_reference(data):
        return _text_or_bytes((await recorder.read(role, data)).data)
    recorder.given(role, data)
    return data


def _file_or_data(workspace: Workspace, source: str) -> str | bytes:
    if not source.strip():
        raise InvalidInput("source is empty", hint="Give a path, doc://NAME, or the data itself.")
    if len(source) > _LONGEST_PATH or "\n" in source or "\0" in source:
        return source
    path_like = _PATH.fullmatch(source) is not None
    try:
        return _text_or_bytes(workspace.files.read_bytes(source, largest=LARGEST))
    except NotFound:
        if path_like:
            raise InvalidInput(
                f"there is no file {source} in the allowed directories",
                hint="Check the path, or pass the data itself as source.",
            ) from None
    except (InvalidInput, PermissionDenied):
        if path_like:
            raise
    return source


def _text_or_bytes(data: bytes) -> str | bytes:
    """Text if it is the same in all encodings."""
    return data.decode() if data.isascii() and b"\0" not in data else data


def as_argument(name: str, data: str | bytes) -> dict[str, Any]:
    """Text or bytes as an argument of a job: of bytes, each is one character."""
    return {name: data} if isinstance(data, str) else {name: data.decode("latin-1"), "binary": True}


def read_related(workspace: Workspace, source: str, data: str | bytes, format_: str) -> dict[str, Any]:
    """`name` and `related` of a schema in a file that refers to other files, as far as they may be opened."""
    if data == source or is_reference(source):
        return {}  # data that was given has no place to refer from
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")

    def read(place: str) -> str | None:
        try:
            return decode_source(workspace.files.read_bytes(place, largest=LARGEST), format_)[0]
        except RolltopError:
            return None  # the answer says that it was not followed

    name = str(workspace.files.resolve(source))
    related = collect(name, text, format_, read)
    return {"name": name, "related": related} if related else {}


def expand_sources(workspace: Workspace, sources: list[str]) -> list[str]:
    """Patterns replaced by the files that they match, each input once; a pattern that matches nothing is refused."""
    found: dict[str, None] = {}
    for source in sources:
        if is_reference(source) or not _WILD.search(source):
            found[source] = None
            continue
        matches = list(_matches(workspace, source))
        if not matches:
            raise InvalidInput(f"no file matches {source}", hint="Patterns are like orders/*.xml or data/**/*.json.")
        found.update(dict.fromkeys(matches))
    return list(found)


def _matches(workspace: Workspace, pattern: str) -> Iterator[str]:
    fixed = pattern[: _WILD.search(pattern).start()].rpartition("/")[0]  # type: ignore[union-attr]
    rest = pattern[len(fixed) + 1 :] if fixed or pattern.startswith("/") else pattern
    start = fixed or ("/" if pattern.startswith("/") else ".")
    wanted = re.compile(_as_regex(rest))
    try:
        root = workspace.files.resolve(start)
        below = [info.path for info in workspace.files.walk(root)]
    except NotFound:
        return
    yield from sorted(str(path) for path in below if wanted.fullmatch(str(path.relative_to(root))))


def _as_regex(pattern: str) -> str:
    """`*` and `?` stay within a name, `**/` is any number of directories."""
    parts = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.sub(r"\*\*/|\*\*|[*?]|[^*?]+", lambda part: parts.get(part[0]) or re.escape(part[0]), pattern)
