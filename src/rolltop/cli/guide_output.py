"""How the guide's verbs print: a table on a terminal, tab-separated lines in a pipe, JSON when asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import click

__all__ = ["as_json", "shown", "table"]


def as_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if not sys.stdout.isatty():
        for row in rows:
            click.echo("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(*headings, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        drawn.add_row(*(Text(cell) for cell in row))
    Console().print(drawn)


def shown(value: object) -> str:
    """A flag's value as one writes it: true, false, a text, patterns with + between them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "+".join(value)
    return "" if value is None else str(value)
