"""`/transform`: input, program and output side by side, checked while typing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from rolltop.errors import RolltopError
from rolltop.web.backend import Backend, Outcome
from rolltop.web.calls import copies
from rolltop.web.render import pretty_json, respond

__all__ = ["ROUTES"]

FORMATS = ("json", "xml", "csv", "yaml", "jsonl", "toml", "xsd", "json-schema", "avro", "protobuf")
ENDINGS = {"yml": "yaml", "avsc": "avro", "proto": "protobuf", "ndjson": "jsonl"}
FIELDS = ("program", "input", "from", "to", "load", "load_program", "search")
PROGRAM = """%utlx 1.0
input json
output json
---
{
  total: count($input),
  names: map($input, person => person.name)
}
"""
INPUT = '[{"name": "Ada", "born": 1815}, {"name": "Grace", "born": 1906}]\n'


async def show(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    values = dict.fromkeys(FIELDS, "") | {"program": PROGRAM, "input": INPUT, "from": "json", "to": "json"}
    loaded = [await _load(backend, request.query_params.get(name, ""), name, values) for name in _LOADED]
    failed = next((each for each in loaded if each is not None and not each.ok), None)
    return await _page(request, values, failed)


_LOADED = {"load": "input", "load_program": "program"}
"""The documents that an address can name, and the pane that each fills."""


async def _load(backend: Backend, document: str, parameter: str, values: dict[str, str]) -> Outcome | None:
    """Put a stored document into its pane."""
    if not document:
        return None
    found = await backend.call("get_by_name", {"name": document})
    if found.ok:
        values[_LOADED[parameter]], values[parameter] = str(found.get("content", "")), document
        if parameter == "load":
            ending = document.rpartition(".")[2].lower()
            known = ENDINGS.get(ending, ending)
            values["from"] = known if known in FORMATS else "json"
    return found


async def run(request: Request) -> Response:
    """Check and run the program; the answer is the output pane alone for a script, else the whole page."""
    backend: Backend = request.app.state.backend
    form = await request.form()
    values = {name: str(form.get(name, "")) for name in FIELDS}
    keep = str(form.get("keep", "")).strip()
    if request.headers.get("hx-request"):
        result = await check_and_run(backend, values)
        return respond(request, "transform_result.html", {}, result=result, values=values)
    return await _page(request, values, None, keep)


async def _page(request: Request, values: dict[str, str], problem: Outcome | None, keep: str = "") -> Response:
    backend: Backend = request.app.state.backend
    wanted = {"inputFormat": values["from"], "outputFormat": values["to"], "limit": 6}
    result, examples = await asyncio.gather(check_and_run(backend, values, keep), backend.call("get_examples", wanted))
    data = {"examples": examples.get("examples", []), "formats": FORMATS}
    return respond(request, "transform.html", data, values=values, problem=problem, result=result)


async def check_and_run(backend: Backend, values: Mapping[str, str], keep: str = "") -> dict[str, Any]:
    """Everything that the output pane shows. With `keep`, the output is stored under that name."""
    program, data = (values[name].replace("\r\n", "\n") for name in ("program", "input"))
    arguments = {
        "transformation": program,
        "inputData": data,
        "inputFormat": values["from"],
        "outputFormat": values["to"],
        **({"keep": keep} if keep else {}),
    }
    structure, checked, ran, how = await asyncio.gather(
        backend.call("get_input_schema", {"source": data, "format": values["from"], "mode": "instance"}),
        backend.call("validate_utlx", {"transformation": program}),
        backend.call("execute_transformation", arguments),
        _explained(backend, program),
    )
    output = ran.get("output") if ran.ok else None
    return {
        "checked": checked.data,
        "structure": structure.data if structure.ok else None,
        "structure_error": structure.error,
        "ran": ran,
        "output": output if output is None or isinstance(output, str) else pretty_json(output),
        "explained": how,
        "kept": ran.get("kept") if ran.ok else None,
        "copies": copies({"tool": "execute_transformation", "arguments": arguments}),
    }


async def _explained(backend: Backend, program: str) -> dict[str, Any] | None:
    """How the program will run; None for one that is wrong, or where a daemon runs it."""
    service = backend.application.workspace.transform
    if service.daemon is not None:
        return None
    try:
        return dict(await service.ask("explain", transformation=program))
    except RolltopError:
        return None


async def functions(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    search = request.query_params.get("search", "")
    found = await backend.call("get_stdlib_functions", {"search": search, "limit": 12} if search else {"limit": 12})
    data = {"search": search, "functions": found.get("functions", []), "error": found.error}
    template = "transform_functions.html" if request.headers.get("hx-request") else "functions.html"
    return respond(request, template, data)


ROUTES = (
    ("/transform", show, ("GET",)),
    ("/transform", run, ("POST",)),
    ("/transform/functions", functions, ("GET",)),
)
