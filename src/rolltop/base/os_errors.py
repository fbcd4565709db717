"""Translate OS, SQLite and memory errors into RolltopErrors: a full disk, a missing file, a database that is read-only.

Any line that touches the disk can raise one, and none of them is a defect. Entry points translate an error here before
they report it as a defect.
"""

from __future__ import annotations

import errno
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rolltop.base.atomic_files import is_read_only
from rolltop.errors import (
    Damaged,
    DiskFull,
    InvalidData,
    InvalidInput,
    LimitExceeded,
    MemoryLimit,
    NotFound,
    PermissionDenied,
    RolltopError,
)

__all__ = [
    "can_start_threads",
    "explain_machine_error",
    "explain_os_error",
    "explain_resource_limit",
    "ignoring_write_errors",
    "is_transient_error",
    "is_write_error",
]

FULL = (errno.ENOSPC, errno.EDQUOT)
TRANSIENT = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EACCES, errno.EPERM, errno.EINTR, errno.EAGAIN)
NEARLY_NOTHING = 1 << 20
"""Bytes: if less is free, a write that failed for no other known reason failed because the disk is full."""
PLENTY = 1 << 30
"""Bytes: if more is free, another disk was full. Less may be free because an unfinished file has been removed."""
DATABASES = ("sqlite3", "apsw")
_NO_MEMORY = ("failed to map segment", "annot allocate memory", "PyObject pointer is null")
"""Texts by which libraries report missing memory without an error number."""
NO_SHARED_MEMORY = (4618, 4874, 5386)
"""SQLite's extended codes for a shared-memory file that cannot be made."""
_NUMBERED = re.compile(r"\(os error (\d+)\)")
"""The error number in messages of libraries written in Rust."""


def is_write_error(error: BaseException) -> bool:
    """True if a write failed because the disk is full or read-only; reading still works then."""
    if isinstance(error, DiskFull):
        return True
    if _is_database(error):
        kind, said = type(error).__name__, str(error)
        full = kind in ("FullError", "ReadOnlyError") or "disk is full" in said or "readonly" in said
        return full or getattr(error, "extendedresult", 0) in NO_SHARED_MEMORY
    return _number(error) in (*FULL, errno.EROFS)


def is_transient_error(error: BaseException) -> bool:
    """True if a file could not be read for a reason that lies outside it: too many open files, no memory, no right."""
    return isinstance(error, MemoryError) or _number(error) in TRANSIENT


@contextmanager
def ignoring_write_errors() -> Iterator[list[BaseException]]:
    """Suppress write errors of the block; the list then holds the error."""
    refused: list[BaseException] = []
    try:
        yield refused
    except BaseException as error:
        if not is_write_error(error):
            raise
        refused.append(error)


def _number(error: BaseException) -> int | None:
    """The error number of the system; some libraries give it only in their message."""
    if isinstance(error, OSError):
        return error.errno
    found = _NUMBERED.search(str(error)) if isinstance(error, ValueError) or _is_panic(error) else None
    return int(found[1]) if found else None


def _is_panic(error: BaseException) -> bool:
    return type(error).__name__ == "PanicException"


def explain_os_error(error: BaseException, workspace: Path | None = None) -> RolltopError | None:
    """Translate an error of the disk or the database; None if it is about something else."""
    if not _is_database(error):
        return _about_file(error, workspace)
    kind, said = type(error).__name__, str(error)
    place = workspace or Path.cwd()
    if kind == "FullError" or "disk is full" in said:
        return _full(None, workspace)
    if kind == "IOError" or "disk I/O error" in said:
        return _full(None, workspace) if _free(place) < NEARLY_NOTHING else _unreadable(f"the workspace {place}")
    if kind in ("CantOpenError", "ReadOnlyError") or "unable to open" in said or "readonly" in said:
        return _unwritable(place, said)
    return None


def _about_file(error: BaseException, workspace: Path | None) -> RolltopError | None:
    number, file = _number(error), getattr(error, "filename", None)
    if number in FULL:
        return _full(file, workspace)
    if number == errno.EIO:
        return _unreadable(os.fsdecode(file) if isinstance(file, str | bytes) else _where(workspace))
    if number != errno.EROFS:
        return None
    place = os.fsdecode(file) if isinstance(file, str | bytes) else _where(workspace)
    if workspace is not None and not os.path.exists(workspace) and Path(place) in (workspace, *workspace.parents):
        return PermissionDenied(
            f"the workspace {workspace} cannot be made: {os.strerror(errno.EROFS)}",
            hint="Choose another with --workspace DIR or ROLLTOP_WORKSPACE.",
        )
    return PermissionDenied(
        f"{place}: {os.strerror(errno.EROFS)}", hint="Copy it to where it can be written, and use the copy."
    )


