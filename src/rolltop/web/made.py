"""`/made`: what was made, what is out of date, and where one thing came from."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rolltop.errors import NotFound
from rolltop.origin import Lineage, lineage
from rolltop.recorder import lineage_dict, thing_named
from rolltop.remake import Remade, find_stale, making_named, remake, remake_stale
from rolltop.web.backend import Backend
from rolltop.web.lineage_graph import draw_lineage
from rolltop.web.render import respond
from rolltop.web.tools import agreed_in

__all__ = ["ROUTES"]

PAGE = 50


async def index(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    if name := request.query_params.get("name"):
        thing = (await _lineage(backend, name)).thing
        return RedirectResponse(f"/made/{thing.hash}", 303)
    return await _index(request)


async def _index(request: Request, remade: list[Remade] | None = None) -> Response:
    backend: Backend = request.app.state.backend
    recent = await asyncio.to_thread(backend.application.workspace.origins.recent, PAGE)
    stale = [
        {"name": each.making.name, "hash": each.making.outputs[0].hash, "tool": each.making.tool, "why": each.reason}
        for each in await find_stale(backend.context())
    ]
    data = {
        "stale": stale,
        "made": [each.as_dict() for each in recent],
        "remade": [each.as_dict() for each in remade or []],
    }
    return respond(request, "made.html", data)


async def show(request: Request) -> Response:
    return await _show(request)


async def _show(request: Request, remade: Remade | None = None, status: int = 200) -> Response:
    found = await _lineage(request.app.state.backend, request.path_params["hash"])
    data = lineage_dict(found) | {"remade": remade.as_dict() if remade else None}
    made = found.makings[found.made_by] if found.made_by is not None else None
    used = [found.makings[number] for number in found.used_by]
    return respond(request, "made_thing.html", data, status, drawing=draw_lineage(found), making=made, uses=used)


async def _lineage(backend: Backend, name: str) -> Lineage:
    workspace = backend.application.workspace
    try:
        thing = await asyncio.to_thread(thing_named, workspace, name)
    except NotFound as error:
        raise HTTPException(404, f"{error.message}.") from None
    return await asyncio.to_thread(lineage, workspace.origins, thing)


async def make_again(request: Request) -> Response:
    """Make one thing again; what the tool asks is shown as a form, as everywhere."""
    backend: Backend = request.app.state.backend
    form = await request.form()
    caller = _Caller(backend, agreed_in(form))
    try:
        making = await asyncio.to_thread(making_named, backend.application.workspace, request.path_params["hash"])
    except NotFound as error:
        raise HTTPException(404, f"{error.message}.") from None
    done = await remake(backend.context(), making, caller.call)
    if caller.questions:
        return respond(request, "ask.html", {"questions": caller.questions}, fields={}, back=request.url.path)
    return await _show(request, done, 200 if done.error is None else 422)


async def make_all_again(request: Request) -> Response:
    """Bring everything up to date. What asks for consent is made one by one."""
    backend: Backend = request.app.state.backend
    return await _index(request, await remake_stale(backend.context(), _Caller(backend, []).call))


class _Caller:
    """Calls tools for `remake`, and remembers what they ask."""

    def __init__(self, backend: Backend, agreed: list[str]) -> None:
        self._backend, self._agreed = backend, agreed
        self.questions: dict[str, str] = {}

    async def call(self, tool: str, arguments: dict[str, Any]) -> str | None:
        outcome = await self._backend.call(tool, arguments, self._agreed)
        self.questions |= outcome.questions
        return "it asks for your agreement: make it again by itself" if outcome.questions else outcome.error


ROUTES = (
    ("/made", index, ("GET",)),
    ("/made", make_all_again, ("POST",)),
    ("/made/{hash}", show, ("GET",)),
    ("/made/{hash}", make_again, ("POST",)),
)
