"""What the page works with: the server's application, called as a client calls it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from mcp_core import Answer, ClientInfo, InputNeeded, ProtocolFault, Reply, UnknownTool
from mcp_core.context import Progress, ToolContext
from rolltop import __version__

__all__ = ["CLIENT", "Application", "Backend", "Outcome"]

CLIENT = "rolltop page"
"""The client name of the page in the journal."""


class Application(Protocol):
    """The part of the server's application that the page uses."""

    settings: Any
    workspace: Any
    registry: Any
    dispatcher: Any
    changes: Any
    loaded: Any
    switches: Any

    def context(self, client: ClientInfo, **more: Any) -> ToolContext[Any]: ...
    async def read(self, uri: str, ctx: ToolContext[Any]) -> Any: ...


@dataclass(frozen=True)
class Outcome:
    """How a call ended: an answer, a refusal with a sentence, or questions that have to be answered first."""

    data: Any = None
    text: str = ""
    error: str | None = None
    hint: str | None = None
    blocks: tuple[Mapping[str, Any], ...] = ()
    questions: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.error is None and not self.questions

    def get(self, name: str, default: Any = None) -> Any:
        return self.data.get(name, default) if isinstance(self.data, Mapping) else default


class Backend:
    def __init__(self, application: Application) -> None:
        self.application = application
        self.settings = application.settings
        self._counted: dict[str, tuple[int, Outcome]] = {}

    def has(self, tool: str) -> bool:
        return self.application.registry.by_plain_name(tool) is not None

    def context(self, agreed: Iterable[str] = (), progress: Progress | None = None) -> ToolContext[Any]:
        """A context for one call. `agreed` names the questions that the human at the page has said yes to."""
        yes = frozenset(agreed)

        async def ask(key: str, message: str, schema: Mapping[str, Any]) -> Reply:
            if key in yes:
                return Reply("accept", {"agree": True})
            raise InputNeeded({key: message})

        client = ClientInfo(CLIENT, __version__, "", "page", frozenset({"elicitation"}))
        more = {} if progress is None else {"progress_sink": progress}
        return self.application.context(client, principal="page", asker=ask, **more)

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        agreed: Iterable[str] = (),
        progress: Progress | None = None,
    ) -> Outcome:
        """Call a tool by its plain name, through the same dispatcher as every client."""
        registered = self.application.registry.by_plain_name(tool)
        if registered is None:
            return Outcome(error=f"The tool {tool} is not served here.", hint="Start the server with its tool set.")
        given = {key: value for key, value in (arguments or {}).items() if value is not None}
        try:
            context = self.context(agreed, progress)
            answer: Answer = await self.application.dispatcher.call(registered.name, given, context)
        except InputNeeded as needed:
            return Outcome(questions={key: str(message) for key, message in needed.questions.items()})
        except UnknownTool as error:
            return Outcome(error=str(error))
        except ProtocolFault as fault:
            return Outcome(error=fault.message)
        wire = answer.wire()
        blocks = tuple(wire["content"][1:])
        if answer.is_error:
            message, hint = _failure(answer.structured, answer.text)
            return Outcome(answer.structured, answer.text, message, hint, blocks)
        return Outcome(_value(answer.structured), answer.text, blocks=blocks)

    async def count(self, tool: str, arguments: Mapping[str, Any]) -> Outcome:
        """What a tool counts over all documents; counted again only when the store has changed."""
        store = self.application.workspace.store
        mark = await asyncio.to_thread(store.catalog.documents.last_change)
        key = f"{tool} {dict(arguments)}"
        known = self._counted.get(key)
        if known is not None and known[0] == mark:
            return known[1]
        outcome = await self.call(tool, arguments)
        if outcome.ok:
            self._counted[key] = (mark, outcome)
        return outcome

    async def read(self, uri: str) -> list[Any]:
        """The contents of a resource."""
        return list(await self.application.read(uri, self.context()))


def _value(structured: Any) -> Any:
    """The value inside the envelope of a tool set."""
    if isinstance(structured, Mapping) and structured.get("success") is True:
        return structured.get("value", structured.get("data"))
    return structured


def _failure(structured: Any, text: str) -> tuple[str, str | None]:
    if not isinstance(structured, Mapping):
        return text, None
    error = structured.get("error", text)
    if isinstance(error, Mapping):
        details = error.get("details")
        hint = details.get("hint") if isinstance(details, Mapping) else None
        return str(error.get("message", text)), hint or error.get("hint")
    return str(error), structured.get("hint") or structured.get("instruction")
