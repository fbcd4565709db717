"""The daemon's four endpoints: which job a request asks for, and which request a job makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.errors import InvalidInput

__all__ = ["ENDPOINTS", "job_for", "request_for"]

_SCHEMAS = ("xsd", "json-schema", "avro", "protobuf")
_EXECUTE = {
    "transformation": "transformation",
    "input": "data",
    "inputFormat": "input_format",
    "outputFormat": "output_format",
    "binary": "binary",
    "inputs": "inputs",
}
_VALIDATE = {"content": "transformation", "inputSchema": "input_schema", "strictMode": "strict"}
_INFER = {"transformation": "transformation", "inputSchema": "input_schema"}
_DESCRIBED = {"format": "source_format", "mode": "mode", "name": "name", "related": "related", "binary": "binary"}
_PARSE = {"content": "source", **_DESCRIBED}
_DESCRIBE = {"data": "source", **_DESCRIBED}
_TYPES: dict[str, tuple[type, ...]] = {
    "strictMode": (bool,),
    "inputSchema": (dict, type(None)),
    "mode": (str, type(None)),
    "related": (dict,),
    "inputs": (dict,),
    "binary": (bool,),
}
_OPTIONAL = ("strictMode", "mode", "name", "related", "binary", "inputs")
ENDPOINTS: dict[str, tuple[tuple[str, dict[str, str]], ...]] = {
    "/api/parse-schema": (("describe", _PARSE),),
    "/api/infer-schema": (("infer", _INFER), ("describe", _DESCRIBE)),
    "/api/validate": (("validate", _VALIDATE),),
    "/api/execute": (("execute", _EXECUTE),),
}
"""Paths, and for each body that they take the job and its fields: the wire's name to the job's."""


def job_for(path: str, body: Any) -> tuple[str, dict[str, Any]]:
    """The job and its arguments, or `InvalidInput` that says what is missing."""
    if not isinstance(body, dict):
        raise InvalidInput("the body must be a JSON object")
    forms = ENDPOINTS[path]
    job, fields = next((form for form in forms if next(iter(form[1])) in body), forms[-1])
    for name in body:
        if name not in fields:
            raise InvalidInput(f"{path} takes no {name!r}", hint=f"It takes {', '.join(fields)}.")
    for name in fields:
        if name not in body and name not in _OPTIONAL and not (name == "inputSchema" and job == "validate"):
            raise InvalidInput(f"{path} needs {name!r}")
        if name in body and not isinstance(body[name], _TYPES.get(name, (str,))):
            raise InvalidInput(f"{name} has the wrong type")
    if not all(isinstance(text, str) for text in body.get("related", {}).values()):
        raise InvalidInput("related must have texts, by the places that the schema refers to")
    if not all(_is_input(given) for given in body.get("inputs", {}).values()):
        raise InvalidInput("inputs must have objects with data and format, by the names of the inputs")
    return job, {ours: body[name] for name, ours in fields.items() if name in body}


def _is_input(given: Any) -> bool:
    return isinstance(given, dict) and all(isinstance(given.get(key), str) for key in ("data", "format"))


def request_for(job: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The path and body that ask a daemon for a job."""
    fields = {"execute": _EXECUTE, "validate": _VALIDATE, "infer": _INFER}.get(job)
    if fields is None:
        schema = arguments["source_format"] in _SCHEMAS or arguments.get("mode") == "schema"
        path, fields = ("/api/parse-schema", _PARSE) if schema else ("/api/infer-schema", _DESCRIBE)
    else:
        path = {"execute": "/api/execute", "validate": "/api/validate", "infer": "/api/infer-schema"}[job]
    if arguments.get("binary"):
        arguments = _as_text(arguments)
    return path, {name: arguments[ours] for name, ours in fields.items() if arguments.get(ours) is not None}


def _as_text(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Bytes that are UTF-8 as the text that they are: every daemon takes that."""
    key = "data" if "data" in arguments else "source"
    try:
        return {**arguments, key: arguments[key].encode("latin-1").decode("utf-8-sig"), "binary": None}
    except UnicodeError:
        return arguments
