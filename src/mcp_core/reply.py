"""A question to the human behind a client: its answer, and what happens where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["CannotAsk", "InputNeeded", "Reply"]


@dataclass(frozen=True, slots=True)
class Reply:
    """The human's answer to a question: `accept` with content, `decline` or `cancel`."""

    action: str
    content: Mapping[str, Any] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        return self.action == "accept"


class CannotAsk(Exception):
    """The client has no way to put a question to the human."""

    error_type = "cannot_ask"
    hint = "Ask the user in the conversation, and do without the form; or use a client that can show one."


class InputNeeded(Exception):
    """The call has to be repeated with the human's answers (protocol 2026-07-28); not a failure."""

    def __init__(self, questions: Mapping[str, Any]) -> None:
        super().__init__("the call needs an answer from the user")
        self.questions = dict(questions)
