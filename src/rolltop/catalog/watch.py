"""Build again whenever a source is saved."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from rolltop.catalog.build import Built, ExampleRunner, mcptool_build
from rolltop.catalog.library import FileStamp, file_stamp
from rolltop.catalog.sources import source_tree
from rolltop.errors import RolltopError

__all__ = ["rebuilds"]

Stamps = dict[Path, FileStamp | None]


def rebuilds(path: str | Path, run_examples: ExampleRunner | None, interval: float) -> Iterator[Built | RolltopError]:
    """What each build gave, or why it could not be done; never ends."""
    seen = _stamps(path)
    while True:
        try:
            yield mcptool_build(path, run_examples=run_examples)
        except RolltopError as error:
            yield error
        while (now := _stamps(path)) == seen:
            time.sleep(interval)
        seen = now


def _stamps(path: str | Path) -> Stamps:
    """The files that a build reads, with their times; the place itself where there are none."""
    try:
        tree = source_tree(path)
    except RolltopError:
        return {Path(path): file_stamp(Path(path))}
    templates = (tree.root / "man-roxygen").glob("*.R")
    files = (*tree.files, *tree.r_context, *templates, tree.root / "DESCRIPTION")
    return {file: file_stamp(file) for file in files}
