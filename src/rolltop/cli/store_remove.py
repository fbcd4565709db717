"""`rolltop store rm`, `undo` and `gc`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.output import note, print_json, print_line
from rolltop.cli.store_open import as_dict, human, opened

if TYPE_CHECKING:
    from rolltop.store import Document

__all__ = ["gc", "rm", "undo"]


@click.command(epilog=EXIT_CODES)
@click.argument("names", nargs=-1)
@click.option("-p", "--pattern", metavar="GLOB", help="Every path like this.")
@click.option("--dry-run", is_flag=True, help="Only say what would be deleted.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def rm(
    invocation: Invocation, names: tuple[str, ...], pattern: str | None, *, dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Delete documents by name, path or glob; `undo` brings them back for some days."""
    from rolltop.errors import ConsentMissing, NotFound

    if not names and not pattern:
        raise click.UsageError("give names or --pattern")
    with opened(invocation) as library:
        chosen = library.matching(names=names, pattern=pattern)
        if not chosen:
            raise NotFound("no document is called so", code="document_not_found")
        if not dry_run and not yes:
            if not sys.stdin.isatty():
                raise ConsentMissing(f"{len(chosen)} documents would be deleted", hint="Add --yes.")
            click.confirm(f"Delete {len(chosen)} documents?", abort=True, err=True)
        _show(chosen if dry_run else library.delete(chosen), as_json=as_json)


@click.command(epilog=EXIT_CODES)
@click.argument("name", required=False)
@click.option("--list", "only_list", is_flag=True, help="Only list what can be brought back.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def undo(invocation: Invocation, name: str | None, only_list: bool, as_json: bool) -> None:
    """Bring back a deleted document, or everything that was deleted last."""
    with opened(invocation) as library:
        _show(library.deleted() if only_list else library.undo(name), as_json=as_json)


def _show(documents: Iterable[Document], *, as_json: bool) -> None:
    if as_json:
        print_json({"documents": [as_dict(document) for document in documents]})
        return
    for document in documents:
        print_line(document.path)


@click.command(epilog=EXIT_CODES)
@click.option("--now", "everything", is_flag=True, help="Also what could still be brought back.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def gc(invocation: Invocation, everything: bool, as_json: bool) -> None:
    """Remove for good what was deleted before the undo window, and give its space back."""
    with opened(invocation) as library:
        done = library.collect(everything=everything)
    if as_json:
        print_json({"documents": done.documents, "objects": done.objects, "bytes_freed": done.freed})
    else:
        note(f"{done.documents} documents and {done.objects} objects removed, {human(done.freed)} freed")
