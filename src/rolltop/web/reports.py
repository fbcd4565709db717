"""`/reports`: the gallery, one report with its source, its rendered page in a sandboxed frame, and its figures."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from urllib.parse import quote, unquote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rolltop.reports.source.gallery import TEMPLATES
from rolltop.web.backend import Backend, Outcome
from rolltop.web.jobs import Job, Jobs
from rolltop.web.render import problem, respond
from rolltop.web.tools import agreed_in

__all__ = ["ROUTES"]

PAGE = 24
FORMATS = ("html", "pdf", "word", "pptx")
FRAME_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline' data:; "
    "img-src data:; font-src data:; media-src data:; frame-ancestors 'self'"
)
"""A report is foreign HTML: it runs in an origin of its own, and reaches nothing."""
STARTER = "## Summary\n\n```{r}\nsummary(cars)\nplot(cars)\n```\n"


async def index(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    listed = await backend.call("list_rmd", {"limit": PAGE, "cursor": request.query_params.get("cursor")})
    documents = [{**each, "name": _stem(each["filename"])} for each in listed.get("documents", [])]
    first = await asyncio.to_thread(_first_figures, backend, [each["name"] for each in documents])
    data = {
        "reports": [{**each, "figure": first.get(each["name"])} for each in documents],
        "next": listed.get("next_cursor"),
        "error": listed.error,
    }
    return respond(request, "reports.html", data, starter=STARTER, templates=TEMPLATES)


def _first_figures(backend: Backend, stems: list[str]) -> dict[str, str]:
    """The first plot of each report that has one."""
    outputs = backend.application.workspace.reports.outputs
    return {stem: outputs.figures(stem)[0].name for stem in set(outputs.figured()).intersection(stems)}


async def show(request: Request) -> Response:
    jobs: Jobs = request.app.state.jobs
    name = request.path_params["name"]
    job = jobs.get(request.query_params.get("job", ""), name) or jobs.running(name)
    return await _page(request, job=job)


async def _page(
    request: Request, outcome: Outcome | None = None, status: int = 200, job: Job | None = None
) -> Response:
    backend: Backend = request.app.state.backend
    name = request.path_params["name"]
    read = await backend.call("read_rmd", {"filename": name})
    if not read.ok:
        raise HTTPException(404, read.error)
    outcome = job.outcome if job is not None else outcome
    data = {
        "name": name,
        "filename": read.get("filename", ""),
        "content": read.get("content", ""),
        "side_files": read.get("side_files", []),
        "figures": [_last(uri) for uri in read.get("figures", [])],
        "outputs": await asyncio.to_thread(_outputs, backend, name),
        "versions": read.get("versions", []),
        "job": job.as_dict() if job is not None else None,
        "rendered": outcome.data if outcome is not None and outcome.ok else None,
    }
    return respond(request, "report.html", data, status, outcome=outcome, formats=FORMATS)


def _outputs(backend: Backend, stem: str) -> list[str]:
    """The names of what was rendered, the page first."""
    names = [each.name for each in backend.application.workspace.reports.outputs.all() if _stem(each.name) == stem]
    return sorted(names, key=lambda name: (not name.endswith(".html"), name))


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
        return problem(request, outcome.error, outcome.hint)
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
        return _start(request, name, str(form["render"]), fresh=form.get("fresh") == "on")
    return RedirectResponse(f"/reports/{quote(name)}", 303)


def _start(request: Request, name: str, wanted: str, *, fresh: bool) -> Response:
    """Render in the background; one render of a report at a time."""
    backend: Backend = request.app.state.backend
    jobs: Jobs = request.app.state.jobs
    arguments = {"filename": name, "formats": [wanted], "fresh": fresh}
    job = jobs.running(name) or jobs.start(
        name, lambda progress: backend.call("render_rmd", arguments, progress=progress)
    )
    return RedirectResponse(f"/reports/{quote(name)}?job={job.id}", 303)


async def cancel(request: Request) -> Response:
    job = _job(request)
    await request.app.state.jobs.cancel(job)
    return RedirectResponse(f"/reports/{quote(job.about)}?job={job.id}", 303)


async def progress(request: Request) -> Response:
    """How far a render is; the page asks for its twin."""
    job = _job(request)
    if request.path_params.get("twin"):
        return respond(request, "", job.as_dict())
    return RedirectResponse(f"/reports/{quote(job.about)}?job={job.id}", 303)


def _job(request: Request) -> Job:
    jobs: Jobs = request.app.state.jobs
    job = jobs.get(request.path_params["job"], request.path_params["name"])
    if job is None:
        raise HTTPException(404, "This render is not known any more.")
    return job


async def go_back(request: Request) -> Response:
    """Make an earlier text the current one."""
    backend: Backend = request.app.state.backend
    form = await request.form()
    name, version = request.path_params["name"], str(form.get("version", ""))
    if not version.isdecimal():
        raise HTTPException(422, "Choose a version.")
    arguments = {"filename": name, "version": int(version)}
    outcome = await backend.call("update_rmd", arguments, agreed_in(form))
    if outcome.questions:
        back = f"/reports/{quote(name)}"
        return respond(request, "ask.html", {"questions": outcome.questions}, fields={"version": version}, back=back)
    if not outcome.ok:
        return await _page(request, outcome, 422)
    return RedirectResponse(f"/reports/{quote(name)}", 303)


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
    return unquote(uri.rpartition("/")[2])


def _stem(filename: str) -> str:
    return filename.rpartition(".")[0]


ROUTES = (
    ("/reports", index, ("GET",)),
    ("/reports", create, ("POST",)),
    ("/reports/{name}", show, ("GET",)),
    ("/reports/{name}", change, ("POST",)),
    ("/reports/{name}/versions", go_back, ("POST",)),
    ("/reports/{name}/jobs/{job}", progress, ("GET",)),
    ("/reports/{name}/jobs/{job}/cancel", cancel, ("POST",)),
    ("/reports/{name}/output/{file}", output, ("GET",)),
    ("/reports/{name}/figure/{file}", figure, ("GET",)),
)
