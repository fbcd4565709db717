"""The steps of `rolltop demo`: a short story for each tool set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rolltop

__all__ = ["TOUR", "Step", "example_packages"]


def example_packages() -> list[str]:
    """The example packages of a checkout; an installation has none, and the tour passes them by."""
    examples = Path(rolltop.__file__).parents[2] / "examples"
    return [str(examples / name) for name in ("orchard", "kitchen") if (examples / name / "inst").is_dir()]


@dataclass(frozen=True, slots=True)
class Step:
    """A call, and what it shows. `{demo}` in a text is the demo's own directory."""

    says: str
    tool: str
    arguments: dict[str, Any]
    agrees: bool = True
    """What the human answers when the tool asks for consent."""


_NOTE = "# Orchard\n\nThe Topaz is ripe in week 38. Pick it before the frost.\n"
_REPORT = "Speed and stopping distance:\n\n```{r cars}\nplot(cars)\n```\n"

TOUR: dict[str, tuple[Step, ...]] = {
    "store": (
        Step("Keep a note.", "store_text", {"content": _NOTE, "name": "orchard.md", "tags": ["garden"]}),
        Step("The same text again costs nothing.", "store_text", {"content": _NOTE, "name": "copy.md"}),
        Step("Find it by a word.", "search_documents", {"query": "frost"}),
        Step("Find lines by a regular expression.", "grep_documents", {"pattern": "week [0-9]+", "line_numbers": True}),
        Step("What is kept.", "list_documents", {"limit": 5}),
        Step("Removing asks the human first; this one agrees.", "delete_by_name", {"name": "copy.md"}),
        Step("How much is kept.", "get_stats", {}),
    ),
    "reports": (
        Step(
            "Write an R Markdown document.",
            "create_rmd",
            {"filename": "cars", "title": "Cars", "content": _REPORT},
        ),
        Step("Render it in a sandbox.", "render_rmd", {"filename": "cars", "format": "html"}),
        Step("What there is.", "list_rmd", {}),
    ),
    "catalog": (
        Step("A documented Python module becomes tools.", "mcptool_build", {"path": "{demo}/kitchen"}),
        Step("The definitions.", "mcptool_list", {"pkg": "{demo}/kitchen"}),
        Step(
            "Tools of an R package, served live.", "orchard-mcp_tool_variety_list", {"season": "late", "min_weeks": 20}
        ),
        Step(
            "They keep a state …",
            "orchard-mcp_tool_harvest_add",
            {"variety": "Topaz", "kilos": 12.5, "day": "2026-10-03"},
        ),
        Step("… from call to call.", "orchard-mcp_tool_harvest_summary", {}),
        Step("A plot comes as an image.", "orchard-mcp_tool_harvest_plot", {"title": "This week"}),
        Step("What is marked dangerous asks the human.", "orchard-mcp_tool_harvest_clear", {}),
        Step("And a tool in Python.", "kitchen-mcp_tool_recipe_scale", {"amounts": [200, 3], "servings": 6}),
    ),
    "guide": (
        Step("Say which project this is.", "set_project", {"project": "{demo}"}),
        Step("A flag for every project …", "set_feature_flag", {"feature_name": "strict", "value": True}),
        Step("… and one that overrides it here.", "set_project_flag", {"feature_name": "strict", "value": False}),
        Step("The project's wins.", "get_project_flag", {"feature_name": "strict"}),
        Step("A category of documents.", "add_category", {"name": "docs", "patterns": ["*.md"]}),
        Step("Content by expression.", "get_content", {"expression": "docs/orchard"}),
    ),
    "example": (
        Step("Say something back.", "example_echo", {"text": "Good morning"}),
        Step("Progress on the way.", "count_down", {"start": 3}),
        Step("Consent, refused by the human: nothing is done.", "forget_everything", {"what": "it"}, agrees=False),
    ),
    "desk": (Step("The full documentation of a tool.", "read_resource", {"uri": "tool://read_resource"}),),
}
