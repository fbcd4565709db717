"""Results by content: the same document, side files, parameters and tools give the same answer at once.

The key holds everything that a render can see, the date included, because documents print it. An
entry is a directory that appears by one rename, so a reader finds it whole or not at all; several
processes may share the cache. The latest result of a key takes the place of the one before.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

from rolltop.reports.job import Figure, Output, Rendered, RenderJob

__all__ = ["RenderCache", "job_key"]

_PRUNE_EVERY = 20


def job_key(job: RenderJob, fingerprint: str) -> str:
    """SHA-256 over all that decides the result."""
    digest = hashlib.sha256()
    for name in sorted(job.files):
        digest.update(f"{len(name)}:{name}:{len(job.files[name])}:".encode())
        digest.update(job.files[name])
    rest = [
        job.source,
        job.formats,
        job.engine,
        job.params,
        job.figures,
        job.separate,
        fingerprint,
        time.strftime("%Y-%m-%d", time.gmtime()),
    ]
    digest.update(json.dumps(rest, sort_keys=True, default=repr).encode())
    return digest.hexdigest()


class RenderCache:
    """A bounded directory of results; the least recently used go first."""

    def __init__(self, root: Path, limit: int) -> None:
        self.root = root
        self.limit = limit
        self._puts = 0

    def get(self, key: str) -> Rendered | None:
        place = self.root / key
        try:
            with _opened(place) as read:
                meta = json.loads(read("meta.json"))
                outputs = tuple(Output(form, name, read(name)) for form, name in meta["outputs"])
                figures = tuple(Figure(name, read(f"figure-{name}")) for name in meta["figures"])
        except (OSError, ValueError, KeyError):
            return None
        with contextlib.suppress(OSError):
            os.utime(place)
        rest = meta["rest"] | {key: tuple(meta["rest"].get(key, ())) for key in ("warnings", "reused")}
        return Rendered(outputs=outputs, figures=figures, **rest)

    def put(self, key: str, result: Rendered) -> None:
        """Keep a result; on a disk that takes nothing more it is not kept, which costs the next caller time alone."""
        if self.limit <= 0:
            return
        fresh, old = (self.root / f".{secrets.token_hex(8)}" for _ in range(2))
        try:
            fresh.mkdir(parents=True)
            with contextlib.suppress(FileNotFoundError):
                (self.root / key).rename(old)  # first: what is outdated must not stay, even if nothing can be written
            _write_entry(fresh, result)
            fresh.rename(self.root / key)  # fails when another process was faster: its entry is as good
        except OSError:
            pass
        finally:
            for left in (fresh, old):
                shutil.rmtree(left, ignore_errors=True)
        self._puts += 1
        if self._puts % _PRUNE_EVERY == 1:
            self.prune()

    def prune(self) -> None:
        """Remove what was used longest ago until the rest fits, and what a killed process left half written."""
        used = 0
        for place in sorted(self._entries(), key=_last_use, reverse=True):
            used += _size(place)
            stale = place.name.startswith(".") and time.time() - _last_use(place) > 600
            if used > self.limit or stale:
                shutil.rmtree(place, ignore_errors=True)

    def _entries(self) -> Iterator[Path]:
        with contextlib.suppress(OSError):
            yield from (place for place in self.root.iterdir() if place.is_dir())

    def clear(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)


@contextlib.contextmanager
def _opened(place: Path) -> Iterator[Callable[[str], bytes]]:
    """A reader of the files of one directory, of that one even while another takes its place."""
    directory = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def read(name: str) -> bytes:
        with open(os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=directory), "rb") as file:
            return file.read()

    try:
        yield read
    finally:
        os.close(directory)


def _size(place: Path) -> int:
    try:
        return sum(file.stat().st_size for file in place.iterdir() if file.is_file())
    except OSError:
        return 0  # another process has just removed it


def _last_use(place: Path) -> float:
    try:
        return place.stat().st_mtime
    except OSError:
        return 0.0


def _write_entry(place: Path, result: Rendered) -> None:
    for output in result.outputs:
        (place / output.name).write_bytes(output.data)
    for figure in result.figures:
        (place / f"figure-{figure.name}").write_bytes(figure.data)
    rest = asdict(replace(result, outputs=(), figures=(), kept={}))
    del rest["outputs"], rest["figures"], rest["kept"]
    meta = {
        "outputs": [[output.format, output.name] for output in result.outputs],
        "figures": [figure.name for figure in result.figures],
        "rest": rest,
    }
    (place / "meta.json").write_text(json.dumps(meta))
