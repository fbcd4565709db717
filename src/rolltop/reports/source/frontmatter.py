"""The YAML block at the head of a document: found, read, and written by an emitter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from rolltop.errors import InvalidData, Position

__all__ = ["ensure", "metadata", "quoted", "split", "title_of"]

_OPENING = re.compile(r"\A\ufeff?(?:[ \t]*\r?\n)*---[ \t]*\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_LIMIT = 64 * 1024
"""Characters of front matter that are read; a longer block is not one that a person wrote."""
_DEPTH = 50


def split(text: str) -> tuple[str | None, str]:
    """The YAML text and the rest; None when the document has no front matter."""
    opening = _OPENING.match(text)
    if opening is None:
        return None, text
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return None, text
    return text[opening.end() : closing.start()], text[closing.end() :]


def metadata(text: str) -> dict[str, Any]:
    """The front matter as a mapping, empty when there is none; malformed YAML is an error with its line."""
    block, _ = split(text)
    if block is None:
        return {}
    if len(block) > _LIMIT or _too_deep(block):
        raise InvalidData("the front matter is too large or too deeply nested")
    try:
        value = yaml.load(block, Loader=_FrontMatterLoader)  # noqa: S506 - derives from SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise InvalidData(
            f"the front matter is not valid YAML: {error.problem}",
            position=Position(mark.line + 2, mark.column + 1) if mark else None,
            hint="Quote values that contain a colon, a bracket or a hash sign.",
        ) from None
    except (yaml.YAMLError, ValueError) as error:
        raise InvalidData(f"the front matter is not valid YAML: {error}") from None
    return {str(key): entry for key, entry in value.items()} if isinstance(value, Mapping) else {}


def title_of(text: str) -> str | None:
    """The title in the front matter, None when there is none or the front matter cannot be read."""
    try:
        title = metadata(text).get("title")
    except InvalidData:
        return None
    return " ".join(str(title).split()) or None if title is not None else None


def ensure(content: str, title: str) -> str:
    """`content` itself when it has front matter, else with one that carries the title."""
    if split(content)[0] is not None:
        return content
    fields = {"title": title, "author": "R-Server", "date": "`r Sys.Date()`", "output": "html_document"}
    # Everything quoted: the emitter then escapes whatever a title can hold, and the date's backticks survive.
    body = "".join(f"{key}: {quoted(value)}\n" for key, value in fields.items() if key != "output")
    return f"---\n{body}output: {fields['output']}\n---\n\n{content.removeprefix(chr(0xFEFF))}"


def quoted(value: str) -> str:
    """A YAML string for whatever a title can hold."""
    return yaml.safe_dump(value, default_style='"', width=1 << 30, allow_unicode=True).rstrip("\n")


def _too_deep(block: str) -> bool:
    """Flow and indentation nesting beyond what anyone writes: PyYAML recurses on it."""
    depth = deepest = 0
    for character in block:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    indents = max((len(line) - len(line.lstrip(" -?")) for line in block.splitlines()), default=0)
    return deepest > _DEPTH or indents > 4 * _DEPTH


class _FrontMatterLoader(yaml.SafeLoader):
    """SafeLoader without aliases (no exponential documents) and with `!r` and `!expr` read as their text."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.composer.ComposerError(problem="aliases are not read here")
        return super().compose_node(parent, index)


def _as_text(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    return loader.construct_scalar(node) if isinstance(node, yaml.ScalarNode) else None


for _tag in ("!r", "!expr"):
    _FrontMatterLoader.add_constructor(_tag, _as_text)
