"""Move documents in and out: `rolltop store add`, `watch`, `export` and `import`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from rolltop.cli.completion import complete_documents, complete_tags
from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.cli.output import Size, counted, note, print_json, progress
from rolltop.cli.store import explained, opened

if TYPE_CHECKING:
    from rolltop.store import FolderChanges, Gather, Library, Synced, Tally

__all__ = ["add", "export", "import_", "watch"]

_FILES = (
    click.argument("paths", nargs=-1, required=True),
    click.option("-r", "--recursive", is_flag=True, help="Take what is in directories."),
    click.option("--include", multiple=True, metavar="GLOB", help="Only files like this."),
    click.option("--exclude", multiple=True, metavar="GLOB", help="Not files or directories like this."),
    click.option("--no-ignore", is_flag=True, help="Also what .gitignore names."),
    click.option(
        "--tag", "tags", multiple=True, shell_complete=complete_tags, metavar="TAG", help="Tag every document."
    ),
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
    from rolltop.store import parse_pairs

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
    added = library.documents.add(given["name"], sys.stdin.buffer, tags=given["tags"], metadata=metadata)
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
    from rolltop.store import Gather

    def known(path: str) -> tuple[int, int] | None:
        document = library.catalog.documents.at(path)
        return (document.size, document.modified) if document else None

    return Gather(
        recursive=given["recursive"],
        include=given["include"],
        exclude=given["exclude"],
        gitignore=not given["no_ignore"],
        largest=library.options.largest,
        known=known if skip_known else None,
    )


def _from_files(library: Library, given: dict[str, Any], metadata: dict[str, Any]) -> Tally:
    skip = not (given["again"] or given["tags"] or metadata)
    gather = gather_of(library, given, skip_known=skip)
    with progress("storing") as show:
        tally = library.documents.add_many(
            gather.sources(given["paths"]),
            tags=given["tags"],
            metadata=metadata,
            progress=lambda tally: show(tally.documents + gather.skipped, 0),
        )
    with progress("indexing") as show:
        library.indexes.update(show)
    tally.unchanged += gather.skipped
    tally.documents += gather.skipped
    tally.errors = gather.problems
    if gather.passed_over:
        left_out = counted(gather.passed_over, "link or special file was", "links and special files were")
        note(f"{left_out} left out; name a link to store what it leads to")
    return tally


def _report(tally: Tally, as_json: bool) -> None:
    for path, why in tally.errors:
        note(f"{path}: {why}", style="yellow")
    if as_json:
        names = ("documents", "new", "versions", "unchanged", "bytes", "bytes_stored", "bytes_written")
        print_json({name: getattr(tally, name) for name in names} | {"errors": dict(tally.errors)})
        return
    stored, read, written = (Size(each).scaled for each in (tally.bytes_stored, tally.bytes, tally.bytes_written))
    note(
        f"{counted(tally.documents, 'document')}: {tally.new} new, {counted(tally.versions, 'new version')}, "
        f"{tally.unchanged} unchanged; {stored} of {read} were new, {written} written"
    )


def _report_changes(changes: FolderChanges) -> None:
    for before, after in changes.moved:
        note(f"{before} is {after} now")
    if changes.deleted:
        note(f"{counted(len(changes.deleted), 'document')} deleted; `rolltop store undo` brings them back")


@click.command(epilog=EXIT_CODES)
@_file_options
@click.option("--interval", default=2.0, show_default=True, help="Seconds between two looks.")
@click.option("--rounds", type=int, default=None, help="Stop after so many looks.")
@click.option("--mirror", is_flag=True, help="Follow renamed files, and delete documents whose file is gone.")
@click.option("--two-way", is_flag=True, help="Also write changed documents into their files.")
@click.pass_obj
def watch(
    invocation: Invocation, /, interval: float, rounds: int | None, mirror: bool, two_way: bool, **given: Any
) -> None:
    """Store files again whenever they change. Ends with Ctrl-C.

    What disappears stays in the store; with --mirror it is deleted there too, and `undo` brings it back.

    With --two-way, directories and their documents are kept in step: a changed document is written into its file, a
    new one below the directory becomes a file, and what is deleted on one side is deleted on the other. Where both
    changed, the file is the newest version and the document's text is the version before it.
    """
    done = 0
    with opened(invocation) as library, ExitStack() as stack:
        look = _two_way(library, given, stack) if two_way else _one_way(library, given, mirror=mirror)
        while rounds is None or done < rounds:
            if done:
                time.sleep(interval)
            look()
            done += 1


def _one_way(library: Library, given: dict[str, Any], *, mirror: bool) -> Callable[[], None]:
    from rolltop.store import follow_renames

    def look() -> None:
        if mirror:
            files = gather_of(library, given, skip_known=False).paths(given["paths"])
            _report_changes(follow_renames(library, given["paths"], files))
        gather = gather_of(library, given, skip_known=True)
        tally = library.documents.add_many(gather.sources(given["paths"]), tags=given["tags"])
        if tally.new or tally.versions:
            _report(tally, as_json=False)

    return look


def _two_way(library: Library, given: dict[str, Any], stack: ExitStack) -> Callable[[], None]:
    from rolltop.store import FolderSync

    if given["tags"]:
        raise click.UsageError("--two-way takes no --tag: tags have no place in a file")
    given = given | {"recursive": True}
    folders = [
        stack.enter_context(closing(FolderSync(library, path, lambda: gather_of(library, given, skip_known=False))))
        for path in given["paths"]
    ]
    said: set[tuple[str, str]] = set()

    def look() -> None:
        for folder in folders:
            said.update(_report_sync(folder.run(), said))

    return look


def _report_sync(done: Synced, said: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """Print what happened; a problem is printed once. Returns the problems."""
    for label, paths in (
        ("stored", done.stored),
        ("file written", done.written),
        ("document deleted (`rolltop store undo` brings it back)", done.deleted),
        ("file removed, as its document was (`rolltop store undo` brings it back)", done.removed),
        ("changed on both sides; the document's text is the version before", done.conflicts),
    ):
        for path in paths:
            note(f"{path}: {label}")
    for before, after in done.moved:
        note(f"{before} is {after} now")
    for path, why in done.problems:
        if (path, why) not in said:
            note(f"{path}: {why}", style="yellow")
    return done.problems


@click.command(epilog=EXIT_CODES)
@click.argument("archive", type=click.Path(dir_okay=False, allow_dash=True))
@click.argument("paths", nargs=-1, shell_complete=complete_documents)
@click.option("--tag", "tags", multiple=True, shell_complete=complete_tags, help="Only documents with this tag.")
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
            count = library.history.export(sys.stdout.buffer, query, show, left)
        else:
            count = _to_new_file(Path(archive), lambda out: library.history.export(out, query, show, left))
    if as_json:
        named = [{"what": what, "why": why} for what, why in left]
        print_json({"documents": count, "archive": archive} | ({"left": named} if left else {}))
    else:
        for what, why in left:
            note(f"{what} was not written: {why}", style="yellow")
        note(f"{counted(count, 'document')} exported")
    if left:
        sys.exit(1)


def _to_new_file(path: Path, write: Callable[[BinaryIO], int]) -> int:
    """Write a new file; remove it again if writing fails."""
    with ExitStack() as stack:
        with explained(path):
            out = stack.enter_context(path.open("xb"))
        try:
            return write(out)
        except BaseException:
            path.unlink()
            raise


def _imported(library: Library, source: BinaryIO, progress: Callable[[int], None]) -> Tally:
    from rolltop.store import import_foreign

    assert isinstance(source, BufferedReader)
    head = source.peek(512)
    if head and (b"\0" not in head[:512] or head.startswith(b"PK")):  # a tar archive begins with a padded header
        return import_foreign(library, source.read(), progress)
    return library.history.import_(source, progress)


@click.command("import", epilog=EXIT_CODES)
@click.argument("archive", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def import_(invocation: Invocation, archive: str, as_json: bool) -> None:
    """Store what an ARCHIVE of `export` holds (- is standard input), or an export of another program.

    These are read: conversations of ChatGPT and Claude (the archive, or conversations.json), bookmarks of a browser,
    mailboxes (mbox) and BibTeX. The same item of a later export becomes a new version.
    """
    with opened(invocation) as library, progress("importing") as show, ExitStack() as stack:
        source = sys.stdin.buffer if archive == "-" else stack.enter_context(open(archive, "rb"))
        tally = _imported(library, source, lambda done: show(done, 0))
    if as_json:
        print_json({"new": tally.new, "versions": tally.versions, "unchanged": tally.unchanged})
    else:
        new = f"{counted(tally.new, 'new document')}, {counted(tally.versions, 'new version')}"
        note(f"{new}, {tally.unchanged} unchanged")