def explain_resource_limit(error: BaseException) -> RolltopError | None:
    """Translate an error about missing memory or threads; None if it is about something else."""
    said = str(error)
    if isinstance(error, MemoryError) or _number(error) == errno.ENOMEM or any(sign in said for sign in _NO_MEMORY):
        return MemoryLimit("there is not enough memory", hint="Free some, or raise the limit (ulimit -v).")
    if isinstance(error, RuntimeError) and "start new thread" in said:
        return _no_threads()
    return _no_threads() if _is_panic(error) and "thread pool" in said.lower() else None


def _no_threads() -> LimitExceeded:
    return LimitExceeded(
        "the system allows this user no more threads and processes",
        hint="End some, or raise the limit (ulimit -u; ulimit -v where there is one on memory).",
    )


def can_start_threads() -> bool:
    """True if the system allows another thread. Some libraries interrupt the process if it does not."""
    try:
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
    except RuntimeError:
        return False
    return True


def explain_machine_error(error: BaseException, workspace: Path | None = None) -> RolltopError | None:
    """Translate any error of the machine, also one about a single file; None for a defect."""
    if (told := explain_os_error(error, workspace) or explain_resource_limit(error)) is not None:
        return told
    if isinstance(error, KeyboardInterrupt) and not can_start_threads():
        return _no_threads()
    if isinstance(error, RuntimeError) and "home directory" in str(error):
        return InvalidInput("there is no home directory for ~ to stand for", hint="Give the path in full.")
    if isinstance(error, UnicodeDecodeError):
        return InvalidData(f"the text is not UTF-8: byte {error.start + 1} is not valid ({error.reason})")
    if not isinstance(error, OSError) or error.strerror is None:
        return None
    named = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    said = f"{named}{error.strerror}"
    match error:
        case FileNotFoundError():
            return NotFound(said) if named or _has_working_directory() else _without_place()
        case IsADirectoryError() | NotADirectoryError():
            return InvalidInput(said)
        case PermissionError():
            return PermissionDenied(said, hint="Check who owns it and its permissions.")
    return RolltopError(said)


def _without_place() -> NotFound:
    return NotFound(
        "the working directory was removed", hint="Change into a directory that is there, or give full paths."
    )


def _has_working_directory() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _is_database(error: BaseException) -> bool:
    return type(error).__module__.partition(".")[0] in DATABASES


def _full(file: object, workspace: Path | None) -> DiskFull:
    place = os.fsdecode(file) if isinstance(file, str | bytes) else _where(workspace)
    other = ", or choose another workspace with --workspace DIR" if place.startswith("the workspace") else ""
    return DiskFull(f"the disk is full: {place} cannot be written", hint=f"Free some space there and try again{other}.")


def _where(workspace: Path | None) -> str:
    """Name the place that is probably full: the error seldom tells which file was written."""
    if workspace is None:
        return "the output"
    try:
        temporary = Path(tempfile.gettempdir())
    except FileNotFoundError:  # it tries every place, and could write in none
        return f"the workspace {workspace}"
    elsewhere = _device(temporary) != _device(workspace)
    if elsewhere and _free(temporary) < NEARLY_NOTHING <= _free(workspace):
        return f"the temporary directory {temporary}"
    return f"the workspace {workspace}" if _free(workspace) < PLENTY else "a file"


def _unreadable(place: str) -> Damaged:
    return Damaged(
        f"{place}: {os.strerror(errno.EIO)}",
        code="io_error",
        hint="The disk or its connection fails: check it, copy what can be read, then run `rolltop store verify`.",
    )


def _unwritable(place: Path, said: str) -> PermissionDenied:
    if is_read_only(place):
        return PermissionDenied(
            f"the workspace {place} is on a file system that cannot be written",
            hint="Copy the directory to where it can be written, and use the copy with --workspace DIR.",
        )
    return PermissionDenied(
        f"the workspace {place} cannot be used: {said}",
        hint="Check the disk and its permissions, or choose another with --workspace DIR or ROLLTOP_WORKSPACE.",
    )


def _free(place: Path) -> int:
    try:
        state = os.statvfs(place)
    except OSError:
        return NEARLY_NOTHING
    return state.f_bavail * state.f_frsize


def _device(place: Path) -> int | None:
    try:
        return os.stat(place).st_dev
    except OSError:
        return None
