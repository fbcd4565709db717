"""`/guide`: the project's categories, collections, documents and flags."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rolltop.web.backend import Backend, Outcome
from rolltop.web.forms import typed_value
from rolltop.web.render import problem, respond

__all__ = ["ROUTES"]


async def show(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    expression = request.query_params.get("expression", "")
    project = await backend.call("get_project", {})
    categories = await backend.call("list_categories", {})
    collections = await backend.call("list_collections", {})
    content: Outcome | None = None
    if expression:
        content = await backend.call("get_content", {"expression": expression})
    data = {
        "project": project.data if project.ok else None,
        "problem": project.error,
        "hint": project.hint,
        "categories": categories.data if categories.ok else {},
        "collections": collections.data if collections.ok else {},
        "flags": {"project": await _flags(backend, "project"), "global": await _flags(backend, "feature")},
        "expression": expression,
        "content": content.data if content is not None and content.ok else None,
        "content_error": content.error if content is not None else None,
        "content_hint": content.hint if content is not None else None,
    }
    return respond(request, "guide.html", data)


async def _flags(backend: Backend, kind: str) -> dict[str, Any]:
    listed = await backend.call(f"list_{kind}_flags", {})
    return dict(listed.data) if listed.ok and isinstance(listed.data, dict) else {}


async def set_flag(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    form = await request.form()
    tool = "set_feature_flag" if form.get("scope") == "global" else "set_project_flag"
    outcome = await backend.call(
        tool, {"feature_name": str(form.get("name", "")), "value": typed_value(str(form.get("value", "")))}
    )
    if not outcome.ok:
        return problem(request, outcome.error, outcome.hint)
    return RedirectResponse("/guide", 303)


ROUTES = (("/guide", show, ("GET",)), ("/guide/flags", set_flag, ("POST",)))
