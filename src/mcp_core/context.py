"""`ToolContext`: everything a tool may use during a call; and `Changes`, which it publishes to."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Literal, ParamSpec, Protocol, TypeVar

from mcp_core.approval import Agreement, Approver, Effect
from mcp_core.consent import FIELD as CONSENT_FIELD
from mcp_core.consent import CannotAsk, Reply
from mcp_core.limits import Lane
from mcp_core.tokens import characters_of

__all__ = ["Change", "Changes", "ClientInfo", "Kind", "ToolCancelled", "ToolContext"]


logger = logging.getLogger("mcp_core.context")

Kind = Literal["tools", "prompts", "resources", "resource"]


@dataclass(frozen=True, slots=True)
class Change:
    """A changed list (`tools`, `prompts`, `resources`), or one changed `resource`."""

    kind: Kind
    uri: str | None = None


class Changes:
    """Delivers changes to listeners. `publish` may be called from any thread; listeners must not block."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[object, Callable[[Change], None]] = {}

    def subscribe(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        token = object()
        with self._lock:
            self._listeners[token] = listener

        def unsubscribe() -> None:
            with self._lock:
                self._listeners.pop(token, None)

        return unsubscribe

    def publish(self, kind: Kind, uri: str | None = None) -> None:
        with self._lock:
            listeners = list(self._listeners.values())
        for listener in listeners:
            try:
                listener(Change(kind, uri))
            except Exception:
                logger.exception("a listener for changes failed")


W = TypeVar("W")
T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """The client as it introduced itself. Nothing here is verified."""

    name: str = "unknown"
    version: str = ""
    protocol: str = ""
    transport: str = "memory"
    capabilities: frozenset[str] = frozenset()
    """Its declared capabilities: `elicitation`, `sampling`, `roots`."""
    session: str = ""
    """Its session, if one server has several."""

    @property
    def caller(self) -> tuple[str, ...]:
        """A key that identifies the caller: the session, else name and version."""
        return (self.session,) if self.session else (self.name, self.version)


class ToolCancelled(Exception):
    """Raised in a tool's thread after the call was cancelled."""

    error_type = "cancelled"


class Progress(Protocol):
    def __call__(self, done: float, total: float | None, message: str | None) -> Awaitable[None]: ...


class Ask(Protocol):
    def __call__(self, key: str, message: str, schema: Mapping[str, Any]) -> Awaitable[Reply]: ...


class AskClient(Protocol):
    def __call__(self, requests: Mapping[str, Mapping[str, Any]]) -> Awaitable[Mapping[str, Any]]: ...


class LogSink(Protocol):
    def __call__(self, message: str, level: str) -> Awaitable[None]: ...


class Roots(Protocol):
    def __call__(self) -> Awaitable[Sequence[str]]: ...


class ReadUri(Protocol):
    def __call__(self, uri: str, ctx: ToolContext[Any]) -> Awaitable[Sequence[Any]]: ...


class Permit(Protocol):
    """Raises if the caller may not call this tool with these arguments; None: with any."""

    def __call__(self, spec: Any, arguments: Mapping[str, Any] | None) -> None: ...


class Invoke(Protocol):
    def __call__(self, tool: Any, arguments: Any, ctx: ToolContext[Any]) -> Awaitable[Any]: ...


async def _no_progress(done: float, total: float | None, message: str | None) -> None:
    return None


async def _nobody_to_ask(key: str, message: str, schema: Mapping[str, Any]) -> Reply:
    raise CannotAsk("this client cannot ask the user")


async def _no_client(requests: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    raise CannotAsk("there is no client to ask")


async def no_log(message: str, level: str) -> None:
    return None


async def _nothing_to_call(tool: Any, arguments: Any, ctx: ToolContext[Any]) -> Any:
    raise RuntimeError("this context was made without a dispatcher")


async def _no_roots() -> Sequence[str]:
    return ()


async def _nothing_to_read(uri: str, ctx: ToolContext[Any]) -> Sequence[Any]:
    raise RuntimeError("this context was made without resources")


def _same_name(name: str) -> str:
    return name


@dataclass(slots=True)
class ToolContext(Generic[W]):
    """One per call. `workspace` belongs to the application, everything else to the call."""

    workspace: W = None  # type: ignore[assignment]
    client: ClientInfo = field(default_factory=ClientInfo)
    principal: str | None = None
    permit: Permit | None = None
    """What the caller may call; None: everything."""
    share: str | None = None
    """Whose share of threads and calls this call takes; None: that of the principal and client."""
    budget_tokens: int = 25_000
    progress_sink: Progress = _no_progress
    asker: Ask = _nobody_to_ask
    invoker: Invoke = _nothing_to_call
    reader: ReadUri = _nothing_to_read
    roots_source: Roots = _no_roots
    client_asker: AskClient = _no_client
    log_sink: LogSink = no_log
    registry: Any = None
    refuse: Callable[[str, ToolContext[Any]], None] | None = None
    """Raises for a tool, by its plain name, that this caller may not use now."""
    name_of: Callable[[str], str] = _same_name
    changes: Changes = field(default_factory=Changes)
    consents: list[dict[str, Any]] = field(default_factory=list)
    approver: Approver = field(default_factory=Approver)
    """Applies the rule of consent. All calls of a server share one, so that refusals are remembered."""
    tool: str = ""
    """The plain name of the running tool. Set by the dispatcher."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The arguments of the call as received. Set by the dispatcher."""
    time_limit: asyncio.Timeout | None = None
    """The time limit of the call. It is paused while a human is asked."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """For completion: the arguments that are already filled in."""
    lane: Lane | None = None
    """Runs blocking work. Set by the dispatcher."""
    computing: Lane | None = None
    """Runs long computing. Set by the dispatcher."""
    is_large: bool = False
    """Whether the message is so large that checking and recording it is long computing too."""
    threads_busy: int = 0
    """Threads that work for this call, also after it was cancelled."""
    _cancelled: bool = False
    _loop: asyncio.AbstractEventLoop | None = None

    @property
    def budget(self) -> int:
        """The most characters that the answer may have."""
        return characters_of(self.budget_tokens)

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        """Ask the tool's threads to stop. Called by the dispatcher."""
        self._cancelled = True  # polled by the threads; nothing waits for it

    def check_cancelled(self) -> None:
        """Raise `ToolCancelled` if the call was cancelled. For loops in a thread."""
        if self._cancelled:
            raise ToolCancelled("the call was cancelled")

    async def run(self, func: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run blocking work in a thread. If the call is cancelled, `cancelled` becomes true there."""
        return await self._in_thread(self.lane, partial(func, *args, **kwargs))

    async def compute(self, func: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run what computes for long, such as parsing: a thread as for `run`, of which each caller has one.

        More of them would keep the interpreter from everybody else.
        """
        return await self._in_thread(self.computing, partial(func, *args, **kwargs))

    async def _in_thread(self, lane: Lane | None, func: Callable[[], T]) -> T:
        self._loop = asyncio.get_running_loop()

        def work() -> T:
            self.check_cancelled()
            self.threads_busy += 1
            try:
                return func()
            except StopIteration as error:  # a future cannot carry it: the call would never end
                raise RuntimeError("the function raised StopIteration") from error
            finally:
                self.threads_busy -= 1

        try:
            return await (asyncio.to_thread(work) if lane is None else lane.run(work))
        except asyncio.CancelledError:
            self.cancel()
            raise

    async def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Send a progress notification."""
        await self.progress_sink(done, total, message)

    def progress_from_thread(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Send a progress notification from inside `run`, without waiting for the client."""
        if self._loop is not None and not self._loop.is_closed():
            asyncio.run_coroutine_threadsafe(_send_progress(self.progress_sink, done, total, message), self._loop)

    async def ask(self, message: str, schema: Mapping[str, Any], key: str = "answer") -> Reply:
        """Ask the human with a form; raises `CannotAsk` if the client has none.

        The question may end this call, and the answer starts it again: ask before any effect.
        """
        return await self.asker(key, message, schema)

    async def ask_client(self, requests: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
        """Send requests to the client (a form, a completion, its roots), several at once.

        Keys are the caller's; each request has a `method` and `params`, each answer is the result as the
        client sent it. Raises `CannotAsk` when the client lacks a capability. May end this call, as `ask` may.
        """
        return await self.client_asker(requests)

    async def log(self, message: str, level: str = "info") -> None:
        """Send a log line to the client, if it wants one. Results belong into the answer."""
        await self.log_sink(message, level)

    async def require_consent(
        self,
        action: str,
        effect: Effect | str,
        *,
        given: bool = False,
        field: str = CONSENT_FIELD,
        tool: str | None = None,
    ) -> Agreement:
        """Return an agreement if the human consents to `effect`, else raise. `given`: the literal `action` was passed.

        Ask before anything is changed. Then, inside the transaction, work out the effect again and pass it to the
        agreement's `check`. `tool` is the tool that a consent "for this tool" applies to.
        """
        effect = Effect(effect) if isinstance(effect, str) else effect
        return await self.approver.require(
            self, action, effect, given=given, field=field, tool=tool or self.tool or action
        )

    @contextlib.asynccontextmanager
    async def waiting_for_human(self) -> AsyncIterator[None]:
        """Pause the time limit of the call inside the block."""
        limit, loop = self.time_limit, asyncio.get_running_loop()
        ends = limit.when() if limit is not None else None
        if limit is None or ends is None:
            yield
            return
        left = ends - loop.time()
        limit.reschedule(None)
        try:
            yield
        finally:
            if not limit.expired():
                limit.reschedule(loop.time() + left)

    def note_consent(self, action: str, decision: str, who: str | None = None) -> None:
        """Record a decision for the journal."""
        self.consents.append({"action": action, "decision": decision, **({"who": who} if who else {})})

    async def roots(self) -> Sequence[str]:
        """The client's root directories as URIs; empty if it declares none, as most clients."""
        return await self.roots_source()

    def resource_changed(self, uri: str) -> None:
        """Notify subscribers that this resource changed."""
        self.changes.publish("resource", uri)

    def resources_changed(self) -> None:
        """Notify clients that the list of resources changed."""
        self.changes.publish("resources")

    def refuse_excluded(self, tool: str) -> None:
        """Raise if `tool` is excluded or the caller may not call it. For tools that do the work of others."""
        if self.refuse is not None:
            self.refuse(tool, self)
        if self.registry is None:
            return
        self.registry.refuse_excluded(tool)
        registered = self.registry.by_plain_name(tool)
        if self.permit is not None and registered is not None:
            self.permit(registered.spec, None)

    async def read_resource(self, uri: str) -> Sequence[Any]:
        """Read a resource of any tool set by its URI; returns `ResourceContent`s."""
        return await self.reader(uri, self)

    async def call(self, tool: Any, arguments: Any) -> Any:
        """Call another declared tool directly: same arguments and context, no decorator in between."""
        return await self.invoker(tool, arguments, self)


async def _send_progress(sink: Progress, done: float, total: float | None, message: str | None) -> None:
    await sink(done, total, message)
