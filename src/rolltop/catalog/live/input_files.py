"""Documents that are given to tools as files, read-only, for the time of one call.

They lie in a folder that every sandbox of the catalog has as a mount. Nobody can list them: each call's files are in a
directory with a random name, which only the arguments of that call tell.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from rolltop.confine import Mount

__all__ = ["InputFiles"]

_UNSAFE = re.compile(r"[^\w.+-]")
_LONGEST = 100
_CLOSED = "calls"
_A_DAY = 86_400
_PREFIX = "rolltop-inputs-"
_PLACE = "/var/tmp" if os.access("/var/tmp", os.W_OK) else None  # noqa: S108
"""Not /tmp, where a mount would stand among the files of the code itself."""


class InputFiles:
    """The folder of one catalog, made when the first sandbox is described."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._root: Path | None = None
        self._held: set[Path] = set()

    @property
    def mount(self) -> Mount:
        with self._lock:
            if self._root is None:
                _remove_leftovers()
                self._root = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=_PLACE))
                self._root.chmod(0o755)
                (self._root / _CLOSED).mkdir()
                (self._root / _CLOSED).chmod(0o311)  # to be entered, not to be listed, by its owner neither
            return Mount(self._root, str(self._root))

    @contextlib.contextmanager
    def held(self, files: Mapping[str, bytes]) -> Iterator[dict[str, str]]:
        """The paths of these files, by their names, as long as the context lasts."""
        paths: dict[str, str] = {}
        place = self.mount.source / _CLOSED / secrets.token_hex(16)
        place.mkdir(mode=0o755)
        place.chmod(0o755)
        with self._lock:
            self._held.add(place)
        try:
            for number, (name, data) in enumerate(files.items()):
                path = place / str(number) / _file_name(name)
                path.parent.mkdir(mode=0o755)
                path.parent.chmod(0o755)
                path.write_bytes(data)
                path.chmod(0o444)
                paths[name] = str(path)
            yield paths
        finally:
            shutil.rmtree(place, ignore_errors=True)
            with self._lock:
                self._held.discard(place)

    def close(self) -> None:
        with self._lock:
            root, self._root = self._root, None
            held, self._held = self._held, set()
        for place in held:
            shutil.rmtree(place, ignore_errors=True)
        if root is not None:
            (root / _CLOSED).chmod(0o700)
            shutil.rmtree(root, ignore_errors=True)


def _remove_leftovers() -> None:
    """What servers left that were killed a day ago: a process number may mean another one in another container."""
    for left in Path(_PLACE or tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        number = left.name.removeprefix(_PREFIX).partition("-")[0]
        with contextlib.suppress(OSError):
            info = left.stat()
            is_old = info.st_uid == os.getuid() and time.time() - info.st_mtime > _A_DAY
            if is_old and number.isdecimal() and not Path(f"/proc/{number}").exists():
                (left / _CLOSED).chmod(0o700)
                shutil.rmtree(left, ignore_errors=True)


def _file_name(name: str) -> str:
    """The last part of a document's name, its ending included, as a file can have it."""
    return _UNSAFE.sub("_", name.rstrip("/").rpartition("/")[2])[-_LONGEST:].lstrip(".") or "document"
