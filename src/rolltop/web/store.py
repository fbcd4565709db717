"""`/store`: search, facets, adding and exporting documents."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Mapping
from typing import IO, Any
from urllib.parse import urlencode

from starlette.concurrency import iterate_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from rolltop.store import Listing, parse_time
from rolltop.web.backend import Backend, Outcome
from rolltop.web.render import problem, respond

__all__ = ["ROUTES"]

PAGE = 25
KINDS = ("hybrid", "keyword", "semantic", "fuzzy", "hash")
FILTERS = ("tag", "extension", "since")
TIMES = {"1d": "the last day", "7d": "the last week", "30d": "the last month", "365d": "the last year"}
IN_MEMORY = 16 << 20
"""Bytes of an export that are not written to a temporary file."""
BLOCK = 1 << 18


async def index(request: Request) -> Response:
    """Search results, or the newest documents where nothing is searched for."""
    backend: Backend = request.app.state.backend
    query = request.query_params
    if name := query.get("name"):
        found = await backend.call("get_by_name", {"name": name, "length": 1})
        if not found.ok:
            raise HTTPException(404, found.error)
        return RedirectResponse(f"/store/{found.get('hash')}", 303)
    text, kind = query.get("q", "").strip(), query.get("type", "hybrid")
    chosen = {name: query.get(name, "") for name in FILTERS}
    where = _where(chosen)
    answer = await (
        _search(backend, text, kind, query.get("cursor"), where) if text else _list(backend, query.get("cursor"), where)
    )
    facets = await backend.count("list_documents", {"facets": True, "limit": 1})
    deleted = await _deleted(backend)
    data = {
        "results": list(answer.get("results") or answer.get("documents") or []),
        "total": int(answer.get("total", 0)),
        "facets": facets.get("facets") or {},
        "deleted": deleted,
        "query": text,
        "kind": kind,
        "chosen": chosen,
        "next": answer.get("next_cursor"),
        "error": answer.error,
        "note": answer.get("note"),
    }
    return respond(request, "store.html", data, kinds=KINDS, times=TIMES, link=_link(request), export=_export(chosen))


def _where(chosen: Mapping[str, str]) -> dict[str, Any]:
    """The filters of the page as those of `list_documents`."""
    where: dict[str, Any] = {}
    if chosen["tag"]:
        where["tags"] = [chosen["tag"]]
    if chosen["extension"]:
        where["extension"] = chosen["extension"]
    if chosen["since"]:
        where["indexed_after"] = chosen["since"]
    return where


async def _search(backend: Backend, text: str, kind: str, cursor: str | None, where: Mapping[str, Any]) -> Outcome:
    arguments: dict[str, Any] = {"query": text, "limit": PAGE, "cursor": cursor, "where": dict(where)}
    if kind == "fuzzy":
        arguments["fuzzy"] = True
    elif kind == "hash":
        arguments["hash"] = text
    elif kind in KINDS:
        arguments["type"] = kind
    return await backend.call("search_documents", arguments)


async def _list(backend: Backend, cursor: str | None, where: Mapping[str, Any]) -> Outcome:
    return await backend.call("list_documents", {"sort_by": "indexed", "limit": PAGE, "cursor": cursor, **where})


async def _deleted(backend: Backend) -> list[Any]:
    """What an undo could bring back; nothing for a page that only reads."""
    if not backend.has("document_history"):
        return []
    found = await backend.call("document_history", {"action": "deleted"})
    return list(found.get("deleted") or [])[:PAGE]


def _link(request: Request) -> Any:
    """The address of this page with some parameters changed."""

    def link(**changes: str | None) -> str:
        kept = {**dict(request.query_params), "cursor": None, **changes}
        return "/store?" + urlencode({name: value for name, value in kept.items() if value})

    return link


def _export(chosen: Mapping[str, str]) -> str:
    return "/store/export?" + urlencode({name: value for name, value in chosen.items() if value})


async def export(request: Request) -> Response:
    """All versions of the chosen documents as a tar archive, which `rolltop store import` reads."""
    backend: Backend = request.app.state.backend
    query = request.query_params
    since = {"indexed": parse_time(query["since"])} if query.get("since") in TIMES else {}
    tags, paths = query.getlist("tag"), query.getlist("path")
    listing = Listing(tags=tuple(tags), paths=tuple(paths), extension=query.get("extension") or None, after=since)
    file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed when it has been sent
    history, left = backend.application.workspace.store.history, list[tuple[str, str]]()
    try:
        await asyncio.to_thread(history.export, file, listing, None, left)
    except BaseException:
        file.close()
        raise
    headers = {"Content-Disposition": 'attachment; filename="rolltop-documents.tar"'}
    if left:
        headers["X-Rolltop-Left-Out"] = str(len(left))
    return StreamingResponse(iterate_in_threadpool(_blocks(file)), media_type="application/x-tar", headers=headers)


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while block := file.read(BLOCK):
            yield block


async def add(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    form = await request.form()
    name, text, file = str(form.get("name", "")).strip(), str(form.get("content", "")), form.get("file")
    tags = [tag.strip() for tag in str(form.get("tags", "")).split(",") if tag.strip()]
    if file is not None and not isinstance(file, str) and file.filename:
        name = name or file.filename
        held = await file.read()
        try:
            text = held.decode("utf-8")
        except UnicodeDecodeError:
            return problem(request, "Only text can be added here.", "`rolltop store add FILE` takes any file.")
    if not name:
        return problem(request, "The document needs a name.", "Give one, for example notes/today.md.")
    outcome = await backend.call("store_text", {"name": name, "content": text.replace("\r\n", "\n"), "tags": tags})
    if not outcome.ok:
        return problem(request, outcome.error, outcome.hint)
    return RedirectResponse(f"/store/{outcome.get('hash')}", 303)


async def undo(request: Request) -> Response:
    """Take a deletion back."""
    form = await request.form()
    outcome = await request.app.state.backend.call(
        "document_history", {"action": "undo", "name": str(form.get("name", ""))}
    )
    if not outcome.ok:
        return problem(request, outcome.error, outcome.hint)
    return RedirectResponse("/store", 303)


ROUTES = (
    ("/store", index, ("GET",)),
    ("/store", add, ("POST",)),
    ("/store/export", export, ("GET",)),
    ("/store/undo", undo, ("POST",)),
)
