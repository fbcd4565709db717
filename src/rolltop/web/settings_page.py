"""`/settings`: what works here, every setting with its origin, and how to connect a client."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from rolltop import __version__
from rolltop.web.backend import Backend
from rolltop.web.render import respond

__all__ = ["ROUTES"]


async def show(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    data = {
        "version": __version__,
        "workspace": str(backend.settings.workspace),
        "toolsets": [_toolset(backend, each) for each in backend.application.loaded],
        "settings": _settings(backend.settings),
        "address": f"http://{request.headers.get('host', '')}/mcp",
    }
    return respond(request, "settings.html", data)


def _toolset(backend: Backend, loaded: Any) -> dict[str, Any]:
    name = loaded.toolset.name
    return {
        "name": name,
        "served": loaded.served,
        "tools": sum(1 for each in backend.application.registry if each.spec.toolset == name),
        "error": loaded.error,
        "needs": [asdict(need) for need in loaded.needs],
    }


def _settings(settings: Any) -> list[dict[str, str]]:
    rows = []
    for field in fields(settings):
        if field.name in ("sources", "sections"):
            continue
        value = getattr(settings, field.name)
        if isinstance(value, tuple):
            value = ", ".join(str(each) for each in value)
        rows.append(
            {
                "name": field.name,
                "value": str(value) if field.repr or not value else "(hidden)",
                "origin": str(settings.sources.get(field.name, "default")),
            }
        )
    return rows


ROUTES = (("/settings", show, ("GET",)),)
