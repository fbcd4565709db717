"""`rolltop transform functions`: the standard library, searched."""

from __future__ import annotations

import click

from rolltop.cli.output import note, print_json, print_rows

__all__ = ["functions"]

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
