"""The way of a call: consent, errors, time, size, direct calls."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel, Field

from mcp_core import (
    DESTROYS,
    Answer,
    Approver,
    Call,
    Consent,
    Dispatcher,
    ExtMcpToolDecorator,
    Registry,
    Reply,
    Result,
    ToolArguments,
    ToolContext,
    UnknownTool,
)


class Say(ToolArguments):
    text: str = Field(default="x", description="What to say.")
    times: int = Field(default=1, description="How often.")
    dry_run: bool = Field(default=False, description="Only pretend.")


class Said(BaseModel):
    text: str


class House:
    """A registry with a dispatcher that keeps its records."""

    def __init__(self, **options: Any) -> None:
        self.registry, self.records = Registry(), list[Call]()
        self.kept: dict[str, str] = {}
        self.dispatcher = Dispatcher(self.registry, observer=self.records.append, spill=self.keep, **options)

    def keep(self, text: str, tool: str) -> str:
        uri = f"answer://{tool}-{len(self.kept)}"
        self.kept[uri] = text
        return uri

    def add(self, func: Any, **options: Any) -> None:
        ToolArguments.declare(**options)(func)
        ExtMcpToolDecorator(self.registry, "").register(func)

    def call(self, name: str, arguments: dict[str, Any] | None = None, ctx: ToolContext[Any] | None = None) -> Answer:
        return asyncio.run(self.dispatcher.call(name, arguments, ctx or ToolContext()))


@pytest.fixture
def house() -> Iterator[House]:
    with ToolArguments.isolated():
        yield House(timeout=120)


def test_answers_fit_their_schema_in_text_and_structure(house: House) -> None:
    async def say(args: Say) -> Result[Said]:
        """Say."""
        if args.times == 0:
            return Result.failure("never", "refused", details={"times": 0})
        return Result.ok(Said(text=args.text * args.times), message="")

    house.add(say)
    schema = house.registry.find("say").wire["outputSchema"]  # type: ignore[union-attr]
    for arguments, is_error in (
        ({"text": "a"}, False),
        ({"times": 0}, True),
        ({"bogus": 1}, True),
        ({"times": 99999}, False),
    ):
        answer = house.call("say", arguments)
        assert answer.is_error is is_error
        assert json.loads(answer.text) == answer.structured
        jsonschema.validate(answer.structured, schema)


def test_engine_errors_keep_their_words_and_others_are_masked(house: House, caplog: pytest.LogCaptureFixture) -> None:
    from rolltop.errors import InvalidData, Position

    async def known(args: Say) -> Result[Said]:
        raise InvalidData("a comma is missing", hint="Add it.", position=Position(3, 7), details={"file": "a.json"})

    async def unknown(args: Say) -> Result[Said]:
        raise RuntimeError("/secret/path token=hunter2")

    house.add(known)
    house.add(unknown)
    told = house.call("known").structured
    assert (told["error"], told["error_type"], told["instruction"]) == (
        "3:7: a comma is missing",
        "invalid_data",
        "Add it.",
    )
    assert told["details"] == {"file": "a.json", "line": 3, "column": 7}
    masked = house.call("unknown").structured
    assert masked["error_type"] == "unexpected_error"
    assert "secret" not in json.dumps(masked)
    reference = masked["error"].rpartition(" ")[2]
    assert any(reference in record.getMessage() for record in caplog.records)


def test_a_call_ends_at_its_time_limit_and_its_thread_is_told(house: House) -> None:
    stopped = threading.Event()

    def spins(args: Say, ctx: ToolContext[Any]) -> Result[Said]:
        while not ctx.cancelled:
            time.sleep(0.005)
        stopped.set()
        return Result.ok(Said(text=""))

    house.add(spins, timeout=0.1)
    answer = house.call("spins")
    assert answer.structured["error_type"] == "timeout"
    assert "may still take effect" in answer.structured["error"]
    assert stopped.wait(10)


def test_a_call_that_waits_in_the_loop_is_stopped_at_its_time_limit(house: House) -> None:
    async def waits(args: Say) -> Result[Said]:
        await asyncio.Event().wait()
        return Result.ok(Said(text=""))

    house.add(waits, timeout=0.1)
    assert house.call("waits").structured["error"].endswith("and was stopped")


def test_only_what_comes_from_outside_ends_a_call(house: House) -> None:
    started = asyncio.Event()

    async def stubborn(args: Say) -> Result[Said]:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if args.text == "exits":
                raise SystemExit(3) from None
            raise
        return Result.ok(Said(text=""))

    async def raises(args: Say) -> Result[Said]:
        raise {"exit": SystemExit(3), "cancel": asyncio.CancelledError(), "base": BaseException("x")}[args.text]

    house.add(stubborn, timeout=0.1)
    house.add(raises)
    assert house.call("stubborn").structured["error_type"] == "timeout"
    assert house.call("stubborn", {"text": "exits"}).structured["error_type"] == "unexpected_error"
    for text in ("exit", "cancel", "base"):
        assert house.call("raises", {"text": text}).structured["error_type"] == "unexpected_error"

    async def cancelled() -> None:
        started.clear()
        task = asyncio.ensure_future(house.dispatcher.call("stubborn", {}, ToolContext()))
        await started.wait()
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert house.records[-1].outcome == "cancelled"


def test_ctrl_c_passes_where_pythons_own_handler_is_in_place(house: House) -> None:
    async def interrupted(args: Say) -> Result[Said]:
        raise KeyboardInterrupt

    house.add(interrupted)
    loop = asyncio.new_event_loop()
    try:
        with pytest.raises(KeyboardInterrupt):  # as it would be raised in there
            loop.run_until_complete(house.dispatcher.call("interrupted", {}, ToolContext()))
    finally:
        loop.close()


def test_sync_tools_do_not_block_others(house: House) -> None:
    quick_is_done = threading.Event()

    def blocks(args: Say) -> Result[Said]:
        assert quick_is_done.wait(120)
        return Result.ok(Said(text="waited"))

    async def quick(args: Say) -> Result[Said]:
        return Result.ok(Said(text="quick"))

    house.add(blocks)
    house.add(quick)

    async def both() -> list[str]:
        order: list[str] = []

        async def one(name: str) -> None:
            await house.dispatcher.call(name, {}, ToolContext())
            order.append(name)
            quick_is_done.set()

        await asyncio.gather(one("blocks"), one("quick"))
        return order

    assert asyncio.run(both()) == ["quick", "blocks"]


def test_an_answer_above_the_budget_is_kept_and_linked(house: House) -> None:
    async def say(args: Say) -> Result[Said]:
        return Result.ok(Said(text=args.text * args.times))

    house.add(say)
    answer = house.call("say", {"text": "long ", "times": 50_000})
    assert not answer.is_error
    kept = answer.structured["answer_too_large"]
    assert json.loads(house.kept[kept["uri"]])["value"]["text"] == "long " * 50_000
    assert answer.content[0].uri == kept["uri"]  # type: ignore[union-attr]
    jsonschema.validate(answer.structured, house.registry.find("say").wire["outputSchema"])  # type: ignore[union-attr]


def owner_allows_the_literal() -> ToolContext[Any]:
    return ToolContext(approver=Approver("literal"))


def consenting(house: House) -> list[str]:
    done: list[str] = []

    async def remove(args: Say) -> Result[Said]:
        """Remove."""
        done.append(args.text)
        return Result.ok(Said(text="removed"))

    house.add(remove, annotations=DESTROYS, consent=Consent("REMOVE_IT", "removes things", unless="dry_run"))
    return done


def test_consent_is_described_annotated_and_optional_in_the_schema(house: House) -> None:
    consenting(house)
    wire = house.registry.find("remove").wire  # type: ignore[union-attr]
    assert "REQUIRES EXPLICIT USER INSTRUCTION" in wire["description"]
    assert "on your own initiative" in wire["description"]
    assert '("REMOVE_IT", optional)' in wire["description"]
    assert wire["annotations"] == {
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert "confirm" not in wire["inputSchema"].get("required", [])


@pytest.mark.parametrize(
    ("arguments", "reply", "happens", "decision"),
    [
        ({"confirm": "REMOVE_IT"}, None, False, "not askable"),
        ({"confirm": "REMOVE_IT"}, Reply("decline"), False, "refused"),
        ({}, None, False, "not askable"),
        ({}, Reply("accept", {"agree": True}), True, "agreed"),
        ({}, Reply("accept", {"agree": False}), False, "refused"),
        ({}, Reply("accept", {}), False, "refused"),
        ({}, Reply("decline"), False, "refused"),
        ({}, Reply("cancel"), False, "cancelled"),
        ({"dry_run": True}, None, True, None),
    ],
)
def test_nothing_is_done_without_consent(
    house: House, arguments: dict[str, Any], reply: Reply | None, happens: bool, decision: str | None
) -> None:
    done = consenting(house)
    ctx: ToolContext[Any] = ToolContext()
    if reply is not None:

        async def ask(key: str, message: str, schema: Any) -> Reply:
            return reply

        ctx = ToolContext(asker=ask)
    answer = house.call("remove", arguments, ctx)
    assert bool(done) is happens
    assert answer.is_error is not happens
    if not happens:
        assert answer.structured["error_type"] == "consent_required"
    recorded = [consent["decision"] for consent in house.records[-1].consents]
    assert recorded == ([decision] if decision else [])


def test_a_wrong_literal_is_an_argument_error(house: House) -> None:
    assert consenting(house) == []
    assert house.call("remove", {"confirm": "REMOVE"}).structured["error_type"] == "validation_error"


def test_a_required_literal_is_required(house: House) -> None:
    async def create(args: Say) -> Result[Said]:
        return Result.ok(Said(text="created"))

    house.add(create, consent=Consent("CREATE_DOCUMENT", "creates a document", required=True))
    assert house.call("create", {}).structured["error_type"] == "validation_error"
    assert not house.call("create", {"confirm": "CREATE_DOCUMENT"}, owner_allows_the_literal()).is_error


def test_a_tool_without_arguments_takes_the_literal(house: House) -> None:
    async def purge() -> Result[Said]:
        """Purge."""
        return Result.ok(Said(text="purged"))

    async def purge_now(ctx: ToolContext[Any]) -> Result[Said]:
        """Purge now."""
        return Result.ok(Said(text="purged"))

    house.add(purge, consent=Consent("PURGE", "purges everything"))
    house.add(purge_now, consent=Consent("PURGE", "purges everything", required=True))
    assert house.registry.find("purge").wire["inputSchema"]["properties"]["confirm"]["const"] == "PURGE"  # type: ignore[union-attr]
    assert house.registry.find("purge_now").wire["inputSchema"]["required"] == ["confirm"]  # type: ignore[union-attr]
    assert house.call("purge").structured["error_type"] == "consent_required"
    assert house.call("purge_now").structured["error_type"] == "validation_error"
    assert house.call("purge", {"confirm": "PURGE", "more": 1}).structured["error_type"] == "validation_error"
    for name in ("purge", "purge_now"):
        answer = house.call(name, {"confirm": "PURGE"}, owner_allows_the_literal())
        assert answer.structured["value"] == {"text": "purged"}


def asked(questions: list[tuple[str, str]]) -> ToolContext[Any]:
    async def ask(key: str, message: str, schema: Any) -> Reply:
        questions.append((key, message))
        return Reply("accept", {"agree": True})

    return ToolContext(asker=ask)


def test_the_question_shows_what_is_agreed_to(house: House) -> None:
    consenting(house)
    questions: list[tuple[str, str]] = []
    for text in ("all my letters", "one\nDo you agree? \u202eNothing happens", "x" * 5000):
        house.call("remove", {"text": text, "times": 3}, asked(questions))
    assert questions[0][1] == 'Do you agree? This removes things.\n\nDetails:\n"text": "all my letters"\n"times": "3"'
    assert '"one\\nDo you agree? \\u202eNothing happens"' in questions[1][1]
    assert "4600 characters" in questions[2][1]
    assert len({key for key, _ in questions}) == 3  # an agreement to one counts for no other


def test_what_is_refused_tells_no_arguments_to_the_log(house: House, caplog: pytest.LogCaptureFixture) -> None:
    consenting(house)
    with caplog.at_level("DEBUG"):
        answer = house.call("remove", {"text": "the secret of the house"})
    assert answer.structured["error_type"] == "consent_required"
    assert "removes things" in answer.structured["error"]
    assert "not run" in caplog.text
    assert "secret" not in caplog.text + answer.structured["error"]


def test_another_name_for_the_literal(house: House) -> None:
    async def sell(args: Say) -> Result[Said]:
        return Result.ok(Said(text="sold"))

    house.add(sell, consent=Consent("SELL", "sells", field="user_consent"))
    refused = house.call("sell", None, owner_allows_the_literal())
    assert "user_consent set to" in refused.structured["instruction"]
    assert not house.call("sell", {"user_consent": "SELL"}, owner_allows_the_literal()).is_error


def test_direct_calls_use_the_same_arguments_and_context_and_ask_too(house: House) -> None:
    done = consenting(house)

    async def outer(args: Say, ctx: ToolContext[Any]) -> Result[Said]:
        result = await ctx.call("remove", Say(text="inner"))
        return Result.ok(Said(text=str(result.error_type or result.value.text)))

    house.add(outer)
    assert house.call("outer").structured["value"]["text"] == "consent_required"
    assert done == []


def test_direct_calls_reach_the_undecorated_function(house: House) -> None:
    seen: list[Any] = []

    async def inner(args: Say, ctx: ToolContext[Any]) -> Result[Said]:
        seen.append(ctx)
        return Result.ok(Said(text=args.text.upper()))

    async def outer(args: Say, ctx: ToolContext[Any]) -> Result[Said]:
        seen.append(ctx)
        result: Result[Said] = await ctx.call(inner, {"text": "abc"})
        return result

    house.add(inner)
    house.add(outer)
    assert house.call("outer").structured["value"] == {"text": "ABC"}
    assert seen[0] is seen[1]


def test_text_names_tools_as_they_are_registered() -> None:
    async def first(args: Say) -> Result[Said]:
        """Do first.

        Then use {tool:second}.
        """
        return Result.ok(Said(text=""))

    async def second(args: Say) -> Result[Said]:
        """Do second."""
        return Result.ok(Said(text=""))

    with ToolArguments.isolated():
        registry = Registry()
        decorator = ExtMcpToolDecorator(registry, "guide")
        for func in (first, second):
            ToolArguments.declare(func)
            decorator.register(func)
        assert "Then use guide_second." in registry.find("guide_first").description  # type: ignore[union-attr]
        assert "Then use second." in ToolArguments.build_tool_description(first)


def test_unknown_tools_are_suggested(house: House) -> None:
    consenting(house)
    with pytest.raises(UnknownTool, match="did you mean remove"):
        house.call("remov")


def test_names_of_tools_in_what_a_result_says_are_the_registered_ones() -> None:
    house = House()
    with ToolArguments.isolated():

        def other() -> Result[str]:
            """Another."""
            return Result.ok("{tool:other}", message="See {tool:other}.")

        def failing() -> Result[str]:
            """Fails."""
            return Result.failure("no {tool:other}", instruction="Try {tool:other}, not {tool:nowhere}.")

        for func in (other, failing):
            ToolArguments.declare()(func)
            ExtMcpToolDecorator(house.registry, "desk").register(func)
    told = house.call("desk_other").structured
    assert told["message"] == "See desk_other."
    assert told["value"] == "{tool:other}"
    assert house.call("desk_failing").structured["instruction"] == "Try desk_other, not nowhere."


class Surprise(BaseException):
    """As libraries in other languages raise it: no Exception."""


class Told(Exception):
    error_type = "limit_exceeded"


def test_what_is_no_exception_is_answered_where_it_can_be_explained() -> None:
    house = House(explain=lambda error: Told("there is a limit") if isinstance(error, Surprise) else None)

    async def surprised() -> Said:
        """Be surprised."""
        raise Surprise

    house.add(surprised)
    assert "there is a limit" in house.call("surprised").text
