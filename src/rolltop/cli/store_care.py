"""`rolltop store stats`, `verify`, `repair` and `index`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.output import note, print_json, print_rows
from rolltop.cli.store_open import human, opened, progress

if TYPE_CHECKING:
    from rolltop.store.care.verification import Report

__all__ = ["index", "repair", "stats", "verify"]


@click.command(epilog=EXIT_CODES)
@click.option("--types", is_flag=True, help="Documents and bytes by type.")
@click.option("--largest", type=click.IntRange(0, 1_000_000), default=0, metavar="N", help="The N largest documents.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def stats(invocation: Invocation, types: bool, largest: int, as_json: bool) -> None:
    """Count documents, versions, bytes, and what deduplication saves."""
    with opened(invocation) as library:
        found, waiting = library.stats(), library.unindexed()
        kinds = library.catalog.figures.file_types() if types else []
        big = library.catalog.figures.largest(largest) if largest else []
    figures: dict[str, Any] = {
        **asdict(found),
        "deduplicated_bytes": found.deduplicated_bytes,
        "dedup_ratio": found.dedup_ratio,
        "not_indexed_yet": waiting,
    }
    if as_json:
        names = ("extension", "mime_type", "type", "count", "bytes")
        more: dict[str, Any] = {"file_types": [dict(zip(names, row, strict=True)) for row in kinds]} if types else {}
        print_json(figures | more | ({"largest": big} if largest else {}))
        return
    print_rows(("WHAT", "FIGURE"), [(name.replace("_", " "), value) for name, value in figures.items()])
    if kinds:
        print_rows(("EXT", "MIME", "TYPE", "DOCUMENTS", "BYTES"), kinds)
    if big:
        print_rows(("PATH", "BYTES"), big)


@click.command(epilog=EXIT_CODES)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def verify(invocation: Invocation, as_json: bool) -> None:
    """Read everything and compare it with what the catalogue says, to the byte. Exit code 1: something is wrong."""
    with opened(invocation, mending=True) as library, progress("verifying") as show:
        report = library.verify(show)
    _show(report, as_json)


@click.command(epilog=EXIT_CODES)
@click.option("--from-files", is_flag=True, help="Take lost content from the original files, where they still have it.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def repair(invocation: Invocation, from_files: bool, as_json: bool) -> None:
    """Mend flipped bits, remove what a crash left, build damaged indexes again; name what cannot be mended."""
    with opened(invocation, mending=True) as library, progress("repairing") as show:
        report = library.repair(_fetch if from_files else None, show)
    _show(report, as_json)


def _fetch(path: str) -> BinaryIO | None:
    from rolltop.errors import RolltopError
    from rolltop.store.documents.folder_files import open_source

    try:
        return open_source(path)
    except (OSError, RolltopError):
        return None


def _show(report: Report, as_json: bool) -> None:
    if as_json:
        print_json(asdict(report) | {"ok": report.ok})
    else:
        for line in report.mended:
            click.echo(f"mended\t{line}")
        for line in report.problems:
            click.echo(f"problem\t{line}")
        for path in report.affected:
            click.echo(f"affected\t{path}")
        verdict = "everything is as it was stored" if report.ok else f"{len(report.problems)} problems"
        note(f"{report.documents} documents, {report.objects} objects, {human(report.bytes)} on disk: {verdict}")
    if not report.ok:
        sys.exit(1)


@click.command(epilog=EXIT_CODES)
@click.option("--anew", is_flag=True, help="Forget the indexes first.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def index(invocation: Invocation, anew: bool, as_json: bool) -> None:
    """Bring the indexes up to date; they also catch up by themselves."""
    with opened(invocation) as library, progress("indexing") as show:
        if anew:
            library.forget_trigrams()
            library.rebuild_words(show)
            library.extracts.kept.start_again()
            library.traits.start_again()
        library.index(show)
        library.trace(progress=show)
        left = library.unindexed()
    if as_json:
        print_json({"unindexed": left})
    else:
        note("the indexes are up to date")
