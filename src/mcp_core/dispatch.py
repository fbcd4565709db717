"""A tool call from its name to its answer: limit, check arguments, ask consent, run, shape, record."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import math
import time
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeVar

from mcp_core.approval import ask_for
from mcp_core.consent import ConsentRequired, InputNeeded
from mcp_core.context import ToolContext
from mcp_core.description import expand_result
from mcp_core.envelope import SPILLED, Answer, ProtocolFault
from mcp_core.jsonable import to_json_bytes
from mcp_core.limits import Callers, Pace, Shares, ToolThreads
from mcp_core.outcome import comes_from_outside, failure_of, result_of
from mcp_core.registry import Registered, Registry
from mcp_core.result import FROM_DOCUMENTS, ResourceLink, Result
from mcp_core.spec import ToolFunction
from mcp_core.tokens import tokens_of
from mcp_core.validation import InvalidArguments

__all__ = ["Call", "Dispatcher", "Observer", "Spill", "UnknownTool"]

logger = logging.getLogger("mcp_core.tools")

AUDIT_SECONDS = 2.0
"""How long the answer to a call with consent waits until the journal has it on disk."""

Arguments = Mapping[str, Any] | None
T = TypeVar("T")


class UnknownTool(Exception):
    """No tool of that name is registered; the message says what may have been meant."""

    def __init__(self, name: str, nearest: str | None) -> None:
        meant = f"; did you mean {nearest}?" if nearest else ""
        super().__init__(f"Unknown tool: {name}{meant}")
        self.name, self.nearest = name, nearest


class Call(NamedTuple):
    """One call as the journal keeps it. `arguments` is their JSON text.

    `principal` is the local user, or the user of a token.
    """

    tool: str
    toolset: str
    client: str
    transport: str
    outcome: str
    error_type: str | None
    started: float
    seconds: float
    size_in: int
    size_out: int
    digest: str
    arguments: bytes
    consents: tuple[Mapping[str, Any], ...] = ()
    principal: str | None = None
    client_version: str = ""
    session: str = ""
    answer: str = ""

    @property
    def tokens_in(self) -> int:
        """Estimated tokens of the arguments."""
        return tokens_of(self.size_in)

    @property
    def tokens_out(self) -> int:
        """Estimated tokens of the answer."""
        return tokens_of(self.size_out)


class Observer(Protocol):
    """Records a call without blocking. A returned future completes when the record is on disk."""

    def __call__(self, call: Call) -> Future[bool] | None: ...


class Spill(Protocol):
    """Keeps an answer above the budget and returns the URI to read it by."""

    def __call__(self, text: str, tool: str) -> str: ...


class Redirect(Protocol):
    """Replaces a call by the call it means, for a tool that calls others by name."""

    def __call__(self, name: str, arguments: Arguments) -> tuple[str, Arguments]: ...


class Opener(Protocol):
    """Returns the function that opens the engine of a tool set; None if it is open."""

    def __call__(self, toolset: str) -> Callable[[], object] | None: ...


class Explain(Protocol):
    """Translates an exception of a tool for its caller; None if it is a defect."""

    def __call__(self, error: BaseException) -> Exception | None: ...


class Dispatcher:
    def __init__(
        self,
        registry: Registry,
        *,
        observer: Observer | None = None,
        spill: Spill | None = None,
        redirect: Redirect | None = None,
        explain: Explain | None = None,
        opener: Opener | None = None,
        timeout: float = 300.0,
        calls_per_minute: int = 0,
        shares: Shares | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.registry = registry
        self._observer = observer
        self._spill = spill
        self._redirect = redirect
        self._explain = explain
        self._opener = opener
        self._opening: dict[str, asyncio.Future[None]] = {}
        self.threads, self._callers = ToolThreads(), Callers()
        self._timeout = timeout
        self._pace = Pace(calls_per_minute) if calls_per_minute else None
        self._shares = shares or Shares(0, 0)
        self._clock = clock

    async def call(self, name: str, arguments: Mapping[str, Any] | None, ctx: ToolContext[Any]) -> Answer:
        """Answer a call by its registered name; raises `UnknownTool`, `InputNeeded`, `ProtocolFault`."""
        if self._redirect is not None:
            name, arguments = self._redirect(name, arguments)
        registered = self.registry.find(name)
        if registered is None:
            raise UnknownTool(name, self.registry.nearest(name))
        record = _Record(registered, arguments, ctx, self._clock())
        ctx.computing = self.threads.computing("tools", self._share(ctx))
        try:
            answer = await self._answer(registered, arguments, ctx, record)
            if FROM_DOCUMENTS in registered.spec.tags:
                answer = replace(answer, is_data=True)
            record.answer = answer.text
            return answer
        except asyncio.CancelledError:
            record.outcome = "cancelled"
            ctx.cancel()
            raise
        except InputNeeded:
            record.outcome = "asked"
            raise
        except ProtocolFault as fault:
            record.outcome, record.error_type = "rejected", str(fault.code)
            raise
        finally:
            await self._observe(record)

    def _share(self, ctx: ToolContext[Any]) -> Hashable:
        return ctx.share or self._callers.share_of(ctx.principal, ctx.client.caller)

    async def _aside(self, ctx: ToolContext[Any], work: Callable[[], T]) -> T:
        """`work` at once, or in a thread where the size of the message makes it long."""
        if not ctx.is_large:
            return work()
        return await self.threads.computing("messages", self._share(ctx)).run(work)

    async def _observe(self, record: _Record) -> None:
        if self._observer is None:
            return
        try:
            written = self._observer(await self._aside(record.ctx, record.finished))
        except Exception:
            logger.exception("a call could not be recorded")
            return
        if written is not None and record.ctx.consents:
            # The audit trail is on disk before the answer is sent, unless the disk takes too long.
            await asyncio.wait([asyncio.wrap_future(written)], timeout=AUDIT_SECONDS)

    async def _answer(
        self, registered: Registered, arguments: Mapping[str, Any] | None, ctx: ToolContext[Any], record: _Record
    ) -> Answer:
        """Answer a call; an exception on the way becomes a failure."""
        try:
            return await self._try(registered, arguments, ctx, record)
        except (InputNeeded, ProtocolFault):
            raise
        except BaseException as error:
            if comes_from_outside(error):
                raise
            failure = failure_of(error)
            record.outcome, record.error_type = "failed", failure.error_type
            return registered.envelope.failure(failure, registered.spec)

    async def _try(
        self, registered: Registered, arguments: Mapping[str, Any] | None, ctx: ToolContext[Any], record: _Record
    ) -> Answer:
        spec, envelope = registered.spec, registered.envelope
        refused = self._too_fast(ctx) or await self._too_much(registered, ctx, record)
        if refused is not None:
            record.outcome, record.error_type = "rejected", refused.error_type
            return envelope.failure(refused, spec)
        try:
            checked = await self._aside(ctx, lambda: spec.check(arguments))
        except InvalidArguments as error:
            logger.debug("Tool %s rejected: %d invalid arguments", registered.name, len(error.problems))
            record.outcome, record.error_type = "rejected", error.error_type
            return envelope.invalid_arguments(error, spec)
        ctx.arguments = arguments or {}
        result = expand_result(await self._run(registered, checked, ctx), self.registry.name_of)
        if result.is_failure:
            record.outcome, record.error_type = "failed", result.error_type
            return envelope.failure(result, spec)
        return self._within_budget(envelope.success(result, spec), registered, ctx)

    def _too_fast(self, ctx: ToolContext[Any]) -> Result[Any] | None:
        if self._pace is None or not (seconds := self._pace.wait(ctx.principal or ctx.client.transport)):
            return None
        return Result.failure(
            "nothing was done: too many calls in too short a time",
            "rate_limited",
            instruction=f"Wait {max(1, math.ceil(seconds))} s, then call again. If this is a loop, see what it is for.",
        )

    async def _too_much(self, registered: Registered, ctx: ToolContext[Any], record: _Record) -> Result[Any] | None:
        if ctx.share is None or registered.spec.annotations.read_only:
            return None
        seconds = self._shares.wait_for_bytes(ctx.share, len(await self._aside(ctx, record.recorded)))
        if not seconds:
            return None
        return Result.failure(
            "nothing was done: you have sent as much to tools that write as you may in a day",
            "limit_exceeded",
            instruction=f"Wait {math.ceil(seconds / 60)} min, send less, or ask an owner of this server for more.",
        )

    async def _run(self, registered: Registered, checked: Any, ctx: ToolContext[Any]) -> Result[Any]:
        spec = registered.spec
        ctx.invoker, ctx.name_of = self.invoke, self.registry.name_of
        ctx.lane = self.threads.lane((spec.toolset, spec.annotations.read_only), self._share(ctx))
        limit = spec.timeout or self._timeout
        try:
            async with asyncio.timeout(limit) as ctx.time_limit, self._shares.turn(ctx.share):
                await self._open(spec.toolset, ctx)
                return await result_of(lambda: self._execute(registered, registered.run, checked, ctx))
        except TimeoutError:
            ctx.cancel()
            return _timed_out(limit, still_busy=ctx.threads_busy > 0)

    async def _open(self, toolset: str, ctx: ToolContext[Any]) -> None:
        """Open the engine of a tool set in a thread before its first call.

        Errors are ignored here: the tool meets them again and reports them.
        """
        opening = self._opening.get(toolset)
        if opening is None:
            opens = self._opener(toolset) if self._opener is not None else None
            opening = self._opening[toolset] = asyncio.ensure_future(_quietly(opens))
        if not opening.done():
            await asyncio.shield(opening)

    async def _execute(self, registered: Registered, func: ToolFunction, checked: Any, ctx: ToolContext[Any]) -> Any:
        spec = registered.spec
        if ctx.refuse is not None:
            ctx.refuse(spec.name, ctx)
        if ctx.permit is not None:
            ctx.permit(spec, _as_mapping(checked))
        caller, ctx.tool = ctx.tool, spec.name
        if spec.consent is not None and spec.consent.applies_to(checked):
            await _ask_consent(registered, checked, ctx)
        bound = spec.bind(checked, ctx)
        try:
            return await func(**bound) if spec.is_async else await ctx.run(func, **bound)
        except BaseException as error:  # a panic in a Rust library is a BaseException
            told = None if self._explain is None or hasattr(error, "error_type") else self._explain(error)
            if told is None:
                raise
            raise told from error
        finally:
            ctx.tool = caller

    async def invoke(self, tool: str | ToolFunction, arguments: Any, ctx: ToolContext[Any]) -> Result[Any]:
        """Call a tool directly, without decorator and envelope. Consent is still asked for."""
        registered = self._named(tool)
        given = arguments if registered.spec.model and isinstance(arguments, registered.spec.model) else None
        checked = given if given is not None else registered.spec.check(_as_mapping(arguments))
        return await result_of(lambda: self._execute(registered, registered.spec.func, checked, ctx))

    def _named(self, tool: str | ToolFunction) -> Registered:
        if isinstance(tool, str):
            registered = self.registry.by_plain_name(tool)
        else:
            registered = next((each for each in self.registry if each.spec.func is tool), None)
        if registered is None:
            name = tool if isinstance(tool, str) else tool.__name__
            raise UnknownTool(name, self.registry.nearest(name))
        return registered

    def _within_budget(self, answer: Answer, registered: Registered, ctx: ToolContext[Any]) -> Answer:
        if len(answer.text) <= ctx.budget or self._spill is None:
            return answer
        uri = self._spill(answer.text, registered.spec.name)
        kept = {
            "uri": uri,
            "characters": len(answer.text),
            "estimated_tokens": tokens_of(len(answer.text)),
            "preview": answer.text[:2000],
            "next": "The call succeeded; its answer is too large to show at once. "
            f"Read {uri} in parts, or ask for less (a limit, a filter, a range).",
        }
        link = ResourceLink(uri, f"Answer of {registered.name}", mime_type="application/json", size=len(answer.text))
        return Answer.of({SPILLED: kept}, content=(link,))


async def _quietly(opens: Callable[[], object] | None) -> None:
    if opens is not None:
        with contextlib.suppress(Exception):
            await asyncio.to_thread(opens)


def _timed_out(limit: float, *, still_busy: bool) -> Result[Any]:
    if still_busy:
        return Result.failure(
            f"the call did not finish within {limit:g} s; its work goes on in the background and may still take effect",
            "timeout",
            instruction="Look at what is there before you call again. Ask for less at once, or raise the limit in "
            "the settings.",
        )
    return Result.failure(
        f"the call did not finish within {limit:g} s and was stopped",
        "timeout",
        instruction="Ask for less at once, or raise the limit in the settings.",
    )


async def _ask_consent(registered: Registered, checked: Any, ctx: ToolContext[Any]) -> None:
    consent = registered.spec.consent
    assert consent is not None
    try:
        await ask_for(consent, checked, ctx)
    except ConsentRequired as refused:
        logger.info("Tool %s not run: %s", registered.name, refused)
        raise


def _as_mapping(arguments: Any) -> Mapping[str, Any]:
    if isinstance(arguments, Mapping):
        return arguments
    dumped: Mapping[str, Any] = arguments.model_dump(by_alias=True, exclude_unset=True)
    return dumped


def _recorded(arguments: Arguments) -> bytes:
    try:
        return to_json_bytes(arguments or {})
    except (ValueError, RecursionError):
        return b'{"...":"nested too deep to be recorded"}'


class _Record:
    """Collects the facts of a call until it ends."""

    def __init__(
        self, registered: Registered, arguments: Mapping[str, Any] | None, ctx: ToolContext[Any], started: float
    ) -> None:
        self.registered, self.ctx, self.started = registered, ctx, started
        self.begun = time.perf_counter()
        self.arguments = arguments
        self.outcome, self.answer = "ok", ""
        self.error_type: str | None = None
        self._recorded: bytes | None = None

    def recorded(self) -> bytes:
        """The arguments as JSON text."""
        if self._recorded is None:
            self._recorded = _recorded(self.arguments)
        return self._recorded

    def finished(self) -> Call:
        arguments = self.recorded()
        return Call(
            tool=self.registered.spec.name,
            toolset=self.registered.spec.toolset,
            client=self.ctx.client.name,
            transport=self.ctx.client.transport,
            outcome=self.outcome,
            error_type=self.error_type,
            started=self.started,
            seconds=time.perf_counter() - self.begun,
            size_in=len(arguments),
            size_out=len(self.answer),
            digest=hashlib.sha256(arguments).hexdigest()[:16],
            arguments=arguments,
            consents=tuple(self.ctx.consents),
            principal=self.ctx.principal,
            client_version=self.ctx.client.version,
            session=self.ctx.client.session,
            answer=self.answer,
        )
