"""`/calls`: what agents called, and one call in full."""

from __future__ import annotations

import asyncio
import secrets
import shlex
import time
from collections.abc import AsyncIterator
from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from rolltop.web.backend import CLIENT, Backend
from rolltop.web.render import respond, templates

__all__ = ["ROUTES", "shown_call"]

PAGE = 50
ANNOUNCE = 5.0
"""Seconds between two announcements that a page is open."""
POLL = 0.5
"""Seconds between two looks at the journal, which other processes write too."""


async def index(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    query = request.query_params
    filters = {name: query[name] for name in ("tool", "client", "outcome") if query.get(name)}
    before = int(query["before"]) if query.get("before", "").isdecimal() else None
    everything = query.get("page_too") == "on"
    journal = backend.application.workspace.journal
    other_than = None if everything or filters.get("client") else CLIENT
    rows = await asyncio.to_thread(journal.recent, PAGE + 1, below=before, other_than=other_than, **filters)
    known = {f"{name}s": await asyncio.to_thread(_values, journal, name) for name in ("tool", "client", "outcome")}
    data = {
        "calls": [shown_call(row) for row in rows[:PAGE]],
        "next": rows[PAGE - 1]["id"] if len(rows) > PAGE else None,
        "filters": {**filters, "page_too": everything},
        "known": known,
    }
    return respond(request, "calls.html", data)


def _values(journal: Any, column: str) -> list[str]:
    return sorted(row[column] for row in journal.totals(column))


async def show(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    row = await _row(request)
    call = shown_call(row)
    registered = backend.application.registry.by_plain_name(call["tool"])
    origins = backend.application.workspace.origins
    made = await asyncio.to_thread(origins.during, call["tool"], call["time"], call["time"] + call["seconds"])
    data = {
        "call": call,
        "made": [each.as_dict() for each in made],
        "copies": copies(call),
        "repeatable": registered is not None and call["arguments"] is not None,
    }
    return respond(request, "call.html", data)


async def repeat(request: Request) -> Response:
    """Fill the tool's form with the same arguments; the human sees them before they are sent."""
    row = await _row(request)
    call = shown_call(row)
    return RedirectResponse(f"/tools/{call['tool']}?from={call['id']}", 303)


async def _row(request: Request) -> dict[str, Any]:
    journal = request.app.state.backend.application.workspace.journal
    number = request.path_params["id"]
    row = await asyncio.to_thread(journal.get, int(number)) if number.isdecimal() and len(number) < 19 else None
    if row is None:
        raise HTTPException(404, f"There is no call {number[:40]}.")
    return dict(row)


def shown_call(row: dict[str, Any]) -> dict[str, Any]:
    """A journal row with its JSON columns read."""
    call = dict(row)
    for column in ("arguments", "consents"):
        if isinstance(call.get(column), str):
            try:
                call[column] = orjson.loads(call[column])
            except ValueError:
                call[column] = {"text": call[column]}
    return call


def copies(call: dict[str, Any]) -> dict[str, str]:
    """The call as a command, as a protocol message, and as Python."""
    arguments = call["arguments"] if call["arguments"] is not None else {}
    text = orjson.dumps(arguments).decode()
    message = {"method": "tools/call", "params": {"name": call["tool"], "arguments": arguments}}
    python = (
        "import asyncio\nfrom mcp import Client\n\n\nasync def main() -> None:\n"
        '    async with Client("http://127.0.0.1:7779/mcp") as client:\n'
        f"        print(await client.call_tool({call['tool']!r}, {arguments!r}))\n\n\nasyncio.run(main())"
    )
    return {
        "command line": f"rolltop call {shlex.quote(call['tool'])} {shlex.quote(text)}",
        "JSON": orjson.dumps(message, option=orjson.OPT_INDENT_2).decode(),
        "Python": python,
    }


async def events(request: Request) -> Response:
    """Server-sent events: each new call as a table row, and how many approvals wait."""
    backend: Backend = request.app.state.backend
    return StreamingResponse(_stream(request, backend), media_type="text/event-stream")


async def _stream(request: Request, backend: Backend) -> AsyncIterator[str]:
    from rolltop.web.approvals import count_pending  # noqa: PLC0415 - approvals uses this module's table

    journal = backend.application.workspace.journal
    newest = await asyncio.to_thread(journal.last_id)
    row = templates.get_template("call_row.html")
    page = secrets.token_hex(8)
    approvals = backend.application.workspace.approvals
    pending, announced = -1, 0.0
    yield "retry: 2000\n\n"
    try:
        while not await request.is_disconnected():
            # Somebody sees this page: agents may ask here.
            if (now := time.monotonic()) - announced > ANNOUNCE:
                announced = now
                await asyncio.to_thread(approvals.announce, page, str(request.base_url))
            for each in await asyncio.to_thread(journal.since, newest):
                newest = each["id"]
                if each["client"] != CLIENT:
                    yield _event("call", row.render(call=shown_call(each)))
            waiting = await asyncio.to_thread(count_pending, backend)
            if waiting != pending:
                pending = waiting
                yield _event("approvals", str(waiting))
            await asyncio.sleep(POLL)
    finally:
        await asyncio.shield(asyncio.to_thread(approvals.leave, page))


def _event(name: str, text: str) -> str:
    lines = "".join(f"data: {line}\n" for line in text.splitlines() or [""])
    return f"event: {name}\n{lines}\n"


ROUTES = (
    ("/calls", index, ("GET",)),
    ("/calls/{id}", show, ("GET",)),
    ("/calls/{id}/repeat", repeat, ("POST",)),
    ("/events", events, ("GET",)),
)
