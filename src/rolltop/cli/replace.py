"""Replace a user's file in one step, and leave everything else about it as it was."""

from __future__ import annotations

import os
from pathlib import Path

from rolltop.base.atomic_files import write_file
from rolltop.errors import PermissionDenied

__all__ = ["replace_file"]


def replace_file(path: Path, text: str) -> None:
    """Write `text` to the file that `path` leads to.

    A link stays a link: what it leads to is replaced. The file keeps its mode and owner; a new one is readable by its
    user alone, because such files hold the keys of other programs.
    """
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_file(target, text.encode("utf-8"), keep_attributes=True)
    except OSError as error:
        raise PermissionDenied(
            f"{path} cannot be written: {error.strerror}", hint="Check the disk and the permissions; it is as it was."
        ) from None
