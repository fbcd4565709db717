"""Matches as grep prints them, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rolltop.store.grep.lines import FileLines, painted

__all__ = ["Printed", "print_matches"]

_NAME, _NUMBER, _SIGN, _END = b"\x1b[35m\x1b[K", b"\x1b[32m\x1b[K", b"\x1b[36m\x1b[K", b"\x1b[m\x1b[K"


@dataclass(frozen=True, slots=True)
class Printed:
    """How lines are shown."""

    line_numbers: bool = False
    with_filename: bool = False
    before: int = 0
    after: int = 0
    color: bool = False


def print_matches(files: Iterable[FileLines], how: Printed) -> Iterator[bytes]:
    """The lines of grep's output, with `--` between groups where context is shown."""
    context = how.before or how.after
    first = True
    for file in files:
        if not file.is_text:
            yield b"Binary file " + file.document.path.encode() + b" matches\n"
            continue
        last = -2
        for index, selected in _shown(file, how):
            if context and not first and index != last + 1:
                yield (_SIGN + b"--" + _END if how.color else b"--") + b"\n"
            yield _prefix(file, index, selected, how) + _body(file, index, selected, how) + b"\n"
            first, last = False, index


def _shown(file: FileLines, how: Printed) -> Iterator[tuple[int, bool]]:
    """The lines to show, each once, in order: (line, whether it is a selected one)."""
    selected = set(file.selected)
    end = 0
    for index in file.selected:
        for line in range(max(end, index - how.before), min(len(file), index + how.after + 1)):
            yield line, line in selected
        end = max(end, min(len(file), index + how.after + 1))


def _prefix(file: FileLines, index: int, selected: bool, how: Printed) -> bytes:
    sign = b":" if selected else b"-"
    parts = []
    if how.with_filename:
        parts.append((_NAME, file.document.path.encode()))
    if how.line_numbers:
        parts.append((_NUMBER, str(index + 1).encode()))
    if not how.color:
        return b"".join(text + sign for _, text in parts)
    return b"".join(colour + text + _END + _SIGN + sign + _END for colour, text in parts)


def _body(file: FileLines, index: int, selected: bool, how: Printed) -> bytes:
    line, place = file.line(index), file.place(index)
    shown = painted(line, file.spans(index)) if how.color and selected else line
    return f"{place}: ".encode() + shown if place else shown
