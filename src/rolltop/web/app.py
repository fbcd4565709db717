"""The ASGI application of the page: routes, who may enter, and what every response carries."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from rolltop.web import (
    approvals,
    calls,
    document,
    guide,
    made,
    overview,
    reports,
    settings_page,
    store,
    tools,
    transform,
)
from rolltop.web.backend import Application, Backend
from rolltop.web.doorkeeper import COOKIE, SESSION_SECONDS, Doorkeeper
from rolltop.web.jobs import Jobs
from rolltop.web.render import respond

__all__ = ["page_app"]

logger = logging.getLogger("rolltop.web")

STATIC = Path(__file__).parent / "static"
POLICY = (
    "default-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; frame-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"
)
ROUTES = (
    *overview.ROUTES,
    *calls.ROUTES,
    *approvals.ROUTES,
    *store.ROUTES,
    *document.ROUTES,
    *transform.ROUTES,
    *reports.ROUTES,
    *tools.ROUTES,
    *guide.ROUTES,
    *made.ROUTES,
    *settings_page.ROUTES,
)

View = Callable[[Request], Awaitable[Response]]


def page_app(application: Application, doorkeeper: Doorkeeper) -> Starlette:
    """The page over one server's application."""
    guard = _Guard(doorkeeper)
    routes = [Route(path, guard.around(view), methods=list(methods)) for path, view, methods in ROUTES]
    routes.extend(
        Route(("/index" if path == "/" else path) + ".json", guard.around(_twin(view)), methods=["GET"])
        for path, view, methods in ROUTES
        if methods == ("GET",) and path not in _NO_TWIN
    )
    routes.sort(key=_by_precision)
    static = Mount("/static", StaticFiles(directory=STATIC))
    everything_else = Route("/{path:path}", guard.around(_not_found), methods=["GET", "POST", "PUT", "DELETE"])
    app = Starlette(
        routes=[static, *routes, everything_else], exception_handlers={HTTPException: _http_error, Exception: _defect}
    )
    app.state.backend = Backend(application)
    app.state.jobs = Jobs()
    return app


_NO_TWIN = frozenset({
    "/events", "/store/export", "/store/{hash}/raw", "/reports/{name}/output/{file}", "/reports/{name}/figure/{file}",
})  # fmt: skip


def _twin(view: View) -> View:
    """`/calls.json` beside `/calls`: the same view, told to answer with its data."""

    async def twin(request: Request) -> Response:
        request.scope["path_params"] = {**request.path_params, "twin": True}
        return await view(request)

    return twin


async def _not_found(request: Request) -> Response:
    raise HTTPException(404)


def _by_precision(route: Route) -> tuple[int, int]:
    """Twins and fixed words before parameters."""
    return route.path.count("{"), 0 if route.path.endswith(".json") else 1


class _Guard:
    """No page without a session; no change without a form token from our own origin."""

    def __init__(self, doorkeeper: Doorkeeper) -> None:
        self._doorkeeper = doorkeeper

    def around(self, view: View) -> View:
        async def guarded(request: Request) -> Response:
            request.state.nonce = secrets.token_urlsafe(16)
            try:
                response = await self._answer(request, view)
            except HTTPException as error:
                response = await _http_error(request, error)
            headers = response.headers
            headers.setdefault("Content-Security-Policy", POLICY.format(nonce=request.state.nonce))
            headers["X-Content-Type-Options"] = "nosniff"
            headers["Referrer-Policy"] = "same-origin"  # no-referrer would make the Origin of forms "null"
            headers["Cross-Origin-Opener-Policy"] = "same-origin"
            headers["Cross-Origin-Resource-Policy"] = "same-origin"
            headers.setdefault("Cache-Control", "no-store")
            return response

        return guarded

    async def _answer(self, request: Request, view: View) -> Response:
        if (code := request.query_params.get("login")) is not None and request.method == "GET":
            return self._login(request, code)
        cookie = request.cookies.get(COOKIE)
        if cookie is None or not self._doorkeeper.is_session(cookie):
            return _refused(request, 401, "This page needs a login link.", "Run `rolltop page` to get one.")
        request.state.form_token = self._doorkeeper.form_token(cookie)
        if request.method not in ("GET", "HEAD"):
            if (problem := _oversized(request)) is not None:
                return problem
            if not _is_own_origin(request):
                return _refused(request, 403, "This request comes from another site.", "Use the page itself.")
            token = (await request.form()).get("form_token") or ""
            if not isinstance(token, str) or not self._doorkeeper.is_form_token(cookie, token):
                return _refused(request, 403, "The form is out of date.", "Reload the page and send it again.")
        request.state.pending = approvals.count_pending(request.app.state.backend)
        return await view(request)

    def _login(self, request: Request, code: str) -> Response:
        if not self._doorkeeper.accept_login(code):
            return _refused(request, 401, "This login link was used before or is too old.", "Run `rolltop page`.")
        response = RedirectResponse(request.url.path, 303)
        response.set_cookie(
            COOKIE,
            self._doorkeeper.new_session(),
            max_age=SESSION_SECONDS,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response


def _oversized(request: Request) -> Response | None:
    """Refuse a body that is too large, or does not say how large it is, before it is read."""
    limit, length = request.app.state.backend.settings.http_body_limit, request.headers.get("content-length", "")
    if length.isdecimal() and len(length) < 16 and int(length) <= limit:
        return None
    return _refused(request, 413, "This form is too large.", f"The limit is {limit:,} bytes (http_body_limit).")


def _is_own_origin(request: Request) -> bool:
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return False
    return origin is not None and urlsplit(origin).netloc == request.headers.get("host")


def _refused(request: Request, status: int, message: str, hint: str) -> Response:
    if request.url.path.endswith(".json"):
        return JSONResponse({"error": message, "hint": hint}, status)
    return respond(request, "refused.html", {"message": message, "hint": hint}, status)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    hint = "The menu shows what is there." if error.status_code == 404 else ""
    message = "There is no such page." if error.detail == "Not Found" else error.detail
    if request.url.path.endswith(".json"):
        return JSONResponse({"error": message}, error.status_code)
    return respond(request, "problem.html", {"message": message, "hint": hint}, error.status_code)


async def _defect(request: Request, error: Exception) -> Response:
    logger.error("the page %s failed", request.url.path, exc_info=error)
    data = {"message": "This page failed because of a defect in rolltop.", "hint": "The server's log says more."}
    return respond(request, "problem.html", data, 500)
