"""How the command line prints: data to standard output, remarks and progress to standard error.

Lists are tables on a terminal, tab-separated lines in a pipe and JSON with `--json`. Numbers are scaled and rounded on
a terminal only.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

__all__ = [
    "Ratio",
    "Size",
    "as_shown",
    "be_quiet",
    "counted",
    "harmless",
    "in_colour",
    "is_terminal",
    "note",
    "print_json",
    "print_line",
    "print_rows",
    "print_text",
    "progress",
    "progress_line",
    "shows_progress",
]

_CONTROL = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}
# Characters that change the direction of the text can make it read as another one.
_CONTROL |= {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}

_MARKS = re.compile(r"(\x1b\[(?:01;31|3[0-9])?m\x1b\[K)")
"""Colours as grep sets and ends them; other sequences could hide what follows."""
_quiet = False


class Size(int):
    """A number of bytes: `1.2 MB` on a terminal, exact elsewhere."""

    def __str__(self) -> str:
        return self.scaled if is_terminal() else int.__repr__(self)

    @property
    def scaled(self) -> str:
        size = float(self)
        for unit in ("B", "kB", "MB", "GB"):
            if size < 1000:
                return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
            size /= 1000
        return f"{size:.1f} TB"


class Ratio(float):
    """A ratio: two digits on a terminal, exact elsewhere."""

    def __str__(self) -> str:
        return f"{float(self):.2f}" if is_terminal() else float.__repr__(self)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 document`, `2 documents`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def be_quiet() -> None:
    """Print no remarks and no progress from now on."""
    global _quiet  # noqa: PLW0603 - one process runs one command
    _quiet = True


def shows_progress() -> bool:
    """True if a person watches standard error and did not ask for quiet."""
    return not _quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def is_terminal() -> bool:
    return sys.stdout.isatty()


def in_colour(choice: str) -> bool:
    """Whether to colour: `always`, `never`, or `auto`, which is on a terminal unless NO_COLOR is set."""
    return choice == "always" or (choice == "auto" and is_terminal() and not os.environ.get("NO_COLOR"))


def print_json(value: Any) -> None:
    """Print JSON, indented on a terminal and on one line elsewhere."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2 if is_terminal() else None, default=str))


def harmless(text: object) -> str:
    """Escape foreign text for a terminal: it can neither move the cursor nor look like a line of ours."""
    return str(text).translate(_CONTROL).replace("\n", "\n  ")


def as_shown(text: str) -> str:
    """Text of a document with marked words: on a terminal, every other control sequence is escaped."""
    if not is_terminal():
        return text
    pieces = _MARKS.split(text.replace("\r\n", "\n").removesuffix("\r"))
    return "".join(piece if at % 2 else piece.translate(_CONTROL) for at, piece in enumerate(pieces))


def print_text(text: str) -> None:
    """Print a whole text of foreign data on a terminal: no control sequence of it has an effect."""
    click.echo(text.replace("\r\n", "\n").translate(_CONTROL), nl=not text.endswith("\n"))


def print_line(text: str) -> None:
    """Print one line of foreign data."""
    click.echo(as_shown(text))


def note(message: str, *, style: str | None = None) -> None:
    """Print a remark. One with a style is a warning, which --quiet leaves."""
    if style is not None or not _quiet:
        click.secho(harmless(message), err=True, fg=style)


def print_rows(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table on a terminal, tab-separated lines elsewhere."""
    if not is_terminal():
        for row in rows:
            click.echo("\t".join(_plain(cell) for cell in row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        # Text, not str: brackets in data ([ab].md) are no markup.
        table.add_row(*(Text(harmless(_plain(cell))) for cell in row))
    Console().print(table)


def _plain(cell: Any) -> str:
    return "" if cell is None else str(cell).replace("\t", " ").replace("\n", " ")


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar with rate and time left on a terminal, nothing otherwise."""
    if not shows_progress():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), _speed_column(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)


def _speed_column() -> ProgressColumn:
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    class Speed(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text("" if task.speed is None else f"{task.speed:.0f}/s")  # no speed at the beginning

    return Speed()


@contextmanager
def progress_line() -> Iterator[Callable[[object], None]]:
    """Phases of a long step: one line that changes on a terminal, one line each in a log."""
    changes = shows_progress()

    def show(event: object) -> None:
        if changes:
            click.echo(f"\r\x1b[K{harmless(event)[:100]}", err=True, nl=False)
        elif not _quiet:
            click.echo(harmless(event), err=True)

    try:
        yield show
    finally:
        if changes:
            click.echo("\r\x1b[K", err=True, nl=False)
