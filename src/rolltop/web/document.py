"""`/store/{document}`: content, versions, metadata and relations of one document, and what changes it."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rolltop.store import format_time
from rolltop.web.backend import Backend, Outcome
from rolltop.web.forms import typed_value
from rolltop.web.graph import Drawing, drawn
from rolltop.web.render import problem, respond
from rolltop.web.tools import agreed_in

__all__ = ["ROUTES"]

TABLE_ROWS = 200


async def show(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    found = await _found(request)
    data = dict(found.data)
    path = str(data.get("path", ""))
    versions = await _history(backend, name=path)
    related = data.pop("related_documents", None) or []
    page = await _page_of(request, data)
    shown = {
        "document": {key: value for key, value in data.items() if key not in ("content", "blob")},
        "content": page.get("content") if page else data.get("content"),
        "page": int(request.query_params.get("page", 1)) if page else None,
        "versions": list(versions.get("versions") or []),
        "difference": await _difference(request, path),
        "related": related,
        "details": await asyncio.to_thread(_details, backend, str(data["hash"])),
    }
    kind, table = _kind(data)
    drawing: Drawing | None = drawn(path or "this", related) if related else None
    return respond(request, "document.html", shown, kind=kind, table=table, drawing=drawing, outcome=None)


async def _found(request: Request) -> Outcome:
    backend: Backend = request.app.state.backend
    arguments = {"hash": request.path_params["hash"], "graph": True, "depth": 1, "include_content": True}
    found = await backend.call("retrieve_document", arguments)
    if not found.ok or not found.get("found", True):
        raise HTTPException(404, found.error or "No document has this hash.")
    return found


async def _page_of(request: Request, data: Mapping[str, Any]) -> Outcome | None:
    """The text of one page of a PDF or the like; None for documents without pages."""
    number = request.query_params.get("page", "1")
    if not data.get("pages") or not number.isdecimal() or not 1 <= int(number) <= data["pages"]:
        return None
    found = await request.app.state.backend.call("cat_document", {"hash": data["hash"], "page": int(number)})
    return found if found.ok else Outcome({"content": ""})  # a page without text


def _details(backend: Backend, digest: str) -> dict[str, Any]:
    """Tags, times and metadata with its history."""
    store = backend.application.workspace.store
    found = store.documents.by_hash(digest)
    if found is None:
        return {}
    document = store.documents.filled(found.document)
    past = [
        {"key": key, "value": value, "since": format_time(since), "until": format_time(until)}
        for key, value, since, until in store.history.metadata_history(document)
        if until is not None
    ]
    return {
        "version": document.version,
        "modified": format_time(document.modified),
        "indexed": format_time(document.indexed),
        "tags": list(document.tags),
        "metadata": dict(document.metadata),
        "metadata_history": past[::-1],
    }


async def _history(backend: Backend, **arguments: Any) -> Outcome:
    """What `document_history` answers; nothing where it is not served, as to a page that only reads."""
    return await backend.call("document_history", arguments) if backend.has("document_history") else Outcome({})


async def _difference(request: Request, path: str) -> dict[str, Any] | None:
    """The versions that the address names, compared; None where it names none."""
    chosen = {name: request.query_params.get(name, "") for name in ("old", "new")}
    if not all(value.isdecimal() for value in chosen.values()):
        return None
    numbers = {"version": int(chosen["old"]), "to": int(chosen["new"])}
    found = await _history(request.app.state.backend, action="diff", name=path, **numbers)
    told = {name: found.get(name) for name in ("diff", "note", "complete")}
    return {**told, "error": found.error, "old": numbers["version"], "new": numbers["to"]}


def _kind(data: Mapping[str, Any]) -> tuple[str, list[list[str]]]:
    """How the content is shown: `image`, `pdf`, `table`, `markdown`, `code` or `binary`."""
    mime, path, text = str(data.get("mime_type", "")), str(data.get("path", "")), data.get("content")
    if mime.startswith("image/"):
        return "image", []
    if mime == "application/pdf":
        return "pdf", []
    if not isinstance(text, str) or data.get("encoding") == "base64":
        return "binary", []
    if path.endswith((".csv", ".tsv")):
        rows = csv.reader(io.StringIO(text), delimiter="\t" if path.endswith(".tsv") else ",")
        return "table", [row for row, _ in zip(rows, range(TABLE_ROWS), strict=False)]
    return ("markdown" if path.endswith((".md", ".markdown", ".Rmd", ".qmd")) else "code"), []


async def raw(request: Request) -> Response:
    """The bytes, to download; images and PDF may be shown, but only in a sandbox of their own."""
    backend: Backend = request.app.state.backend
    contents = await backend.read(f"doc://{request.path_params['hash']}?raw=true")
    if not contents:
        raise HTTPException(404, "No document has this hash.")
    first = contents[0]
    held = first.content
    body = held.encode("utf-8", "surrogateescape") if isinstance(held, str) else held
    mime = first.mime_type or "application/octet-stream"
    inline = mime.startswith("image/") or mime == "application/pdf"
    policy = "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; frame-ancestors 'self'"
    headers = {
        # A browser's own viewer does not open a PDF in a sandbox; it runs scripts of a PDF apart from the page.
        "Content-Security-Policy": policy if mime == "application/pdf" else f"sandbox; {policy}",
        "Content-Disposition": "inline" if inline and "download" not in request.query_params else "attachment",
    }
    return Response(body, media_type=mime if inline else "application/octet-stream", headers=headers)


async def tag(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    form = await request.form()
    arguments: dict[str, Any] = {"hash": request.path_params["hash"], "metadata": []}
    added = [each.strip() for each in str(form.get("add", "")).split(",") if each.strip()]
    removed = [str(each) for each in form.getlist("remove")]
    outcome = await backend.call("update_metadata", {**arguments, "add_tags": added, "remove_tags": removed})
    if not outcome.ok:
        return problem(request, outcome.error, outcome.hint)
    return RedirectResponse(f"/store/{request.path_params['hash']}", 303)


async def metadata(request: Request) -> Response:
    """Set one value; an empty one removes the key."""
    backend: Backend = request.app.state.backend
    form = await request.form()
    key, value = str(form.get("key", "")).strip(), str(form.get("value", ""))
    change: dict[str, Any] = {"metadata": {key: typed_value(value)}} if value else {"remove": [key]}
    outcome = await backend.call("update_metadata", {"hash": request.path_params["hash"], **change})
    if not outcome.ok:
        return problem(request, outcome.error, outcome.hint)
    return RedirectResponse(f"/store/{request.path_params['hash']}", 303)


async def delete(request: Request) -> Response:
    """Ask first, as for every client; the second time the answer comes with the form."""
    backend: Backend = request.app.state.backend
    form = await request.form()
    name = str(form.get("name", ""))
    outcome = await backend.call("delete_by_name", {"name": name}, agreed_in(form))
    if outcome.questions:
        return respond(request, "ask.html", {"questions": outcome.questions}, fields={"name": name}, back="/store")
    if not outcome.ok:
        return problem(request, outcome.error, outcome.hint)
    return RedirectResponse("/store", 303)


async def restore(request: Request) -> Response:
    """Make an earlier version the current one."""
    form = await request.form()
    version = str(form.get("version", ""))
    if not version.isdecimal():
        return problem(request, "There is no such version.", "Choose one of the table.")
    chosen = {"name": str(form.get("name", "")), "version": int(version)}
    outcome = await _history(request.app.state.backend, action="restore", **chosen)
    if not outcome.ok:
        return problem(request, outcome.error, outcome.hint)
    return RedirectResponse(f"/store/{outcome.get('hash')}", 303)


ROUTES = (
    ("/store/{hash}", show, ("GET",)),
    ("/store/{hash}/raw", raw, ("GET",)),
    ("/store/{hash}/tags", tag, ("POST",)),
    ("/store/{hash}/metadata", metadata, ("POST",)),
    ("/store/{hash}/restore", restore, ("POST",)),
    ("/store/{hash}/delete", delete, ("POST",)),
)
