"""The Python side of the catalog, run as a program inside the sandbox: loads functions, calls them, answers.

Only the standard library and the files placed beside it: `conversion.py`, `describe.py`, `results.py`, `state.py`,
`tool_decorator.py`.
Frames are a big-endian 4-byte length and that many bytes of JSON on two descriptors of their own; what the user's
code prints cannot get between them.
"""

from __future__ import annotations

import ast
import asyncio
import base64
import contextlib
import ctypes
import importlib.util
import inspect
import io
import json
import os
import random
import shutil
import struct
import sys
import threading
import time
import traceback
import types
import warnings
from collections.abc import Callable
from typing import Any

from tool_decorator import tool  # type: ignore[import-not-found]

from conversion import Unfit, arguments_for, declaration_of  # type: ignore[import-not-found]
from describe import mcp_describe  # type: ignore[import-not-found]
from results import as_data, taken  # type: ignore[import-not-found]
from state import State, mcptool_state_factory  # type: ignore[import-not-found]

_LENGTH = struct.Struct(">I")
_STATE = State()
_HIDDEN_STATE = "_state_env"
_MOST_MESSAGES = 1000
_PR_SET_DUMPABLE = 4


class _Tap(io.RawIOBase):
    """Where an ear's bytes go: during a request to its answer, else to the descriptor that the process began with."""

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor = descriptor
        self.name = name
        self.heard: io.BytesIO | None = None

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def write(self, data: Any) -> int:
        if self.heard is not None:
            return self.heard.write(data)
        return os.write(self._descriptor, data)

    def close(self) -> None:
        """Never: a tool that closes its standard output, or wraps it anew, has not closed that of the next call."""


class _Ear(io.TextIOWrapper):
    """Standard output or error of the user's code: what is written during a request belongs to its answer.

    The same object all the time, because handlers of `logging` keep the stream that they found when they were made.
    """

    def __init__(self, descriptor: int, name: str) -> None:
        self._tap = _Tap(descriptor, name)
        super().__init__(self._tap, "utf-8", errors="backslashreplace", newline="\n", write_through=True)

    def close(self) -> None:
        self.flush()

    def listen(self) -> None:
        self._tap.heard = io.BytesIO()

    def hear(self) -> str:
        heard, self._tap.heard = self._tap.heard, None
        return heard.getvalue().decode("utf-8", "replace") if heard else ""


def _offer_ourselves() -> None:
    """Let a package that imports `rolltop.catalog` find what is for authors, where the library itself is not."""
    if importlib.util.find_spec("rolltop") is not None:
        return
    package, catalog = types.ModuleType("rolltop"), types.ModuleType("rolltop.catalog")
    package.__path__ = []
    package.catalog = catalog  # type: ignore[attr-defined]
    catalog.__dict__.update(tool=tool, mcp_describe=mcp_describe, mcptool_state_factory=mcptool_state_factory)
    sys.modules |= {"rolltop": package, "rolltop.catalog": catalog}


def main(paths: list[str], descriptors: list[int]) -> None:
    sys.path[:0] = paths
    _offer_ourselves()
    for ours in (
        "conversion",
        "tool_decorator",
        "describe",
        "results",
        "state",
    ):  # the package may have modules of these names
        sys.modules.pop(ours, None)
    sys.argv = [""]
    os.environ.setdefault("MPLBACKEND", "Agg")
    requests, answers = os.fdopen(descriptors[0], "rb"), os.fdopen(descriptors[1], "wb")
    ears = _Ear(1, "<stdout>"), _Ear(2, "<stderr>")
    sys.stdout, sys.stderr = ears
    if len(descriptors) > 2:
        _close_memory()
    _send(answers, {"ready": True, "version": sys.version.split()[0]})
    while (request := _receive(requests)) is not None:
        if request["op"] == "fork":
            answer = _fork()
            if answer is None:  # this is the job
                _run_job(descriptors[2:], ears)
        elif request["op"] == "sweep":
            answer = {"value": _sweep()}
        else:
            self = os.getpid()
            answer = _answer(request, *ears)
            # A fork that the user's code made and that came back here would answer too, and take the next request.
            if os.getpid() != self:
                os._exit(0)
        _send(answers, (answer or {}) | {"id": request["id"]})


def _receive(requests: io.BufferedReader) -> dict[str, Any] | None:
    head = requests.read(_LENGTH.size)
    if not head:
        return None
    request: dict[str, Any] = json.loads(requests.read(_LENGTH.unpack(head)[0]))
    return request


