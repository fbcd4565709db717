"""R packages with compiled code: installed into a library of their own, inside the sandbox, before they are loaded."""

from __future__ import annotations

from pathlib import Path

from rolltop.confine import Finished, Limits, Mount, Sandbox, run
from rolltop.confine.scratch import Scratch
from rolltop.errors import ForeignFailure

__all__ = ["CompiledLibrary", "has_compiled_code"]

_SOURCE, _LIBRARY = "/source", "/library"
_SECONDS = 600.0
_MEMORY = 4 << 30
_TAIL = 20


def has_compiled_code(root: Path) -> bool:
    return (root / "DESCRIPTION").is_file() and (root / "src").is_dir()


class CompiledLibrary:
    """A library that holds one package, as its sources were when it was made."""

    def __init__(self, package: str, source: Path, libraries: Sandbox) -> None:
        """Install `source`; `libraries` is a sandbox that sees the packages it may depend on."""
        self._scratch = Scratch()
        try:
            mounts = (
                *libraries.mounts,
                Mount(source, _SOURCE),
                Mount(self._scratch.path, _LIBRARY, writable=True),
            )
            limits = Limits(seconds=_SECONDS, memory=_MEMORY, processes=256)
            # A copy, since the compiler writes beside the sources.
            install = f"cp -r {_SOURCE} /tmp/package && exec R CMD INSTALL --no-docs --library={_LIBRARY} /tmp/package"
            env = {**libraries.env, "MAKEFLAGS": "-j1"}
            finished = run(["sh", "-c", install], Sandbox(limits, mounts, env=env))
            if finished.reason != "exit" or finished.exit_code != 0:
                raise _failure(package, finished)
        except BaseException:
            self.close()
            raise

    @property
    def path(self) -> Path:
        return self._scratch.path

    def close(self) -> None:
        self._scratch.close()


def _failure(package: str, finished: Finished) -> ForeignFailure:
    said = (finished.stdout + finished.stderr).decode("utf-8", "replace").strip().splitlines()
    errors = [line for line in said if "rror" in line or "not found" in line]
    return ForeignFailure(
        f"the compiled code of {package} could not be installed: {(errors or said or ['it printed nothing'])[-1]}",
        code="install_failed",
        hint="It needs compilers and headers: on Debian apt-get install r-base-dev, and what the package itself names.",
        details={"log": "\n".join(said[-_TAIL:])},
    )
