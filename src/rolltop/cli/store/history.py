"""Earlier states of documents: `rolltop store snapshot`, `versions`, `diff` and `restore`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rolltop.cli.completion import complete_documents
from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.cli.output import Size, counted, note, print_json, print_line, print_rows
from rolltop.cli.store import as_dict, opened

if TYPE_CHECKING:
    from rolltop.store import Change, Library

__all__ = ["diff", "restore", "snapshot", "versions"]


@click.command(epilog=EXIT_CODES)
@click.argument("label", required=False)
@click.option("--below", default="", metavar="PATH", help="Only documents below this path.")
@click.option("--remove", is_flag=True, help="Forget the snapshot.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def snapshot(invocation: Invocation, label: str | None, below: str, *, remove: bool, as_json: bool) -> None:
    """Remember all documents as they are now under LABEL; without LABEL, list the snapshots."""
    from rolltop.store import format_time

    with opened(invocation) as library:
        if label is not None and remove:
            library.history.drop_snapshot(label)
            return
        found = library.history.snapshots() if label is None else [library.history.take_snapshot(label, below)]
    rows = [(each.label, format_time(each.created), each.documents, each.bytes, each.prefix) for each in found]
    names = ("label", "created", "documents", "bytes", "below")
    if as_json:
        print_json([dict(zip(names, row, strict=True)) for row in rows])
    else:
        print_rows([name.upper() for name in names], rows)


@click.command(epilog=EXIT_CODES)
@click.argument("name", shell_complete=complete_documents)
@click.option("--diff", "compared", metavar="OLD:NEW", help="Show the lines that differ between two versions.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def versions(invocation: Invocation, name: str, compared: str | None, as_json: bool) -> None:
    """List the versions of a document, the current one last; or compare two of them."""
    from rolltop.store import format_time

    with opened(invocation) as library:
        if compared is not None:
            old, _, new = compared.partition(":")
            if not (old.isdecimal() and new.isdecimal()):
                raise click.BadParameter("write OLD:NEW, as in 1:2", param_hint="--diff")
            lines = library.history.version_diff(library.documents.get(name), int(old), int(new))
            for line in lines if lines is not None else ["(not text, or too large to compare)"]:
                print_line(line)
            return
        found = library.documents.versions(library.documents.get(name))
    rows = [(v.number, v.hash, Size(v.size), format_time(v.modified), format_time(v.indexed)) for v in found]
    names = ("version", "hash", "size", "modified", "stored")
    if as_json:
        print_json([dict(zip(names, row, strict=True)) for row in rows])
    else:
        print_rows([each.upper() for each in names], rows)


@click.command(epilog=EXIT_CODES)
@click.argument("old")
@click.argument("new", required=False)
@click.option("--text", is_flag=True, help="Also the lines that differ.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def diff(invocation: Invocation, old: str, new: str | None, text: bool, as_json: bool) -> None:
    """Show what changed from the snapshot OLD to NEW, or to the present."""
    with opened(invocation) as library:
        changes = library.history.changes(old, new)
        if as_json:
            print_json([{"kind": c.kind, "path": c.path, "before": c.before, "size": c.size} for c in changes])
            return
        for change in changes:
            source = f"{change.before}\t" if change.kind == "renamed" else ""
            print_line(f"{change.kind}\t{source}{change.path}")
            if text:
                _text(library, change)


def _text(library: Library, change: Change) -> None:
    lines = library.history.text_diff(change.old, change.new, change.before or change.path, change.path)
    for line in lines if lines is not None else ["(not text, or too large to compare)"]:
        print_line(line)


@click.command(epilog=EXIT_CODES)
@click.argument("what")
@click.option("--to", "target", type=click.Path(path_type=Path), help="Directory to write the snapshot WHAT to.")
@click.option("--version", "number", type=int, help="Make this version of the document WHAT the current one.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def restore(
    invocation: Invocation, what: str, target: Path | None, number: int | None, *, force: bool, as_json: bool
) -> None:
    """Write a snapshot to a directory, or put an earlier version of a document back.

    Exit code 1: some documents could not be written there; they are named.
    """
    if (target is None) == (number is None):
        raise click.UsageError("give either --to DIRECTORY (a snapshot) or --version N (a document)")
    with opened(invocation) as library:
        if number is not None:
            document = library.history.put_back(library.documents.get(what), number)
            if as_json:
                print_json(as_dict(document))
                return
            note(f"{document.path} is version {document.version} now, with the content of version {number}")
        elif target is not None:
            _write_snapshot(library, what, target, force=force, as_json=as_json)


def _write_snapshot(library: Library, label: str, target: Path, *, force: bool, as_json: bool) -> None:
    done = library.history.restore(label, target, overwrite=force)
    if as_json:
        left = [{"path": path, "why": why} for path, why in done.left]
        print_json({"documents": done.documents, "bytes": done.bytes, "directory": str(target), "left": left})
    else:
        for path, why in done.left:
            note(f"{path} was not written: {why}", style="yellow")
        note(f"{counted(done.documents, 'document')}, {Size(done.bytes).scaled} written to {target}")
    if done.left:
        sys.exit(1)
