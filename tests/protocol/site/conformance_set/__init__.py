"""What the official MCP conformance suite calls: fixtures that show every kind of answer the protocol knows.

Served when this directory is in PYTHONPATH and the set is named: `rolltop serve --http --toolsets conformance`.
"""

from mcp_core import ToolSet

__all__ = ["TOOLSET"]

TOOLSET = ToolSet(
    name="conformance",
    summary="Fixtures of the MCP conformance suite.",
    modules=(
        "conformance_set.answers",
        "conformance_set.questions",
        "conformance_set.schemas",
    ),
    resources="conformance_set.resources:Fixtures",
    prompts=("conformance_set.prompts",),
    hidden=True,
)
