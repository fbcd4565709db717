"""grep over everything that is stored."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from pydantic import BaseModel, Field, PrivateAttr

from mcp_core import FROM_DOCUMENTS, READS, Example, Result, ToolArguments, ToolContext
from rolltop.errors import InvalidInput
from rolltop.store import (
    Document,
    FileLines,
    Library,
    Missed,
    Pattern,
    Printed,
    decode_cursor,
    encode_cursor,
    missing_documents,
)
from rolltop.tools.store.budget import SHARE
from rolltop.tools.store.linepage import LinePage
from rolltop.tools.store.models import Line
from rolltop.workspace import Workspace

__all__ = ["GrepDocuments", "Grepped", "grep"]


COUNT_COST = 40
"""Characters that the fields around a count take in JSON."""


class GrepDocuments(ToolArguments):
    pattern: str = Field(description="Regular expression pattern to search for")
    paths: list[str] = Field(
        default_factory=list, description="Files or directories to search (default: all indexed files)"
    )
    after_context: int = Field(default=0, ge=0, description="Show N lines after match")
    before_context: int = Field(default=0, ge=0, description="Show N lines before match")
    context: int = Field(default=0, ge=0, description="Show N lines before and after match")
    ignore_case: bool = Field(default=False, description="Case-insensitive search")
    word: bool = Field(default=False, description="Match whole words only")
    invert: bool = Field(default=False, description="Invert match (show non-matching lines)")
    line_numbers: bool = Field(default=False, description="Show line numbers")
    with_filename: bool = Field(default=False, description="Show filename with matches")
    count: bool = Field(default=False, description="Show only count of matching lines")
    files_with_matches: bool = Field(default=False, description="Show only filenames with matches")
    files_without_match: bool = Field(default=False, description="Show only filenames without matches")
    color: Literal["always", "never", "auto"] = Field(default="never", description="Color mode: always, never, auto")
    max_count: int = Field(default=0, ge=0, description="Stop after N matches per file")
    cursor: str | None = Field(default=None, description="next_cursor of the last page.")


class GrepFile(BaseModel):
    file: str = Field(description="Path of the document.")
    hash: str | None = Field(default=None, description="SHA-256 of its content, with its lines.")
    matches: list[Line] | None = Field(default=None, description="The selected lines.")
    match_count: int | None = Field(default=None, description="How many lines are selected (count).")
    binary: bool | None = Field(default=None, description="True: the document is not text, so no lines are shown.")


class Grepped(BaseModel):
    pattern: str = Field(description="The pattern.")
    results: list[GrepFile] | None = Field(default=None, description="Documents with selected lines, by path.")
    files_with_matches: list[str] | None = Field(default=None, description="Their paths, when asked for.")
    files_without_match: list[str] | None = Field(default=None, description="The other paths, when asked for.")
    count: int | None = Field(default=None, description="How many files there are in the list.")
    total_matches: int | None = Field(default=None, description="All selected lines (count).")
    complete: bool = Field(description="Whether everything that matches is in this answer.")
    next_cursor: str | None = Field(default=None, description="Pass it as cursor to go on where this answer ends.")
    note: str | None = Field(default=None, description="What could not be looked at yet, or is shown in part.")

    _text: str | None = PrivateAttr(default=None)

    @property
    def text(self) -> str | None:
        """The answer as ripgrep prints it, with what there is to say about it."""
        if self._text is None:
            return None
        more = f'There is more: call again with cursor "{self.next_cursor}".' if self.next_cursor else None
        return "\n\n".join(filter(None, (self._text or "Nothing matches.", self.note, more)))


def grep(library: Library, args: GrepDocuments, budget: int, check: Callable[[], None] = lambda: None) -> Grepped:
    """Search; nothing is left out without `complete: false` and a cursor, or a note."""
    missed: Missed = {}
    found = _search(library, args, budget, check, missed)
    damaged = f"{missing_documents(missed)}. Run `rolltop store repair`." if missed else None
    found.note = " ".join(filter(None, (found.note, damaged, library.texts.unread()))) or None
    found.complete = found.complete and not missed
    return found


def _search(library: Library, args: GrepDocuments, budget: int, check: Callable[[], None], missed: Missed) -> Grepped:
    if sum((args.count, args.files_with_matches, args.files_without_match)) > 1:
        raise InvalidInput("count, files_with_matches and files_without_match exclude each other")
    asked = Pattern(
        args.pattern,
        paths=tuple(args.paths),
        ignore_case=args.ignore_case,
        word=args.word,
        invert=args.invert,
        max_count=args.max_count,
    )
    after, line = _place(args.cursor)
    limit = int(budget * SHARE)
    if args.files_without_match:
        paths = [document.path for document in library.grep.without(asked, missed) if document.path > after]
        return _names(args, paths, limit)
    if args.files_with_matches:
        paths = [document.path for document, _ in library.grep.counts(asked, missed) if document.path > after]
        return _names(args, paths, limit)
    if args.count:
        return _counts(args, list(library.grep.counts(asked, missed)), after, limit)
    return _lines(args, library.grep.files(asked, after, line, missed), limit, check)


def _place(cursor: str | None) -> tuple[str, int]:
    """Where an answer goes on: after a document, or in it, after a line."""
    path, line = decode_cursor(cursor, 2) if cursor else ("", 0)
    return str(path), line if isinstance(line, int) else 0


def _names(args: GrepDocuments, paths: list[str], limit: int) -> Grepped:
    shown, used = 0, 0
    while shown < len(paths) and ((used := used + len(paths[shown]) + 4) <= limit or not shown):
        shown += 1
    complete = shown == len(paths)
    kept = paths[:shown]
    return Grepped(
        pattern=args.pattern,
        files_with_matches=kept if args.files_with_matches else None,
        files_without_match=kept if args.files_without_match else None,
        count=len(kept),
        complete=complete,
        next_cursor=None if complete else encode_cursor(kept[-1], 0),
    )


def _counts(args: GrepDocuments, pairs: list[tuple[Document, int]], after: str, limit: int) -> Grepped:
    rest = [(document, count) for document, count in pairs if document.path > after]
    results: list[GrepFile] = []
    used = 0
    for document, count in rest:
        used += len(document.path) + COUNT_COST
        if used > limit and results:
            break
        results.append(GrepFile(file=document.path, match_count=count))
    complete = len(results) == len(rest)
    return Grepped(
        pattern=args.pattern,
        results=results,
        total_matches=sum(count for _, count in pairs),
        complete=complete,
        next_cursor=None if complete else encode_cursor(results[-1].file, 0),
    )


def _lines(args: GrepDocuments, files: Iterable[FileLines], limit: int, check: Callable[[], None]) -> Grepped:
    page = LinePage(_printed(args), limit)
    for file in files:
        check()
        if not page.take(file):
            break
    found = Grepped(
        pattern=args.pattern,
        results=[
            GrepFile(file=each.path, hash=each.hash, matches=each.lines, binary=each.binary) for each in page.files
        ],
        complete=page.full_at is None,
        next_cursor=None if page.full_at is None else encode_cursor(*page.full_at),
        note=page.note,
    )
    found._text = page.text()
    return found


def _printed(args: GrepDocuments) -> Printed:
    before, after = args.before_context or args.context, args.after_context or args.context
    return Printed(args.line_numbers, args.with_filename, before, after, color=_colored(args))


def _colored(args: GrepDocuments) -> bool:
    return args.color == "always"


_CODE = (
    ("store_text", {"content": "export function load() async {\n  return 1;\n}\n", "name": "src/load.js"}),
    ("store_text", {"content": "nothing here\n", "name": "notes.txt"}),
)


@ToolArguments.declare(
    toolset="store",
    annotations=READS,
    examples=[
        Example(
            {"pattern": "function.*async", "paths": ["src/"], "line_numbers": True, "context": 2},
            why="Find a line and what stands around it.",
            expect="Line 1 of src/load.js with the two lines after it.",
            before=_CODE,
        ),
        Example({"pattern": "RETURN", "ignore_case": True, "count": True}, why="Count.", expect="1.", before=_CODE),
        Example({"pattern": "(a)\\1"}, why="A back-reference.", expect="An error.", fails="invalid_arguments"),
    ],
    usage=(
        "paths are exact paths, directories or globs. before_context and after_context win over context. "
        "While complete is false, call again with next_cursor."
    ),
    tags=[FROM_DOCUMENTS],
)
async def grep_documents(args: GrepDocuments, ctx: ToolContext[Workspace]) -> Result[Grepped]:
    """Search for regex patterns within documents.

    Every matching line, in order; documents by words: {tool:search_documents}. RE2: no look-around, no
    back-references.

    Use it to find or count the lines that contain or match something.
    """
    found = await ctx.run(grep, ctx.workspace.store, args, ctx.budget, ctx.check_cancelled)
    return Result.ok(found, message=found.text)
