"""Tags that stand for other tags: `@template`, and `@eval` where its code is a constant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rolltop.catalog.rlang.binding import significant
from rolltop.catalog.rlang.constants import constant
from rolltop.catalog.rlang.roxygen import Block, Tag, parse_block
from rolltop.catalog.tree_files import is_inside, read_inside

__all__ = ["expanded"]

_FOLDERS = (Path("man-roxygen"), Path("man", "roxygen", "templates"))
_NAME = re.compile(r"[\w.-]+")
_MARKER = re.compile(r"^\s*#+'[^\S\n]?")
_VARIABLE = re.compile(r"<%=?\s*([\w.]+)\s*%>")
_STATEMENT = re.compile(r"<%.*?%>", re.DOTALL)


def expanded(block: Block, file: Path) -> Block:
    """The block with the tags of its templates, and of code that is a constant, in their places."""
    if block.first("template", "eval") is None:
        return block
    return Block(tuple(each for tag in block.tags for each in _tags(tag, block, file)))


def _tags(tag: Tag, block: Block, file: Path) -> Iterator[Tag]:
    lines = None
    if tag.name == "template":
        lines = _template(tag.first_word, block, file)
    elif tag.name == "eval":
        lines = _constant_lines(tag.text)
    if lines is None:
        yield tag
    else:
        yield from parse_block(tuple(lines), tag.line).tags


def _template(name: str, block: Block, file: Path) -> list[str] | None:
    """The lines of a template with its variables filled in; code in it is not evaluated."""
    root = file.parent.parent
    paths = [root / folder / f"{name}.R" for folder in _FOLDERS] if _NAME.fullmatch(name) else []
    path = next((each for each in paths if each.is_file() and is_inside(each, root)), None)
    if path is None:
        return None
    variables = {tag.first_word: tag.after_first_word.strip() for tag in block.all("templateVar")}
    text = read_inside(path, root).decode("utf-8", errors="replace")
    text = _STATEMENT.sub("", _VARIABLE.sub(lambda found: variables.get(found[1], ""), text))
    return [_MARKER.sub("", line) for line in text.splitlines() if _MARKER.match(line)]


def _constant_lines(code: str) -> list[str] | None:
    known = constant(code, significant(code, 0, len(code)))
    if known is None or known.kind != "character":
        return None
    return [line for value in known.values for line in str(value).split("\n")]
