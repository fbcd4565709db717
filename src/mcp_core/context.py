"""`ToolContext`: what a tool may touch while it runs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

from mcp_core.approval import Agreement, Approver, Effect
from mcp_core.changes import Changes
from mcp_core.consent import FIELD as CONSENT_FIELD
from mcp_core.reply import CannotAsk, Reply
from mcp_core.threads import Lane
from mcp_core.tokens import characters_of

__all__ = ["ClientInfo", "ToolCancelled", "ToolContext"]

W = TypeVar("W")
T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """Who calls: as the client introduced itself, nothing of it is proof of anything."""

    name: str = "unknown"
    version: str = ""
    protocol: str = ""
    transport: str = "memory"
    capabilities: frozenset[str] = frozenset()
    """What it says it can do for a server: `elicitation`, `sampling`, `roots`."""
    session: str = ""
    """Tells its session from others, where one server has several."""

    @property
    def caller(self) -> tuple[str, ...]:
        """Tells callers apart: by session, else by what they say of themselves."""
        return (self.session,) if self.session else (self.name, self.version)


class ToolCancelled(Exception):
    """Raised in a tool's thread when the caller gave up."""

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
    """Made anew for each call. `workspace` is the application's; the rest is the call's."""

    workspace: W = None  # type: ignore[assignment]
    client: ClientInfo = field(default_factory=ClientInfo)
    principal: str | None = None
    budget_tokens: int = 25_000
    progress_sink: Progress = _no_progress
    asker: Ask = _nobody_to_ask
    invoker: Invoke = _nothing_to_call
    reader: ReadUri = _nothing_to_read
    roots_source: Roots = _no_roots
    client_asker: AskClient = _no_client
    log_sink: LogSink = no_log
    registry: Any = None
    name_of: Callable[[str], str] = _same_name
    changes: Changes = field(default_factory=Changes)
    consents: list[dict[str, Any]] = field(default_factory=list)
    approver: Approver = field(default_factory=Approver)
    """The rule of consent; a server shares one between its calls, so that refusals stand."""
    tool: str = ""
    """The tool that runs, by its plain name; the dispatcher sets it."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The arguments of the call as they came; the dispatcher sets them."""
    time_limit: asyncio.Timeout | None = None
    """What ends the call when it takes too long; waiting for a human does not count."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """While an argument is being completed: the others that are filled in already."""
    lane: Lane | None = None
    """Where blocking work runs; the dispatcher sets it."""
    computing: Lane | None = None
    """Where long computing runs; the dispatcher sets it."""
    is_large: bool = False
    """Whether the message was so large that checking and recording it is long computing itself."""
    threads_busy: int = 0
    """Pieces of blocking work that have begun and not ended, also when nobody waits for them any more."""
    _cancelled: bool = False
    _loop: asyncio.AbstractEventLoop | None = None

    @property
    def budget(self) -> int:
        """How many characters the answer may have."""
        return characters_of(self.budget_tokens)

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        """Tell a tool that runs in a thread to stop; the dispatcher calls it."""
        self._cancelled = True  # seen by a thread that looks; none waits for it

    def check_cancelled(self) -> None:
        """Raise in a loop that runs in a thread when the caller gave up."""
        if self._cancelled:
            raise ToolCancelled("the call was cancelled")

    async def run(self, func: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run blocking work in a thread. If the call is cancelled, `cancelled` becomes true in there."""
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
            except StopIteration as error:  # no future can carry it: the call would wait for ever
                raise RuntimeError("the function raised StopIteration") from error
            finally:
                self.threads_busy -= 1

        try:
            return await (asyncio.to_thread(work) if lane is None else lane.run(work))
        except asyncio.CancelledError:
            self.cancel()
            raise

    async def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the client how far the work is."""
        await self.progress_sink(done, total, message)

    def progress_from_thread(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """The same from inside `run`; never waits for the client."""
        if self._loop is not None and not self._loop.is_closed():
            asyncio.run_coroutine_threadsafe(_send_progress(self.progress_sink, done, total, message), self._loop)

    async def ask(self, message: str, schema: Mapping[str, Any], key: str = "answer") -> Reply:
        """Put a question to the human, as a form; raises `CannotAsk` where the client has none.

        The question may end this call and the answer start it anew: ask before you act.
        """
        return await self.asker(key, message, schema)

    async def ask_client(self, requests: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
        """Put requests of the protocol to the client (a form, a completion, its roots), several at once.

        Keys are the caller's; each request has a `method` and `params`, each answer is the result as the
        client sent it. Raises `CannotAsk` when the client lacks a capability. May end this call, as `ask` may.
        """
        return await self.client_asker(requests)

    async def log(self, message: str, level: str = "info") -> None:
        """A line for the client's own log, where it wants one; what happened belongs into the result."""
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
        """Go on only if the human agrees that this `effect` happens; `given`: the literal `action` was passed.

        Ask before anything is changed. Then, where nothing can change any more (inside the transaction), work out the
        effect again and give it to the agreement's `check`. `tool` is what an agreement "for this tool" counts for.
        """
        effect = Effect(effect) if isinstance(effect, str) else effect
        return await self.approver.require(
            self, action, effect, given=given, field=field, tool=tool or self.tool or action
        )

    @contextlib.asynccontextmanager
    async def waiting_for_human(self) -> AsyncIterator[None]:
        """Stop the clock of the call's time limit meanwhile."""
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
        """Leave a decision for the journal."""
        self.consents.append({"action": action, "decision": decision, **({"who": who} if who else {})})

    async def roots(self) -> Sequence[str]:
        """The URIs of the directories that the client works in; none where it does not say (most do not)."""
        return await self.roots_source()

    def resource_changed(self, uri: str) -> None:
        """Tell subscribers that this resource has to be read again."""
        self.changes.publish("resource", uri)

    def resources_changed(self) -> None:
        """Tell clients that the list of resources is another one now."""
        self.changes.publish("resources")

    def refuse_excluded(self, tool: str) -> None:
        """Raise `ToolExcluded` where the owner left `tool` out; for what does the work of other tools."""
        if self.registry is not None:
            self.registry.refuse_excluded(tool)

    async def read_resource(self, uri: str) -> Sequence[Any]:
        """Read a resource of any tool set by its URI; gives `ResourceContent`s."""
        return await self.reader(uri, self)

    async def call(self, tool: Any, arguments: Any) -> Any:
        """Call another declared tool directly: same arguments and context, no decorator in between."""
        return await self.invoker(tool, arguments, self)


async def _send_progress(sink: Progress, done: float, total: float | None, message: str | None) -> None:
    await sink(done, total, message)
