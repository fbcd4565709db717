"""`rolltop store list`."""

from __future__ import annotations

from typing import Any

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.output import note, print_json, print_rows
from rolltop.cli.store_open import as_dict, human, opened

__all__ = ["list_"]


@click.command("list", epilog=EXIT_CODES)
@click.argument("paths", nargs=-1)
@click.option("--type", "type_", help="text, image, audio, video, archive, document or binary.")
@click.option("--mime", help="MIME type; * is a wildcard.")
@click.option("--ext", "extension", help="File extension.")
@click.option("--tag", "tags", multiple=True, help="Only with this tag; may be repeated.")
@click.option("--meta", "pairs", multiple=True, metavar="KEY=VALUE", help="Only with this metadata.")
@click.option("--since", help="Stored since: 7d, yesterday, 2026-11-15.")
@click.option("--modified-after", help="Changed since.")
@click.option("--recent", type=int, help="Only the N stored last of those that fit.")
@click.option(
    "--sort", "sort_by", default="path", show_default=True, help="path, name, size, created, modified or indexed."
)
@click.option("--desc", is_flag=True, help="The largest, latest or last first.")
@click.option("-n", "--limit", default=1000, show_default=True, help="How many.")
@click.option("--cursor", help="Go on after a page.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def list_(invocation: Invocation, /, as_json: bool, **given: Any) -> None:
    """List documents: exact paths, directories or globs, or all."""
    from rolltop.store import Listing
    from rolltop.store.metadata_values import parse_pairs
    from rolltop.store.times import parse_time

    bounds = {"indexed": given["since"], "modified": given["modified_after"]}
    query = Listing(
        type=given["type_"],
        mime=given["mime"],
        extension=given["extension"],
        after={name: parse_time(text) for name, text in bounds.items() if text},
        recent=given["recent"],
        paths=given["paths"],
        tags=given["tags"],
        metadata=parse_pairs(given["pairs"]),
        sort_by=given["sort_by"],
        descending=given["desc"],
        limit=given["limit"],
        cursor=given["cursor"],
    )
    with opened(invocation) as library:
        page = library.page(query)
    if as_json:
        documents = [as_dict(document) for document in page.documents]
        print_json({"documents": documents, "total": page.total, "next_cursor": page.next_cursor})
        return
    rows = [
        (d.hash[:12], d.version, human(d.size), as_dict(d)["modified"], ",".join(d.tags), d.path)
        for d in page.documents
    ]
    print_rows(("HASH", "V", "SIZE", "MODIFIED", "TAGS", "PATH"), rows)
    if page.next_cursor:
        note(f"{len(rows)} of {page.total}; more with --cursor {page.next_cursor}")
