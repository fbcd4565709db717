"""What the verbs of `rolltop store` share: the opened library, progress, sizes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rolltop.cli.main import Invocation

if TYPE_CHECKING:
    from rich.progress import ProgressColumn, Task

    from rolltop.store import Document, Library

__all__ = ["as_dict", "explained", "human", "opened", "progress"]


@contextmanager
def opened(invocation: Invocation, *, mending: bool = False) -> Iterator[Library]:
    """The library; `mending`: also where it has to be mended before anything else can be done with it."""
    from rolltop.workspace import Workspace

    workspace = Workspace(invocation.settings())
    try:
        if mending:
            with workspace.open_store(mending=True) as library:
                yield library
        else:
            yield workspace.store
    finally:
        workspace.close()


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """A file that cannot be written is named, in one line. A full disk is said elsewhere."""
    from rolltop.errors import Conflict, InvalidInput, NotFound

    try:
        yield
    except FileExistsError:
        raise Conflict(f"{path} exists already", hint="Choose another name, or remove it first.") from None
    except FileNotFoundError:
        raise NotFound(f"there is no directory {path.parent}", hint="Make it first.") from None
    except (PermissionError, IsADirectoryError, NotADirectoryError) as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from None


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar with rate and time left on a terminal, nothing otherwise."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        _speed_column(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)


def _speed_column() -> ProgressColumn:
    from rich.progress import ProgressColumn
    from rich.text import Text

    class Speed(ProgressColumn):
        def render(self, task: Task) -> Text:
            # In the beginning there is no speed yet.
            return Text("" if task.speed is None else f"{task.speed:.0f}/s")

    return Speed()


def human(size: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def as_dict(document: Document) -> dict[str, Any]:
    from rolltop.store.times import format_time

    return {
        "name": document.name,
        "path": document.path,
        "hash": document.hash,
        "size": document.size,
        "type": document.kind,
        "mime_type": document.mime,
        "version": document.version,
        "created": format_time(document.created),
        "modified": format_time(document.modified),
        "indexed": format_time(document.indexed),
        "tags": list(document.tags),
        "metadata": dict(document.metadata),
    }
