"""`rolltop store tag` and `meta`."""

from __future__ import annotations

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.output import print_json, print_rows
from rolltop.cli.store_open import opened

__all__ = ["meta", "tag"]


@click.command(epilog=EXIT_CODES)
@click.argument("name", required=False)
@click.option("-a", "--add", multiple=True, metavar="TAG", help="Add a tag.")
@click.option("-d", "--remove", multiple=True, metavar="TAG", help="Remove a tag.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def tag(invocation: Invocation, name: str | None, add: tuple[str, ...], remove: tuple[str, ...], as_json: bool) -> None:
    """Add and remove the tags of a document; without NAME, list all tags and how many documents have each."""
    with opened(invocation) as library:
        if name is None:
            counts = library.catalog.tags.counts()
            rows: list[tuple[object, ...]] = list(counts.items())
        else:
            document = library.document(name)
            tags = library.tag(document, add, remove).tags if add or remove else document.tags
            counts, rows = dict.fromkeys(tags, 1), [(each,) for each in tags]
    if as_json:
        print_json(counts if name is None else list(counts))
    else:
        print_rows(("TAG", "DOCUMENTS") if name is None else ("TAG",), rows)


@click.command(epilog=EXIT_CODES)
@click.argument("name")
@click.argument("pairs", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("-d", "--remove", multiple=True, metavar="KEY", help="Remove a value.")
@click.option("--history", is_flag=True, help="Every value there was, and when.")
@click.option("--as-of", metavar="TIME", help="The values at a time: 7d, 2026-11-15.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def meta(
    invocation: Invocation,
    name: str,
    pairs: tuple[str, ...],
    *,
    remove: tuple[str, ...],
    history: bool,
    as_of: str | None,
    as_json: bool,
) -> None:
    """Show the metadata of a document; set values with KEY=VALUE."""
    from rolltop.store.metadata_values import parse_pairs
    from rolltop.store.times import format_time, parse_time

    with opened(invocation) as library:
        document = library.document(name)
        if history:
            rows = [
                (key, value, format_time(since), format_time(until) if until else "")
                for key, value, since, until in library.metadata_history(document)
            ]
            names = ("key", "value", "since", "until")
            if as_json:
                print_json([dict(zip(names, row, strict=True)) for row in rows])
            else:
                print_rows([each.upper() for each in names], rows)
            return
        values = document.metadata
        if as_of:
            values = library.catalog.tags.metadata_at(document.id, parse_time(as_of))
        elif pairs or remove:
            values = library.set_metadata(document, parse_pairs(pairs), remove)[0].metadata
    if as_json:
        print_json(values)
    else:
        print_rows(("KEY", "VALUE"), list(values.items()))
