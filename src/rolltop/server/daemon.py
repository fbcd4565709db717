"""The transform daemon: transformations over plain HTTP, for programs that do not use MCP."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from rolltop import __version__
from rolltop.errors import InvalidInput, RolltopError
from rolltop.server.authentication import Authentication, Refused
from rolltop.server.http import Gate, bind, http_token, own_names, serve_http
from rolltop.server.jsonrpc import NotJson, load
from rolltop.settings import Settings
from rolltop.tools.transform.envelope import CODES, code_of
from rolltop.transform.service import Service
from rolltop.transform.service.wire import ENDPOINTS, job_for

__all__ = ["daemon_app", "run_daemon"]

logger = logging.getLogger("rolltop.daemon")


def run_daemon(
    settings: Settings, service: Service, port: int, announce: Callable[[str], None], *, no_token: bool = False
) -> None:
    """Serve until a signal arrives. `announce` gets the URL when the daemon listens."""
    host = settings.http_host
    token = http_token(settings, no_token=no_token)
    listener = bind(host, port)
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{listener.getsockname()[1]}"
    gate = Gate(
        daemon_app(service, settings.http_body_limit, settings.http_body_seconds),
        [*own_names(host, listener.getsockname()[0]), *settings.http_allowed_hosts],
        Authentication(token),
        refusal=_refusal,
    )
    try:
        service.warm_up()
        asyncio.run(serve_http(gate, listener, lambda: announce(url), settings))
    finally:
        service.close()


def _refusal(refused: Refused) -> dict[str, Any]:
    """A refusal of the gate (401, 403, 421) in the envelope of the endpoints."""
    return {"success": False, "error": {"code": "INVALID_INPUT", "message": refused.message}}


def daemon_app(service: Service, body_limit: int, body_seconds: float = 30.0) -> Starlette:
    """The four endpoints, `/openapi.json` and `/healthz`."""

    async def answer(request: Request) -> Response:
        try:
            body = await _body(request, body_limit, body_seconds)
            job, arguments = job_for(request.url.path, body)
            return _json({"success": True, "data": await service.ask(job, **arguments)})
        except RolltopError as error:
            return _json({"success": False, "error": _error(error)}, _status(error))
        except Exception:
            logger.exception("%s failed", request.url.path)
            error_ = {"code": "INTERNAL_ERROR", "message": "an unexpected error; the log has more"}
            return _json({"success": False, "error": error_}, 500)

    async def openapi(request: Request) -> Response:
        return _json(_description())

    async def healthy(request: Request) -> Response:
        return _json({"status": "ok", "name": "rolltop daemon", "version": __version__})

    async def refused(request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 404)
        message = f"there is no {request.url.path[:80]}" if status == 404 else f"{request.method} is not for this path"
        hint = f"POST one of {', '.join(ENDPOINTS)}."
        shown = {"code": "INVALID_INPUT", "message": message, "details": {"hint": hint}}
        return _json({"success": False, "error": shown}, status)

    routes = [Route(path, answer, methods=["POST"]) for path in ENDPOINTS]
    return Starlette(
        routes=[*routes, Route("/openapi.json", openapi, methods=["GET"]), Route("/healthz", healthy, methods=["GET"])],
        exception_handlers={404: refused, 405: refused},
    )


class _TooLarge(InvalidInput):
    pass


class _TooSlow(InvalidInput):
    pass


async def _body(request: Request, most: int, seconds: float) -> Any:
    data = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                data += chunk
                if len(data) > most:
                    raise _TooLarge(f"the body has more than {most} bytes", hint="Raise http_body_limit, or send less.")
        return load(data)
    except TimeoutError:
        raise _TooSlow(f"the body did not arrive within {seconds:g} s", hint="Send it at once.") from None
    except NotJson as error:
        raise InvalidInput(f"the body is not JSON: {error}") from None
    except ClientDisconnect:
        raise InvalidInput("the client is gone") from None


def _error(error: RolltopError) -> dict[str, Any]:
    details = {**error.details, **({"hint": error.hint} if error.hint else {})}
    shown: dict[str, Any] = {"code": code_of(error.error_type), "message": error.message}
    return {**shown, "details": details} if details else shown


def _status(error: RolltopError) -> int:
    if isinstance(error, _TooLarge):
        return 413
    if isinstance(error, _TooSlow):
        return 408
    return {"INVALID_INPUT": 400, "TIMEOUT": 504, "INTERNAL_ERROR": 500}.get(code_of(error.error_type), 422)


def _json(value: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(value), status, media_type="application/json")


def _description() -> dict[str, Any]:
    paths = {
        path: {
            "post": {
                "requestBody": {
                    "content": {"application/json": {"schema": {"anyOf": [_form(form) for form in forms]}}}
                },
                "responses": {"200": {"description": "success and data"}, "default": {"description": _FAILED}},
            }
        }
        for path, forms in ENDPOINTS.items()
    }
    return {"openapi": "3.1.0", "info": {"title": "rolltop daemon", "version": __version__}, "paths": paths}


_FAILED = f"success is false; error has code ({', '.join(CODES)}), message and details"


def _form(form: tuple[str, dict[str, str]]) -> dict[str, Any]:
    types = {"inputSchema": "object", "strictMode": "boolean"}
    properties = {name: {"type": types.get(name, "string")} for name in form[1]}
    return {"type": "object", "description": form[0], "properties": properties}
