"""The store's tools: keep documents by content and find them again."""

from mcp_core import ToolSet

__all__ = ["TOOLSET"]

TOOLSET = ToolSet(
    name="store",
    summary="Keeps documents by content and finds them by word, regular expression, tag, name and hash.",
    modules=(
        "rolltop.tools.store.keep",
        "rolltop.tools.store.edit",
        "rolltop.tools.store.fetch",
        "rolltop.tools.store.find",
        "rolltop.tools.store.recall",
        "rolltop.tools.store.grep",
        "rolltop.tools.store.manage",
        "rolltop.tools.store.bulk",
        "rolltop.tools.store.history",
    ),
    prompts=("rolltop.prompts.store",),
    envelope="rolltop.tools.store.envelope:StoreEnvelope",
    resources="rolltop.tools.store.resources:StoreResources",
    needs="rolltop.tools.store.needs:check",
    instructions=(
        "search before you retrieve ({tool:search_documents}, then {tool:retrieve_document}); tag consistently; "
        "a stored document is doc://NAME wherever a tool takes a file."
    ),
)
