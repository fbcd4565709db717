"""What the machine refused, in our words: a full disk, a file that is not there, a database that cannot be written.

Such an error may come out of any line that touches the disk, and it is nobody's defect. Entry points ask here
before they call one a defect.
"""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from rolltop.errors import DiskFull, InvalidData, InvalidInput, NotFound, PermissionDenied, RolltopError
from rolltop.files.holding import is_frozen

__all__ = ["about_disk", "about_machine"]

FULL = (errno.ENOSPC, errno.EDQUOT)
NEARLY_NOTHING = 1 << 20
"""Bytes: where less is free, a write that failed for no other reason failed for this one."""
PLENTY = 1 << 30
"""Bytes: where more is free, it was another disk. Less may be free again because what was begun is gone."""
DATABASES = ("sqlite3", "apsw")


def about_disk(error: BaseException, workspace: Path | None = None) -> RolltopError | None:
    """`error` as one about the disk of the workspace, or None if it is about something else."""
    if isinstance(error, OSError) and not _is_database(error):
        return _full(error.filename, workspace) if error.errno in FULL else None
    if not _is_database(error):
        return None
    kind, said = type(error).__name__, str(error)
    place = workspace or Path.cwd()
    if kind == "FullError" or "disk is full" in said:
        return _full(None, workspace)
    if kind == "IOError" or "disk I/O error" in said:
        return _full(None, workspace) if _free(place) < NEARLY_NOTHING else _unwritable(place, said)
    if kind in ("CantOpenError", "ReadOnlyError") or "unable to open" in said or "readonly" in said:
        return _unwritable(place, said)
    return None


def about_machine(error: BaseException, workspace: Path | None = None) -> RolltopError | None:
    """The same, and any other refusal of the system that names the file it is about."""
    if (told := about_disk(error, workspace)) is not None:
        return told
    if isinstance(error, UnicodeDecodeError):
        return InvalidData(f"what should be text is not UTF-8, from byte {error.start + 1} on ({error.reason})")
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
    return PermissionDenied(said) if error.errno == errno.EROFS else RolltopError(said)


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
    """What was written is seldom known: mostly the workspace, else what is made on the way or was asked for."""
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


def _unwritable(place: Path, said: str) -> PermissionDenied:
    if is_frozen(place):
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
