"""Where a catalog's code is, and the sandbox in which it may run."""

from __future__ import annotations

import shutil
import tempfile
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path

from rolltop.catalog.library import Location, r_libraries
from rolltop.catalog.live.compiled import CompiledLibrary, has_compiled_code
from rolltop.catalog.live.secrets import secret_value
from rolltop.catalog.sources import source_tree
from rolltop.confine import Limits, Mount, Sandbox
from rolltop.confine.identity import foreign_identity, require_reachable
from rolltop.errors import PermissionDenied, SizeLimit

__all__ = ["INSIDE", "Grants", "Origin", "library_sandbox", "origin_of"]

INSIDE = "/package"
"""Where the sources are inside the sandbox."""

PACKAGE_VARIABLE = "ROLLTOP_PACKAGE"
"""Tells the program that place: without mounts of its own the sandbox puts it elsewhere, and says so here."""

_LIBRARIES = "/libraries"
_LARGEST_COPY = 256 << 20
_NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "node_modules", "__pycache__", "*.Rcheck")


@dataclass(frozen=True, slots=True)
class Grants:
    """What the owner lets the tools of a package see and use."""

    mounts: tuple[Mount, ...] = ()
    secrets: tuple[str, ...] = ()
    """Names of secrets; the code finds them in its environment."""
    seconds: float | None = None
    memory: int | None = None
    """In bytes, as `seconds` instead of what holds for every package."""
    hosts: tuple[str, ...] = ()
    """Hosts of the network that the tools may connect to; see `Sandbox.hosts`."""


