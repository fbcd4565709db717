"""`rolltop store export` and `import`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.output import note, print_json
from rolltop.cli.store_open import explained, opened, progress

__all__ = ["export", "import_"]


@click.command(epilog=EXIT_CODES)
@click.argument("archive", type=click.Path(dir_okay=False, allow_dash=True))
@click.argument("paths", nargs=-1)
@click.option("--tag", "tags", multiple=True, help="Only documents with this tag.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def export(invocation: Invocation, archive: str, paths: tuple[str, ...], tags: tuple[str, ...], as_json: bool) -> None:
    """Write documents and all their versions to a tar ARCHIVE (- is standard output)."""
    from rolltop.store import Listing

    if as_json and archive == "-":
        raise click.UsageError("--json needs standard output for itself: name a file")
    with opened(invocation) as library, progress("exporting") as show:
        query, left = Listing(paths=paths, tags=tags), list[tuple[str, str]]()
        if archive == "-":
            count = library.export(sys.stdout.buffer, query, show, left)
        else:
            count = _to_new_file(Path(archive), lambda out: library.export(out, query, show, left))
    if as_json:
        named = [{"what": what, "why": why} for what, why in left]
        print_json({"documents": count, "archive": archive} | ({"left": named} if left else {}))
    else:
        for what, why in left:
            note(f"{what} was not written: {why}", style="yellow")
        note(f"{count} documents exported")
    if left:
        sys.exit(1)


def _to_new_file(path: Path, write: Callable[[BinaryIO], int]) -> int:
    """A file that is whole or not there."""
    with ExitStack() as stack:
        with explained(path):
            out = stack.enter_context(path.open("xb"))
        try:
            return write(out)
        except BaseException:
            path.unlink()
            raise


@click.command("import", epilog=EXIT_CODES)
@click.argument("archive", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def import_(invocation: Invocation, archive: str, as_json: bool) -> None:
    """Store what an ARCHIVE of `export` holds (- is standard input)."""
    with opened(invocation) as library, progress("importing") as show:
        if archive == "-":
            tally = library.import_(sys.stdin.buffer, lambda done: show(done, 0))
        else:
            with open(archive, "rb") as source:
                tally = library.import_(source, lambda done: show(done, 0))
    if as_json:
        print_json({"new": tally.new, "versions": tally.versions, "unchanged": tally.unchanged})
    else:
        note(f"{tally.new} new documents, {tally.versions} new versions, {tally.unchanged} unchanged")
