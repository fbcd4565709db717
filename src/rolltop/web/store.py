"""`/store`: search, facets and one document with its versions and relations."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rolltop.web.backend import Backend, Outcome
from rolltop.web.graph import Drawing, drawn
from rolltop.web.render import respond
from rolltop.web.tools import agreed_in

__all__ = ["ROUTES"]

PAGE = 25
KINDS = ("hybrid", "keyword", "semantic", "fuzzy", "hash")
TABLE_ROWS = 200


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
    if text:
        results, total, problem = await _search(backend, text, kind, query.get("cursor"))
    else:
        results, total, problem = await _list(backend, query)
    facets = await backend.call("list_documents", {"facets": True, "limit": 1})
    deleted = await _history(backend, action="deleted")
    data = {
        "results": results,
        "total": total,
        "facets": facets.get("facets") or {},
        "deleted": list(deleted.get("deleted", []))[:PAGE],
        "query": text,
        "kind": kind,
        "chosen": {name: query.get(name, "") for name in ("tag", "extension")},
        "next": problem.get("next_cursor") if problem else None,
        "error": problem.error if problem else None,
        "note": problem.get("note") if problem else None,
    }
    return respond(request, "store.html", data, kinds=KINDS, link=_link(request))


async def _search(
    backend: Backend, text: str, kind: str, cursor: str | None
) -> tuple[list[dict[str, Any]], int, Outcome]:
    arguments: dict[str, Any] = {"query": text, "limit": PAGE, "cursor": cursor}
    if kind == "fuzzy":
        arguments["fuzzy"] = True
    elif kind != "hybrid":
        arguments["type"] = kind
    outcome = await backend.call("search_documents", arguments)
    return list(outcome.get("results", [])), int(outcome.get("total", 0)), outcome


async def _list(backend: Backend, query: Mapping[str, str]) -> tuple[list[dict[str, Any]], int, Outcome]:
    arguments: dict[str, Any] = {
        "sort_by": "indexed",
        "sort_order": "desc",
        "limit": PAGE,
        "cursor": query.get("cursor"),
    }
    if query.get("tag"):
        arguments["tags"] = [query["tag"]]
    if query.get("extension"):
        arguments["extension"] = query["extension"]
    outcome = await backend.call("list_documents", arguments)
    return list(outcome.get("documents", [])), int(outcome.get("total", 0)), outcome


def _link(request: Request) -> Any:
    """The address of this page with some parameters changed."""

    def link(**changes: str | None) -> str:
        kept = {**dict(request.query_params), **changes}
        kept.setdefault("cursor", None)
        if "cursor" not in changes:
            kept["cursor"] = None
        return "/store?" + urlencode({name: value for name, value in kept.items() if value})

    return link


async def show(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    found = await _found(request, graph=True)
    data = dict(found.data)
    text = data.get("content")
    path = str(data.get("path", ""))
    versions = await _history(backend, name=path)
    kind, table = _kind(data)
    related = data.pop("related_documents", None) or []
    shown = {
        "document": {key: value for key, value in data.items() if key != "content"},
        "content": text,
        "versions": list(versions.get("versions", [])),
        "difference": await _difference(request, path),
        "related": related,
        "details": await _details(backend, path),
    }
    drawing: Drawing | None = drawn(path or "this", related) if related else None
    return respond(request, "document.html", shown, kind=kind, table=table, drawing=drawing, outcome=None)


async def _found(request: Request, graph: bool = False) -> Outcome:
    backend: Backend = request.app.state.backend
    arguments = {"hash": request.path_params["hash"], "graph": graph, "include_content": True}
    found = await backend.call("retrieve_document", arguments)
    if not found.ok or not found.get("found", True):
        raise HTTPException(404, found.error or "No document has this hash.")
    return found


async def _details(backend: Backend, path: str) -> dict[str, Any]:
    """Tags and metadata of a document, from the list."""
    listed = await backend.call("list_documents", {"paths": [path], "limit": 1})
    documents = listed.get("documents", [])
    return dict(documents[0]) if documents else {}


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
    headers = {
        "Content-Security-Policy": "sandbox; default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'",
        "Content-Disposition": "inline" if inline else "attachment",
    }
    return Response(body, media_type=mime if inline else "application/octet-stream", headers=headers)


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
            return _problem(request, "Only text can be added here.", "`rolltop store add FILE` takes any file.")
    if not name:
        return _problem(request, "The document needs a name.", "Give one, for example notes/today.md.")
    outcome = await backend.call("store_text", {"name": name, "content": text.replace("\r\n", "\n"), "tags": tags})
    if not outcome.ok:
        return _problem(request, outcome.error or "", outcome.hint or "")
    return RedirectResponse(f"/store/{outcome.get('hash')}", 303)


async def tag(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    form = await request.form()
    arguments: dict[str, Any] = {"hash": request.path_params["hash"], "metadata": []}
    added = [each.strip() for each in str(form.get("add", "")).split(",") if each.strip()]
    removed = [str(each) for each in form.getlist("remove")]
    outcome = await backend.call("update_metadata", {**arguments, "add_tags": added, "remove_tags": removed})
    if not outcome.ok:
        return _problem(request, outcome.error or "", outcome.hint or "")
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
        return _problem(request, outcome.error or "", outcome.hint or "")
    return RedirectResponse("/store", 303)


async def restore(request: Request) -> Response:
    """Make an earlier version the current one."""
    form = await request.form()
    chosen = {"name": str(form.get("name", "")), "version": form.get("version")}
    outcome = await _history(request.app.state.backend, action="restore", **chosen)
    if not outcome.ok:
        return _problem(request, outcome.error or "", outcome.hint or "")
    return RedirectResponse(f"/store/{outcome.get('hash')}", 303)


async def undo(request: Request) -> Response:
    """Take a deletion back."""
    form = await request.form()
    outcome = await _history(request.app.state.backend, action="undo", name=str(form.get("name", "")))
    if not outcome.ok:
        return _problem(request, outcome.error or "", outcome.hint or "")
    return RedirectResponse("/store", 303)


def _problem(request: Request, message: str, hint: str) -> Response:
    return respond(request, "problem.html", {"message": message, "hint": hint}, 422)


ROUTES = (
    ("/store", index, ("GET",)),
    ("/store", add, ("POST",)),
    ("/store/undo", undo, ("POST",)),
    ("/store/{hash}", show, ("GET",)),
    ("/store/{hash}/raw", raw, ("GET",)),
    ("/store/{hash}/tags", tag, ("POST",)),
    ("/store/{hash}/restore", restore, ("POST",)),
    ("/store/{hash}/delete", delete, ("POST",)),
)
