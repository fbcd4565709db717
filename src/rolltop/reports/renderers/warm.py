"""Warm R processes, one per sandbox, that render each document in a fork of themselves.

A warm R has loaded what rendering needs and taken every path once. It renders one document at a
time; a fork that gives no answer, times out, is cancelled, leaves something running or harms what it
shares with the warm R costs its whole sandbox, which is killed and replaced. So no render waits for
another's leftovers, and ending a render is ending a process tree.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rolltop.confine import Sandbox
from rolltop.confine.sandbox_backends import start_process
from rolltop.confine.process import Child
from rolltop.confine.r.sink import Sink
from rolltop.confine.resource_usage import Watch
from rolltop.errors import RolltopError, SizeLimit
from rolltop.reports.answer import event_in, read_answer
from rolltop.reports.config import MIB, ReportsConfig
from rolltop.reports.failure import RenderFailure, tail
from rolltop.reports.job import Event, Rendered, RenderJob, Watcher
from rolltop.reports.renderers.endings import Following, no_answer, too_much_memory, took_too_long
from rolltop.reports.scripts import FORKING, bootstrap, code_line

__all__ = ["WarmPool", "WarmR"]

_START_LIMIT = 60.0


@dataclass(eq=False, slots=True)
class WarmR:
    """One sandbox with a warm R in it, our ends of its two pipes, and what its processes print."""

    child: Child
    printed: Sink
    reader: asyncio.StreamReader
    transport: asyncio.ReadTransport
    loop: asyncio.AbstractEventLoop
    requests: int
    packages: frozenset[str]
    uses: int = 0

    @classmethod
    async def start(cls, sandbox: Sandbox, packages: frozenset[str], limit: int) -> WarmR:
        """Start R, warm it up, and return when it is ready."""
        ours_in, theirs_out = os.pipe2(os.O_CLOEXEC)
        theirs_in, ours_out = os.pipe2(os.O_CLOEXEC)
        # R opens the descriptors by name, so the numbers are part of the program.
        names = "".join(f',"{name}"' for name in sorted(packages))
        then = f'warm_up(c(character(0){names}));serve_forks(input,file("/dev/fd/{theirs_out}","w",raw=TRUE))'
        connection = f'file("/dev/fd/{theirs_in}","r",raw=TRUE)'
        argv = ["Rscript", "--vanilla", "-e", bootstrap(connection, then)]
        try:
            # Not in a thread: a cancelled start would leave a process there that nobody knows of.
            child = start_process(argv, sandbox, pass_fds=(theirs_in, theirs_out))
        except BaseException:
            os.close(ours_in)
            os.close(ours_out)
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        reader = asyncio.StreamReader(limit=limit)
        loop = asyncio.get_running_loop()
        pipe = os.fdopen(ours_in, "rb", 0)
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        # Documents, pandoc and TeX print there; a pipe that nobody reads would stop them once it is full.
        printed = Sink([child.process.stdout, child.process.stderr])
        warm = cls(child, printed, reader, transport, loop, ours_out, packages)
        try:
            async with asyncio.timeout(_START_LIMIT):
                await warm._send(code_line(FORKING))
                await warm._expect("ready")
        except BaseException:
            await warm.kill()
            raise
        return warm

    async def render(self, at: Following, config: ReportsConfig) -> tuple[bytes | None, bool]:
        """The answer (None: the fork gave none), and whether this R may be used again."""
        self.uses += 1
        self.printed.forget()
        watchman = asyncio.ensure_future(self._guard())
        try:
            async with asyncio.timeout(at.job.timeout):
                talk = asyncio.ensure_future(self._converse(at))
                await asyncio.wait([talk, watchman], return_when=asyncio.FIRST_COMPLETED)
                if not talk.done():
                    raise too_much_memory(at, config.memory)
                return talk.result()
        except TimeoutError:
            raise took_too_long(at) from None
        finally:
            watchman.cancel()
            if not talk.done():
                talk.cancel()
                await asyncio.wait([talk])

    async def _converse(self, at: Following) -> tuple[bytes | None, bool]:
        await self._send(at.job.request() + b"\n")
        answer: bytes | None = None
        while True:
            kind, body = await self._line()
            if kind == b"event":
                if event := event_in(body.decode("utf-8", "replace")):
                    at(event)
            elif kind == b"answer":
                answer = body
            elif kind == b"done":
                return answer, answer is not None and _is_clean(json.loads(body))
            elif not kind:
                return answer, False

    async def _guard(self) -> None:
        """Returns when all processes of the sandbox together use more memory than they may."""
        watch = Watch(self.child)
        while watch.exceeded() is None:  # noqa: ASYNC110 - nothing signals memory use
            await asyncio.sleep(watch.interval)

    async def _send(self, data: bytes) -> None:
        """Write all of it; a large request must not hold up the event loop."""
        try:
            await asyncio.to_thread(_write_all, self.requests, data)
        except OSError:
            return  # R is gone: reading will say so

    async def _line(self) -> tuple[bytes, bytes]:
        try:
            line = await self.reader.readline()
        except ValueError:
            raise SizeLimit(
                "the render produced more than it is allowed",
                hint="Make smaller figures, or raise output_limit in the [reports] settings.",
            ) from None
        kind, _, body = line.rstrip(b"\n").partition(b" ")
        return kind, body

    async def _expect(self, wanted: str) -> None:
        kind, _ = await self._line()
        if kind != wanted.encode():
            raise RenderFailure(
                "R could not be started for rendering",
                hint="Check that R has the packages rmarkdown, knitr and jsonlite: rolltop doctor.",
                details={"log": await asyncio.to_thread(self._last_words)},
            )

    def _last_words(self) -> str:
        self.child.kill()
        self.printed.finish()
        return tail(self.printed.text())

    async def kill(self) -> None:
        await asyncio.to_thread(self.end)

    def end(self) -> None:
        """Kill the sandbox and everything in it; safe to say twice, from any thread, after the loop has gone."""
        if self.requests < 0:
            return
        os.close(self.requests)
        self.requests = -1
        self.child.close()
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.transport.close)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _is_clean(end: Mapping[str, Any]) -> bool:
    """Whether a fork left the warm R as it was: it could be forked, nothing runs, their directory is still there."""
    return end.get("forked") is True and end.get("left") == 0 and end.get("intact") is True


class WarmPool:
    """Up to `slots` idle warm Rs per set of packages; new ones are warmed in the background."""

    def __init__(self, config: ReportsConfig, sandbox: Sandbox) -> None:
        self.config = config
        self.sandbox = sandbox
        self._idle: dict[frozenset[str], list[WarmR]] = {}
        self._coming: dict[frozenset[str], set[asyncio.Task[None]]] = {}
        self._closed = False

    def _package_set(self, mentioned: frozenset[str]) -> frozenset[str]:
        return mentioned & frozenset(self.config.preload)

    async def take(self, mentioned: frozenset[str]) -> WarmR | None:
        """A warm R for such a document, None when none is ready (one is then being warmed)."""
        packages = self._package_set(mentioned)
        idle = self._idle.get(packages, [])
        while idle:
            warm = idle.pop()
            if warm.child.process.poll() is None:
                return warm
            await warm.kill()
        self._warm_another(packages)
        return None

    async def ready(self, mentioned: frozenset[str] = frozenset(), count: int = 1) -> None:
        """Wait until so many warm Rs are there, at most `slots`."""
        packages = self._package_set(mentioned)
        while len(self._idle.get(packages, ())) < min(count, self.config.slots):
            self._warm_another(packages)
            await asyncio.gather(*self._coming.get(packages, ()))

    def _warm_another(self, packages: frozenset[str]) -> None:
        coming = self._coming.setdefault(packages, set())
        if self._closed or len(coming) + len(self._idle.get(packages, ())) >= self.config.slots:
            return
        task = asyncio.ensure_future(self._start(packages))
        coming.add(task)
        task.add_done_callback(coming.discard)

    async def _start(self, packages: frozenset[str]) -> None:
        with contextlib.suppress(RolltopError, OSError, TimeoutError):  # renders stay cold, and say what is wrong
            warm = await WarmR.start(self.sandbox, packages, self._answer_limit)
            await self._give_back(warm)

    @property
    def _answer_limit(self) -> int:
        return self.config.output_limit * MIB * 2

    async def render(self, warm: WarmR, job: RenderJob, watch: Watcher) -> Rendered:
        at = Following(job, watch, "local")
        at(Event("start"))
        reusable = False
        try:
            answer, reusable = await warm.render(at, self.config)
            printed = warm.printed.text()  # now: somebody else's render may be the next
        finally:
            if reusable and warm.uses < self.config.warm_uses:
                await self._give_back(warm)
            else:
                await asyncio.shield(asyncio.ensure_future(warm.kill()))
                self._warm_another(warm.packages)
        if answer is None:
            raise no_answer(at, "its process is gone", printed)
        confinement = str(warm.child.confinement)
        return read_answer(job, answer, renderer="local", confinement=confinement, printed=printed)

    async def _give_back(self, warm: WarmR) -> None:
        if self._closed:
            await warm.kill()
        else:
            self._idle.setdefault(warm.packages, []).append(warm)

    def close(self) -> None:
        self._closed = True
        for task in [task for tasks in self._coming.values() for task in tasks]:
            with contextlib.suppress(RuntimeError):  # its loop has gone, and R with it
                task.get_loop().call_soon_threadsafe(task.cancel)
        for idle in self._idle.values():
            while idle:
                idle.pop().end()
