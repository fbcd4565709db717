"""`/transform`: input, program and output side by side, checked while typing."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from rolltop.web.backend import Backend, Outcome
from rolltop.web.render import pretty_json, respond

__all__ = ["ROUTES"]

FORMATS = ("json", "xml", "csv", "yaml")
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
    query = request.query_params
    values = {"program": PROGRAM, "input": INPUT, "from": "json", "to": "json", "search": "", "load": ""}
    loaded: Outcome | None = None
    if name := query.get("load"):
        loaded = await backend.call("get_by_name", {"name": name})
        if loaded.ok:
            values["input"], values["load"] = str(loaded.get("content", "")), name
            values["from"] = next((each for each in FORMATS if name.endswith(each)), "json")
    examples = await backend.call("get_examples", {"inputFormat": values["from"], "outputFormat": "json", "limit": 6})
    return respond(
        request,
        "transform.html",
        {"examples": examples.get("examples", []), "formats": FORMATS},
        values=values,
        problem=loaded if loaded is not None and not loaded.ok else None,
        result=await check_and_run(backend, values),
    )


async def run(request: Request) -> Response:
    """Check and run the program; the answer is the output pane alone for a script, else the whole page."""
    backend: Backend = request.app.state.backend
    form = await request.form()
    values = {name: str(form.get(name, "")) for name in ("program", "input", "from", "to", "load", "search")}
    result = await check_and_run(backend, values)
    keep = str(form.get("keep", "")).strip()
    if keep and result["output"] is not None:
        result["kept"] = await backend.call("store_text", {"name": keep, "content": result["output"]})
    if request.headers.get("hx-request"):
        return respond(request, "transform_result.html", {}, result=result, values=values)
    examples = await backend.call("get_examples", {"inputFormat": "json", "outputFormat": "json", "limit": 6})
    data = {"examples": examples.get("examples", []), "formats": FORMATS}
    return respond(request, "transform.html", data, values=values, result=result, problem=None)


async def check_and_run(backend: Backend, values: dict[str, str]) -> dict[str, Any]:
    program = values["program"].replace("\r\n", "\n")
    data = values["input"].replace("\r\n", "\n")
    structure = await backend.call("get_input_schema", {"source": data, "format": values["from"], "mode": "instance"})
    checked = await backend.call("validate_utlx", {"transformation": program})
    ran = await backend.call(
        "execute_transformation",
        {"transformation": program, "inputData": data, "inputFormat": values["from"], "outputFormat": values["to"]},
    )
    output = ran.get("output") if ran.ok else None
    return {
        "checked": checked.data,
        "structure": structure.data if structure.ok else None,
        "structure_error": structure.error,
        "ran": ran,
        "output": output if output is None or isinstance(output, str) else pretty_json(output),
        "kept": None,
    }


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
