"""Paths in arguments, checked against the allowed roots."""

from __future__ import annotations

import re
from pathlib import Path

from mcp_core import ToolContext
from rolltop.workspace import Workspace

__all__ = ["allowed_place"]


def allowed_place(ctx: ToolContext[Workspace], place: str) -> str:
    """The real path of a place that tools may open; the name of an installed package stays as it is."""
    is_name = re.fullmatch(r"[A-Za-z][A-Za-z0-9._]*", place)
    if is_name and not Path(place).exists():  # a folder of that name would be taken for the package
        return place
    return str(ctx.workspace.files.resolve(place))
