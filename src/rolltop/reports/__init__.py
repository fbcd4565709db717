"""R Markdown documents, created and rendered in a sandbox.

`Reports` keeps documents in a directory (`NAME.Rmd`, side files in `NAME/`) and renders them to HTML,
PDF and Word. R runs behind one seam in one of three places: a local sandbox with a warm R that is
forked for each render, a container through the engine's API, or docker compose. A document's code
gets no network, sees nothing of this machine but its own files, and is held by limits on time,
memory, processes and output; its results come back as bytes and are put in place atomically.
Unchanged work is answered from a content cache. Errors name the chunk, the line and what to do.
"""

from rolltop.reports.config import RendererName, ReportsConfig
from rolltop.reports.job import Engine, Event, Format, Watcher
from rolltop.reports.listing import Listed, Listing
from rolltop.reports.preparation import RenderOptions
from rolltop.reports.reports import Report, Reports
from rolltop.reports.results.failure import PackageMissing, RenderFailure

__all__ = [
    "Engine",
    "Event",
    "Format",
    "Listed",
    "Listing",
    "PackageMissing",
    "RenderFailure",
    "RenderOptions",
    "RendererName",
    "Report",
    "Reports",
    "ReportsConfig",
    "Watcher",
]
