"""`Files`: read, look at and list what lies inside the allowed roots; write inside given directories."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

from rolltop.errors import Conflict, InvalidInput, NotFound, PermissionDenied, SizeLimit
from rolltop.files.denied import Denied
from rolltop.files.kernel import open_real, reopen
from rolltop.files.links import Links
from rolltop.files.place import Info, Target, Written, absolute, kind_of
from rolltop.files.writer import put_back, set_aside, write_whole
from rolltop.settings import Settings, default_roots, home_directory

__all__ = ["Files"]

T = TypeVar("T")

_TRIES = 8
"""How often a path that changes while it is opened is resolved anew."""

_HAS_PROC = os.path.isdir("/proc/self/fd") and sys.platform == "linux"

_LOOK = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)


class Files:
    """Opens files inside `roots`, except what `Denied` names: the table, `own` data and `denied` places.

    Writes only inside `writable`, which is nowhere unless told otherwise.
    """

    def __init__(
        self,
        roots: Iterable[str | os.PathLike[str]],
        *,
        denied: Iterable[str | os.PathLike[str]] = (),
        own: Iterable[str | os.PathLike[str]] = (),
        writable: Iterable[str | os.PathLike[str]] = (),
        homes: Iterable[str | os.PathLike[str]] | None = None,
        base: str | os.PathLike[str] | None = None,
        largest: int = 1 << 30,
    ) -> None:
        self.roots = tuple(dict.fromkeys(_real(root) for root in roots))
        """The allowed roots, resolved."""
        self.writable = tuple(dict.fromkeys(_real(place) for place in writable))
        """Directories inside the roots that may be written to."""
        self.base = Path(base) if base is not None else Path.cwd()
        """What relative paths are relative to."""
        self.largest = largest
        """Bytes of the largest file that may be opened."""
        own_home = home_directory()
        homes = ((own_home,) if own_home else ()) if homes is None else homes
        self.denied = Denied(
            homes=tuple(_real(home) for home in homes),
            own=tuple(_real(place) for place in own),
            extra=tuple(_real(place) for place in denied),
        )
        self._links = Links(self.denied)

    @classmethod
    def from_settings(cls, settings: Settings) -> Files:
        """The opener that the settings describe: their roots, and the workspace and configuration closed."""
        roots = settings.roots or default_roots(Path.cwd(), home_directory())
        own = [settings.workspace, settings.config]
        if settings.log_file is not None:
            own.append(settings.log_file)
        # An output path that the user gives may lie anywhere inside the roots, unless nothing may be written at all.
        return cls(roots, own=own, writable=() if settings.read_only else roots)

    # Reading

    def open_read(self, path: str | os.PathLike[str], *, largest: int | None = None) -> BinaryIO:
        """Open a regular file for reading in binary."""
        with self._located(path) as (fd, real):
            info = self._checked_file(fd, real, self.largest if largest is None else largest)
            return os.fdopen(_for_reading(fd, real, info), "rb")

    def read_bytes(self, path: str | os.PathLike[str], *, largest: int | None = None) -> bytes:
        """The whole file; also a file that grows while it is read stays within `largest`."""
        most = self.largest if largest is None else largest
        with self.open_read(path, largest=most) as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise _too_large(len(data), most)
        return data

    def read_text(self, path: str | os.PathLike[str], *, largest: int | None = None) -> str:
        """The whole file as UTF-8; a byte order mark is dropped, what is not UTF-8 is refused."""
        try:
            return self.read_bytes(path, largest=largest).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InvalidInput(f"the file is not UTF-8 text (byte {error.start})") from None

    def stat(self, path: str | os.PathLike[str]) -> Info:
        """What is at the path, links followed."""
        with self._located(path) as (fd, real):
            return _info(real, os.fstat(fd))

    def resolve(self, path: str | os.PathLike[str]) -> Path:
        """The real place of an existing path, when it may be opened."""
        with self._located(path) as (_, real):
            return real

    def list(self, path: str | os.PathLike[str]) -> list[Info]:
        """What a directory holds, by name; links and closed places are left out."""
        with self._located(path) as (fd, real):
            if not stat.S_ISDIR(os.fstat(fd).st_mode):
                raise InvalidInput(f"{real} is not a directory")
            return sorted(self._entries(fd, real), key=lambda info: info.path.name)

    def walk(self, path: str | os.PathLike[str], *, most: int = 100_000) -> Iterator[Info]:
        """All files below a directory, depth first; SizeLimit when there are more entries than `most`."""
        waiting = [self.resolve(path)]
        seen = 0
        while waiting:
            try:
                entries = self.list(waiting.pop())
            except (NotFound, PermissionDenied):
                continue  # removed or closed while we walk
            for info in entries:
                seen += 1
                if seen > most:
                    raise SizeLimit(f"there are more than {most} entries below the directory")
                if info.kind == "directory":
                    waiting.append(info.path)
                elif info.kind == "file":
                    yield info

    def _entries(self, fd: int, real: Path) -> Iterator[Info]:
        directory = _for_listing(fd, real)
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    place = real / entry.name
                    if self.denied.why(place) is not None:
                        continue
                    with contextlib.suppress(OSError):
                        info = entry.stat(follow_symlinks=False)
                        if not stat.S_ISLNK(info.st_mode):
                            yield _info(place, info)
        finally:
            os.close(directory)

    # Writing

    def target(self, path: str | os.PathLike[str]) -> Target:
        """What writing to `path` would replace now; give it to `write_bytes` as `expected`."""
        with self._to_write(path) as (fd, place):
            return Target(place, _state(fd, place.name))

    def write_bytes(
        self, path: str | os.PathLike[str], data: bytes, *, overwrite: bool = False, expected: Target | None = None
    ) -> Path:
        """Write a file, whole or not at all, into an existing directory; its real place comes back.

        `expected` is what the caller saw there: `Conflict` when it is something else by now.
        """
        with self._to_write(path) as (fd, place):
            write_whole(fd, place.name, data, overwrite=_may_replace(fd, place, overwrite, expected))
        return place

    def write_for_now(
        self, path: str | os.PathLike[str], data: bytes, *, overwrite: bool = False, expected: Target | None = None
    ) -> Written:
        """The same, so that it can be undone: what was there before is set aside until it is settled."""
        with self._to_write(path) as (fd, place):
            overwrite = _may_replace(fd, place, overwrite, expected)
            aside = set_aside(fd, place.name) if overwrite else None
            try:
                write_whole(fd, place.name, data, overwrite=overwrite)
            except BaseException:
                if aside is not None:
                    os.unlink(aside, dir_fd=fd)
                raise
            info = os.stat(place.name, dir_fd=fd, follow_symlinks=False)
        return Written(place, aside, (info.st_dev, info.st_ino))

    def settle(self, written: Written, *, keep: bool) -> None:
        """Keep what was written for now, or undo it."""
        with self._to_write(written.place) as (fd, place):
            if not keep:
                put_back(fd, place.name, written.aside, written.identity)
            elif written.aside is not None:
                os.unlink(written.aside, dir_fd=fd)

    @contextlib.contextmanager
    def _to_write(self, path: str | os.PathLike[str]) -> Iterator[tuple[int, Path]]:
        """The directory of a file that may be written, and its real place."""
        parent, name = os.path.split(absolute(path, self.base))
        if name in ("", ".", ".."):
            raise InvalidInput("the path to write needs a file name at its end")
        with self._directory(parent) as (fd, real):
            place = real / name
            self._root_of(place)
            if not any(real == allowed or allowed in real.parents for allowed in self.writable):
                allowed = ", ".join(map(str, self.writable)) or "none"
                raise PermissionDenied(f"the path is outside the directories that may be written to: {allowed}")
            try:
                yield fd, place
            except OSError as error:
                raise _explained(error, place) from None

    # Checking

    @contextlib.contextmanager
    def _located(self, path: str | os.PathLike[str]) -> Iterator[tuple[int, Path]]:
        """A descriptor that only marks the place (nothing is opened yet), and the real path of it."""
        text = absolute(path, self.base)
        fd, real = self._mark(text)
        try:
            yield fd, real
        finally:
            os.close(fd)

    @contextlib.contextmanager
    def _directory(self, path: str) -> Iterator[tuple[int, Path]]:
        """The same for a directory that something is to be written into."""
        name = os.path.basename(path)[:80]
        try:
            fd, real = self._mark(path)
        except NotFound:
            raise InvalidInput(f"there is no directory {name!r} to write into", hint="Make it first.") from None
        try:
            if not stat.S_ISDIR(os.fstat(fd).st_mode):
                raise InvalidInput(f"{name!r} is a file: nothing can be written below it")
            yield fd, real
        finally:
            os.close(fd)

    def _mark(self, text: str) -> tuple[int, Path]:
        self._refuse_closed(Path(os.path.normpath(text)))  # by the name it was asked for, wherever a link leads
        for _ in range(_TRIES):
            with contextlib.suppress(_Changed):
                real = self._resolved(text)
                return _open_below(self._root_of(real), real), real
        raise PermissionDenied("the path kept changing while it was opened", hint="Try again when it is at rest.")

    def _resolved(self, text: str) -> Path:
        try:
            return Path(os.path.realpath(text, strict=True))
        except OSError as error:
            if error.errno == errno.EINVAL:  # a link that was none any more when it was read
                raise _Changed from None
            # Whether something exists outside the roots is nobody's business either.
            with contextlib.suppress(OSError):
                self._root_of(Path(os.path.realpath(text)))
            raise _explained(error, Path(text)) from None

    def _root_of(self, real: Path) -> Path:
        root = next((root for root in self.roots if real == root or root in real.parents), None)
        if root is None:
            allowed = ", ".join(str(root) for root in self.roots) or "none"
            raise PermissionDenied(
                f"the path is outside the directories that may be used: {allowed}",
                hint="Use a file inside them, or add its directory to the roots (ROLLTOP_ROOTS).",
            )
        self._refuse_closed(real)
        return root

    def _refuse_closed(self, place: Path) -> None:
        if what := self.denied.why(place):
            raise PermissionDenied(
                f"the path is closed: {what}", hint="rolltop never opens such files; copy what is needed elsewhere."
            )

    def _checked_file(self, fd: int, real: Path, largest: int) -> os.stat_result:
        info = os.fstat(fd)
        if stat.S_ISDIR(info.st_mode):
            raise InvalidInput(f"{real} is a directory, not a file")
        if not stat.S_ISREG(info.st_mode):
            raise PermissionDenied("the path is a device, pipe or socket; only regular files are opened")
        if info.st_size > largest:
            raise _too_large(info.st_size, largest)
        if info.st_nlink > 1 and self._links.lead_to_denied(info):
            raise PermissionDenied("the file is another name of one that is closed")
        return info


def _state(directory: int, name: str) -> tuple[int, int, int, int] | None:
    try:
        info = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns


def _may_replace(directory: int, place: Path, overwrite: bool, expected: Target | None) -> bool:
    """Whether what is there may be replaced; raises `Conflict` when it is not what was expected."""
    if expected is None:
        return overwrite
    if (place, _state(directory, place.name)) != (expected.place, expected.state):
        raise Conflict("the file is not the one that was looked at before", hint="Look at it, and call again.")
    return expected.state is not None


class _Changed(Exception):
    """The path is not what it was a moment ago."""


def _open_below(root: Path, real: Path) -> int:
    """Mark a real path; links are refused, so that it fails when one has appeared since it was resolved."""
    try:
        if root == real:
            return open_real(str(real), _LOOK)
        directory = open_real(str(root), _LOOK | os.O_DIRECTORY)
        try:
            return open_real(str(real.relative_to(root)), _LOOK, below=directory)
        finally:
            os.close(directory)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOENT, errno.ENOTDIR, errno.EXDEV):
            raise _Changed from None
        raise _explained(error, real) from None


def _for_listing(fd: int, real: Path) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY
    try:
        return reopen(fd, flags) if _HAS_PROC else open_real(str(real), flags)
    except OSError as error:
        raise _explained(error, real) from None


def _for_reading(fd: int, real: Path, expected: os.stat_result) -> int:
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
    try:
        opened = reopen(fd, flags) if _HAS_PROC else open_real(str(real), flags)
    except OSError as error:
        raise _explained(error, real) from None
    info = os.fstat(opened)
    if (info.st_dev, info.st_ino) != (expected.st_dev, expected.st_ino):
        os.close(opened)
        raise PermissionDenied("the file was exchanged while it was opened")
    os.set_blocking(opened, True)
    return opened


def _real(path: str | os.PathLike[str]) -> Path:
    return Path(os.path.realpath(os.path.expanduser(os.fspath(path))))


def _info(real: Path, info: os.stat_result) -> Info:
    return Info(real, kind_of(info.st_mode), info.st_size, info.st_mtime)


def _too_large(size: int, most: int) -> SizeLimit:
    return SizeLimit(f"the file has {size} bytes, more than the {most} that are allowed")


def _explained(error: OSError, real: Path) -> Exception:
    make: Callable[[str], Exception]
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return NotFound(f"there is no file {real.name[:80]!r} at that path")
        case errno.EACCES | errno.EPERM:
            return PermissionDenied("the operating system does not allow to open this file")
        case errno.ELOOP:
            return PermissionDenied("the path has symbolic links that lead in a circle")
        case errno.ENAMETOOLONG:
            make = InvalidInput
        case _:
            make = PermissionDenied
    return make(f"the path cannot be opened: {error.strerror}")
