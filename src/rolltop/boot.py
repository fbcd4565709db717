"""The entry point, and a fast start for stdio clients.

A client that starts us waits for `initialize`, often not longer than a second, while loading everything takes one.
So the tools are loaded in a thread, and until they are there this module answers what `server.start_cache` knows.

Nothing here imports more than the lightest modules of the standard library: this file is the start-up time.
"""

from __future__ import annotations

import os
import sys
from typing import Any

__all__ = ["main"]

_MOST_WAITING = 1 << 20
"""Bytes of messages that are read while the tools load; the rest stays in the pipe."""
_OBJECTS = 50_000
"""New objects before the garbage collector runs: a short command produces little garbage."""
FLAGS = ("--page", "--read-only", "--output-schemas", "--no-output-schemas")
VALUED = (
    "--workspace",
    "--log-level",
    "--toolsets",
    "--tools",
    "--exclude-tools",
    "--prefix",
    "--descriptions",
    "--tool-mode",
    "--catalog",
    "--catalog-group",
    "--consent",
)
"""The options of a stdio server. A test compares them with the command line's own."""


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
        from rolltop.base.streams import replace_closed_streams  # noqa: PLC0415 - seldom needed

        replace_closed_streams()
    if not {"serve", "daemon"} & {*sys.argv[1:]}:
        import gc  # noqa: PLC0415

        gc.set_threshold(_OBJECTS, 10, 10)
    if sys.argv[1:2] == ["transform"]:
        from rolltop.cli.transform.quick import run_quickly  # noqa: PLC0415

        if run_quickly(sys.argv[2:]):
            return
    from rolltop.cli.main import main as command_line  # noqa: PLC0415 - click is not free

    command_line()


def _is_plain_stdio(arguments: list[str]) -> bool:
    """True for `rolltop [options] serve [options]` over stdio, with options known here."""
    served, rest = False, iter(arguments)
    for argument in rest:
        name = argument.partition("=")[0]
        if argument == "serve" and not served:
            served = True
        elif name in VALUED:
            if "=" not in argument and next(rest, None) is None:
                return False
        elif argument not in FLAGS:
            return False
    return served and "_ROLLTOP_COMPLETE" not in os.environ


def _serve_fast() -> None:
    from rolltop.base.streams import claim_stdio  # noqa: PLC0415
    from rolltop.server.start_cache import cache_path, keep, kept_or_built_in  # noqa: PLC0415

    _end_on_signals()
    wire = claim_stdio()
    arguments = sys.argv[1:]
    path = cache_path(arguments, os.environ)
    answers = kept_or_built_in(path, arguments, os.environ)
    loading = _Loading()
    read = _answer_early(wire.reader, wire.writer, answers, loading)
    # Import nothing here while the other thread imports: each could see half-loaded modules.
    application = loading.result()
    from rolltop.server.runtime import run_stdio  # noqa: PLC0415
    from rolltop.server.stdio import Early  # noqa: PLC0415

    def ready(built: Any) -> None:
        application.list_was_stale |= keep(path, answers, built)

    run_stdio(application, wire, Early(*read), ready)


def _end_on_signals() -> None:
    """End at once on a signal until the server handles signals; no work has begun yet."""
    import signal  # noqa: PLC0415 - other starts do without

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: os._exit(0))


class _Loading:
    """Builds the application in a thread; `pipe` becomes readable when that is done or has failed."""

    def __init__(self) -> None:
        self.pipe, self._done = os.pipe()
        self._application: Any = None
        self._error: BaseException | None = None
        import threading  # noqa: PLC0415 - other starts do without

        self._thread = threading.Thread(target=self._load, name="load")
        self._thread.start()

    def _load(self) -> None:
        try:
            from rolltop.cli.serve import application_for  # noqa: PLC0415

            self._application = application_for(sys.argv[1:])
        except BaseException as error:  # raised again in the main thread
            self._error = error
        finally:
            os.write(self._done, b"x")

    def result(self) -> Any:
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._application


def _answer_early(
    reader: int, writer: int, answers: dict[str, Any], loading: _Loading
) -> tuple[bytes, frozenset[str | int], bool]:
    """Answer what is known until the tools are loaded; return what was read and not answered, for `Early`."""
    import select  # noqa: PLC0415

    from rolltop.server.start_cache import known_answer  # noqa: PLC0415

    waiting: list[bytes] = []
    answered: set[str | int] = set()
    held, size, ended, heard = b"", 0, False, True
    while True:
        watched = [reader, loading.pipe] if size + len(held) < _MOST_WAITING else [loading.pipe]
        ready = select.select(watched, [], [])[0]
        if reader not in ready:
            break
        try:
            chunk = os.read(reader, 1 << 16)
        except OSError:
            break  # the server reports it
        if not chunk:
            ended = True
            break
        *lines, held = (held + chunk).split(b"\n")
        for line in lines:
            request_id, answer, forward = known_answer(line, answers, introduced=bool(answered))
            heard = heard and (answer is None or _write_all(writer, answer))
            if answer is not None and heard and forward and request_id is not None:
                answered.add(request_id)
            if answer is None or forward or not heard:
                waiting.append(line)
                size += len(line) + 1
        if loading.pipe in ready:
            break
    return b"".join(line + b"\n" for line in waiting) + held, frozenset(answered), ended


def _write_all(descriptor: int, data: bytes) -> bool:
    """True if everything was written; an error is left to the server to report."""
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        return False
    return True
