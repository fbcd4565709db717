"""The Python side of the catalog, run as a program inside the sandbox: loads functions, calls them, answers.

Only the standard library and the files placed beside it (`describe.py`, `state.py`, `conversion.py`). Frames are a
big-endian 4-byte length and that many bytes of JSON on two descriptors of their own; what the user's code
prints cannot get between them.
"""

from __future__ import annotations

import ast
import asyncio
import base64
import contextlib
import dataclasses
import datetime
import enum
import importlib
import inspect
import io
import json
import math
import os
import struct
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from conversion import Unfit, arguments_for  # type: ignore[import-not-found]
from describe import mcp_describe  # type: ignore[import-not-found]
from state import State  # type: ignore[import-not-found]

_LENGTH = struct.Struct(">I")
_STATE = State()
_HIDDEN_STATE = "_state_env"


def main(paths: list[str], read_from: int, write_to: int) -> None:
    sys.path[:0] = paths
    for ours in ("conversion", "describe", "state"):  # the package may have modules of these names
        sys.modules.pop(ours, None)
    sys.argv = [""]
    os.environ.setdefault("MPLBACKEND", "Agg")
    requests, answers = os.fdopen(read_from, "rb"), os.fdopen(write_to, "wb")
    _send(answers, {"ready": True, "version": sys.version.split()[0]})
    while head := requests.read(_LENGTH.size):
        request = json.loads(requests.read(_LENGTH.unpack(head)[0]))
        answer = _answer_apart if request["op"] == "call_apart" else _answer
        _send(answers, answer(request))


def _answer_apart(request: dict[str, Any]) -> dict[str, Any]:
    """Answer in a fork: nothing that the call leaves behind reaches the next caller."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        _STATE.reset()
        with os.fdopen(theirs, "wb") as pipe:
            pipe.write(json.dumps(_answer(request)).encode())
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        body = pipe.read()
    os.waitpid(child, 0)
    return (
        json.loads(body) if body else {"error": {"kind": "Ended", "message": "the call ended its process", "trace": []}}
    )


def _send(answers: io.BufferedWriter, answer: dict[str, Any]) -> None:
    body = json.dumps(answer).encode()
    answers.write(_LENGTH.pack(len(body)) + body)
    answers.flush()


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    printed = io.StringIO()
    answer: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            answer = _OPERATIONS[request["op"]](request)
        except BaseException as error:  # SystemExit too: a tool that exits has failed, the worker has not
            answer = {"error": _failure(error)}
    return answer | {"printed": printed.getvalue(), "warnings": [str(item.message) for item in caught]}


def _failure(error: BaseException) -> dict[str, Any]:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    trace = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames[-20:]]
    failure = {"kind": type(error).__name__, "message": str(error), "trace": trace}
    return failure | ({"problems": error.problems} if isinstance(error, Unfit) else {})


def _call(request: dict[str, Any]) -> dict[str, Any]:
    function = getattr(importlib.import_module(request["module"]), request["function"])
    parameters = inspect.signature(function).parameters
    given = arguments_for(function, request["arguments"])
    if _HIDDEN_STATE in parameters:
        given[_HIDDEN_STATE] = _STATE
    positional = [
        given.pop(name) for name, item in parameters.items() if item.kind is item.POSITIONAL_ONLY and name in given
    ]
    value = function(*positional, **given)
    if inspect.isawaitable(value):
        value = asyncio.run(_awaited(value))
    images = _figures()
    return {"value": _data(value), "text": mcp_describe(value, request["max_print"]), "images": images}


async def _awaited(value: Any) -> Any:
    return await value


def _figures() -> list[str]:
    """Figures that the call drew, as PNG; closed, so that the next call starts afresh."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return []
    images = []
    for number in pyplot.get_fignums()[:8]:
        buffer = io.BytesIO()
        pyplot.figure(number).savefig(buffer, format="png")
        images.append(base64.b64encode(buffer.getvalue()).decode())
    pyplot.close("all")
    return images


def _set_state(request: dict[str, Any]) -> dict[str, Any]:
    for key, value in request["values"].items():
        _STATE.set(key, value)
    return {}


def _example(request: dict[str, Any]) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": "__example__", "mcp_describe": mcp_describe}
    namespace["mcptool_state_factory"] = State
    for module in request["modules"]:
        imported = importlib.import_module(module)
        namespace |= {name: value for name, value in vars(imported).items() if not name.startswith("__")}
    tree = ast.parse(request["code"])
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value, failure, began = None, None, time.perf_counter()
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        try:
            exec(compile(tree, "<example>", "exec"), namespace)  # noqa: S102 - that is what the sandbox is for
            if last is not None:
                value = eval(compile(ast.Expression(last.value), "<example>", "eval"), namespace)  # noqa: S307
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
    lines = output.getvalue().splitlines()
    if failure:
        lines.append(failure)
    elif value is not None:
        lines += mcp_describe(value, request["max_print"]).split("\n")
    return {"value": {"output": lines, "seconds": time.perf_counter() - began, "failure": failure}}


def _data(x: Any, depth: int = 0) -> Any:
    """The value as JSON; what is no data has only its description."""
    if depth > 20:
        return mcp_describe(x, 20)
    if isinstance(x, enum.Enum):
        return _data(x.value, depth + 1)
    if x is None or isinstance(x, (str, int, float)):
        return None if isinstance(x, float) and not math.isfinite(x) else x
    if isinstance(x, dict):
        return {str(_data(key, depth + 1)): _data(value, depth + 1) for key, value in x.items()}
    if isinstance(x, (list, tuple, set, frozenset)):
        return [_data(item, depth + 1) for item in x]
    return _object_data(x, depth)


def _object_data(x: Any, depth: int) -> Any:
    if isinstance(x, (datetime.date, datetime.time)):
        return x.isoformat()
    if isinstance(x, PurePath):
        return str(x)
    if dataclasses.is_dataclass(x) and not inspect.isclass(x):
        return _data(dataclasses.asdict(x), depth + 1)
    return _foreign_data(x, depth)


def _foreign_data(x: Any, depth: int) -> Any:
    if type(x).__name__ == "DataFrame" and hasattr(x, "to_dict"):
        return _data(x.to_dict(orient="records"), depth + 1)
    for method in ("tolist", "model_dump"):  # numpy arrays and scalars, pandas series; pydantic models
        if callable(convert := getattr(x, method, None)):
            return _data(convert(), depth + 1)
    return mcp_describe(x, 20)


_OPERATIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "call": _call,
    "call_apart": _call,
    "example": _example,
    "set_state": _set_state,
}

if __name__ == "__main__":
    main(json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
