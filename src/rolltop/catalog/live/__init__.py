"""Tools at work: sandboxed R and Python processes that load sources, call tools and keep their state.

`Catalog` serves definitions and calls them, `ExampleRuns` runs examples for a build. Package code is foreign
code: it runs in `rolltop.confine`, or not at all.
"""

from rolltop.catalog.live.answer import Answer
from rolltop.catalog.live.catalog import Catalog, Served
from rolltop.catalog.live.configuration import CatalogSettings
from rolltop.catalog.live.examples import ExampleRuns

__all__ = ["Answer", "Catalog", "CatalogSettings", "ExampleRuns", "Served"]
