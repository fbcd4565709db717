"""Interactive use: `rolltop transform repl`, `functions` and the JSON-lines `engine`."""

from __future__ import annotations

import sys

import click

from rolltop.cli.output import note, print_json, print_rows
from rolltop.cli.transform.job import parse_input

__all__ = ["engine", "functions", "repl"]

_HELP = """An expression prints its value; `let` and `function` stay for the next lines.
  .name         short for $input.name          :type EXPR    the type of an expression
  :names        what is bound                  :quit         leave"""


@click.command()
@click.option("-i", "--input", "inputs", multiple=True, metavar="[NAME=]FILE", help="An input to work on.")
def repl(inputs: tuple[str, ...]) -> None:
    """Try expressions one after the other, over the same inputs."""
    from rolltop.cli.errors import report_error
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
    """Yield complete entries: lines are joined while a bracket is open."""
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


_CATEGORIES = ("string", "array", "math", "date", "object", "type", "serialization", "crypto")


@click.command("functions")
@click.argument("words", nargs=-1, metavar="[SEARCH]...")
@click.option("--category", type=click.Choice(_CATEGORIES), help="Only functions of this category.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many functions; all by default.")
@click.option("--json", "as_json", is_flag=True, help="Everything known about each function, as JSON.")
def functions(words: tuple[str, ...], category: str | None, limit: int | None, as_json: bool) -> None:
    """List the functions of the standard library, or find some by name or meaning, best first.

    \b
      rolltop transform functions remove duplicates
      rolltop transform functions --category date --json
    """
    from rolltop.transform.stdlib.reference import describe, shown_examples
    from rolltop.transform.stdlib.search import search

    found = search(" ".join(words), category=category)
    shown = found[:limit]
    if as_json:
        print_json({"functions": [describe(function) for function in shown], "total": len(found)})
        return
    rows = [(function.signature.text, function.description, shown_examples(function)[0]) for function in shown]
    print_rows(("call", "what it gives", "example"), rows)
    if len(shown) < len(found):
        note(f"{len(found) - len(shown)} more; raise --limit to see them")
    if not found:
        note("no function fits; try fewer or other words")
        raise click.exceptions.Exit(3)


@click.command()
def engine() -> None:
    """Answer requests in JSON lines on standard input, one reply line each."""
    import orjson

    from rolltop.transform.lines import reply

    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            request = orjson.loads(line)
        except orjson.JSONDecodeError:
            request = None
        sys.stdout.buffer.write(orjson.dumps(reply(request)) + b"\n")
        sys.stdout.buffer.flush()
