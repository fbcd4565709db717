"""`rolltop store get` and `cat`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.output import note, print_json, print_rows
from rolltop.cli.store_open import as_dict, explained, opened

if TYPE_CHECKING:
    from rolltop.store import Document, Library

__all__ = ["cat", "find", "get"]


def find(library: Library, name: str) -> tuple[int, Document]:
    """The object and document that a hash, name or path means."""
    from rolltop.store import is_hash_prefix

    found = library.by_hash(name) if is_hash_prefix(name) else None
    if found is not None:
        return found.object.id, found.document
    document = library.document(name.removeprefix("doc://"))
    return document.object, document


@click.command(epilog=EXIT_CODES)
@click.argument("name")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the content to this file.")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def get(invocation: Invocation, name: str, output: Path | None, force: bool, as_json: bool) -> None:
    """Show a document by hash, name or path; with -o, write it to a file."""
    from rolltop.errors import ConsentMissing

    with opened(invocation) as library:
        number, document = find(library, name)
        if output is not None:
            if output.exists() and not force:
                raise ConsentMissing(f"{output} exists already", hint="Add --force to replace it.")
            data = library.read_object(number)
            with explained(output):
                output.write_bytes(data)
            note(f"{document.path} -> {output}")
            return
        known = as_dict(document) | {"text_note": library.extracts.note(document)}
    if as_json:
        print_json(known)
    else:
        print_rows(("FIELD", "VALUE"), [(name, value) for name, value in known.items() if value is not None])


@click.command(epilog=EXIT_CODES)
@click.argument("name")
@click.option("--lines", metavar="FROM:TO", help="Only these lines, counted from 1.")
@click.option("--version", "number", type=int, help="An earlier version.")
@click.option("--text", is_flag=True, help="The text that was read out of it: of a PDF, a sheet, a message.")
@click.pass_obj
def cat(invocation: Invocation, name: str, *, lines: str | None, number: int | None, text: bool) -> None:
    """Print a document by hash, name or path."""
    from rolltop.errors import NotFound
    from rolltop.store.extract.plain import decoded, lines_in

    chosen_lines = _slice(lines) if lines else None
    if text and number is not None:
        raise click.UsageError("--text prints the current version")
    with opened(invocation) as library:
        wanted, document = find(library, name)
        if number is not None:
            chosen = [version for version in library.versions(document) if version.number == number]
            if not chosen:
                raise NotFound(f"{document.path} has no version {number}")
            wanted = chosen[0].object
        if text:
            data = _text(library, document)
            sys.stdout.buffer.write("".join(lines_in(data.decode())[chosen_lines]).encode() if chosen_lines else data)
        elif chosen_lines and document.kind == "text" and not document.is_text:
            data = library.read_object(wanted)
            sys.stdout.buffer.write("".join(lines_in(decoded(data))[chosen_lines]).encode())
        elif chosen_lines:
            sys.stdout.buffer.write(library.read_lines(wanted, chosen_lines.start + 1, chosen_lines.stop).data)
        else:
            for piece in library.read_pieces(wanted):
                sys.stdout.buffer.write(piece)


def _slice(lines: str) -> slice:
    """`3:5`, `3:`, `:5` or `3`, which goes on to the end."""
    match = re.fullmatch(r"(\d*)(?::(\d*))?", lines)
    first, last = (int(match[1] or 1), int(match[2]) if match[2] else None) if match else (0, None)
    if first < 1 or (last is not None and last < first):
        raise click.BadParameter("write FROM:TO, as in 3:5; lines count from 1", param_hint="--lines")
    return slice(first - 1, last)


def _text(library: Library, document: Document) -> bytes:
    """What was read out of a document; it is read now if it has not been."""
    library.read_texts()
    found = library.text_of(document)
    if found.note:
        note(f"{document.path}: {found.note}")
    return found.body.encode()
