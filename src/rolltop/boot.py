"""The entry point, and a fast start for stdio clients.

A client that starts us waits for the answer to `initialize`, often with a short patience, while importing
everything takes a second. So what a server says about itself (`initialize`, `server/discover`, `tools/list`)
is kept from one start to the next, and answered from there while the rest loads in a thread; all other
messages wait for it. When the tools turn out to have changed, the client is told (`tools/list_changed`) and
the kept answers are written anew.

Nothing here imports more than the standard library's lightest modules: this file is the whole start-up cost.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rolltop.server.protocol import Built

__all__ = ["main"]

_OBJECTS = 50_000
"""New objects after which one command looks for garbage: what it loads is none, and looking takes its time."""
_PLAIN_OPTIONS = ("--read-only",)
_VALUED_OPTIONS = (
    "--workspace",
    "--log-level",
    "--toolsets",
    "--exclude-tools",
    "--prefix",
    "--descriptions",
    "--tool-mode",
)
_VARIABLES = ("ROLLTOP_", "MCP_", "UTLX_", "XDG_", "HOME", "PYTHONPATH", "VIRTUAL_ENV")


def main() -> None:
    """Start the server fast if that is all that is asked for, else run the command line."""
    if sys.flags.optimize > 1:
        sys.exit(
            "Error: python -OO (PYTHONOPTIMIZE=2) leaves out what describes the tools\n"
            "hint: Start it without; -O works."
        )
    if _is_plain_stdio(sys.argv[1:]):
        try:
            _serve_fast()
        except BaseException as error:
            from rolltop.cli.errors import leave_with  # noqa: PLC0415

            leave_with(error)
        return
    if None in (sys.stdin, sys.stdout, sys.stderr) and "serve" not in sys.argv[1:]:
        from rolltop.base.streams import mind_closed_streams  # noqa: PLC0415 - seldom needed

        mind_closed_streams()
    if sys.argv[1:2] == ["transform"]:
        import gc  # noqa: PLC0415

        gc.set_threshold(_OBJECTS, 10, 10)
        from rolltop.cli.transform.quick import run_quickly  # noqa: PLC0415

        if run_quickly(sys.argv[2:]):
            return
    from rolltop.cli.main import main as command_line  # noqa: PLC0415 - click is not free

    command_line()


def _is_plain_stdio(arguments: list[str]) -> bool:
    """Whether this is `rolltop [options] serve [options]` over stdio, with options known here."""
    served, rest = False, iter(arguments)
    for argument in rest:
        name = argument.partition("=")[0]
        if argument == "serve" and not served:
            served = True
        elif name in _VALUED_OPTIONS:
            if "=" not in argument and next(rest, None) is None:
                return False
        elif argument not in _PLAIN_OPTIONS:
            return False
    return served and "_ROLLTOP_COMPLETE" not in os.environ


def _serve_fast() -> None:
    from rolltop.server.claim import claim_stdio  # noqa: PLC0415

    _end_on_signals()
    wire = claim_stdio()
    path = _kept_path(sys.argv[1:], os.environ)
    kept = _read_kept(path)
    loading = _Loading()
    read = _answer_early(wire.reader, wire.writer, kept, loading) if kept else (b"", frozenset(), False)
    # Nothing is imported here while the other thread imports: two that do may each see half of what the other has.
    desk = loading.result()
    from rolltop.server.serve import run_stdio  # noqa: PLC0415
    from rolltop.server.stdio import Early  # noqa: PLC0415

    run_stdio(desk, wire, Early(*read), lambda built: _keep(path, kept, built, desk))


def _end_on_signals() -> None:
    """Until the server handles them: nothing was asked for yet that would have to be finished."""
    import signal  # noqa: PLC0415 - other starts do without

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: os._exit(0))


class _Loading:
    """Builds the desk in a thread; `pipe` becomes readable when it is there, or has failed."""

    def __init__(self) -> None:
        self.pipe, self._done = os.pipe()
        self._desk: Any = None
        self._error: BaseException | None = None
        import threading  # noqa: PLC0415 - other starts do without

        self._thread = threading.Thread(target=self._load, name="load")
        self._thread.start()

    def _load(self) -> None:
        try:
            from rolltop.cli.serve import desk_for  # noqa: PLC0415

            self._desk = desk_for(sys.argv[1:])
        except BaseException as error:  # told to the main thread, which ends the process with it
            self._error = error
        finally:
            os.write(self._done, b"x")

    def result(self) -> Any:
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._desk


def _answer_early(
    reader: int, writer: int, kept: dict[str, Any], loading: _Loading
) -> tuple[bytes, frozenset[str | int], bool]:
    """Answer what is known until the rest is loaded; give back what was read and not answered, for `Early`."""
    import select  # noqa: PLC0415

    waiting: list[bytes] = []
    answered: set[str | int] = set()
    held, ended, heard = b"", False, True
    while True:
        ready = select.select([reader, loading.pipe], [], [])[0]
        if loading.pipe in ready:
            break
        try:
            chunk = os.read(reader, 1 << 16)
        except OSError:
            break  # the server finds out what is wrong, and says it
        if not chunk:
            ended = True
            break
        *lines, held = (held + chunk).split(b"\n")
        for line in lines:
            request_id, answer, forward = _known_answer(line, kept, introduced=bool(answered))
            heard = heard and (answer is None or _write_all(writer, answer))
            if answer is not None and heard and forward and request_id is not None:
                answered.add(request_id)
            if answer is None or forward or not heard:
                waiting.append(line)
    return b"".join(line + b"\n" for line in waiting) + held, frozenset(answered), ended


def _known_answer(line: bytes, kept: dict[str, Any], *, introduced: bool) -> tuple[Any, bytes | None, bool]:
    """The id, the answer if it is known, and whether the server has to see the message all the same."""
    try:
        message = json.loads(line)
        method, request_id = message["method"], message["id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None, None, True
    if type(request_id) not in (str, int):
        return None, None, True
    params = message.get("params") if isinstance(message.get("params"), dict) else {}
    result = _known_result(method, params, kept, introduced)
    if result is None:
        return request_id, None, True
    body = '{"jsonrpc":"2.0","id":' + json.dumps(request_id) + ',"result":' + result + "}\n"
    return request_id, body.encode(), method == "initialize"


def _known_result(method: str, params: dict[str, Any], kept: dict[str, Any], introduced: bool) -> str | None:
    given = params.get("_meta")
    meta = given if isinstance(given, dict) else {}
    version = meta.get("io.modelcontextprotocol/protocolVersion")
    if version is not None and not isinstance(meta.get("io.modelcontextprotocol/clientCapabilities"), dict):
        return None  # an envelope that is not whole: the server says so
    if method == "initialize" and version is None and isinstance(params.get("protocolVersion"), str):
        if introduced or not _is_introduction(params):
            return None
        known: dict[str, str] = kept["initialize"]
        return known.get(params["protocolVersion"]) or list(known.values())[-1]
    if method == "tools/list" and not params.get("cursor") and (introduced or version is not None):
        listed: str | None = kept["list"] if version is None else kept["modern"].get(version, {}).get("list")
        return listed
    if method == "server/discover" and version is not None:
        found: str | None = kept["modern"].get(version, {}).get("discover")
        return found
    return None


def _is_introduction(params: dict[str, Any]) -> bool:
    info = params.get("clientInfo")
    named = isinstance(info, dict) and isinstance(info.get("name"), str) and isinstance(info.get("version"), str)
    return named and isinstance(params.get("capabilities"), dict)


def _write_all(descriptor: int, data: bytes) -> bool:
    """Whether it was written; what is wrong with the other end, the server finds out and says."""
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        return False
    return True


def _kept_path(arguments: list[str], env: Any) -> str:
    """The file of kept answers for this way of starting: arguments, environment, configuration, installation."""
    import hashlib  # noqa: PLC0415

    folder = env.get("XDG_CONFIG_HOME") or _home(env, ".config")
    config = env.get("ROLLTOP_CONFIG") or os.path.join(folder, "rolltop", "config.toml")
    attached = os.path.join(_workspace(arguments, env), "catalogs.json")  # brings tools of its own
    places = [config, attached, *sys.path, os.path.dirname(__file__)]
    told = sorted((key, value) for key, value in env.items() if key.startswith(_VARIABLES))
    state = json.dumps([arguments, told, sys.executable, sys.version, [_changed(place) for place in places]])
    digest = hashlib.sha256(state.encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return os.path.join(env.get("XDG_CACHE_HOME") or _home(env, ".cache"), "rolltop", "start", f"{digest}.json")


def _workspace(arguments: list[str], env: Any) -> str:
    """Where the workspace is, as far as arguments and environment say."""
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if argument.startswith("--workspace"):
            return argument.partition("=")[2] or following
    default = os.path.join(env.get("XDG_DATA_HOME") or _home(env, ".local/share"), "rolltop")
    return str(env.get("ROLLTOP_WORKSPACE") or default)


def _home(env: Any, name: str) -> str:
    return os.path.join(env.get("HOME") or os.path.expanduser("~"), name)


def _changed(place: str) -> int:
    try:
        return os.stat(place).st_mtime_ns
    except OSError:
        return 0


def _read_kept(path: str) -> dict[str, Any] | None:
    try:
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
    except (OSError, ValueError):
        return None
    return kept if isinstance(kept, dict) and kept.get("format") == 1 else None


def _keep(path: str, before: dict[str, Any] | None, built: Built, desk: Any) -> None:
    """Keep the answers for the next start; tell the client if it was told something else."""
    from rolltop.base.atomic_files import write_file  # noqa: PLC0415
    from rolltop.server.kept import answers_of  # noqa: PLC0415

    now = answers_of(built)
    if now == before:
        return
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_file(path, json.dumps(now).encode("utf-8"), durable=False)
    except OSError:
        pass  # a start that is not fast is still a start
    desk.list_was_stale = before is not None and before.get("list") != now["list"]
