"""Questions to the client and the human behind it, in both protocol eras.

Up to 2025-11-25 the server sends a request and waits. From 2026-07-28 on it may not send requests: the
call ends with `input_required` and the client calls again with the answers. What was asked and answered
before travels in `requestState`, which the SDK seals and binds to the same arguments; an answer to a
question that was never put is refused. Each state counts once: whoever sends it again is asked again.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError

from mcp_core import CannotAsk, InputNeeded, Reply
from mcp_core.log import one_line

__all__ = ["Asker", "capabilities_of", "input_required"]

ELICIT = "elicitation/create"

_CAPABILITIES = {ELICIT: "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
"""What a client has to declare before it may be asked."""

_REQUESTS: dict[str, tuple[type[BaseModel], type[BaseModel]]] = {
    ELICIT: (types.ElicitRequest, types.ElicitResult),
    "sampling/createMessage": (types.CreateMessageRequest, types.CreateMessageResult),
    "roots/list": (types.ListRootsRequest, types.ListRootsResult),
}

Request = Mapping[str, Any]


class Asker:
    """Made for one request; a `ToolContext` asks through it."""

    def __init__(self, ctx: ServerRequestContext[Any, Any], params: Any) -> None:
        self._ctx = ctx
        self._modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        self._params = params
        self._taken: dict[str, Any] | None = None if self._modern else {}

    @property
    def _answered(self) -> dict[str, Any]:
        """The answers of earlier rounds. They are used up by the first look at them."""
        if self._taken is None:
            self._taken = _answers(self._params)
        return self._taken

    async def form(self, key: str, message: str, schema: Mapping[str, Any]) -> Reply:
        """A form for the human."""
        params = {"mode": "form", "message": message, "requestedSchema": schema}
        answer = (await self.many({key: {"method": ELICIT, "params": params}}))[key]
        return Reply(answer["action"], answer.get("content") or {})

    async def many(self, requests: Mapping[str, Request]) -> dict[str, Any]:
        """Any requests that clients answer; all of them are answered, or the call ends here."""
        declared = capabilities_of(self._ctx)
        for request in requests.values():
            if (needed := _CAPABILITIES[request["method"]]) not in declared:
                raise CannotAsk(f"this client cannot be asked: it does not declare {needed}")
        if self._modern:
            return self._from_retry(requests)
        return {key: await self._by_request(request) for key, request in requests.items()}

    def _from_retry(self, requests: Mapping[str, Request]) -> dict[str, Any]:
        open_ones = {key: request for key, request in requests.items() if key not in self._answered}
        if open_ones:
            raise InputNeeded({"requests": open_ones, "answered": self._answered})
        return {key: self._answered[key] for key in requests}

    async def _by_request(self, request: Request) -> dict[str, Any]:
        request_type, result_type = _REQUESTS[request["method"]]
        sent: Any = request_type.model_validate(request)
        # Over HTTP the question goes out on the stream that carries this call's answer.
        related = ServerMessageMetadata(related_request_id=self._ctx.request_id)
        try:
            answer: BaseModel = await self._ctx.session.send_request(sent, result_type, metadata=related)
        except (MCPError, ValidationError) as error:
            raise CannotAsk(f"the client did not answer: {one_line(error)}") from None
        return answer.model_dump(mode="json", by_alias=True, exclude_none=True)


def capabilities_of(ctx: ServerRequestContext[Any, Any]) -> frozenset[str]:
    """What the client may be asked for."""
    declared = ctx.session.client_capabilities
    if declared is None:
        return frozenset()
    asked = declared.elicitation
    # An empty elicitation capability means forms; one that names only URLs does not include them.
    forms = asked is not None and (asked.form is not None or asked.url is None)
    offered = {"elicitation": forms, "sampling": declared.sampling is not None, "roots": declared.roots is not None}
    return frozenset(name for name, there in offered.items() if there)


def input_required(needed: InputNeeded) -> types.InputRequiredResult:
    """The interim result that carries the questions; earlier answers ride in the state."""
    requests = needed.questions["requests"]
    asked = {key: request["method"] for key, request in requests.items()}
    state = {"asked": asked, "answered": needed.questions["answered"], "once": secrets.token_urlsafe(16)}
    return types.InputRequiredResult.model_validate(
        {"resultType": "input_required", "inputRequests": requests, "requestState": json.dumps(state)}
    )


def _answers(params: Any) -> dict[str, Any]:
    state = _state(getattr(params, "request_state", None))
    if not _USED.take(state.get("once")):
        return {}
    answers: dict[str, Any] = dict(state.get("answered", {}))
    responses = getattr(params, "input_responses", None) or {}
    for key, method in state.get("asked", {}).items():
        answer = _answer(method, responses.get(key))
        if answer is not None:
            answers[key] = answer
    return answers


def _answer(method: str, response: Any) -> dict[str, Any] | None:
    """The response if it answers such a request; else the question is put again."""
    if response is None:
        return None
    plain = response if isinstance(response, dict) else response.model_dump(by_alias=True, exclude_none=True)
    try:
        answer = _REQUESTS[method][1].model_validate(plain)
    except ValidationError:
        return None
    return answer.model_dump(mode="json", by_alias=True, exclude_none=True)


class _Used:
    """States that were sent back. The SDK seals them with a key of this process and lets them age, as they do here."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, float] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, once: str | None) -> bool:
        """Whether this state is used for the first time."""
        if once is None:
            return True
        now = time.monotonic()
        with self._lock:
            while self._seen and next(iter(self._seen.values())) < now - _STATE_SECONDS:
                self._seen.popitem(last=False)
            if once in self._seen:
                return False
            self._seen[once] = now
            return True


_STATE_SECONDS = 1200.0
"""Twice as long as the SDK accepts a state."""
_USED = _Used()


def _state(text: str | None) -> dict[str, Any]:
    if not text:
        return {}
    state = json.loads(text)  # the SDK has verified that we wrote it
    return state if isinstance(state, dict) else {}
