"""A directory for one job that the program's user may write, and that is read back with care."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

from rolltop.base.atomic_files import write_file
from rolltop.confine.identity import foreign_identity
from rolltop.errors import ForeignFailure, InvalidInput, NotFound, SizeLimit

__all__ = ["Scratch", "remove_tree"]

_COPY_MOST = 1 << 30


class Scratch:
    """A temporary directory, owned by whoever foreign code runs as, gone at the end of the `with` block.

    Put input in with `write` and `copy_in`, mount `path` (writable or not), take results out with `read`,
    `take` and `names`: the program may have put links and pipes there, and those are never followed or opened.
    """

    def __init__(self, *, user: str | int | None = None) -> None:
        self._identity = foreign_identity(user)
        self._outer = Path(tempfile.mkdtemp(prefix="rolltop-job-"))
        self.path = self._outer / "job"
        self.path.mkdir(mode=0o700)
        if self._identity.drop:
            os.chown(self.path, self._identity.uid, self._identity.gid)
            os.chmod(self._outer, 0o711)  # noqa: S103 - its user passes through, nobody looks around

    def write(self, name: str, data: bytes) -> Path:
        """Write a new file; `name` may have directories in it."""
        place = self._place(name)
        self._make_parents(place)
        fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with open(fd, "wb") as file:
            file.write(data)
            self._own(fd)
        return place

    def copy_in(self, source: Path, name: str | None = None, *, largest: int = _COPY_MOST) -> Path:
        """Copy a file or a directory tree; links in it are left out. SizeLimit over `largest` bytes."""
        place = self._place(name or source.name)
        self._make_parents(place)
        _Copy(self, largest).tree(source, place)
        return place

    def read(self, name: str, *, largest: int = _COPY_MOST) -> bytes:
        """A regular file that the program left."""
        with open(self._open(name), "rb") as file:
            data = file.read(largest + 1)
        if len(data) > largest:
            raise SizeLimit(f"{name} has more than the {largest} bytes that are allowed")
        return data

    def take(self, name: str, target: Path, *, largest: int = _COPY_MOST) -> None:
        """Copy a result to `target`, which appears whole or not at all."""
        write_file(target, self.read(name, largest=largest), mode=0o644, durable=False)

    def names(self) -> list[str]:
        """Regular files below the directory, as names that `read` takes."""
        found = []
        waiting = [""]
        while waiting:
            below = waiting.pop()
            with contextlib.suppress(OSError), os.scandir(self.path / below) as entries:
                for entry in entries:
                    name = os.path.join(below, entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(name)
                    elif entry.is_file(follow_symlinks=False):
                        found.append(name)
        return sorted(found)

    def close(self) -> None:
        remove_tree(self._outer)

    def __enter__(self) -> Scratch:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def _place(self, name: str) -> Path:
        parts = Path(name).parts
        if not parts or "\0" in name or Path(name).is_absolute() or ".." in parts:
            raise InvalidInput("a name in a scratch directory is relative and has no .. in it")
        return self.path.joinpath(*parts)

    def _make_parents(self, place: Path) -> None:
        for parent in reversed(place.relative_to(self.path).parents[:-1]):
            directory = self.path / parent
            if not directory.exists():
                directory.mkdir(mode=0o700)
                self._own(directory)

    def _own(self, what: int | Path) -> None:
        if self._identity.drop:
            os.chown(what, self._identity.uid, self._identity.gid)

    def _open(self, name: str) -> int:
        """Open a file of the program step by step: no part of its path may be a link."""
        parts = self._place(name).relative_to(self.path).parts
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        current = os.open(self.path, flags | os.O_DIRECTORY)
        try:
            for number, part in enumerate(parts, 1):
                last = number == len(parts)
                following = os.open(part, flags if last else flags | os.O_DIRECTORY, dir_fd=current)
                os.close(current)
                current = following
        except OSError as error:
            os.close(current)
            if isinstance(error, FileNotFoundError):
                raise NotFound(f"the program left no {name}") from None
            raise ForeignFailure(f"what the program left as {name} is not a plain file") from None
        if not stat.S_ISREG(os.fstat(current).st_mode):
            os.close(current)
            raise ForeignFailure(f"what the program left as {name} is not a plain file")
        return current


class _Copy:
    """One copying, with what is left of its allowance."""

    def __init__(self, scratch: Scratch, largest: int) -> None:
        self._scratch = scratch
        self._left = largest

    def tree(self, source: Path, place: Path) -> None:
        waiting = [(source, place)]
        while waiting:
            source, place = waiting.pop()
            info = os.lstat(source)
            if stat.S_ISDIR(info.st_mode):
                place.mkdir(mode=0o700)
                self._scratch._own(place)
                waiting += [(source / entry, place / entry) for entry in os.listdir(source)]
            elif stat.S_ISREG(info.st_mode):
                self._file(source, place, info.st_size)

    def _file(self, source: Path, place: Path, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise SizeLimit("there is more to copy into the sandbox than is allowed")
        shutil.copyfile(source, place, follow_symlinks=False)
        place.chmod(0o600)
        self._scratch._own(place)


def remove_tree(place: Path) -> None:
    """Remove a directory that foreign code wrote to. Python's own remover gives up on trees nested a thousand deep."""
    subprocess.run(["/bin/rm", "-rf", "--", str(place)], stdin=subprocess.DEVNULL, capture_output=True, check=False)
