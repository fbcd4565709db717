"""Whether the code behind a catalog is still what it was: the files that loading it reads, with time and size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rolltop.catalog.library import FileStamp, file_stamp
from rolltop.catalog.live.origin import Origin
from rolltop.catalog.sources import source_tree
from rolltop.errors import RolltopError

__all__ = ["CodeStamp", "code_stamp"]

CodeStamp = dict[Path, FileStamp]
"""Every file of the code, and when it changed last."""

_R_PARTS = ("DESCRIPTION", "NAMESPACE", "R/*", "data/*", "src/*")
"""What R reads of a package, from its sources or installed."""


def code_stamp(origin: Origin) -> CodeStamp:
    """The stamp of the code as it is now."""
    return {file: stamp for file in _files(origin) if (stamp := file_stamp(file)) is not None}


def _files(origin: Origin) -> Iterator[Path]:
    for part in _R_PARTS:
        yield from origin.path.glob(part)
    if not origin.is_installed:
        try:
            yield from source_tree(origin.path).files
        except (RolltopError, OSError):  # the sources are gone: that is a change too
            return
