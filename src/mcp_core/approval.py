"""The rule of consent: who is asked, and which effect an answer allows.

One rule for every tool. A human who can be asked is asked: by the client's form, by the application's own page, or
by both at once. The literal argument never overrides a human. A refusal stands for the session, for the same
effect. Only where nobody can be asked does the owner's setting decide. `docs/design/consent.md` has the whole of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import secrets
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel

from mcp_core.consent import FIELD, CannotAsk, Consent, ConsentRequired, InputNeeded, Reply
from mcp_core.display import masked
from mcp_core.jsonable import to_json_bytes, to_jsonable, without_surrogates

if TYPE_CHECKING:
    from mcp_core.context import ToolContext

__all__ = [
    "DECISIONS",
    "POLICIES",
    "Agreement",
    "Approver",
    "Broker",
    "Effect",
    "EffectChanged",
    "SessionMemory",
    "ask_for",
]

POLICIES = ("ask", "literal", "never")
DECISIONS = ("once", "effect", "tool", "deny")
"""Allow this call; allow this effect, or this tool, for the session; deny."""
_MOST_LINES = 1000
"""Lines of details in a client's form; the page shows all of them."""
_PROGRESS_SECONDS = 5.0


class EffectChanged(Exception):
    """Nothing was done: the effect of the call has changed since the human agreed to it."""

    error_type = "conflict"
    hint = "Look at what is there now, and call again: the user is asked about that."

    def __init__(self) -> None:
        super().__init__("nothing was done: what this call would change is not what was agreed to any more")


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call would do, as far as a human has to agree to it.

    `text` completes "This …"; foreign names in it are quoted (`mcp_core.display.quoted`). `details` are lines that
    name everything concerned. `facts` is what an agreement is bound to: resolved names, hashes, inodes, versions, in
    JSON types. `summary` stands for the text where values of arguments must not be seen, as in a log.
    """

    text: str
    details: tuple[str, ...] = ()
    facts: Any = None
    summary: str | None = None

    @property
    def digest(self) -> str:
        bound = to_json_bytes([self.text, self.details, self.facts])
        return hashlib.sha256(bound).hexdigest()

    @property
    def question(self) -> str:
        """What the human reads in a form."""
        lines = [f"Do you agree? This {without_surrogates(self.text)}."]
        if self.details:
            lines += ["", "Details:", *self.details[:_MOST_LINES]]
        if (more := len(self.details) - _MOST_LINES) > 0:
            lines.append(f"… and {more} more lines")
        return "\n".join(lines)


async def ask_for(consent: Consent, arguments: Any, ctx: ToolContext[Any], tool: str | None = None) -> Agreement:
    """Return if the human agrees to a call of the tool with these arguments, else raise `ConsentRequired`."""
    details = consent.details_of(arguments)
    effect = Effect(consent.effect, details, facts=_plain(arguments, consent.field), summary=consent.effect)
    return await ctx.require_consent(
        consent.literal, effect, given=consent.given_in(arguments), field=consent.field, tool=tool
    )


def _plain(arguments: Any, field: str) -> dict[str, Any]:
    dumped = arguments.model_dump(by_alias=True) if isinstance(arguments, BaseModel) else dict(arguments or {})
    return {name: value for name, value in dumped.items() if name != field}


@dataclass(frozen=True, slots=True)
class Agreement:
    """Consent to one effect. The code that performs it calls `check` first, inside its transaction."""

    digest: str

    def check(self, effect: Effect) -> None:
        """Raise `EffectChanged` unless exactly this effect was agreed to."""
        if effect.digest != self.digest:
            raise EffectChanged


class Broker(Protocol):
    """Stores the decisions of a session and asks humans outside of the client. Calls may block briefly."""

    def recall(self, session: str, tool: str, digest: str) -> str | None:
        """The decision for this session: `allow`, `deny` or None."""
        ...

    def remember(self, session: str, tool: str, digest: str, decision: str, who: str) -> None: ...

    def page_address(self) -> str | None:
        """The place where a human can be asked now, or None."""
        ...

    def request(self, question: Mapping[str, Any], seconds: float) -> str:
        """Ask; returns the id of the request."""
        ...

    def park(self, request_id: str) -> None:
        """Keep the request open although its call ends: the next equal request continues it."""
        ...

    def withdraw(self, request_id: str) -> None:
        """Withdraw a request that nobody waits for."""
        ...

    def decide(self, request_id: str, decision: str, who: str) -> bool:
        """Record an answer; False when there was one already."""
        ...

    def take(self, request_id: str) -> tuple[str, str] | None:
        """Take the answer and who gave it. An answer can be taken once."""
        ...

    async def decided(self, request_id: str) -> None:
        """Wait until there is an answer, without a thread."""
        ...


class SessionMemory:
    """The broker of a server without a page: stores decisions in memory and can ask nobody."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, str], str] = {}

    def recall(self, session: str, tool: str, digest: str) -> str | None:
        return self._kept.get((session, tool, digest)) or self._kept.get((session, tool, ""))

    def remember(self, session: str, tool: str, digest: str, decision: str, who: str) -> None:
        self._kept[session, tool, "" if decision == "tool" else digest] = "deny" if decision == "deny" else "allow"

    def page_address(self) -> str | None:
        return None

    def request(self, question: Mapping[str, Any], seconds: float) -> str:
        raise CannotAsk("there is no page to ask on")

    def park(self, request_id: str) -> None: ...
    def withdraw(self, request_id: str) -> None: ...
    def decide(self, request_id: str, decision: str, who: str) -> bool:
        return False

    def take(self, request_id: str) -> tuple[str, str] | None:
        return None

    async def decided(self, request_id: str) -> None:
        await asyncio.Event().wait()


