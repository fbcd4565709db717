"""The application: tools, prompts and resources of one server, and the state that calls share."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any

from mcp_core import (
    READS,
    Approver,
    Call,
    Change,
    Changes,
    ClientInfo,
    Dispatcher,
    Envelope,
    ExtMcpToolDecorator,
    Prompt,
    Registered,
    Registry,
    ResourceContent,
    ResourceProvider,
    ToolArguments,
    ToolContext,
    ToolSet,
    ToolSpec,
    UnknownScheme,
)
from mcp_core.description import expand_names
from mcp_core.limits import Shares
from mcp_core.toolset import declared_prompts, resolve
from rolltop.base.os_errors import explain_os_error, explain_resource_limit
from rolltop.journal import LARGEST_ARGUMENTS, Entry
from rolltop.server.resources import LargeAnswers, ToolPages
from rolltop.server.switches import Switches
from rolltop.server.toolsets import SEARCH, LiveSet, Loaded, discover, load_set, refuse_name, select
from rolltop.settings import Settings
from rolltop.workspace import Workspace

__all__ = ["Application"]

logger = logging.getLogger("rolltop.application")

_ENGINES = frozenset({"store", "transform", "reports", "catalog", "guide"})


class Application:
    """Built once per server. Imports no MCP library: the command line calls tools through it too."""

    def __init__(
        self,
        settings: Settings,
        *,
        watcher: Callable[[Call], None] | None = None,
        lenient: bool = False,
        toolsets: Sequence[ToolSet] | None = None,
        shares: Shares | None = None,
    ) -> None:
        """`watcher` observes each call, like the journal. `lenient`: an engine's wrong setting disables only its set.

        `toolsets` replaces the installed sets. `shares` limits the members of a team; spaces share it.
        """
        self.settings = settings
        self.workspace = Workspace(settings, background=True)
        if not lenient:
            self.workspace.check_sections()
        self._watcher = watcher
        self._session = f"{os.getpid()}-{os.urandom(4).hex()}"  # for transports with one session per process
        self.changes = Changes()
        self.approver = Approver(settings.consent, self.workspace.approvals, settings.consent_seconds)
        self.registry = Registry(
            settings.exclude_tools, settings.tool_prefix or "", publishes_output=settings.output_schemas
        )
        self.switches = Switches(settings.workspace, self.workspace.prepare)
        self.prompts: dict[str, Prompt] = {}
        self.list_was_stale = False  # a client may have read an older list before it could be notified
        self.changes.subscribe(self._note_change)
        self.answers = LargeAnswers(self.workspace)
        self.providers: list[ResourceProvider] = [self.answers, ToolPages(self.registry)]
        self.dispatcher = Dispatcher(
            self.registry,
            observer=self._record,
            spill=self.answers.keep,
            redirect=self._named_call if settings.tool_mode == SEARCH else None,
            explain=lambda error: explain_os_error(error, settings.workspace) or explain_resource_limit(error),
            opener=self._opener,
            timeout=settings.call_timeout,
            calls_per_minute=settings.calls_per_minute,
            shares=shares,
        )
        self._live: list[LiveSet] = []
        available, self.loaded = discover() if toolsets is None else (list(toolsets), [])
        for toolset in select(available, settings):
            self._add_set(load_set(toolset, settings))
        self._refuse_unknown_names(available)
        ToolArguments.get_declared_tools()  # everything collected is registered now

    @property
    def instructions(self) -> str:
        """The instructions that `initialize` returns."""
        served = [each.toolset for each in self.loaded if each.served and each.specs]
        text = "\n".join(
            ["rolltop is a desk to work at.", *(f"{each.name}: {each.instructions or each.summary}" for each in served)]
        )
        return expand_names(text, self.registry.name_of)

    def listed(self) -> list[Registered]:
        """The tools in `tools/list`: all that are not hidden, or in search mode the three that find the others."""
        search, off = self.settings.tool_mode == SEARCH, self.switches.off()
        return [
            each
            for each in self.registry
            if not each.spec.hidden and (each.spec.toolset == SEARCH or not search) and each.spec.name not in off
        ]

    def _opener(self, toolset: str) -> Callable[[], object] | None:
        """Open the engine of a tool set: the workspace attribute of that name."""
        return partial(getattr, self.workspace, toolset) if toolset in _ENGINES else None

    def _named_call(self, name: str, arguments: Mapping[str, Any] | None) -> tuple[str, Mapping[str, Any] | None]:
        """Replace `call_tool {name, arguments}` by the call it stands for."""
        if name != self.registry.name_of("call_tool") or not arguments or set(arguments) - {"name", "arguments"}:
            return name, arguments
        meant, given = arguments.get("name"), arguments.get("arguments")
        registered = self.registry.by_plain_name(meant) if isinstance(meant, str) else None
        if registered is None or not isinstance(given, dict | None):
            return name, arguments
        return registered.name, given

    def context(self, client: ClientInfo, **more: Any) -> ToolContext[Workspace]:
        """A context for one call."""
        return ToolContext(
            workspace=self.workspace,
            client=client,
            budget_tokens=self.settings.budget_tokens,
            invoker=self.dispatcher.invoke,
            reader=self.read,
            registry=self.registry,
            refuse=self.switches.refuse,
            name_of=self.registry.name_of,
            changes=self.changes,
            approver=self.approver,
            **more,
        )

    async def read(self, uri: str, ctx: ToolContext[Any]) -> Sequence[ResourceContent]:
        """Read a resource from the tool set that owns its scheme."""
        provider = self.provider_for(uri)
        if provider is None:
            schemes = sorted({scheme for each in self.providers for scheme in each.schemes})
            raise UnknownScheme(uri, hint=f"Known schemes are {', '.join(schemes)}.")
        return await provider.read(uri, ctx)

    def provider_for(self, uri: str) -> ResourceProvider | None:
        scheme = uri.partition(":")[0].lower()
        return next((provider for provider in self.providers if scheme in provider.schemes), None)

    def close(self) -> None:
        for live in self._live:
            live.close()
        self.workspace.close()

    def _add_set(self, loaded: Loaded) -> None:
        self.loaded.append(loaded)
        if not loaded.served:
            return
        toolset = loaded.toolset
        decorator = ExtMcpToolDecorator(self.registry, self._prefix(toolset))
        envelope = toolset.make_envelope()
        for spec in loaded.specs:
            if self._wanted(spec, decorator.names.final(spec.name, spec.prefix)):
                decorator.register(self._as_served(spec), envelope=envelope, profile=self.settings.descriptions)
        self._add_live(toolset, decorator, envelope)
        provider = toolset.make_resources()
        if provider is not None:
            self.providers.append(provider)
        for prompt in _prompts(toolset):
            self.prompts[prompt.name] = prompt

    def _add_live(self, toolset: ToolSet, decorator: ExtMcpToolDecorator, envelope: Envelope) -> None:
        source = toolset.make_live(self.workspace)
        if source is None:
            return

        def register(spec: ToolSpec) -> str | None:
            if not self._wanted(spec, decorator.names.final(spec.name, spec.prefix)):
                return None
            return decorator.register(spec, envelope=envelope, profile=self.settings.descriptions)

        self._live.append(LiveSet(self.registry, source, register, lambda: self.changes.publish("tools")))

    def _wanted(self, spec: ToolSpec, final: str) -> bool:
        names, settings = {spec.name, final}, self.settings
        if names.intersection(settings.exclude_tools):
            return False
        if settings.tools and spec.toolset != SEARCH and not names.intersection(settings.tools):
            return False
        return spec.annotations.read_only or not settings.read_only or bool(spec.writes_with)

    def _as_served(self, spec: ToolSpec) -> ToolSpec:
        """On a read-only server, refuse the argument that makes a tool write."""
        if self.settings.read_only and spec.writes_with:
            return replace(spec, annotations=READS)
        return spec

    def _refuse_unknown_names(self, available: Sequence[ToolSet]) -> None:
        """Refuse unknown names in `tools` and `exclude_tools`: a mistyped exclusion would serve the tool.

        Names of package functions (`package-function`) may be registered later.
        """
        given = {*self.settings.exclude_tools, *self.settings.tools}
        chosen = {name for name in given if not all(name.partition("-"))}
        if not chosen or chosen <= self._names_of(self.loaded):
            return
        here = {loaded.toolset.name for loaded in self.loaded}
        others = [load_set(toolset, self.settings) for toolset in available if toolset.name not in here]
        names = self._names_of([*self.loaded, *others])
        for name in sorted(chosen - names):
            setting = "tools" if name in self.settings.tools else "exclude_tools"
            refuse_name(setting, name, names, certain=all(each.served for each in [*self.loaded, *others]))

    def _names_of(self, sets: Sequence[Loaded]) -> set[str]:
        """The names of the tools of these sets, with and without prefix."""
        decorators = [(each, ExtMcpToolDecorator(self.registry, self._prefix(each.toolset))) for each in sets]
        return {
            name
            for each, decorator in decorators
            for spec in each.specs
            for name in (spec.name, decorator.names.final(spec.name, spec.prefix))
        }

    def _prefix(self, toolset: ToolSet) -> str:
        settings = self.settings
        if settings.prefix_is_default and not toolset.default_prefix:
            return ""
        return settings.tool_prefix or ""

    def _note_change(self, change: Change) -> None:
        """Record that the tools changed, for a client that cannot be notified yet."""
        if change.kind == "tools":
            self.list_was_stale = True

    def _record(self, call: Call) -> Future[bool] | None:
        if self._watcher is not None:
            self._watcher(call)
        arguments = answer = None
        if self.settings.log_arguments:
            arguments = call.arguments[:LARGEST_ARGUMENTS].decode("utf-8", "replace")
            answer = call.answer[: self.settings.journal_text]
        entry = Entry(
            time=call.started,
            tool=call.tool,
            toolset=call.toolset,
            client=call.client,
            transport=call.transport,
            outcome=call.outcome,
            error_type=call.error_type,
            seconds=call.seconds,
            size_in=call.size_in,
            size_out=call.size_out,
            digest=call.digest,
            arguments=arguments,
            consents=call.consents,
            principal=call.principal,
            client_version=call.client_version,
            session=call.session or ("" if call.transport == "http" else self._session),
            tokens_in=call.tokens_in,
            tokens_out=call.tokens_out,
            answer=answer,
        )
        if call.consents:
            return self.workspace.journal.add(entry)
        self.workspace.journal.add_unheard(entry)
        return None


def _prompts(toolset: ToolSet) -> Iterator[Prompt]:
    for module in toolset.prompts:
        resolve(f"{module}:__name__")
    yield from declared_prompts(toolset.prompts)
