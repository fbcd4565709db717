"""Documented functions become tool definitions, and are served.

`mcptool_build` reads R packages (roxygen2) and Python packages (docstrings) without running them
and writes one YAML file per tool; `mcptool_list`, `mcptool_load` and `mcptool_load_all` read those
files; `check` and `diff` compare them with their sources. The reader never evaluates code: examples
and calls run in `rolltop.confine`, or not at all.
"""

from rolltop.catalog.build import Built, find_tools, mcptool_build
from rolltop.catalog.definition import Definition
from rolltop.catalog.library import locate, mcptool_list, mcptool_load, mcptool_load_all
from rolltop.catalog.sources import SourceTree, source_tree

__all__ = [
    "Built",
    "Definition",
    "SourceTree",
    "find_tools",
    "locate",
    "mcptool_build",
    "mcptool_list",
    "mcptool_load",
    "mcptool_load_all",
    "source_tree",
]
