"""Find documents: `rolltop store search`, `recall` and `grep`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.cli.output import as_shown, in_colour, is_terminal, note, print_json, print_line, print_rows
from rolltop.cli.store import as_dict, opened

if TYPE_CHECKING:
    from rolltop.store import Excerpt, Excerpts, Hit, Library, Pattern, Results

__all__ = ["grep", "recall", "search"]

NUMBER = click.IntRange(min=0)


@click.command(epilog=EXIT_CODES)
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=NUMBER, default=10, show_default=True, metavar="N", help="How many.")
@click.option("--offset", type=NUMBER, default=0, metavar="N", help="Leave out the first N.")
@click.option(
    "--type",
    "kind",
    type=click.Choice(["keyword", "semantic", "hybrid"]),
    default="hybrid",
    show_default=True,
    help="By words, by meaning, or both.",
)
@click.option("--fuzzy", is_flag=True, help="By words alone, also nearly spelled ones.")
@click.option("--similarity", default=0.7, show_default=True, help="How near, from 0 to 1.")
@click.option("-l", "--paths-only", is_flag=True, help="Only paths.")
@click.option("--lines", is_flag=True, help="The lines that hold the words, with their numbers.")
@click.option("-A", "after", type=NUMBER, default=0, metavar="N", help="Lines after.")
@click.option("-B", "before", type=NUMBER, default=0, metavar="N", help="Lines before.")
@click.option("-C", "context", type=NUMBER, default=0, metavar="N", help="Lines before and after.")
@click.option("--why", is_flag=True, help="What each score is made of.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Mark the words.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def search(invocation: Invocation, /, query: tuple[str, ...], **given: Any) -> None:
    """Find documents by their words and their meaning, the best first. Exit code 1: none.

    All words are wanted; where no document has all, any counts. "a phrase", prefix*, AND, OR, NOT, -word, ( ) and
    title: path: heading: body: tag: ext: type: work as one would expect.
    """
    asked = " ".join(query)
    with opened(invocation) as library:
        similarity = given["similarity"] if given["fuzzy"] else None
        why = given["why"] or given["as_json"]
        results = library.search.find(
            asked, given["kind"], limit=given["limit"], offset=given["offset"], similarity=similarity, why=why
        )
        lines = {hit.document.id: _lines(library, hit, given) for hit in results.hits} if _wants_lines(given) else {}
    if given["as_json"]:
        _json(results, lines)
    elif given["paths_only"]:
        for hit in results.hits:
            print_line(hit.document.path)
    else:
        _print(results, lines, given)
    if results.note:
        note(results.note)
    if results.embedded is not None and results.embedded < 1:
        note(f"{results.model} knows {results.embedded:.0%} of the documents; for all: rolltop store reindex --keep")
    shown = given["offset"] + len(results.hits)
    if shown < results.total and not given["as_json"]:
        note(f"{len(results.hits)} of {results.total}; more with -n or --offset {shown}")
    if not results.total:
        raise SystemExit(1)


def _wants_lines(given: dict[str, Any]) -> bool:
    return any(given[name] for name in ("lines", "after", "before", "context"))


def _lines(library: Library, hit: Hit, given: dict[str, Any]) -> Excerpts:
    from rolltop.store import excerpts

    before, after = given["before"] or given["context"], given["after"] or given["context"]
    return excerpts(library, hit, before, after, color=_wants_color(given) and not given["as_json"])


def _wants_color(given: dict[str, Any]) -> bool:
    return in_colour(given["color"])


def _json(results: Results, lines: dict[int, Excerpts]) -> None:
    found = []
    for hit in results.hits:
        told = as_dict(hit.document) | {"score": hit.score, "why": dict(hit.parts), "title": hit.title}
        told |= {"snippet": hit.snippet, "place": hit.place}
        if hit.document.id in lines:
            shown = lines[hit.document.id]
            told |= {"matches": [asdict(match) for match in shown.lines], "matches_complete": shown.complete}
        found.append(told)
    about = {"type": results.type, "note": results.note, "model": results.model, "embedded": results.embedded}
    print_json({"total": results.total, **about, "results": found})


def _print(results: Results, lines: dict[int, Excerpts], given: dict[str, Any]) -> None:
    color = _wants_color(given)
    if not is_terminal() and not lines and not color:
        more = ("WHY",) if given["why"] else ()
        rows = [(f"{h.score:.2f}", h.document.path, h.snippet, *([h.why] if more else [])) for h in results.hits]
        print_rows(("SCORE", "PATH", "TEXT", *more), rows)
        return
    for hit in results.hits:
        title = f"  {as_shown(hit.title)}" if hit.title != hit.document.name else ""
        place = f"  {as_shown(hit.place)}" if hit.place and not lines else ""
        why = f"  {hit.why}" if given["why"] else ""
        path = click.style(as_shown(hit.document.path), fg="magenta", bold=True)
        click.echo(f"{path}  {hit.score:.2f}{title}{place}{why}", color=color)
        for line in _texts(hit, lines.get(hit.document.id), color):
            click.echo(f"  {as_shown(line)}", color=color)


def _texts(hit: Hit, lines: Excerpts | None, color: bool) -> list[str]:
    if lines is None:
        return [_highlighted(hit) if color else hit.snippet] if hit.snippet else []
    told = _each_once(lines.lines)
    return told if lines.complete else [*told, "… more lines hold these words; rolltop store grep shows every line"]


def _each_once(matches: list[Excerpt]) -> list[str]:
    """Matching lines and their context in order, each once, with -- between groups, like grep."""
    around: dict[int, str] = {}
    for match in matches:
        around |= {match.line_number - len(match.before) + at: text for at, text in enumerate(match.before)}
        around |= {match.line_number + 1 + at: text for at, text in enumerate(match.after)}
    shown = {number: f"{number}-{text}" for number, text in around.items()}
    for match in matches:
        place = f"{match.place}: " if match.place else ""
        line = f"…{match.line}…" if match.line_length else match.line
        shown[match.line_number] = f"{match.line_number}:{place}{line}"
    told: list[str] = []
    for number in sorted(shown):
        if told and around and number - 1 not in shown:
            told.append("--")
        told.append(shown[number])
    return told


def _highlighted(hit: Hit) -> str:
    from rolltop.store import highlighted

    return highlighted(hit.snippet, hit.words)


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
        if note := library.texts.unread():
            click.echo(note, err=True)
    sys.stdout.buffer.flush()
    if not found:
        sys.exit(1)


def _shown(line: bytes) -> bytes:
    """Escape a line for a terminal; undecodable bytes stay as they are."""
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
    return _grep_json(library, asked, given) if given["as_json"] else _grep_lines(library, asked, given)


def _grep_lines(library: Library, asked: Pattern, given: dict[str, Any]) -> Iterator[bytes]:
    from rolltop.store import Printed, print_matches

    numbers = is_terminal() if given["line_numbers"] is None else given["line_numbers"]
    how = Printed(
        line_numbers=numbers,
        with_filename=given["with_filename"],
        before=given["before"] or given["context"],
        after=given["after"] or given["context"],
        color=in_colour(given["color"]),
    )
    return print_matches(library.grep.files(asked), how)


def _grep_json(library: Library, asked: Pattern, given: dict[str, Any]) -> Iterator[bytes]:
    from dataclasses import asdict

    before, after = given["before"] or given["context"], given["after"] or given["context"]
    for file in library.grep.files(asked):
        matches = [asdict(match) for match in file.matches(before, after)]
        print_json({"file": file.document.path, "hash": file.document.hash, "matches": matches})
        yield b""


@click.command(epilog=EXIT_CODES)
@click.argument("task", nargs=-1, required=True)
@click.option("-c", "--characters", type=NUMBER, default=6000, show_default=True, metavar="N", help="At most so many.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only documents with this tag.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def recall(
    invocation: Invocation, task: tuple[str, ...], characters: int, tags: tuple[str, ...], *, as_json: bool
) -> None:
    """Print the passages that matter for a task, with where they stand; pinned documents first."""
    from rolltop.store import recall as recalled

    with opened(invocation) as library:
        found = recalled(library, " ".join(task), characters, tags)
    if as_json:
        print_json([{"path": each.document.path, "place": each.place, "text": each.text} for each in found.passages])
        return
    for each in found.passages:
        print_line(f"{each.document.path}, {each.place}")
        print_line(f"{each.text}\n")
    if found.note:
        note(found.note)
    if not found.passages:
        sys.exit(1)
