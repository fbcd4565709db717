"""The reports set: R Markdown documents, created and rendered."""

from mcp_core import ToolSet

__all__ = ["TOOLSET"]

TOOLSET = ToolSet(
    name="reports",
    summary="Creates R Markdown documents and renders them to HTML, PDF and Word in a sandbox.",
    modules=("rolltop.tools.reports.write", "rolltop.tools.reports.browse", "rolltop.tools.reports.render"),
    envelope="rolltop.tools.reports.envelope:ReportsEnvelope",
    resources="rolltop.tools.reports.resources:ReportResources",
    needs="rolltop.tools.reports.needs:check",
    instructions=(
        "R Markdown documents: write with {tool:create_rmd}, render with {tool:render_rmd}, "
        "read results as rmd-output:///NAME.html. Data files for a document go in with {tool:attach_rmd_file}."
    ),
)
