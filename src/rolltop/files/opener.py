"""`Files`: read, look at and list what lies inside the allowed roots; write inside given directories."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

from rolltop.errors import Conflict, ConsentMissing, InvalidInput, NotFound, PermissionDenied, SizeLimit
from rolltop.files.denied import Denied, Links
from rolltop.files.descriptors import Changed, explained, open_below, open_directory, open_file
from rolltop.files.obeyed_names import ObeyedNames
from rolltop.files.place import Info, Target, Written, absolute, kind_of
from rolltop.files.writer import put_back, set_aside, state_of, write_whole
from rolltop.settings import Settings, default_roots, home_directory, temporary_directory

__all__ = ["Files"]

T = TypeVar("T")

_TRIES = 8
"""How often a path that changes while it is opened is resolved anew."""


class Files:
    """Opens files inside `roots`, except what `Denied` names: the table, `own` data and `denied` places.

    Writes only inside `writable`, which is nowhere unless told otherwise: without a question into `unasked`
    directories (by default all of `writable`), elsewhere with a `Target` that a human agreed to; never below what
    `kept` gives at that time, and never under names that other programs execute or obey.
    """

    def __init__(
        self,
        roots: Iterable[str | os.PathLike[str]],
        *,
        denied: Iterable[str | os.PathLike[str]] = (),
        own: Iterable[str | os.PathLike[str]] = (),
        writable: Iterable[str | os.PathLike[str]] = (),
        opened: Iterable[str | os.PathLike[str]] = (),
        unasked: Iterable[str | os.PathLike[str]] | None = None,
        kept: Callable[[], Iterable[Path]] = tuple,
        names: ObeyedNames | None = None,
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
        given = ((own_home,) if own_home else ()) if homes is None else homes
        self._homes = tuple(_real(home) for home in given)
        self.denied = Denied(
            homes=self._homes,
            own=tuple(_real(place) for place in own),
            extra=tuple(_real(place) for place in denied),
            opened=tuple(_real(place) for place in opened),
        )
        self.unasked = self.writable if unasked is None else tuple(_real(place) for place in unasked)
        """Directories that new files are written to without a question."""
        self._kept = kept
        self._names = names or ObeyedNames()
        self._links = Links(self.denied)

    @classmethod
    def from_settings(
        cls, settings: Settings, *, own: Iterable[Path] = (), kept: Callable[[], Iterable[Path]] = tuple
    ) -> Files:
        """The opener that the settings describe: their roots, with the workspace and the configuration closed.

        `own` are more directories that stay closed, `kept` gives those that are closed to writing.
        """
        roots = settings.roots or default_roots(Path.cwd(), home_directory())
        closed = [settings.workspace, settings.config, *_configuration_directory(settings, roots), *own]
        if settings.log_file is not None:
            closed.append(settings.log_file)
        open_roots = [*roots, settings.exports]
        return cls(
            open_roots,
            own=closed,
            opened=[settings.exports],
            # An output path may lie anywhere inside the roots, unless nothing may be written at all.
            writable=() if settings.read_only else open_roots,
            unasked=[temporary_directory(), settings.exports],
            kept=kept,
            names=ObeyedNames(settings.writable_names),
        )

    # Reading

    def open_read(self, path: str | os.PathLike[str], *, largest: int | None = None) -> BinaryIO:
        """Open a regular file for reading in binary."""
        with self._located(path) as (fd, real):
            info = self._checked_file(fd, real, self.largest if largest is None else largest)
            return os.fdopen(open_file(fd, real, info), "rb")

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
        directory = open_directory(fd, real)
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
        """What writing to `path` would replace or make now; give it to `write_bytes` as `expected`."""
        with self._to_write(path) as (fd, place):
            return self._target(fd, place)

    def write_bytes(
        self, path: str | os.PathLike[str], data: bytes, *, overwrite: bool = False, expected: Target | None = None
    ) -> Path:
        """Write a file, whole or not at all, into an existing directory; its real place comes back.

        `expected` is what the caller saw there and, where it asks, a human agreed to: `Conflict` when it is something
        else by now. Without it, `ConsentMissing` says that a human has to agree to a new file in this place, and an
        existing file is a `Conflict` unless `overwrite`.
        """
        with self._to_write(path) as (fd, place):
            replaced, identity = self._allowed(fd, place, overwrite, expected)
            write_whole(fd, place.name, data, overwrite=replaced, expected=identity)
        return place

    def write_for_now(
        self, path: str | os.PathLike[str], data: bytes, *, overwrite: bool = False, expected: Target | None = None
    ) -> Written:
        """The same, so that it can be undone: what was there before is set aside until it is settled."""
        with self._to_write(path) as (fd, place):
            replaced, identity = self._allowed(fd, place, overwrite, expected)
            aside = set_aside(fd, place.name) if replaced else None
            try:
                written = write_whole(fd, place.name, data, overwrite=replaced, expected=identity)
            except BaseException:
                if aside is not None:
                    os.unlink(aside, dir_fd=fd)
                raise
        return Written(place, aside, written)

    def settle(self, written: Written, *, keep: bool) -> None:
        """Keep what was written for now, or undo it."""
        with self._to_write(written.place) as (fd, place):
            if not keep:
                put_back(fd, place.name, written.aside, written.identity)
            elif written.aside is not None:
                os.unlink(written.aside, dir_fd=fd)

    def _target(self, directory: int, place: Path) -> Target:
        state = state_of(directory, place.name)
        return Target(place, state, asks=state is None and not self.is_unasked(place))

    def is_unasked(self, place: Path) -> bool:
        """True if a new file may be written there without a question.

        A home directory that lies in a directory for new files is still a home, and a served catalog stays closed.
        """
        if self._is_kept(place):
            return False
        around = [folder for folder in (*self.unasked, *self._homes) if folder in place.parents]
        return bool(around) and max(around, key=lambda folder: len(folder.parts)) in self.unasked

    def _allowed(
        self, directory: int, place: Path, overwrite: bool, expected: Target | None
    ) -> tuple[bool, tuple[int, int] | None]:
        """Whether a file may be replaced, and which one."""
        now = self._target(directory, place)
        if expected is not None:
            if (now.place, now.state) != (expected.place, expected.state):
                raise Conflict("the file is not the one that was looked at before", hint="Look at it, and call again.")
            return now.state is not None, now.state[:2] if now.state else None
        if now.asks and not overwrite:
            raise ConsentMissing(
                f"nothing was written: this writes the new file {place}, and the user has to agree first",
                hint="Write to the temporary directory or the export folder, or ask the user.",
                details={"path": str(place)},
            )
        return overwrite, None

    @contextlib.contextmanager
    def _to_write(self, path: str | os.PathLike[str]) -> Iterator[tuple[int, Path]]:
        """The directory of a file that may be written, and its real place."""
        parent, name = os.path.split(absolute(path, self.base))
        if name in ("", ".", ".."):
            raise InvalidInput("the path to write needs a file name at its end")
        for folder in self.denied.opened:
            if parent == str(folder):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._directory(parent) as (fd, real):
            place = real / name
            self._root_of(place)
            if not any(real == allowed or allowed in real.parents for allowed in self.writable):
                allowed = ", ".join(map(str, self.writable)) or "none"
                raise PermissionDenied(f"the path is outside the directories that may be written to: {allowed}")
            self._refuse_obeyed(place)
            try:
                yield fd, place
            except OSError as error:
                raise explained(error, place) from None

    def _is_kept(self, place: Path) -> bool:
        return any(folder == place or folder in place.parents for folder in map(_real, self._kept()))

    def _refuse_obeyed(self, place: Path) -> None:
        if self._is_kept(place):
            raise PermissionDenied(
                "the path is closed: it belongs to a catalog that is served", hint="Write elsewhere, and move it there."
            )
        around = [root for root in (*self.roots, *self.unasked, *self._homes) if root in place.parents]
        if what := self._names.why(place, max(around, key=lambda root: len(root.parts))):
            raise PermissionDenied(
                f"{place.name[:80]!r} is not written, because other programs obey it: {what}",
                hint="Choose another name. The owner can open names with the setting writable_names.",
            )

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
            with contextlib.suppress(Changed):
                real = self._resolved(text)
                return open_below(self._root_of(real), real), real
        raise PermissionDenied("the path kept changing while it was opened", hint="Try again when it is at rest.")

    def _resolved(self, text: str) -> Path:
        try:
            return Path(os.path.realpath(text, strict=True))
        except OSError as error:
            if error.errno == errno.EINVAL:  # a link that was none any more when it was read
                raise Changed from None
            # Whether something exists outside the roots is nobody's business either.
            with contextlib.suppress(OSError):
                self._root_of(Path(os.path.realpath(text)))
            raise explained(error, Path(text)) from None

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


def _configuration_directory(settings: Settings, roots: Iterable[Path]) -> list[Path]:
    """The directory of the configuration file, unless it is one that holds the user's files too."""
    folder = _real(settings.config.parent)
    home = home_directory()
    used = [_real(root) for root in (*roots, *((home,) if home else ()), temporary_directory())]
    shared = any(folder == root or folder in root.parents for root in used)
    return [folder / "guide"] if shared else [folder]


def _real(path: str | os.PathLike[str]) -> Path:
    return Path(os.path.realpath(os.path.expanduser(os.fspath(path))))


def _info(real: Path, info: os.stat_result) -> Info:
    return Info(real, kind_of(info.st_mode), info.st_size, info.st_mtime)


def _too_large(size: int, most: int) -> SizeLimit:
    return SizeLimit(f"the file has {size} bytes, more than the {most} that are allowed")