@dataclass(slots=True)
class Approver:
    """Applies the rule for one server. `seconds` limits the wait for a human."""

    policy: str = "ask"
    broker: Broker = field(default_factory=SessionMemory)
    seconds: float = 300.0
    process: str = field(default_factory=lambda: secrets.token_hex(8))

    async def require(
        self, ctx: ToolContext[Any], action: str, effect: Effect, *, given: bool, field: str = FIELD, tool: str
    ) -> Agreement:
        """Return if a human agrees to the effect, else raise `ConsentRequired`; the journal gets the decision."""
        digest = effect.digest
        if self.policy == "never":
            ctx.note_consent(action, "never")
            raise ConsentRequired(
                f"nothing was done: this {effect.summary or effect.text}, which the owner of this server never allows",
                hint='The setting is consent = "never". Do not try again.',
            )
        session = self._session(ctx)
        before = await ctx.run(self.broker.recall, session, tool, digest)
        if before == "deny":
            ctx.note_consent(action, "refused before")
            raise ConsentRequired(
                "nothing was done: the user refused exactly this before, and the refusal stands for this session",
                hint="Do not try again. The user can do it, or take the refusal back on rolltop's page.",
            )
        if before == "allow":
            ctx.note_consent(action, "allowed before")
            return Agreement(digest)
        asking = _Asking(self.broker, ctx, effect, self._request(ctx, session, tool, action, effect), self.seconds)
        try:
            async with asyncio.timeout(self.seconds), ctx.waiting_for_human():
                decision, who = await asking.ask()
        except TimeoutError:
            ctx.note_consent(action, "not answered")
            raise ConsentRequired(
                f"nothing was done: nobody answered within {self.seconds:g} s",
                hint="Tell the user that an approval is needed, and call again when they are there.",
            ) from None
        except CannotAsk:
            self._without_a_human(ctx, action, effect, given, field)
            return Agreement(digest)
        await self._conclude(ctx, action, decision, who, (session, tool, digest))
        return Agreement(digest)

    def _without_a_human(self, ctx: ToolContext[Any], action: str, effect: Effect, given: bool, field: str) -> None:
        if self.policy == "literal" and given:
            ctx.note_consent(action, "literal")
            return
        ctx.note_consent(action, "not askable")
        how = (
            f'Ask the user; if they agree, call again with {field} set to "{action}".'
            if self.policy == "literal"
            else "Nobody can be asked here. The user can open rolltop's page and call again, use a client that can "
            f'ask, or allow `{field}` alone with the setting consent = "literal" (ROLLTOP_CONSENT).'
        )
        raise ConsentRequired(
            f"nothing was done: this {effect.summary or effect.text}, and the user has to agree first", hint=how
        )

    async def _conclude(
        self, ctx: ToolContext[Any], action: str, decision: str, who: str, key: tuple[str, str, str]
    ) -> None:
        if decision in ("deny", "effect", "tool"):
            await ctx.run(self.broker.remember, *key, decision, who)
        if decision in ("deny", "cancel"):
            ctx.note_consent(action, "refused" if decision == "deny" else "cancelled", who)
            raise ConsentRequired(
                "nothing was done: the user did not agree", hint="Do not try again unless the user asks for it."
            )
        ctx.note_consent(action, "agreed" if decision == "once" else f"agreed for this {decision}", who)

    @staticmethod
    def _request(ctx: ToolContext[Any], session: str, tool: str, action: str, effect: Effect) -> dict[str, Any]:
        """The question as the page shows it."""
        return {
            "session": session,
            "tool": tool,
            "action": action,
            "effect": without_surrogates(effect.text),
            "details": without_surrogates(list(effect.details)),
            "arguments": without_surrogates(to_jsonable(masked(dict(ctx.arguments)))),
            "principal": ctx.principal,
            "client": without_surrogates(ctx.client.name),
            "transport": ctx.client.transport,
            "digest": effect.digest,
        }

    def _session(self, ctx: ToolContext[Any]) -> str:
        client = ctx.client
        return "\0".join((self.process, client.transport, ctx.principal or "", client.session or client.name))


