"""The catalog's part of `rolltop demo`: the example packages, where they are there, served and called."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import rolltop

__all__ = ["catalog_places", "catalog_steps"]

_EXAMPLES = Path(rolltop.__file__).parents[2] / "examples"

_STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("orchard-mcp_tool_variety_list", {"season": "late", "min_weeks": 20}),
    ("orchard-mcp_tool_harvest_add", {"variety": "Topaz", "kilos": 12.5, "day": "2026-10-03"}),
    ("orchard-mcp_tool_harvest_add", {"variety": "Elstar", "kilos": 8, "day": "2026-10-04"}),
    ("orchard-mcp_tool_harvest_summary", {}),
    ("orchard-mcp_tool_harvest_plot", {"title": "This week"}),
    ("orchard-mcp_tool_harvest_clear", {"confirm": "RUN_MCP_TOOL_HARVEST_CLEAR"}),
    ("kitchen-mcp_tool_recipe_scale", {"amounts": [200, 3], "servings": 6}),
)


def catalog_places() -> list[str]:
    """The example packages of a checkout; an installation has none."""
    return [str(_EXAMPLES / name) for name in ("orchard", "kitchen") if (_EXAMPLES / name / "inst").is_dir()]


def catalog_steps(toolsets: str | None) -> list[tuple[str, str, dict[str, Any], bool]]:
    """Calls of the example packages' tools: state between calls, a plot, an approval."""
    if not catalog_places() or (toolsets and "catalog" not in toolsets.split(",")):
        return []
    without_r = shutil.which("R") is None
    return [("catalog: live", tool, arguments, without_r) for tool, arguments in _STEPS]
