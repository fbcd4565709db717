"""The engine as a conversation in JSON lines: one request object in, one reply object out.

``{"id": 7, "op": "execute", "transformation": "…", "inputs": {"input": {"format": "json", "data": "…"}}}``
answers ``{"id": 7, "success": true, "output": "…"}`` or ``{"id": 7, "success": false, "error": {…}}``;
``op`` ``validate`` and ``lint`` answer ``{"valid": …, "errors": […], "warnings": […]}``. Whatever a
program does, the answer is a reply: the conversation goes on.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from rolltop.errors import InvalidInput, RolltopError
from rolltop.transform.cache import cached_program
from rolltop.transform.check import check
from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.program import Document

__all__ = ["reply"]

_LOG = logging.getLogger(__name__)


def reply(request: Any) -> dict[str, Any]:
    """Answer one request."""
    if not isinstance(request, dict):
        return _failed(None, InvalidInput("a request is a JSON object"))
    try:
        answer = _operation(request)
    except RolltopError as error:
        return _failed(request.get("id"), error)
    except Exception as error:  # a bug of ours must not end the conversation
        _LOG.exception("a request failed unexpectedly")
        return _failed(
            request.get("id"), RolltopError(f"internal error ({type(error).__name__})", code="internal_error")
        )
    return {"id": request.get("id"), **answer}


def _operation(request: Mapping[str, Any]) -> dict[str, Any]:
    operation = request.get("op", "execute")
    text = request.get("transformation")
    if not isinstance(text, str):
        raise InvalidInput("a request needs its program as the text 'transformation'")
    if operation == "execute":
        return _execute(text, request)
    if operation in ("validate", "lint"):
        return _checked(text, lint=operation == "lint", strict=request.get("strictMode") is True)
    raise InvalidInput(f"unknown op {operation!r}", hint="Known are execute, validate and lint.")


def _execute(text: str, request: Mapping[str, Any]) -> dict[str, Any]:
    given = request.get("inputs")
    if not isinstance(given, dict):
        raise InvalidInput("'inputs' must be an object of name: {format, data}")
    documents = {name: _document(name, spec) for name, spec in given.items()}
    program = cached_program(text)
    if not program.header.written:
        # Without a header the request says what the formats are.
        formats = {name: str(spec.get("format") or "auto") for name, spec in given.items()}
        output = request.get("outputFormat")
        program = cached_program(text, inputs=formats, output_format=str(output) if output else None)
    return {"success": True, "output": program.run(documents).text}


def _document(name: str, spec: Any) -> Document:
    if not isinstance(spec, dict) or not isinstance(spec.get("data"), str):
        raise InvalidInput(f"the input {name!r} needs its text as 'data'")
    return Document(spec["data"])


def _checked(text: str, *, lint: bool, strict: bool) -> dict[str, Any]:
    findings = check(text, lint=lint)
    errors = [found for found in findings if _is_error(found, strict)]
    warnings = [found for found in findings if found not in errors and found.severity != "info"]
    return {
        "valid": not errors,
        "errors": [found.as_dict() for found in errors],
        "warnings": [found.as_dict() for found in warnings],
    }


def _is_error(found: Diagnostic, strict: bool) -> bool:
    """Names and types are errors only when asked for: what is never reached does no harm."""
    return found.severity == "error" and (strict or found.code[:2] in ("E1", "E2", "E3"))


def _failed(identity: Any, error: RolltopError) -> dict[str, Any]:
    shown: dict[str, Any] = {"code": error.error_type, "message": error.message}
    if error.position is not None:
        shown["line"], shown["column"] = error.position.line, error.position.column
    if error.hint:
        shown["hint"] = error.hint
    if error.details:
        shown["details"] = error.details
    return {"id": identity, "success": False, "error": shown}
