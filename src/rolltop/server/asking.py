"""Questions to the human, in both protocol eras.

Up to 2025-11-25 the server sends `elicitation/create` and waits. From 2026-07-28 on it may not send
requests: the call ends with `input_required` and the client calls again with the answers. What was asked
and answered before travels in `requestState`, which the SDK seals and binds to the same arguments; an
answer to a question that was never put is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mcp_core import CannotAsk, InputNeeded, Reply

__all__ = ["Asker", "input_required"]


class Asker:
    """Made for one request; a `ToolContext` asks through it."""

    def __init__(self, ctx: ServerRequestContext[Any, Any], params: Any) -> None:
        self._ctx = ctx
        self._modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        self._answered: dict[str, Any] = {}
        if self._modern:
            self._answered = _answers(params)

    async def __call__(self, key: str, message: str, schema: Mapping[str, Any]) -> Reply:
        if not self._can_ask():
            raise CannotAsk("this client cannot ask the user")
        if self._modern:
            return self._from_retry(key, message, schema)
        return await self._by_request(message, schema)

    def _can_ask(self) -> bool:
        capabilities = self._ctx.session.client_capabilities
        if capabilities is None or capabilities.elicitation is None:
            return False
        asked = capabilities.elicitation
        # An empty capability means forms; one that names only URLs does not include them.
        return asked.form is not None or asked.url is None

    def _from_retry(self, key: str, message: str, schema: Mapping[str, Any]) -> Reply:
        answer = self._answered.get(key)
        if answer is not None:
            return Reply(answer["action"], answer.get("content") or {})
        request = {
            "method": "elicitation/create",
            "params": {"mode": "form", "message": message, "requestedSchema": schema},
        }
        raise InputNeeded({"requests": {key: request}, "answered": self._answered})

    async def _by_request(self, message: str, schema: Mapping[str, Any]) -> Reply:
        try:
            answer = await self._ctx.session.elicit_form(message, dict(schema), self._ctx.request_id)
        except MCPError as error:
            raise CannotAsk(f"the client did not ask the user: {error.message}") from None
        return Reply(answer.action, answer.content or {})


def input_required(needed: InputNeeded) -> types.InputRequiredResult:
    """The interim result that carries the question; earlier answers ride in the state."""
    requests = needed.questions["requests"]
    state = {"asked": list(requests), "answered": needed.questions["answered"]}
    return types.InputRequiredResult.model_validate(
        {"resultType": "input_required", "inputRequests": requests, "requestState": json.dumps(state)}
    )


def _answers(params: Any) -> dict[str, Any]:
    state = _state(getattr(params, "request_state", None))
    answers: dict[str, Any] = dict(state.get("answered", {}))
    responses = getattr(params, "input_responses", None) or {}
    for key in state.get("asked", ()):
        response = responses.get(key)
        if response is None:
            continue
        plain = response if isinstance(response, dict) else response.model_dump(by_alias=True, exclude_none=True)
        if plain.get("action") in ("accept", "decline", "cancel"):
            answers[key] = {"action": plain["action"], "content": plain.get("content")}
    return answers


def _state(text: str | None) -> dict[str, Any]:
    if not text:
        return {}
    state = json.loads(text)  # the SDK has verified that we wrote it
    return state if isinstance(state, dict) else {}