class _Asking:
    """One question to everybody who can be asked. The first answer counts; of simultaneous ones, a refusal."""

    def __init__(
        self, broker: Broker, ctx: ToolContext[Any], effect: Effect, request: Mapping[str, Any], seconds: float
    ) -> None:
        self._broker, self._ctx, self._effect = broker, ctx, effect
        self._request, self._seconds = request, seconds

    async def ask(self) -> tuple[str, str]:
        """The decision and who made it; raises `CannotAsk` if nobody can be asked."""
        address = await self._ctx.run(self._broker.page_address)
        if address is None:
            return await self._by_client(), "client"
        while True:
            request_id = await self._ctx.run(self._broker.request, self._request, self._seconds)
            if (answer := await self._race(request_id, address)) is not None:
                return answer

    async def _race(self, request_id: str, address: str) -> tuple[str, str] | None:
        """Ask both; None if another call took the page's answer."""
        client = asyncio.ensure_future(self._by_client())
        page = asyncio.ensure_future(self._broker.decided(request_id))
        parked = False
        try:
            async with self._showing_progress(address):
                await asyncio.wait({client, page}, return_when=asyncio.FIRST_COMPLETED)
                if client.done() and isinstance(client.exception(), CannotAsk):
                    await page
            if page.done():
                return await self._ctx.run(self._broker.take, request_id)
            answer = client.result()
            await self._ctx.run(self._broker.decide, request_id, answer, "client")
            # The first answer on the page wins, and so does a refusal.
            first = await self._ctx.run(self._broker.take, request_id) or (answer, "client")
            return (answer, "client") if answer == "deny" else first
        except InputNeeded:
            parked = True
            if (answer_of_page := await self._ctx.run(self._broker.take, request_id)) is not None:
                return answer_of_page
            await self._ctx.run(self._broker.park, request_id)
            raise
        finally:
            for task in (client, page):
                task.cancel()
            await asyncio.gather(client, page, return_exceptions=True)
            if not parked:
                await asyncio.shield(asyncio.to_thread(self._broker.withdraw, request_id))

    async def _by_client(self) -> str:
        key = f"consent:{self._request['action']}:{self._effect.digest[:24]}"
        return _decision(await self._ctx.ask(self._effect.question, _FORM, key=key))

    @contextlib.asynccontextmanager
    async def _showing_progress(self, address: str) -> AsyncIterator[None]:
        async def tell() -> None:
            waited = 0.0
            while True:
                await self._ctx.progress(waited, None, f"Waiting for approval at {address}")
                await asyncio.sleep(_PROGRESS_SECONDS)
                waited += _PROGRESS_SECONDS

        task = asyncio.ensure_future(tell())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def _decision(reply: Reply) -> str:
    """The decision in a form's answer. Closing the form denies this call only."""
    if reply.action == "cancel":
        return "cancel"
    if not reply.accepted or reply.content.get("agree") is not True:
        return "deny"
    scope = reply.content.get("remember", "once")
    return scope if scope in ("effect", "tool") else "once"


_FORM = {
    "type": "object",
    "properties": {
        "agree": {"type": "boolean", "title": "Agree", "description": "Go ahead?", "default": False},
        "remember": {
            "type": "string",
            "title": "How long",
            "enum": ["once", "effect", "tool"],
            "enumNames": ["This time only", "This exact effect, for this session", "This tool, for this session"],
            "default": "once",
        },
    },
    "required": ["agree"],
}