def _close_memory() -> None:
    """Close this process to all others of its user: a job must not write to what later jobs are forked from."""
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _fork() -> dict[str, Any] | None:
    """Fork a job; None in the job itself."""
    if threading.active_count() > 1:
        return {"error": "the package has started threads"}
    try:
        pid = os.fork()
    except OSError as error:
        return {"error": str(error.strerror)}
    return {"value": pid} if pid else None


def _run_job(own: list[int], ears: tuple[_Ear, _Ear]) -> None:
    """Answer one request, with no descriptor of the template or of another job, and end."""
    try:
        low, high = sorted(own)
        for start, end in ((3, low), (low + 1, high), (high + 1, os.sysconf("SC_OPEN_MAX"))):
            os.closerange(start, end)
        random.seed()
        requests, answers = os.fdopen(own[0], "rb"), os.fdopen(own[1], "wb")
        if (request := _receive(requests)) is not None:
            job = os.getpid()
            answer = _answer(request, *ears)
            if os.getpid() == job:
                _send(answers, answer | {"id": request["id"]})
    finally:
        os._exit(0)


def _sweep() -> bool:
    """Called in the template when nothing of a job runs any more: removes its files; whether all are gone."""
    temporary = os.environ["TMPDIR"]
    for folder in (temporary, "/dev/shm"):  # noqa: S108 - the sandbox's own
        with contextlib.suppress(OSError):
            for entry in os.scandir(folder):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    with contextlib.suppress(OSError):
                        os.unlink(entry.path)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    return not os.listdir(temporary)


def _send(answers: io.BufferedWriter, answer: dict[str, Any]) -> None:
    try:
        body = json.dumps(answer).encode()
    except Exception as error:  # whatever a tool returned, its call is answered
        kept = {key: answer[key] for key in ("id", "printed", "messages", "warnings")}
        body = json.dumps(kept | {"error": _failure(error)}).encode()
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
    for stream in (sys.stdout, sys.stderr):  # which may be the tool's own, around one of ours
        with contextlib.suppress(Exception):
            stream.flush()
    return answer | {
        "messages": err.hear().splitlines()[:_MOST_MESSAGES],
        "printed": out.hear(),
        "warnings": [str(item.message) for item in caught],
    }


def _said(error: BaseException) -> str:
    """The message of an exception, also of one that fails to give it."""
    try:
        return str(error)
    except BaseException as trouble:
        return f"(its message cannot be shown: {type(trouble).__name__})"


def _failure(error: BaseException) -> dict[str, Any]:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    trace = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames[-20:]]
    failure = {"kind": type(error).__name__, "message": _said(error), "trace": trace}
    return failure | ({"problems": error.problems} if isinstance(error, Unfit) else {})


def _call(request: dict[str, Any]) -> dict[str, Any]:
    function = getattr(importlib.import_module(request["module"]), request["function"])
    declared = declaration_of(function, request["function"])
    parameters = inspect.signature(declared).parameters
    given = arguments_for(declared, request["arguments"])
    if _HIDDEN_STATE in parameters:
        given[_HIDDEN_STATE] = _STATE
    positional = [
        given.pop(name) for name, item in parameters.items() if item.kind is item.POSITIONAL_ONLY and name in given
    ]
    value = function(*positional, **given)
    if inspect.isawaitable(value) or inspect.isasyncgen(value):
        value = asyncio.run(_awaited(value))
    value = taken(value, request["returns"])
    figures = _figures(request["max_images"])
    return {"value": as_data(value, request["returns"]), "text": mcp_describe(value, request["max_print"])} | figures


async def _awaited(value: Any) -> Any:
    return [item async for item in value] if inspect.isasyncgen(value) else await value


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
                value = taken(value, {})
        except Exception as error:
            failure = f"{type(error).__name__}: {_said(error)}"
    lines = output.getvalue().splitlines()
    if failure:
        lines.append(failure)
    elif value is not None:
        lines += mcp_describe(value, request["max_print"]).split("\n")
    return {"value": {"output": lines, "seconds": time.perf_counter() - began, "failure": failure}}


_OPERATIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "call": _call,
    "example": _example,
    "load": _load,
    "set_state": _set_state,
}

if __name__ == "__main__":
    main(json.loads(sys.argv[1]), [int(number) for number in sys.argv[2:]])
