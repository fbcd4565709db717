"""`rolltop store add` and `watch`."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.output import note, print_json
from rolltop.cli.store_open import human, opened, progress

if TYPE_CHECKING:
    from rolltop.store import Library, Tally
    from rolltop.store.documents.folder_files import Gather

__all__ = ["add", "watch"]

_FILES = (
    click.argument("paths", nargs=-1, required=True),
    click.option("-r", "--recursive", is_flag=True, help="Take what is in directories."),
    click.option("--include", multiple=True, metavar="GLOB", help="Only files like this."),
    click.option("--exclude", multiple=True, metavar="GLOB", help="Not files or directories like this."),
    click.option("--no-ignore", is_flag=True, help="Also what .gitignore names."),
    click.option("--tag", "tags", multiple=True, metavar="TAG", help="Tag every document."),
)


def _file_options(command: Any) -> Any:
    for option in reversed(_FILES):
        command = option(command)
    return command


@click.command(epilog=EXIT_CODES)
@_file_options
@click.option("--meta", "pairs", multiple=True, metavar="KEY=VALUE", help="Metadata for every document.")
@click.option("--name", help="Name for what comes from standard input (path -).")
@click.option("--again", is_flag=True, help="Read files whose size and time have not changed, too.")
@click.option("--json", "as_json", is_flag=True, help="The tally as JSON.")
@click.pass_obj
def add(invocation: Invocation, /, **given: Any) -> None:
    """Store files by content; what is stored already costs nothing."""
    from rolltop.store.metadata_values import parse_pairs

    metadata = parse_pairs(given["pairs"])
    with opened(invocation) as library:
        if given["paths"] == ("-",):
            tally = _from_stdin(library, given, metadata)
        else:
            tally = _from_files(library, given, metadata)
    _report(tally, given["as_json"])
    if tally.errors:
        sys.exit(1)


def _from_stdin(library: Library, given: dict[str, Any], metadata: dict[str, Any]) -> Tally:
    from rolltop.store import Tally

    if not given["name"]:
        raise click.UsageError("standard input needs a --name")
    added = library.add(given["name"], sys.stdin.buffer, tags=given["tags"], metadata=metadata)
    return Tally(
        documents=1,
        new=int(added.outcome == "new"),
        versions=int(added.outcome == "version"),
        unchanged=int(added.outcome == "unchanged"),
        bytes=added.document.size,
        bytes_stored=added.bytes_stored,
        bytes_written=added.bytes_written,
    )


def gather_of(library: Library, given: dict[str, Any], *, skip_known: bool) -> Gather:
    from rolltop.store.documents.folder_files import Gather

    def known(path: str) -> tuple[int, int] | None:
        document = library.catalog.documents.at(path)
        return (document.size, document.modified) if document else None

    return Gather(
        recursive=given["recursive"],
        include=given["include"],
        exclude=given["exclude"],
        gitignore=not given["no_ignore"],
        known=known if skip_known else None,
    )


def _from_files(library: Library, given: dict[str, Any], metadata: dict[str, Any]) -> Tally:
    skip = not (given["again"] or given["tags"] or metadata)
    gather = gather_of(library, given, skip_known=skip)
    with progress("storing") as show:
        tally = library.add_many(
            gather.sources(given["paths"]),
            tags=given["tags"],
            metadata=metadata,
            progress=lambda tally: show(tally.documents + gather.skipped, 0),
        )
    with progress("indexing") as show:
        library.index(show)
    tally.unchanged += gather.skipped
    tally.documents += gather.skipped
    tally.errors = gather.problems
    if gather.passed_over:
        note(f"{gather.passed_over} links and special files were left out; name a link to store what it leads to")
    return tally


def _report(tally: Tally, as_json: bool) -> None:
    for path, why in tally.errors:
        note(f"{path}: {why}", style="yellow")
    if as_json:
        names = ("documents", "new", "versions", "unchanged", "bytes", "bytes_stored", "bytes_written")
        print_json({name: getattr(tally, name) for name in names} | {"errors": dict(tally.errors)})
        return
    note(
        f"{tally.documents} documents: {tally.new} new, {tally.versions} new versions, {tally.unchanged} unchanged; "
        f"{human(tally.bytes_stored)} of {human(tally.bytes)} were new, {human(tally.bytes_written)} written"
    )


@click.command(epilog=EXIT_CODES)
@_file_options
@click.option("--interval", default=2.0, show_default=True, help="Seconds between two looks.")
@click.option("--rounds", type=int, default=None, help="Stop after so many looks.")
@click.pass_obj
def watch(invocation: Invocation, /, interval: float, rounds: int | None, **given: Any) -> None:
    """Store files again whenever they change; what disappears stays in the store. Ends with Ctrl-C."""
    done = 0
    with opened(invocation) as library:
        while rounds is None or done < rounds:
            if done:
                time.sleep(interval)
            gather = gather_of(library, given, skip_known=True)
            tally = library.add_many(gather.sources(given["paths"]), tags=given["tags"])
            if tally.new or tally.versions:
                _report(tally, as_json=False)
            done += 1
