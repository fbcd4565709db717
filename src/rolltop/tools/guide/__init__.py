"""The guide's tools: content by expression, flags of both scopes, and what sets a project up."""

from mcp_core import ToolSet

__all__ = ["TOOLSET"]

TOOLSET = ToolSet(
    name="guide",
    summary="Gives documents of a project by expression, and flags to decide by.",
    modules=(
        "rolltop.tools.guide.content",
        "rolltop.tools.guide.flags",
        "rolltop.tools.guide.categories",
        "rolltop.tools.guide.collections",
        "rolltop.tools.guide.projects",
    ),
    resources="rolltop.tools.guide.resources:GuideResources",
    prompts=("rolltop.prompts.guide",),
    default_prefix=True,
    instructions=(
        "what this project wants you to know: {tool:get_content} gives documents by expression such as lang/python or "
        "docs/api,review; {tool:get_project} says what there is; flags say how to work."
    ),
)
