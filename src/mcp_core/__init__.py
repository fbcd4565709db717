"""Tool infrastructure for MCP servers: results, arguments, collection, names, consent, envelopes.

It is reusable: it knows nothing of rolltop and imports no MCP library. A server feeds a `Dispatcher`
with tool names and raw arguments and gets back an `Answer` to put on its wire. `docs/design/tools.md`
describes how the parts fit together.
"""

from mcp_core.approval import Agreement, Approver, Broker, Effect, EffectChanged, ask_for
from mcp_core.arguments import ToolArguments
from mcp_core.consent import CannotAsk, Consent, ConsentRequired, InputNeeded, Reply
from mcp_core.context import Change, Changes, ClientInfo, ToolCancelled, ToolContext
from mcp_core.decorator import ExtMcpToolDecorator, NamePolicy
from mcp_core.dispatch import Call, Dispatcher, UnknownTool
from mcp_core.display import quoted
from mcp_core.envelope import Answer, Envelope, ProtocolFault, ResultEnvelope
from mcp_core.log import TRACE
from mcp_core.registry import Registered, Registry
from mcp_core.result import FROM_DOCUMENTS, Audio, Block, EmbeddedResource, Image, ResourceLink, Result, Text
from mcp_core.spec import DESTROYS, FOR_OWNER, READS, RUNS, WRITES, Example, ToolAnnotations, ToolSpec
from mcp_core.toolset import (
    LiveTools,
    Need,
    Page,
    Prompt,
    PromptArgument,
    PromptMessage,
    ResourceContent,
    ResourceInfo,
    ResourceProvider,
    TemplateInfo,
    ToolSet,
    UnknownResource,
    UnknownScheme,
    declare_prompt,
)
from mcp_core.validation import InvalidArguments, Problem

__all__ = [
    "DESTROYS",
    "FOR_OWNER",
    "FROM_DOCUMENTS",
    "READS",
    "RUNS",
    "TRACE",
    "WRITES",
    "Agreement",
    "Answer",
    "Approver",
    "Audio",
    "Block",
    "Broker",
    "Call",
    "CannotAsk",
    "Change",
    "Changes",
    "ClientInfo",
    "Consent",
    "ConsentRequired",
    "Dispatcher",
    "Effect",
    "EffectChanged",
    "EmbeddedResource",
    "Envelope",
    "Example",
    "ExtMcpToolDecorator",
    "Image",
    "InputNeeded",
    "InvalidArguments",
    "LiveTools",
    "NamePolicy",
    "Need",
    "Page",
    "Problem",
    "Prompt",
    "PromptArgument",
    "PromptMessage",
    "ProtocolFault",
    "Registered",
    "Registry",
    "Reply",
    "ResourceContent",
    "ResourceInfo",
    "ResourceLink",
    "ResourceProvider",
    "Result",
    "ResultEnvelope",
    "TemplateInfo",
    "Text",
    "ToolAnnotations",
    "ToolArguments",
    "ToolCancelled",
    "ToolContext",
    "ToolSet",
    "ToolSpec",
    "UnknownResource",
    "UnknownScheme",
    "UnknownTool",
    "ask_for",
    "declare_prompt",
    "quoted",
]
