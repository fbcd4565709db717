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
from typing import Any, TextIO

from conversion import Unfit, arguments_for  # type: ignore[import-not-found]
from describe import mcp_describe  # type: ignore[import-not-found]
from state import State  # type: ignore[import-not-found]

_LENGTH = struct.Struct(">I")
_STATE = State()
_HIDDEN_STATE = "_state_env"
_MOST_MESSAGES = 1000


class _Ear(io.TextIOBase):
    """Standard output or error of the user's code: what is written during a request belongs to its answer.

    The same object all the time, because handlers of `logging` keep the stream that they found when they were made.
    """

    def __init__(self, otherwise: TextIO) -> None:
        self._otherwise = otherwise
        self._heard: io.StringIO | None = None

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._otherwise.fileno()

    def write(self, text: str) -> int:
        return (self._heard or self._otherwise).write(text)

    def flush(self) -> None:
        (self._heard or self._otherwise).flush()

    def listen(self) -> None:
        self._heard = io.StringIO()

    def heard(self) -> str:
        text = self._heard.getvalue() if self._heard else ""
        self._heard = None
        return text


def main(paths: list[str], read_from: int, write_to: int) -> None:
    sys.path[:0] = paths
    for ours in ("conversion", "describe", "state"):  # the package may have modules of these names
        sys.modules.pop(ours, None)
    sys.argv = [""]
    os.environ.setdefault("MPLBACKEND", "Agg")
    requests, answers = os.fdopen(read_from, "rb"), os.fdopen(write_to, "wb")
    ears = _Ear(sys.stdout), _Ear(sys.stderr)
    sys.stdout, sys.stderr = ears
    _send(answers, {"ready": True, "version": sys.version.split()[0]})
    while head := requests.read(_LENGTH.size):
        request = json.loads(requests.read(_LENGTH.unpack(head)[0]))
        self = os.getpid()
        answer = _answer(request, *ears)
        # A fork that the user's code made and that came back here would answer too, and take the next request.
        if os.getpid() != self:
            os._exit(0)
        _send(answers, answer | {"id": request["id"]})


def _send(answers: io.BufferedWriter, answer: dict[str, Any]) -> None:
    body = json.dumps(answer).encode()
    answers.write(_LENGTH.pack(len(body)) + body)
    answers.flush()


def _answer(request: dict[str, Any], out: _Ear, err: _Ear) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    out.listen()
    err.listen()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = _OPERATIONS[request["op"]](request)
        except BaseException as error:  # SystemExit too: a tool that exits has failed, the worker has not
            answer = {"error": _failure(error)}
    messages = err.heard().splitlines()[:_MOST_MESSAGES]
    return answer | {
        "printed": out.heard(),
        "messages": messages,
        "warnings": [str(item.message) for item in caught],
    }


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
    figures = _figures(request["max_images"])
    return {"value": _data(value), "text": mcp_describe(value, request["max_print"])} | figures


async def _awaited(value: Any) -> Any:
    return await value


def _figures(most: int) -> dict[str, Any]:
    """Figures that the call drew, as PNG, and how many there were; closed, so that the next call starts afresh."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return {"images": [], "plots": 0}
    numbers, images = pyplot.get_fignums(), []
    for number in numbers[:most]:
        buffer = io.BytesIO()
        pyplot.figure(number).savefig(buffer, format="png")
        images.append(base64.b64encode(buffer.getvalue()).decode())
    pyplot.close("all")
    return {"images": images, "plots": len(numbers)}


def _load(request: dict[str, Any]) -> dict[str, Any]:
    importlib.import_module(request["module"])
    return {}


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
    "example": _example,
    "load": _load,
    "set_state": _set_state,
}

if __name__ == "__main__":
    main(json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