@dataclass(slots=True)
class Origin:
    """The code behind a catalog: an installed R package (by name) or sources (by path)."""

    package: str
    path: Path
    is_installed: bool = False
    grants: Grants = Grants()
    _copies: dict[int, Path] = field(default_factory=dict, repr=False)
    """Copies of the sources, by what was copied."""
    _compiled: dict[int, CompiledLibrary] = field(default_factory=dict, repr=False)
    """Libraries with the compiled package, by the state of its sources."""
    _copying: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @property
    def is_python_package(self) -> bool:
        """Whether the sources are a package's own folder, so that the folder's name is part of module names."""
        return (self.path / "__init__.py").is_file()

    @property
    def loads_as_installed(self) -> bool:
        """Whether R finds the package in a library: it was installed there, or is before it is loaded."""
        return self.is_installed or has_compiled_code(self.path)

    @property
    def python_paths(self) -> list[str]:
        """Where Python looks for the modules, inside the sandbox."""
        return [INSIDE, f"{INSIDE}/src"]

    @property
    def _target(self) -> str:
        return f"{INSIDE}/{self.path.name}" if self.is_python_package else INSIDE

    def sandbox(self, limits: Limits, files: dict[str, bytes]) -> Sandbox:
        """A sandbox that sees the code read-only, the owner's folders for it, and nothing else of the user's."""
        sandbox = self._of_code(limits, files)
        for mount in self.grants.mounts:
            require_reachable(mount.source, foreign_identity())
        secrets = {name: secret_value(name) for name in self.grants.secrets}
        mounts = (*sandbox.mounts, *self.grants.mounts)
        return replace(sandbox, mounts=mounts, env={**sandbox.env, **secrets}, hosts=self.grants.hosts)

    def limited(self, limits: Limits) -> Limits:
        """The limits for this code: the owner's for the package, else those of all."""
        seconds, memory = self.grants.seconds or limits.seconds, self.grants.memory or limits.memory
        return replace(limits, seconds=seconds, memory=memory)

    def _of_code(self, limits: Limits, files: dict[str, bytes]) -> Sandbox:
        if self.is_installed and not self.is_python_package:
            return self._with_libraries(limits, files)
        if has_compiled_code(self.path):
            return self._with_compiled(limits, files)
        mount = Mount(self._reachable(), self._target)
        return Sandbox(limits, (mount,), files, {PACKAGE_VARIABLE: self._target})

    def _with_libraries(self, limits: Limits, files: dict[str, bytes]) -> Sandbox:
        """The installed package, and the libraries its dependencies may be in; those of the system are there anyway."""
        if self.path.is_relative_to("/usr"):
            return Sandbox(limits, (), files)
        own = Mount(self._reachable(), f"{_LIBRARIES}/own/{self.package}")
        sandbox = library_sandbox(limits, files)
        path = ":".join([f"{_LIBRARIES}/own", *(mount.target for mount in sandbox.mounts)])
        return replace(sandbox, mounts=(own, *sandbox.mounts), env={"R_LIBS": path})

    def _with_compiled(self, limits: Limits, files: dict[str, bytes]) -> Sandbox:
        sandbox = library_sandbox(limits, files)
        own = Mount(self._installed(sandbox).path, f"{_LIBRARIES}/own")
        path = ":".join([own.target, *(mount.target for mount in sandbox.mounts)])
        return replace(sandbox, mounts=(own, *sandbox.mounts), env={"R_LIBS": path})

    def _installed(self, libraries: Sandbox) -> CompiledLibrary:
        """The package in a library, installed anew when its sources changed."""
        source = self._reachable()
        with self._copying:
            state = self._state()[0]
            if state not in self._compiled:
                self._compiled[state] = CompiledLibrary(self.package, source, libraries)
            return self._compiled[state]

    def _reachable(self) -> Path:
        """The sources, or a copy of them when the user that foreign code runs as cannot reach them."""
        return self.path if _is_reachable(self.path) else self._copied()

    def close(self) -> None:
        """Remove the copies, if there was need for any."""
        with self._copying:
            copies, self._copies = self._copies, {}
            compiled, self._compiled = self._compiled, {}
        for library in compiled.values():
            library.close()
        for copy in copies.values():
            shutil.rmtree(copy.parent, ignore_errors=True)

    def _copied(self) -> Path:
        """A copy of the sources as they are now; older ones stay for the processes that were started with them."""
        state, size = self._state()
        with self._copying:
            if state not in self._copies:
                self._copies[state] = self._copy(size)
            return self._copies[state]

    def _state(self) -> tuple[int, int]:
        """What tells the sources as they are now from others, and their size."""
        files = [file for file in self.path.rglob("*") if file.is_file() and not file.is_symlink()]
        stats = [file.stat() for file in files]
        state = hash(tuple((file, stat.st_size, stat.st_mtime_ns) for file, stat in zip(files, stats, strict=True)))
        return state, sum(stat.st_size for stat in stats)

    def _copy(self, size: int) -> Path:
        if size > _LARGEST_COPY:
            raise SizeLimit(f"{self.path} is too large to copy for the sandbox ({size >> 20} MiB)")
        folder = Path(tempfile.mkdtemp(prefix="rolltop-catalog-"))
        copy = folder / "package"
        shutil.copytree(self.path, copy, symlinks=True, ignore=_NOT_COPIED)
        _open_to_all(folder)
        return copy


def library_sandbox(limits: Limits, files: dict[str, bytes]) -> Sandbox:
    """A sandbox that sees the libraries of R packages, and nothing else of the user's."""
    others = [place for place in r_libraries() if place.is_dir() and not place.is_relative_to("/usr")]
    reachable = [place for place in others if _is_reachable(place)]
    mounts = [Mount(place, f"{_LIBRARIES}/{index}") for index, place in enumerate(reachable)]
    return Sandbox(limits, tuple(mounts), files, {"R_LIBS": ":".join(mount.target for mount in mounts)})


def _is_reachable(path: Path) -> bool:
    try:
        require_reachable(path, foreign_identity())
    except PermissionDenied:
        return False
    return True


def _open_to_all(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)


def origin_of(location: Location) -> Origin:
    """The code behind a location of definitions."""
    if location.is_installed and not (location.origin / "__init__.py").is_file():
        return Origin(location.origin.name, location.origin, True)
    tree = source_tree(location.origin)
    return Origin(tree.package, tree.root)
