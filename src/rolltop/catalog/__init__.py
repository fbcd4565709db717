"""Documented functions become tool definitions, and are served.

`mcptool_build` reads R packages (roxygen2) and Python packages (docstrings) without running them
and writes one YAML file per tool; `mcptool_list`, `mcptool_load` and `mcptool_load_all` read those
files; `check` and `diff` compare them with their sources. Nothing here evaluates code; what does, calls
and examples in the sandbox, is `rolltop.catalog.live`.
"""

from rolltop.catalog.build import Built, find_tools, mcptool_build
from rolltop.catalog.changes import Change, diff
from rolltop.catalog.check import Problem, check
from rolltop.catalog.definition import Definition
from rolltop.catalog.describe import mcp_describe
from rolltop.catalog.library import locate, mcptool_list, mcptool_load, mcptool_load_all
from rolltop.catalog.sources import SourceTree, source_tree
from rolltop.catalog.state import State, mcptool_state_factory
from rolltop.catalog.tool_decorator import tool

__all__ = [
    "Built",
    "Change",
    "Definition",
    "Problem",
    "SourceTree",
    "State",
    "check",
    "diff",
    "find_tools",
    "locate",
    "mcp_describe",
    "mcptool_build",
    "mcptool_list",
    "mcptool_load",
    "mcptool_load_all",
    "mcptool_state_factory",
    "source_tree",
    "tool",
]
