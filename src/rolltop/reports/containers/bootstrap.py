"""A base image without a registry: a small Debian with R, pandoc and TeX, made by mmdebstrap."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from rolltop.confine.scratch import remove_tree
from rolltop.errors import PartMissing
from rolltop.reports.containers.engine import ContainerEngine, EngineError
from rolltop.reports.job import Event, Watcher

__all__ = ["Bootstrap"]

SUITE = "bookworm"
PACKAGES = (
    "r-base-core", "r-cran-rmarkdown", "r-cran-knitr", "r-cran-codetools", "r-cran-ggplot2", "r-cran-tinytex",
    "r-cran-jsonlite", "pandoc", "texlive-latex-base", "texlive-latex-recommended", "lmodern",
)  # fmt: skip
LEFT_OUT = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*")
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """A Debian system with the packages that rendering needs and the R packages that were asked for."""

    packages: tuple[str, ...] = ()
    mirror: str = ""

    @property
    def debian_packages(self) -> tuple[str, ...]:
        return (*PACKAGES, *(f"r-cran-{name.lower()}" for name in self.packages))

    @property
    def reference(self) -> str:
        digest = hashlib.sha256(json.dumps([SUITE, self.debian_packages, LEFT_OUT]).encode())
        return f"rolltop-reports-base:{digest.hexdigest()[:16]}"

    async def ensure(self, engine: ContainerEngine, watch: Watcher) -> str:
        """The base's reference; it is made and imported if the engine does not have it."""
        if await engine.image(self.reference) is None:
            watch(Event("image", message=f"bootstrapping {SUITE} with R, pandoc and TeX (minutes, once)"))
            await self._import(engine, watch)
        return self.reference

    async def _import(self, engine: ContainerEngine, watch: Watcher) -> None:
        program = shutil.which("mmdebstrap")
        if program is None:
            raise PartMissing(
                "no registry is reachable, and mmdebstrap, which would bootstrap an image, is not installed",
                hint="On Debian: apt-get install mmdebstrap. Or set image_base in [reports] to an image you have.",
            )
        folder = tempfile.mkdtemp(prefix="rolltop-bootstrap-")
        process = await asyncio.create_subprocess_exec(
            *_own_namespaces(),
            program,
            *self._arguments(),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "TMPDIR": folder},
        )
        said = asyncio.create_task(_follow(process, watch))
        try:
            await engine.import_image(self.reference, _chunks(process), ("ENV LANG=C.UTF-8",))
            if await process.wait() != 0:
                await engine.remove_image(self.reference)
                raise EngineError(
                    "the bootstrap failed", details={"log": await said}, hint="See the log in the details."
                )
        finally:
            await asyncio.shield(_end(process, folder))
            await said

    def _arguments(self) -> list[str]:
        arguments = ["--variant=minbase", '--aptopt=APT::Install-Recommends "false"', "--format=tar"]
        # A mirror may answer 429 for a while.
        arguments += ['--aptopt=Acquire::Retries "8"', f"--include={','.join(self.debian_packages)}"]
        arguments += [f"--dpkgopt=path-exclude={path}" for path in LEFT_OUT]
        return [*arguments, SUITE, "-", *([self.mirror] if self.mirror else [])]


def _own_namespaces() -> list[str]:
    """As root: mounts and processes of its own, which are gone with it, and it with the server.

    An ordinary user's mmdebstrap makes such namespaces itself.
    """
    if os.geteuid() != 0 or shutil.which("unshare") is None or shutil.which("setpriv") is None:
        return []
    unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private"]
    return ["setpriv", "--pdeathsig", "KILL", *unshare]


async def _end(process: asyncio.subprocess.Process, folder: str) -> None:
    """End the bootstrap if it runs, and remove what it made."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            # In namespaces of its own everything goes at once; else mmdebstrap has to take its mounts along.
            os.killpg(process.pid, signal.SIGKILL if _own_namespaces() else signal.SIGTERM)
        while await process.stdout.read(_CHUNK) if process.stdout else False:
            pass  # what still writes must not wait for a reader
        await process.wait()
    await asyncio.to_thread(remove_tree, Path(folder))


async def _chunks(process: asyncio.subprocess.Process) -> AsyncIterator[bytes]:
    assert process.stdout is not None
    while data := await process.stdout.read(_CHUNK):
        yield data


async def _follow(process: asyncio.subprocess.Process, watch: Watcher) -> str:
    """Pass on what mmdebstrap is doing; the end of it explains a failure."""
    assert process.stderr is not None
    last: list[str] = []
    async for line in process.stderr:
        text = line.decode("utf-8", "replace").strip()
        last = [*last[-30:], text]
        if text.startswith("I:"):
            watch(Event("image", message=text[3:120]))
    return "\n".join(last)
