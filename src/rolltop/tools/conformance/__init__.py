"""What the official MCP conformance suite calls: fixtures that show every kind of answer the protocol knows.

Hidden: served only when it is named, as in `rolltop serve --http --toolsets conformance`.
"""

from mcp_core import ToolSet

__all__ = ["TOOLSET"]

TOOLSET = ToolSet(
    name="conformance",
    summary="Fixtures of the MCP conformance suite.",
    modules=(
        "rolltop.tools.conformance.answering",
        "rolltop.tools.conformance.asking",
        "rolltop.tools.conformance.schemas",
    ),
    resources="rolltop.tools.conformance.resources:Fixtures",
    prompts=("rolltop.tools.conformance.prompts",),
    hidden=True,
)
