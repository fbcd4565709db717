"""A document's prose and the code that runs, apart: what stands in code is not what the page will show."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["blocks", "parted"]

_FENCE = re.compile(r"^[\t >]*(`{3,}|~{3,})\s*([^\n]*)$")
_EXECUTED = re.compile(r"\{[a-zA-Z][\w.]*[ ,}]")
_INLINE = re.compile(r"(?<!`)(`{1,8})(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_BLANK_LINE = re.compile(r"\n[\t ]*\n")


def blocks(text: str) -> Iterator[tuple[str | None, str]]:
    """Pieces of a document in order: prose (None) and fenced blocks (what follows the fence), fences included.

    A raw block (`{=html}`) is prose: pandoc writes it to the page as it stands.
    """
    lines: list[str] = []
    info, fence = None, ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line.rstrip("\r\n"))
        if fence:
            lines.append(line)
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                if info is not None:
                    yield info, "".join(lines)
                    lines = []
                info, fence = None, ""
        elif mark and mark[2].startswith("{="):
            lines.append(line)
            fence = mark[1]
        elif mark and not (mark[1][0] == "`" and "`" in mark[2]):
            yield None, "".join(lines)
            lines, info, fence = [line], mark[2], mark[1]
        else:
            lines.append(line)
    yield info, "".join(lines)


def parted(text: str) -> tuple[str, str]:
    """The prose without code, and the code that knitr runs."""
    pieces = list(blocks(text))
    executed = [piece for info, piece in pieces if info and _EXECUTED.match(info)]
    prose = _without_inline("".join(piece for info, piece in pieces if info is None), executed)
    return prose, "".join(executed)


def _without_inline(prose: str, executed: list[str]) -> str:
    def taken(found: re.Match[str]) -> str:
        if _BLANK_LINE.search(found[2]) or found[2].startswith("{="):
            return found[0]  # code does not go beyond its paragraph, and a raw block is no code
        if found[2].startswith("r "):
            executed.append(f"{found[2][2:]}\n")
        return ""

    return _INLINE.sub(taken, prose)
