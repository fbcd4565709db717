"""`rolltop transform repl`: expressions one after the other, over the same inputs."""

from __future__ import annotations

import sys

import click

from rolltop.cli.transform_files import parse_input

__all__ = ["repl"]

_HELP = """An expression prints its value; `let` and `function` stay for the next lines.
  .name         short for $input.name          :type EXPR    the type of an expression
  :names        what is bound                  :quit         leave"""


@click.command()
@click.option("-i", "--input", "inputs", multiple=True, metavar="[NAME=]FILE", help="An input to work on.")
def repl(inputs: tuple[str, ...]) -> None:
    """Try expressions one after the other, over the same inputs."""
    from rolltop.cli.main import report_error
    from rolltop.errors import RolltopError
    from rolltop.transform import formats
    from rolltop.transform.repl import Session

    named = [parse_input(text) for text in inputs]
    session = Session({given.name: formats.read(given.format, given.read()) for given in named})
    interactive = sys.stdin.isatty()
    if interactive:
        import readline  # noqa: F401 - line editing and history

        click.echo(_HELP, err=True)
    for entry in _entries(interactive):
        if entry.strip() in (":quit", ":q"):
            return
        if entry.strip() in (":help", ":h", "?"):
            click.echo(_HELP, err=True)
            continue
        try:
            answer = session.enter(entry)
        except RolltopError as error:
            report_error(error)
            continue
        if answer is not None:
            click.echo(answer)


def _entries(interactive: bool):  # type: ignore[no-untyped-def]
    """Whole entries: lines are joined while a bracket is open."""
    from rolltop.transform.repl import is_open

    held = ""
    while True:
        try:
            line = input(("... " if held else "utlx> ") if interactive else "")
        except EOFError:
            if held:
                yield held
            return
        except KeyboardInterrupt:
            click.echo("", err=True)
            held = ""
            continue
        held = f"{held}\n{line}" if held else line
        if held.strip() and not is_open(held):
            yield held
            held = ""
