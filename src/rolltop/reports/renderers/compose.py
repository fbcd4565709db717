"""Renders through docker compose: the v2 plugin where it answers, else docker-compose v1."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Literal

from rolltop.errors import PartMissing, RolltopError, SizeLimit
from rolltop.reports.config import MIB, ReportsConfig
from rolltop.reports.containers.attach import too_much_output
from rolltop.reports.containers.engine import ContainerEngine
from rolltop.reports.containers.hardening import LABEL, compose_document, owner_labels
from rolltop.reports.containers.image import ensure_image
from rolltop.reports.job import Availability, Event, Rendered, RenderJob, Watcher
from rolltop.reports.renderers.docker_api import CONFINEMENT, KILLED, DockerRenderer
from rolltop.reports.renderers.interruptions import Following, too_much_memory, took_too_long
from rolltop.reports.renderers.stream_output import StreamReading

__all__ = ["ComposeRenderer"]

_CHUNK = 1 << 16


class ComposeRenderer(DockerRenderer):
    """Same image, same limits, same contract; compose starts the container and carries its streams."""

    name = "compose"

    def __init__(self, engine: ContainerEngine, config: ReportsConfig) -> None:
        super().__init__(engine, config)
        self._command: list[str] | None = None

    async def available(self) -> Availability:
        try:
            await self._program()
        except PartMissing as error:
            return Availability(False, error.message, error.hint or "")
        return await super().available()

    async def _program(self) -> list[str]:
        """`docker compose` or `docker-compose`, whichever answers; found out once."""
        if self._command is None:
            docker, old = shutil.which("docker"), shutil.which("docker-compose")
            if docker and await _answers([docker, "compose", "version"]):
                self._command = [docker, "compose"]
            elif old:
                self._command = [old]
            else:
                raise PartMissing(
                    "docker compose is not installed",
                    hint="On Debian: apt-get install docker-compose. Or leave use_docker_compose out.",
                )
        return self._command

    async def render(self, job: RenderJob, watch: Watcher) -> Rendered:
        program = await self._program()
        image = await ensure_image(self.engine, self.recipe, watch)
        await self._sweep_once()
        at = Following(job, watch, self.name)
        at(Event("start"))
        labels = owner_labels(job.timeout)
        with tempfile.TemporaryDirectory(prefix="rolltop-compose-") as folder:
            file = Path(folder) / "compose.json"
            file.write_text(json.dumps(compose_document(image, self.config, labels)))
            command = [*program, "-f", str(file), "-p", f"rolltop-{labels[LABEL]}", "run", "--rm", "-T", "render"]
            try:
                return await self._run_compose(command, self._environment(folder), at)
            finally:
                await asyncio.shield(asyncio.ensure_future(self._remove_labelled(labels[LABEL])))

    def _environment(self, home: str) -> dict[str, str]:
        """A home of its own: the user's contexts and credentials are no business of a render."""
        return {"PATH": os.defpath + ":/usr/local/bin", "HOME": home, "DOCKER_HOST": self.engine.host}

    async def _run_compose(self, command: list[str], env: Mapping[str, str], at: Following) -> Rendered:
        reading = StreamReading(at)
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=pipe, env=dict(env), start_new_session=True
        )
        async with AsyncExitStack() as cleanup:
            cleanup.push_async_callback(_end, process)
            try:
                async with asyncio.timeout(at.job.timeout):
                    await self._converse(process, at.job, reading)
                    code = await process.wait()
            except TimeoutError:
                raise took_too_long(at) from None
        if code == KILLED:
            raise too_much_memory(at, self.config.memory)
        return reading.result(confinement=CONFINEMENT, ended=f"exit code {code}")

    async def _converse(self, process: asyncio.subprocess.Process, job: RenderJob, reading: StreamReading) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        limit = left = self.config.output_limit * MIB * 2

        async def feed(stdin: asyncio.StreamWriter) -> None:
            with contextlib.suppress(ConnectionError):
                stdin.write(job.request() + b"\n")
                await stdin.drain()
            # Left open until the end: compose v1 takes the container down when its standard input ends.

        async def read(name: Literal["stdout", "stderr"], stream: asyncio.StreamReader) -> None:
            nonlocal left
            while data := await stream.read(_CHUNK):
                left -= len(data)
                if left < 0:
                    raise too_much_output(limit)
                reading.take(name, data)

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(feed(process.stdin))
                group.create_task(read("stdout", process.stdout))
                group.create_task(read("stderr", process.stderr))
        except ExceptionGroup as errors:  # either stream may be the one; they are counted together
            if errors.subgroup(SizeLimit) is None:
                raise
            raise too_much_output(limit) from None

    async def _remove_labelled(self, job: str) -> None:
        """Whatever compose left: it removes the container itself only when it is not killed."""
        with contextlib.suppress(RolltopError):
            for container in await self.engine.containers(f"{LABEL}={job}"):
                await self.engine.remove(str(container["Id"]))


async def _answers(command: list[str]) -> bool:
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*command, stdin=quiet, stdout=quiet, stderr=quiet)
    return await process.wait() == 0


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.stdin is not None:
        process.stdin.close()
    # What nobody has read has to be: a process counts as ended when its pipes have.
    left = [_empty(stream) for stream in (process.stdout, process.stderr) if stream is not None]
    await asyncio.shield(asyncio.gather(process.wait(), *left))


async def _empty(stream: asyncio.StreamReader) -> None:
    while await stream.read(_CHUNK):
        pass
