"""`/tools`: every tool with its cost, safety and schema, and a form to try it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mcp_core.description import describe
from mcp_core.tokens import tokens_of
from rolltop.web.backend import Backend, Outcome
from rolltop.web.calls import shown_call
from rolltop.web.forms import FormError, arguments_of, fields_of
from rolltop.web.render import compact_json, pretty_json, respond

__all__ = ["ROUTES", "agreed_in"]


async def index(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    sets: dict[str, list[dict[str, Any]]] = defaultdict(list)
    off = backend.application.switches.off()
    for registered in backend.application.registry:
        if not registered.spec.hidden:
            sets[registered.spec.toolset].append(_entry(registered, off))
    problems = [
        {"toolset": each.toolset.name, "problem": str(each.error)}
        for each in backend.application.loaded
        if not each.served
    ]
    data = {"sets": dict(sets), "tokens": sum(tool["tokens"] for row in sets.values() for tool in row if tool["on"])}
    return respond(request, "tools.html", {**data, "problems": problems})


def _entry(registered: Any, off: frozenset[str]) -> dict[str, Any]:
    wire = registered.wire
    listed = {key: wire.get(key) for key in ("name", "description", "inputSchema")}
    return {
        "name": registered.name,
        "plain_name": registered.spec.name,
        "summary": (registered.description or "").strip().split("\n")[0],
        "annotations": wire["annotations"],
        "consent": registered.spec.consent is not None,
        "on": registered.spec.name not in off,
        "tokens": tokens_of(len(compact_json(listed))),
    }


async def show(request: Request) -> Response:
    registered = _tool(request)
    values: dict[str, str] = {}
    number = request.query_params.get("from", "")
    if number.isdecimal():
        journal = request.app.state.backend.application.workspace.journal
        row = await asyncio.to_thread(journal.get, int(number))
        if row is not None and isinstance(arguments := shown_call(dict(row))["arguments"], dict):
            values = {name: _as_text(value) for name, value in arguments.items()}
    return _page(request, registered, values)


async def call(request: Request) -> Response:
    """Send the form: the call goes the same way as an agent's."""
    backend: Backend = request.app.state.backend
    registered = _tool(request)
    form = await request.form()
    values = {name: value for name, value in form.items() if isinstance(value, str)}
    try:
        arguments = arguments_of(fields_of(registered.input_schema), values)
    except FormError as error:
        return _page(request, registered, values, Outcome(error=str(error)), status=422)
    outcome = await backend.call(registered.name, arguments, agreed_in(form))
    return _page(request, registered, values, outcome)


async def switch(request: Request) -> Response:
    """Switch a tool on or off for agents, in every process of the workspace."""
    application = request.app.state.backend.application
    registered = _tool(request)
    if application.settings.read_only:
        raise HTTPException(403, "This page only reads.")
    on = (await request.form()).get("on") == "on"
    await asyncio.to_thread(application.switches.switch, registered.spec.name, on=on)
    application.changes.publish("tools")
    return RedirectResponse(f"/tools/{registered.name}", 303)


def agreed_in(form: Any) -> list[str]:
    """The questions that the human answered with yes."""
    return [key for key in form.getlist("agreed") if isinstance(key, str)]


def _tool(request: Request) -> Any:
    name = request.path_params["name"]
    registered = request.app.state.backend.application.registry.by_plain_name(name)
    if registered is None:
        raise HTTPException(404, f"There is no tool {name}.")
    return registered


def _page(
    request: Request, registered: Any, values: dict[str, str], outcome: Outcome | None = None, status: int = 200
) -> Response:
    wire = registered.wire
    data = {
        "tool": _entry(registered, request.app.state.backend.application.switches.off()),
        "toolset": registered.spec.toolset,
        "schema": registered.input_schema,
        "output_schema": wire.get("outputSchema"),
        "description": describe(registered.spec, "full", registered.name_of),
    }
    fields = fields_of(registered.input_schema)
    return respond(request, "tool.html", data, status, fields=fields, values=values, outcome=outcome)


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "\n".join(value)
    return pretty_json(value)


ROUTES = (
    ("/tools", index, ("GET",)),
    ("/tools/{name}", show, ("GET",)),
    ("/tools/{name}", call, ("POST",)),
    ("/tools/{name}/switch", switch, ("POST",)),
)
