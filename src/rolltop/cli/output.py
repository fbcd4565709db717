"""How the command line prints: data to standard output, the rest to standard error.

A table on a terminal, tab-separated lines in a pipe, exact JSON with `--json`.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

__all__ = ["as_shown", "harmless", "in_colour", "is_terminal", "note", "print_json", "print_line", "print_rows"]

_CONTROL = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}
# Signs that turn the direction of what follows make a text read as another one.
_CONTROL |= {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}

_MARKS = re.compile(r"(\x1b\[(?:01;31|3[0-9])?m\x1b\[K)")
"""Colours as grep sets and ends them; others could hide what follows."""


def is_terminal() -> bool:
    return sys.stdout.isatty()


def in_colour(choice: str) -> bool:
    """Whether to mark words: `always`, `never`, or `auto`, which is on a terminal unless NO_COLOR is set."""
    return choice == "always" or (choice == "auto" and is_terminal() and not os.environ.get("NO_COLOR"))


def print_json(value: Any) -> None:
    """JSON: indented for a person, one line for a program."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2 if is_terminal() else None, default=str))


def harmless(text: object) -> str:
    """A text of somebody else for a terminal: nothing in it can move the cursor, or begin a line of ours."""
    return str(text).translate(_CONTROL).replace("\n", "\n  ")


def as_shown(text: str) -> str:
    """A text of a document, with words marked in it, for wherever it is printed: on a terminal only the marks act."""
    if not is_terminal():
        return text
    pieces = _MARKS.split(text.replace("\r\n", "\n").removesuffix("\r"))
    return "".join(piece if at % 2 else piece.translate(_CONTROL) for at, piece in enumerate(pieces))


def print_line(text: str) -> None:
    """A line of data that somebody else has named or written."""
    click.echo(as_shown(text))


def note(message: str, *, style: str | None = None) -> None:
    """A remark that is not data."""
    click.secho(harmless(message), err=True, fg=style)


def print_rows(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
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
        # Text, not str: brackets in somebody's data ([ab].md) are no markup.
        table.add_row(*(Text(harmless(_plain(cell))) for cell in row))
    Console().print(table)


def _plain(cell: Any) -> str:
    return "" if cell is None else str(cell).replace("\t", " ").replace("\n", " ")
