"""`/reports`: the gallery, one report with its source, its rendered page in a sandboxed frame, and its figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rolltop.reports.source.gallery import TEMPLATES
from rolltop.web.backend import Backend, Outcome
from rolltop.web.render import respond
from rolltop.web.tools import agreed_in

__all__ = ["ROUTES"]

FORMATS = ("html", "pdf", "word", "pptx")
FRAME_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline' data:; "
    "img-src data:; font-src data:; media-src data:; frame-ancestors 'self'"
)
"""A report is foreign HTML: it runs in an origin of its own, and reaches nothing."""
STARTER = "## Summary\n\n```{r}\nsummary(cars)\nplot(cars)\n```\n"


async def index(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    listed = await backend.call("list_rmd", {"limit": 200})
    documents = [await _with_figure(backend, dict(each)) for each in listed.get("documents", [])]
    data = {"reports": documents, "error": listed.error}
    return respond(request, "reports.html", data, starter=STARTER, templates=TEMPLATES)


async def _with_figure(backend: Backend, document: dict[str, Any]) -> dict[str, Any]:
    document["name"] = str(document["filename"]).rpartition(".")[0]
    read = await backend.call("read_rmd", {"filename": document["name"]})
    document["figures"] = [_last(uri) for uri in read.get("figures", [])]
    return document


async def show(request: Request) -> Response:
    return await _page(request, None)


async def _page(request: Request, outcome: Outcome | None, status: int = 200) -> Response:
    backend: Backend = request.app.state.backend
    name = request.path_params["name"]
    read = await backend.call("read_rmd", {"filename": name})
    if not read.ok:
        raise HTTPException(404, read.error)
    listed = await backend.call("list_rmd", {"limit": 200})
    wanted = (f"{name}.Rmd", f"{name}.rmd", f"{name}.qmd")
    known: Mapping[str, Any] = next((each for each in listed.get("documents", []) if each["filename"] in wanted), {})
    data = {
        "name": name,
        "content": read.get("content", ""),
        "side_files": read.get("side_files", []),
        "figures": [_last(uri) for uri in read.get("figures", [])],
        "outputs": [_last(uri) for uri in known.get("outputs", [])],
        "title": known.get("title", name),
        "rendered": outcome.data if outcome is not None and outcome.ok else None,
    }
    return respond(request, "report.html", data, status, outcome=outcome, formats=FORMATS)


async def create(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    form = await request.form()
    arguments = {name: str(form.get(name, "")) for name in ("filename", "title", "content")}
    arguments["content"] = arguments["content"].replace("\r\n", "\n")
    if template := str(form.get("template", "")):
        unchanged = arguments["content"].strip() == STARTER.strip()
        arguments |= {"template": template, "content": "" if unchanged else arguments["content"]}
    outcome = await backend.call("create_rmd", arguments, agreed_in(form))
    if outcome.questions:
        return respond(request, "ask.html", {"questions": outcome.questions}, fields=arguments, back="/reports")
    if not outcome.ok:
        return respond(request, "problem.html", {"message": outcome.error, "hint": outcome.hint or ""}, 422)
    name = str(outcome.get("filename", arguments["filename"])).rpartition(".")[0]
    return RedirectResponse(f"/reports/{quote(name)}", 303)


async def change(request: Request) -> Response:
    """Save the text, render it, or both."""
    backend: Backend = request.app.state.backend
    form = await request.form()
    name = request.path_params["name"]
    outcome: Outcome | None = None
    if "content" in form and not backend.settings.read_only:
        text = str(form["content"]).replace("\r\n", "\n")
        read = await backend.call("read_rmd", {"filename": name})
        if text != read.get("content"):
            outcome = await backend.call("update_rmd", {"filename": name, "content": text}, agreed_in(form))
            if outcome.questions:
                fields: Mapping[str, str] = {"content": text}
                return respond(request, "ask.html", {"questions": outcome.questions}, fields=fields, back="/reports")
            if not outcome.ok:
                return await _page(request, outcome, 422)
    if form.get("render"):
        outcome = await backend.call("render_rmd", {"filename": name, "formats": [str(form["render"])]})
    return await _page(request, outcome, 200 if outcome is None or outcome.ok else 422)


async def output(request: Request) -> Response:
    """A rendered file: HTML in a sandbox, everything else to download."""
    file = request.path_params["file"]
    mime, body = await _bytes(request, f"rmd-output:///{quote(file)}")
    headers = {"Content-Security-Policy": FRAME_POLICY, "Cross-Origin-Resource-Policy": "same-origin"}
    if mime not in ("text/html", "application/pdf"):
        headers["Content-Disposition"] = "attachment"
    if mime == "application/pdf":
        headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
    return Response(body, media_type=mime, headers=headers)


async def figure(request: Request) -> Response:
    name, file = request.path_params["name"], request.path_params["file"]
    mime, body = await _bytes(request, f"rmd-figure:///{quote(name)}/{quote(file)}")
    return Response(body, media_type=mime, headers={"Content-Security-Policy": "sandbox; default-src 'none'"})


async def _bytes(request: Request, uri: str) -> tuple[str, bytes]:
    backend: Backend = request.app.state.backend
    try:
        contents = await backend.read(uri)
    except Exception as error:
        if getattr(error, "hint", None) is None:
            raise
        raise HTTPException(404, "There is no such file.") from None
    held = contents[0].content
    body = held.encode("utf-8", "surrogateescape") if isinstance(held, str) else held
    return contents[0].mime_type or "application/octet-stream", body


def _last(uri: str) -> str:
    return uri.rpartition("/")[2]


ROUTES = (
    ("/reports", index, ("GET",)),
    ("/reports", create, ("POST",)),
    ("/reports/{name}", show, ("GET",)),
    ("/reports/{name}", change, ("POST",)),
    ("/reports/{name}/output/{file}", output, ("GET",)),
    ("/reports/{name}/figure/{file}", figure, ("GET",)),
)
