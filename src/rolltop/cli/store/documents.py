"""Work with single documents: `rolltop store get`, `cat`, `list`, `tag`, `meta`, `mv`, `cp`, `rm`, `undo` and `gc`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rolltop.cli.completion import complete_documents, complete_tags
from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.cli.output import Size, counted, is_terminal, note, print_json, print_line, print_rows, print_text
from rolltop.cli.store import as_dict, explained, opened

if TYPE_CHECKING:
    from rolltop.store import Document, Library

__all__ = ["cat", "cp", "find", "gc", "get", "list_", "meta", "mv", "rm", "tag", "undo"]


def find(library: Library, name: str) -> tuple[int, Document]:
    """Find an object and its document by hash, name or path."""
    from rolltop.store import is_hash_prefix

    found = library.documents.by_hash(name) if is_hash_prefix(name) else None
    if found is not None:
        return found.object.id, found.document
    document = library.documents.get(name.removeprefix("doc://"))
    return document.object, document


@click.command(epilog=EXIT_CODES)
@click.argument("name", shell_complete=complete_documents)
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
            data = library.documents.read_object(number)
            with explained(output):
                output.write_bytes(data)
            note(f"{document.path} -> {output}")
            return
        known = as_dict(document) | {"size": Size(document.size), "text_note": library.extracts.note(document)}
    if as_json:
        print_json(known)
    else:
        print_rows(("FIELD", "VALUE"), [(name, value) for name, value in known.items() if value is not None])


@click.command(epilog=EXIT_CODES)
@click.argument("name", shell_complete=complete_documents)
@click.option("--lines", metavar="FROM:TO", help="Only these lines, counted from 1.")
@click.option("--version", "number", type=int, help="An earlier version.")
@click.option("--text", is_flag=True, help="The text that was read out of it: of a PDF, a sheet, a message.")
@click.pass_obj
def cat(invocation: Invocation, name: str, *, lines: str | None, number: int | None, text: bool) -> None:
    """Print a document by hash, name or path."""
    from rolltop.errors import NotFound

    chosen_lines = _slice(lines) if lines else None
    if text and number is not None:
        raise click.UsageError("--text prints the current version")
    with opened(invocation) as library:
        wanted, document = find(library, name)
        if number is not None:
            chosen = [version for version in library.documents.versions(document) if version.number == number]
            if not chosen:
                raise NotFound(f"{document.path} has no version {number}")
            wanted = chosen[0].object
        pieces = _pieces(library, document, wanted, chosen_lines, text)
        if is_terminal():
            print_text(b"".join(pieces).decode("utf-8", "replace"))
        else:
            sys.stdout.buffer.writelines(pieces)


def _pieces(library: Library, document: Document, wanted: int, lines: slice | None, text: bool) -> Iterator[bytes]:
    """The content of a version, or some lines of it; a large one comes in pieces."""
    from rolltop.store import decoded, lines_in

    if text:
        data = _text(library, document)
        yield "".join(lines_in(data.decode())[lines]).encode() if lines else data
    elif lines and document.kind == "text" and not document.is_text:
        yield "".join(lines_in(decoded(library.documents.read_object(wanted)))[lines]).encode()
    elif lines:
        yield library.documents.read_lines(wanted, lines.start + 1, lines.stop).data
    else:
        yield from library.documents.read_pieces(wanted)


def _slice(lines: str) -> slice:
    """Parse `3:5`, `3:`, `:5` or `3`; the last goes on to the end."""
    match = re.fullmatch(r"(\d*)(?::(\d*))?", lines)
    first, last = (int(match[1] or 1), int(match[2]) if match[2] else None) if match else (0, None)
    if first < 1 or (last is not None and last < first):
        raise click.BadParameter("write FROM:TO, as in 3:5; lines count from 1", param_hint="--lines")
    return slice(first - 1, last)


def _text(library: Library, document: Document) -> bytes:
    """The text extracted from a document; it is extracted now if it has not been."""
    library.texts.read_all()
    found = library.texts.of(document)
    if found.note:
        note(f"{document.path}: {found.note}")
    return found.body.encode()


@click.command("list", epilog=EXIT_CODES)
@click.argument("paths", nargs=-1, shell_complete=complete_documents)
@click.option("--type", "type_", help="text, image, audio, video, archive, document or binary.")
@click.option("--mime", help="MIME type; * is a wildcard.")
@click.option("--ext", "extension", help="File extension.")
@click.option("--tag", "tags", multiple=True, shell_complete=complete_tags, help="Only with this tag; may be repeated.")
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
    from rolltop.store import Listing, parse_pairs, parse_time

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
        page = library.documents.page(query)
    if as_json:
        documents = [as_dict(document) for document in page.documents]
        print_json({"documents": documents, "total": page.total, "next_cursor": page.next_cursor})
        return
    rows = [
        (d.hash[:12], d.version, Size(d.size), as_dict(d)["modified"], ",".join(d.tags), d.path) for d in page.documents
    ]
    print_rows(("HASH", "V", "SIZE", "MODIFIED", "TAGS", "PATH"), rows)
    if page.next_cursor:
        note(f"{len(rows)} of {page.total}; more with --cursor {page.next_cursor}")


@click.command(epilog=EXIT_CODES)
@click.argument("name", required=False, shell_complete=complete_documents)
@click.option("-a", "--add", multiple=True, shell_complete=complete_tags, metavar="TAG", help="Add a tag.")
@click.option("-d", "--remove", multiple=True, shell_complete=complete_tags, metavar="TAG", help="Remove a tag.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def tag(invocation: Invocation, name: str | None, add: tuple[str, ...], remove: tuple[str, ...], as_json: bool) -> None:
    """Add and remove the tags of a document; without NAME, list all tags and how many documents have each."""
    with opened(invocation) as library:
        if name is None:
            counts = library.catalog.tags.counts()
            rows: list[tuple[object, ...]] = list(counts.items())
        else:
            document = library.documents.get(name)
            tags = library.edits.tag(document, add, remove).tags if add or remove else document.tags
            counts, rows = dict.fromkeys(tags, 1), [(each,) for each in tags]
    if as_json:
        print_json(counts if name is None else list(counts))
    else:
        print_rows(("TAG", "DOCUMENTS") if name is None else ("TAG",), rows)


@click.command(epilog=EXIT_CODES)
@click.argument("name", shell_complete=complete_documents)
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
    from rolltop.store import format_time, parse_pairs, parse_time

    with opened(invocation) as library:
        document = library.documents.get(name)
        if history:
            rows = [
                (key, value, format_time(since), format_time(until) if until else "")
                for key, value, since, until in library.history.metadata_history(document)
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
            values = library.edits.set_metadata(document, parse_pairs(pairs), remove)[0].metadata
    if as_json:
        print_json(values)
    else:
        print_rows(("KEY", "VALUE"), list(values.items()))


@click.command(epilog=EXIT_CODES)
@click.argument("name", shell_complete=complete_documents)
@click.argument("path")
@click.pass_obj
def mv(invocation: Invocation, name: str, path: str) -> None:
    """Give a document another path; its versions, tags and metadata go with it."""
    with opened(invocation) as library:
        print_line(library.edits.move(find(library, name)[1], path).path)


@click.command(epilog=EXIT_CODES)
@click.argument("name", shell_complete=complete_documents)
@click.argument("path")
@click.pass_obj
def cp(invocation: Invocation, name: str, path: str) -> None:
    """Store a document under a second path, with its tags and metadata."""
    with opened(invocation) as library:
        print_line(library.edits.copy(find(library, name)[1], path).path)


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
        chosen = library.documents.matching(names=names, pattern=pattern)
        if not chosen:
            raise NotFound("no document is called so", code="document_not_found")
        if not dry_run and not yes:
            if not sys.stdin.isatty():
                raise ConsentMissing(f"{counted(len(chosen), 'document')} would be deleted", hint="Add --yes.")
            click.confirm(f"Delete {counted(len(chosen), 'document')}?", abort=True, err=True)
        _show(chosen if dry_run else library.documents.delete(chosen), as_json=as_json)


@click.command(epilog=EXIT_CODES)
@click.argument("name", required=False, shell_complete=complete_documents)
@click.option("--list", "only_list", is_flag=True, help="Only list what can be brought back.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def undo(invocation: Invocation, name: str | None, only_list: bool, as_json: bool) -> None:
    """Bring back a deleted document, or everything that was deleted last."""
    with opened(invocation) as library:
        _show(library.documents.deleted() if only_list else library.documents.undo(name), as_json=as_json)


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
    """Remove documents that were deleted before the undo window, and free their space."""
    with opened(invocation) as library:
        done = library.care.collect(everything=everything)
    if as_json:
        print_json({"documents": done.documents, "objects": done.objects, "bytes_freed": done.freed})
    else:
        removed = f"{counted(done.documents, 'document')} and {counted(done.objects, 'object')}"
        note(f"{removed} removed, {Size(done.freed).scaled} freed")
