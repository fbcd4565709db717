"""Fixtures that ask the client: forms, completions, roots, one or several at once, in one or more rounds."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from conformance_set.fixture import fixture
from mcp_core import CannotAsk, Reply, Result, ToolArguments, ToolContext
from rolltop.workspace import Workspace


class Sampling(ToolArguments):
    prompt: str = Field(description="What to ask the client's model.")


class Elicitation(ToolArguments):
    message: str = Field(description="What to ask the user.")


def form(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _elicit(message: str, **properties: Any) -> dict[str, Any]:
    params = {"mode": "form", "message": message, "requestedSchema": form(**properties)}
    return {"method": "elicitation/create", "params": params}


def _sample(text: str, tokens: int) -> dict[str, Any]:
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": tokens}}


_ROOTS = {"method": "roots/list"}
_NAME = {"type": "string", "description": "Your name"}
_OPTIONS = ["option1", "option2", "option3"]
_TITLED = [
    {"const": "value1", "title": "First Option"},
    {"const": "value2", "title": "Second Option"},
    {"const": "value3", "title": "Third Option"},
]

DEFAULTS = {
    "name": {"type": "string", "description": "User name", "default": "John Doe"},
    "age": {"type": "integer", "description": "User age", "default": 30},
    "score": {"type": "number", "description": "User score", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "description": "Verification status", "default": True},
}

ENUMS = {
    "untitledSingle": {"type": "string", "enum": _OPTIONS},
    "titledSingle": {"type": "string", "oneOf": _TITLED},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
}


def _said(what: str, reply: Reply) -> Result[str]:
    return Result.ok(f"{what}: action={reply.action}, content={json.dumps(dict(reply.content))}")


async def _asked(ctx: ToolContext[Workspace], requests: Mapping[str, Any]) -> Result[str]:
    """What the client answered, as text; a failure where it cannot be asked."""
    try:
        answers = await ctx.ask_client(requests)
    except CannotAsk as error:
        return Result.failure(str(error), "cannot_ask")
    return Result.ok(json.dumps(dict(answers), ensure_ascii=False))


@fixture("What the client's model said.", {"prompt": "Say hello."}, fails="cannot_ask")
async def test_sampling(args: Sampling, ctx: ToolContext[Workspace]) -> Result[str]:
    """Ask the client's model.

    A completion by the client.
    """
    try:
        answer = (await ctx.ask_client({"sampling": _sample(args.prompt, 100)}))["sampling"]
    except CannotAsk as error:
        return Result.failure(str(error), "cannot_ask")
    return Result.ok(f"LLM response: {answer['content'].get('text', '')}")


async def _form(ctx: ToolContext[Workspace], what: str, message: str, properties: Mapping[str, Any]) -> Result[str]:
    try:
        return _said(what, await ctx.ask(message, form(**properties)))
    except CannotAsk as error:
        return Result.failure(str(error), "cannot_ask")


@fixture("The user's answer.", {"message": "Who are you?"}, fails="cannot_ask")
async def test_elicitation(args: Elicitation, ctx: ToolContext[Workspace]) -> Result[str]:
    """Ask the user.

    A form with a name and an address.
    """
    fields = {"username": {"type": "string"}, "email": {"type": "string"}}
    return await _form(ctx, "User response", args.message, fields)


@fixture("A form whose fields have defaults.", fails="cannot_ask")
async def test_elicitation_sep1034_defaults(ctx: ToolContext[Workspace]) -> Result[str]:
    """Ask with defaults of every kind.

    Text, numbers, a choice and yes or no.
    """
    return await _form(ctx, "Elicitation completed", "Please provide user information", DEFAULTS)


@fixture("A form with the five kinds of choices.", fails="cannot_ask")
async def test_elicitation_sep1330_enums(ctx: ToolContext[Workspace]) -> Result[str]:
    """Ask with choices of every kind.

    One or several, with titles or without.
    """
    return await _form(ctx, "Elicitation completed", "Please choose", ENUMS)


@fixture("A stream without requests of its own.", fails="cannot_ask")
async def test_streaming_elicitation(ctx: ToolContext[Workspace]) -> Result[str]:
    """Ask after some progress.

    The question ends the call and is not a request on its stream.
    """
    await ctx.progress(1, 2, "Asking")
    return await _asked(ctx, {"user_name": _elicit("What is your name?", name=_NAME)})


@fixture("An input request user_name, then a greeting.", fails="cannot_ask")
async def test_input_required_result_elicitation(ctx: ToolContext[Workspace]) -> Result[str]:
    """Ask for a name and greet.

    One form, one round.
    """
    try:
        reply = await ctx.ask("What is your name?", form(name=_NAME), key="user_name")
    except CannotAsk as error:
        return Result.failure(str(error), "cannot_ask")
    return Result.ok(f"Hello, {reply.content.get('name', 'stranger')}!")


@fixture("An input request capital_question.", fails="cannot_ask")
async def test_input_required_result_sampling(ctx: ToolContext[Workspace]) -> Result[str]:
    """Ask the client's model for a capital.

    One completion, one round.
    """
    return await _asked(ctx, {"capital_question": _sample("What is the capital of France?", 100)})


@fixture("An input request client_roots.", fails="cannot_ask")
async def test_input_required_result_list_roots(ctx: ToolContext[Workspace]) -> Result[str]:
    """Ask for the client's roots.

    One list of roots, one round.
    """
    return await _asked(ctx, {"client_roots": _ROOTS})


@fixture("state-ok once the state came back unchanged.", fails="cannot_ask")
async def test_input_required_result_request_state(ctx: ToolContext[Workspace]) -> Result[str]:
    """Ask for confirmation and check the state.

    The answer counts only with the state that went out with the question.
    """
    answered = await _asked(ctx, {"confirm": _elicit("Please confirm", ok={"type": "boolean"})})
    return Result.ok(f"state-ok: {answered.value}") if answered.is_ok else answered


@fixture("Three input requests at once.", fails="cannot_ask")
async def test_input_required_result_multiple_inputs(ctx: ToolContext[Workspace]) -> Result[str]:
    """Ask for three things at once.

    A form, a completion and the roots.
    """
    requests = {
        "user_name": _elicit("What is your name?", name=_NAME),
        "greeting": _sample("Generate a greeting", 50),
        "client_roots": _ROOTS,
    }
    return await _asked(ctx, requests)


@fixture("Two rounds, then the answers.", fails="cannot_ask")
async def test_input_required_result_multi_round(ctx: ToolContext[Workspace]) -> Result[str]:
    """Ask twice, one after the other.

    The second question is put when the first is answered.
    """
    try:
        name = await ctx.ask("Step 1: What is your name?", form(name=_NAME), key="step1")
        color = await ctx.ask("Step 2: What is your favorite color?", form(color={"type": "string"}), key="step2")
    except CannotAsk as error:
        return Result.failure(str(error), "cannot_ask")
    return Result.ok(f"{name.content.get('name')} likes {color.content.get('color')}")


@fixture("A JSON-RPC error when the state was changed.", fails="cannot_ask")
async def test_input_required_result_tampered_state(ctx: ToolContext[Workspace]) -> Result[str]:
    """Ask with a sealed state.

    A state that was changed on the way is refused.
    """
    return await _asked(ctx, {"confirm": _elicit("Please confirm", ok={"type": "boolean"})})


@fixture("Only what the client declares is asked for.")
async def test_input_required_result_capabilities(ctx: ToolContext[Workspace]) -> Result[str]:
    """Ask for what the client can answer.

    Forms, completions and roots, each only where it is declared.
    """
    possible = {
        "elicitation": ("user_name", _elicit("What is your name?", name=_NAME)),
        "sampling": ("greeting", _sample("Generate a greeting", 50)),
        "roots": ("client_roots", _ROOTS),
    }
    return await _asked(ctx, dict(possible[each] for each in sorted(ctx.client.capabilities & possible.keys())))
