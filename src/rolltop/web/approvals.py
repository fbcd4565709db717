"""`/approvals`: what agents ask to do, and the human's decision."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rolltop.web.backend import Backend
from rolltop.web.render import respond

__all__ = ["ROUTES", "count_pending", "pending"]

DECISIONS = ("once", "effect", "tool", "deny")


def pending(backend: Backend) -> list[dict[str, Any]]:
    """The requests that wait for a decision, the oldest first, of every process of this workspace."""
    return [each.shown() for each in backend.application.workspace.approvals.pending()]


def count_pending(backend: Backend) -> int:
    return len(pending(backend))


async def index(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    return respond(request, "approvals.html", {"approvals": await asyncio.to_thread(pending, backend)})


async def decide(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    decision = str((await request.form()).get("decision", ""))
    if decision not in DECISIONS:
        raise HTTPException(422, "Choose allow once, allow for this session, or deny.")
    approvals = backend.application.workspace.approvals
    if not await asyncio.to_thread(approvals.decide, request.path_params["id"], decision, "page"):
        raise HTTPException(409, "This request was decided before, or nobody waits for it any more.")
    return RedirectResponse("/approvals", 303)


ROUTES = (("/approvals", index, ("GET",)), ("/approvals/{id}", decide, ("POST",)))
