"""Storing what is in a directory: each file through the opener, what is left out counted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from rolltop.errors import RolltopError, SizeLimit
from rolltop.files import Files
from rolltop.store import Gather, Library, Source
from rolltop.tools.store.models import Stored
from rolltop.tools.store.operations import open_to_store

__all__ = ["store_folder"]

MOST = 100_000
"""Files of one call."""

SHOWN = 10
"""Problems that are named."""


def store_folder(
    library: Library, files: Files, path: str, gather: Gather, *, tags: Sequence[str], metadata: dict[str, Any]
) -> Stored:
    """Store the files below a directory, as far as .gitignore, the patterns and the opener let them."""
    root = str(files.resolve(path))
    tally = library.documents.add_many(_sources(library, files, gather, root), tags=tags, metadata=metadata)
    skipped = {
        "ignored": gather.ignored,
        "excluded": gather.excluded,
        "links": gather.passed_over,
        "unreadable": len(gather.problems),
    }
    return Stored(
        path=root,
        size=tally.bytes,
        bytes_stored=tally.bytes_stored,
        bytes_deduped=tally.bytes - tally.bytes_stored,
        bytes_written=tally.bytes_written,
        documents={"new": tally.new, "version": tally.versions, "unchanged": tally.unchanged},
        skipped={name: count for name, count in skipped.items() if count},
        problems=dict(gather.problems[:SHOWN]) or None,
    )


def _sources(library: Library, files: Files, gather: Gather, root: str) -> Iterator[Source]:
    for count, path in enumerate(gather.paths([root]), 1):
        if count > MOST:
            raise SizeLimit(f"there are more than {MOST} files below {root}", hint="Store its directories one by one.")
        try:
            with open_to_store(library, files, path) as file:
                status = os.fstat(file.fileno())
                created = min(status.st_ctime_ns, status.st_mtime_ns)
                yield Source(path, file.read(), created, status.st_mtime_ns)
        except (RolltopError, OSError) as error:
            gather.problems.append((path, str(error)))
