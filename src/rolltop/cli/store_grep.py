"""`rolltop store grep`, with the flags that grep and ripgrep have."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.output import as_shown, in_colour, is_terminal, print_json
from rolltop.cli.store_open import opened

if TYPE_CHECKING:
    from rolltop.store import Library, Pattern

__all__ = ["grep"]


@click.command(epilog=EXIT_CODES, context_settings={"help_option_names": ["--help"]})
@click.argument("pattern")
@click.argument("paths", nargs=-1)
@click.option("-i", "--ignore-case", is_flag=True, help="Without case.")
@click.option("-w", "--word", is_flag=True, help="Whole words only.")
@click.option("-v", "--invert", is_flag=True, help="Lines that do not match.")
@click.option("-F", "--fixed", is_flag=True, help="The pattern is plain text.")
@click.option("-n", "--line-numbers/--no-line-numbers", default=None, help="Line numbers; on a terminal by default.")
@click.option("-H/-h", "--with-filename/--no-filename", default=True, help="Paths before lines; on by default.")
@click.option("-c", "--count", is_flag=True, help="How many lines in each document.")
@click.option("-l", "--files-with-matches", is_flag=True, help="Only paths of documents that match.")
@click.option("-L", "--files-without-match", is_flag=True, help="Only paths of documents that do not.")
@click.option("-m", "--max-count", default=0, metavar="N", help="At most N lines of each document.")
@click.option("-A", "after", default=0, metavar="N", help="Lines after.")
@click.option("-B", "before", default=0, metavar="N", help="Lines before.")
@click.option("-C", "context", default=0, metavar="N", help="Lines before and after.")
@click.option("-g", "--glob", "globs", multiple=True, help="Only paths like this.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Mark matches.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, one document a line.")
@click.pass_obj
def grep(invocation: Invocation, /, pattern: str, paths: tuple[str, ...], **given: Any) -> None:
    """Print the lines that match PATTERN, by path. PATHS are exact, directories or globs. Exit code 1: no match."""
    from rolltop.store import Pattern

    asked = Pattern(
        re.escape(pattern) if given["fixed"] else pattern,
        paths=(*paths, *given["globs"]),
        ignore_case=given["ignore_case"],
        word=given["word"],
        invert=given["invert"],
        max_count=given["max_count"],
    )
    found = False
    with opened(invocation) as library:
        for line in _output(library, asked, given):
            sys.stdout.buffer.write(_shown(line))
            found = True
        if note := library.unread():
            click.echo(note, err=True)
    sys.stdout.buffer.flush()
    if not found:
        sys.exit(1)


def _shown(line: bytes) -> bytes:
    """What is printed, as it may be on a terminal; bytes that are no text stay."""
    return (
        as_shown(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape") if is_terminal() else line
    )


def _output(library: Library, asked: Pattern, given: dict[str, Any]) -> Iterator[bytes]:
    if given["files_without_match"]:
        return (f"{document.path}\n".encode() for document in library.grep.without(asked))
    if given["files_with_matches"]:
        return (f"{document.path}\n".encode() for document, _ in library.grep.counts(asked))
    if given["count"]:
        named = given["with_filename"]
        pairs = library.grep.counts(asked)
        return (f"{document.path}:{count}\n".encode() if named else b"%d\n" % count for document, count in pairs)
    return _json(library, asked, given) if given["as_json"] else _lines(library, asked, given)


def _lines(library: Library, asked: Pattern, given: dict[str, Any]) -> Iterator[bytes]:
    from rolltop.store.grep.printer import Printed, print_matches

    numbers = is_terminal() if given["line_numbers"] is None else given["line_numbers"]
    how = Printed(
        line_numbers=numbers,
        with_filename=given["with_filename"],
        before=given["before"] or given["context"],
        after=given["after"] or given["context"],
        color=in_colour(given["color"]),
    )
    return print_matches(library.grep.files(asked), how)


def _json(library: Library, asked: Pattern, given: dict[str, Any]) -> Iterator[bytes]:
    from dataclasses import asdict

    before, after = given["before"] or given["context"], given["after"] or given["context"]
    for file in library.grep.files(asked):
        matches = [asdict(match) for match in file.matches(before, after)]
        print_json({"file": file.document.path, "hash": file.document.hash, "matches": matches})
        yield b""
