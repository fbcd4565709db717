"""Paths in arguments, checked against the allowed roots."""

from __future__ import annotations

import re

from mcp_core import ToolContext
from rolltop.workspace import Workspace

__all__ = ["allowed_place"]


def allowed_place(ctx: ToolContext[Workspace], place: str) -> str:
    """The real path of a place that tools may open; the name of an installed package stays as it is."""
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9._]*", place) and "/" not in place:
        return place
    return str(ctx.workspace.files.resolve(place))
