"""`rolltop transform format`: programs in canonical form."""

from __future__ import annotations

from pathlib import Path

import click

from rolltop.cli.transform_files import read_program, showing_errors

__all__ = ["format_"]


@click.command("format")
@click.argument("programs", nargs=-1, metavar="PROGRAM...")
@click.option("-w", "--write", is_flag=True, help="Change the files instead of printing.")
@click.option("--check", "only_check", is_flag=True, help="Say which files would change; exit 1 when one would.")
def format_(programs: tuple[str, ...], write: bool, only_check: bool) -> None:
    """Rewrite programs in canonical form; without a file, standard input to standard output."""
    from rolltop.transform.syntax.formatter import format_program
    from rolltop.transform.syntax.source import Source

    changed = False
    for path in programs or ("-",):
        text = read_program(path)
        with showing_errors(Source(text, path)):
            formatted = format_program(text)
        if only_check:
            if formatted != text:
                changed = True
                click.echo(path)
        elif write and path != "-":
            if formatted != text:
                Path(path).write_text(formatted, "utf-8")
        else:
            click.echo(formatted, nl=False)
    if changed:
        raise click.exceptions.Exit(1)
