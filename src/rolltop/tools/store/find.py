"""Tools that find documents by word, hash, tag and filters."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, WithJsonSchema

from mcp_core import FROM_DOCUMENTS, READS, Example, Result, ToolArguments, ToolContext
from rolltop.errors import InvalidInput
from rolltop.store import (
    TIMES,
    Excerpt,
    Found,
    Hit,
    Library,
    Listing,
    Shown,
    decode_shown,
    encode_shown,
    excerpts,
    is_hash_prefix,
    parse_time,
)
from rolltop.tools.store.budget import fitting
from rolltop.tools.store.models import Documents, From1, Line, info
from rolltop.workspace import Workspace

__all__ = ["FoundDocuments", "ListDocuments", "SearchByTag", "SearchDocuments", "list_page", "search", "tagged"]

MOST = 1 << 60
"""For callers without a budget."""

Color = Literal["always", "never", "auto"]
Moment = Annotated[str | int | float, WithJsonSchema({"type": ["string", "number"]})] | None


class SearchDocuments(ToolArguments):
    query: str = Field(description="Search query")
    limit: int = Field(default=10, ge=1, le=1000, description="Maximum results")
    fuzzy: bool = Field(default=False, description="Enable fuzzy search for approximate matching")
    similarity: float = Field(default=0.7, ge=0.0, le=1.0, description="Minimum similarity for fuzzy search (0.0-1.0)")
    hash: str | None = Field(
        default=None, description="Search by file hash (full or partial, minimum 8 characters)", min_length=8
    )
    type: Literal["keyword", "semantic", "hybrid"] = Field(
        default="hybrid", description="Search type: keyword, semantic, hybrid"
    )
    paths_only: bool = Field(default=False, description="Output only file paths (LLM-friendly format)")
    line_numbers: bool = Field(default=False, description="Show line numbers with matches")
    after_context: int = Field(default=0, ge=0, description="Show N lines after match")
    before_context: int = Field(default=0, ge=0, description="Show N lines before match")
    context: int = Field(default=0, ge=0, description="Show N lines before and after match")
    color: Color = Field(default="never", description="Color highlighting: always, never, auto")
    where: dict[str, Any] = Field(default_factory=dict, description="Filters of list_documents: tags, paths, type…")
    cursor: str | None = Field(default=None, description="next_cursor of the last page.")


class FoundDocument(BaseModel):
    id: int = Field(description="Number of the document.")
    hash: str = Field(description="SHA-256 of the content.")
    title: str = Field(description="Title of the document.")
    path: str = Field(description="Path of the document.")
    score: float = Field(description="How well it fits; 1 is an exact hash.")
    why: str | None = Field(default=None, description="What the score is made of.")
    snippet: str = Field(description="The piece of the content that fits best.")
    current: bool | None = Field(default=None, description="By hash. False: an earlier version has this content.")
    place: str | None = Field(default=None, description='Where the snippet stands: "line 12", "page 3", "Sheet1!B7".')
    matches: list[Line] | None = Field(default=None, description="Matching lines, when lines were asked for.")
    matches_complete: bool | None = Field(default=None, description="False: more lines match; grep shows all.")


class FoundDocuments(BaseModel):
    total: int = Field(description="How many documents match in all.")
    type: str = Field(description="What was done: full-text, semantic, hybrid, fuzzy or hash.")
    note: str | None = Field(default=None, description="What was not done as asked.")
    model: str | None = Field(default=None, description="Model that compared meanings.")
    embedded: float | None = Field(default=None, description="Share of the documents it knows, 0 to 1.")
    execution_time_ms: float = Field(description="Milliseconds.")
    results: list[FoundDocument] | None = Field(default=None, description="The documents, best first.")
    paths: list[str] | None = Field(default=None, description="Only their paths, when paths_only.")
    next_cursor: str | None = Field(default=None, description="Pass it as cursor to get the next page.")


class ListDocuments(ToolArguments):
    type: Literal["text", "image", "audio", "video", "archive", "document", "binary"] | None = Field(
        default=None, description="binary: all that is not text."
    )
    mime: str | None = Field(default=None, description="MIME type; image/* is a pattern.")
    extension: str | None = Field(default=None, description="With or without dot.")
    binary: bool = Field(default=False, description="Only non-text.")
    text: bool = Field(default=False, description="Only text.")
    created_after: Moment = Field(default=None, description="7d, 12h, yesterday, ISO 8601, seconds.")
    created_before: Moment = Field(default=None, description="Likewise.")
    modified_after: Moment = Field(default=None, description="Likewise.")
    modified_before: Moment = Field(default=None, description="Likewise.")
    indexed_after: Moment = Field(default=None, description="When stored.")
    indexed_before: Moment = Field(default=None, description="Likewise.")
    recent: From1 | None = Field(default=None, description="The N stored last.")
    sort_by: Literal["name", "size", "created", "modified", "indexed"] = Field(default="modified", description="Order.")
    sort_order: Literal["asc", "desc"] = Field(default="desc", description="Direction.")
    paths: list[str] = Field(default_factory=list, description="Paths, directories, globs.")
    tags: list[str] = Field(default_factory=list, description="All of these.")
    metadata: dict[str, Any] = Field(default_factory=dict, description='Values; {"priority": {">=": 3}} compares.')
    limit: int = Field(default=25, ge=1, le=1000, description="Page size.")
    cursor: str | None = Field(default=None, description="next_cursor of the last page.")
    facets: bool = Field(default=False, description="Count by type, extension, tag.")
    paths_only: bool = Field(default=False, description="Only paths.")


FILTERS = frozenset(ListDocuments.model_fields) - {
    *("recent", "sort_by", "sort_order", "limit", "cursor", "facets", "paths_only"),
}
"""What chooses documents, of the parameters of a list."""


class SearchByTag(ToolArguments):
    tags: list[str] = Field(description="project finds project/x too.", min_length=1)
    match_all: bool = Field(default=True, description="false: any of them.")
    exclude: list[str] = Field(default_factory=list, description="Tags they must not have.")
    query: str | None = Field(default=None, description="Words they must hold.")
    limit: int = Field(default=25, ge=1, le=1000, description="Page size.")
    cursor: str | None = Field(default=None, description="next_cursor of the last page.")


def search(library: Library, args: SearchDocuments, budget: int = MOST) -> FoundDocuments:
    """Search by hash or by words; as many documents as fit into the budget."""
    return fitting(
        lambda limit: _search(library, args.model_copy(update={"limit": limit})),
        lambda found: found.results or found.paths or [],
        args.limit,
        budget,
    )


def _search(library: Library, args: SearchDocuments) -> FoundDocuments:
    start = time.perf_counter()
    shown = decode_shown(args.cursor, _question(args)) if args.cursor else None
    found, following = _by_hash(library, args, shown) or _by_words(library, args, shown)
    results = found.results or []
    return found.model_copy(
        update={
            "execution_time_ms": round((time.perf_counter() - start) * 1000, 3),
            "results": None if args.paths_only else results,
            "paths": [hit.path for hit in results] if args.paths_only else None,
            "next_cursor": encode_shown(following, _question(args)) if following else None,
        }
    )


def _question(args: SearchDocuments) -> str:
    """What a cursor may be used for: the same search, with pages of whatever size and look."""
    similarity = args.similarity if args.fuzzy else None
    return json.dumps([args.query, args.hash, args.type, similarity, args.where], default=str)


def _within(where: dict[str, Any]) -> Listing | None:
    """Which documents a search is about; None for all."""
    if not where:
        return None
    if beside := where.keys() - FILTERS:
        raise InvalidInput(f"where has no {', '.join(sorted(beside))}", hint=f"It has {', '.join(sorted(FILTERS))}.")
    return _listing(ListDocuments.model_validate(where))


def _by_hash(
    library: Library, args: SearchDocuments, shown: Shown | None
) -> tuple[FoundDocuments, Shown | None] | None:
    """Documents by hash; None where the query is no hash after all."""
    wanted = args.hash or (args.query.strip() if is_hash_prefix(args.query.strip()) else None)
    if wanted is None or (shown and not shown.by_hash):
        return None
    held = library.documents.with_hash(wanted.strip())
    if not held and not args.hash and not shown:
        return None
    before = shown or Shown(by_hash=True)
    left = [each for each in held if _numbered(each) not in before.documents]
    page = left[: args.limit]
    following = before.and_these(map(_numbered, page)) if len(left) > len(page) else None
    found = [_holding(library, args, each) for each in page]
    return FoundDocuments(total=len(held), type="hash", execution_time_ms=0, results=found), following


def _numbered(held: Found) -> int:
    """One number for a content and a document that has or had it."""
    return held.object.id << 32 | held.document.id


def _holding(library: Library, args: SearchDocuments, held: Found) -> FoundDocument:
    entry = held.object
    content = replace(held.document, object=entry.id, hash=entry.hex, size=entry.size)  # perhaps of an earlier version
    snippet = "" if args.paths_only else library.search.beginning(content)
    shown = _found(library, args, Hit(held.document, 1.0, held.document.name, snippet, ""))
    return shown.model_copy(update={"hash": entry.hex, "current": held.current})


def _by_words(library: Library, args: SearchDocuments, shown: Shown | None) -> tuple[FoundDocuments, Shown | None]:
    similarity = args.similarity if args.fuzzy else None
    results = library.search.find(
        args.query,
        args.type,
        limit=args.limit,
        similarity=similarity,
        why=not args.paths_only,
        shown=shown,
        within=_within(args.where),
    )
    found = FoundDocuments(
        total=results.total,
        type=results.type,
        note=results.note,
        model=results.model,
        embedded=None if results.embedded is None else round(results.embedded, 3),
        execution_time_ms=0,
        results=[_found(library, args, hit) for hit in results.hits],
    )
    return found, results.next


def _found(library: Library, args: SearchDocuments, hit: Hit) -> FoundDocument:
    shown, color = None, args.color == "always"
    if args.line_numbers or args.context or args.before_context or args.after_context or color:
        before, after = args.before_context or args.context, args.after_context or args.context
        shown = excerpts(library, hit, before, after, color=color)
    return FoundDocument(
        id=hit.document.id,
        hash=hit.document.hash,
        title=hit.title,
        path=hit.document.path,
        score=round(hit.score, 6),
        why=hit.why or None,
        snippet=_highlighted(hit) if color else hit.snippet,
        place=hit.place or None,
        matches=None if shown is None else [_line(match) for match in shown.lines],
        matches_complete=None if shown is None else shown.complete,
    )


def _line(match: Excerpt) -> Line:
    return Line.of(match).model_copy(update={"line_from": match.line_from, "line_length": match.line_length})


def _highlighted(hit: Hit) -> str:
    from rolltop.store import highlighted  # noqa: PLC0415 - it brings numpy

    return highlighted(hit.snippet, hit.words)


_DOCS = (
    ("store_text", {"content": "Database optimization starts with measuring.\n", "name": "db.md", "tags": ["work/db"]}),
    ("store_text", {"content": "print('hello')\n", "name": "hello.py", "tags": ["code"]}),
)


@ToolArguments.declare(
    toolset="store",
    annotations=READS,
    examples=[
        Example({"query": "database optimization", "limit": 5}, why="Find by words.", expect="db.md.", before=_DOCS),
        Example(
            {"query": "databse optimizaton", "fuzzy": True, "similarity": 0.6},
            why="Find in spite of typing errors.",
            expect="db.md.",
            before=_DOCS,
        ),
        Example({"query": "placeholder", "hash": "abcd1234ef567890"}, why="Find by hash.", expect="Nothing: total 0."),
        Example({"query": "abcd1234ef567890"}, why="A query that looks like a hash.", expect="Nothing: total 0."),
    ],
    usage='Words are all wanted; where no document has all, any counts. "phrase", pre*, AND OR NOT -word ( ), and '
    "title: path: heading: body: tag: ext: type: work in a query. hash wins over query.",
    tags=[FROM_DOCUMENTS],
)
async def search_documents(args: SearchDocuments, ctx: ToolContext[Workspace]) -> Result[FoundDocuments]:
    """Search documents by word, meaning, typo or hash.

    The best documents first, with snippets; every matching line: {tool:grep_documents}.

    A query of 8 or more hexadecimal digits is tried as a hash first.

    Use it to look for documents about a topic or that mention a word, and to find where something was written.
    """
    return Result.ok(await ctx.run(search, ctx.workspace.store, args, ctx.budget))


def _listing(args: ListDocuments) -> Listing:
    bounds = {side: _bounds(args, side) for side in ("after", "before")}
    return Listing(
        type=args.type,
        mime=args.mime,
        extension=args.extension,
        binary=args.binary,
        text=args.text,
        after=bounds["after"],
        before=bounds["before"],
        recent=args.recent,
        paths=tuple(args.paths),
        tags=tuple(args.tags),
        metadata=args.metadata,
        sort_by=args.sort_by,
        descending=args.sort_order == "desc",
        limit=args.limit,
        cursor=args.cursor,
    )


def list_page(library: Library, args: ListDocuments, budget: int = MOST) -> Documents:
    """One page of a listing; as many documents as fit into the budget."""
    query = _listing(args)
    page = _page(library, query, budget, paths_only=args.paths_only)
    page.facets = library.catalog.listings.facets(query) if args.facets else None
    return page


def _page(library: Library, query: Listing, budget: int, *, paths_only: bool = False) -> Documents:
    def ask(limit: int) -> Documents:
        page = library.documents.page(replace(query, limit=limit))
        return Documents(
            total=page.total,
            next_cursor=page.next_cursor,
            note=library.texts.unread(),
            documents=None if paths_only else [info(document) for document in page.documents],
            paths=[document.path for document in page.documents] if paths_only else None,
        )

    return fitting(ask, lambda page: page.documents or page.paths or [], query.limit, budget)


def _bounds(args: ListDocuments, side: str) -> dict[str, int]:
    given = {name: getattr(args, f"{name}_{side}") for name in TIMES}
    return {name: _moment(f"{name}_{side}", value) for name, value in given.items() if value is not None}


def _moment(argument: str, value: str | int | float) -> int:
    try:
        return parse_time(value)
    except InvalidInput as problem:
        raise InvalidInput(f"{argument}: {problem}", hint=problem.hint) from None


@ToolArguments.declare(
    toolset="store",
    annotations=READS,
    examples=[
        Example({"indexed_after": "7d", "facets": True}, why="What came in this week?", expect="Both.", before=_DOCS),
        Example(
            {"type": "text", "extension": ".py", "recent": 10, "sort_by": "modified", "sort_order": "desc"},
            why="List the latest Python files.",
            expect="hello.py.",
            before=_DOCS,
        ),
    ],
    usage="Filters are joined by and. Follow next_cursor for the next page; it stays right while documents change.",
    tags=[FROM_DOCUMENTS],
)
async def list_documents(args: ListDocuments, ctx: ToolContext[Workspace]) -> Result[Documents]:
    """List documents with filters and sorting.

    By type, time, tag, metadata or path, not by words; tags alone: {tool:search_by_tag}.

    Use it to browse: all stored documents, the newest or largest, images, files of last week.
    """
    return Result.ok(await ctx.run(list_page, ctx.workspace.store, args, ctx.budget))


def tagged(library: Library, args: SearchByTag, budget: int = MOST) -> Documents:
    """Documents by tag."""
    chosen, note = (None, None) if args.query is None else library.search.numbers_of(args.query)
    query = Listing(
        tags=tuple(args.tags),
        match_all_tags=args.match_all,
        exclude_tags=tuple(args.exclude),
        documents=chosen,
        limit=args.limit,
        cursor=args.cursor,
    )
    page = _page(library, query, budget)
    page.note = note or page.note
    return page


@ToolArguments.declare(
    toolset="store",
    annotations=READS,
    examples=[
        Example({"tags": ["work"]}, why="Everything under work.", expect="db.md.", before=_DOCS),
        Example(
            {"tags": ["work", "code"], "match_all": False, "exclude": ["work/db"]},
            why="Either tag, but not one of them.",
            expect="hello.py.",
            before=_DOCS,
        ),
    ],
    usage="A tag finds the tags below it: project finds project/x. query keeps only documents with these words.",
    tags=[FROM_DOCUMENTS],
)
async def search_by_tag(args: SearchByTag, ctx: ToolContext[Workspace]) -> Result[Documents]:
    """Search within tagged documents.

    By any or all tags, and words; other filters: {tool:list_documents}.

    Use it to find everything with a tag.
    """
    return Result.ok(await ctx.run(tagged, ctx.workspace.store, args, ctx.budget))
