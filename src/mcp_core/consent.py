"""What a tool declares about consent, and the answer of a human who was asked.

A Literal field documents the intent, but any model fills it in on the first try, so it does not count as consent.
`mcp_core.approval` has the rule that decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from mcp_core.display import quoted
from mcp_core.jsonable import to_json_bytes

__all__ = [
    "FIELD",
    "CannotAsk",
    "Consent",
    "ConsentRequired",
    "InputNeeded",
    "NoArguments",
    "Reply",
    "with_consent_field",
]


FIELD = "confirm"
"""The default name of the argument for the literal."""


class ConsentRequired(Exception):
    """Nothing was done: a human has to agree first."""

    error_type = "consent_required"

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details: dict[str, Any] = {}
        self.position = None


@dataclass(frozen=True, slots=True)
class Consent:
    """The effect that needs consent, and how it is asked for.

    `literal` is the exact string of the `confirm` argument, `effect` completes "This …" for people.
    `required` makes the argument part of the required schema (for tools whose schema is ours to fix);
    `unless` names a boolean argument that makes the question unnecessary, such as `dry_run`;
    `always` is False for tools that ask during the call (`ctx.require_consent`), when they know the exact effect; for
    the others the question shows the arguments. `field` renames the argument `confirm`. `when` completes
    "only when …" for tools that need consent in some cases only.
    """

    literal: str
    effect: str
    required: bool = False
    unless: str | None = None
    always: bool = True
    field: str = FIELD
    when: str | None = None

    @property
    def headline(self) -> str:
        """The sentence that every description carries."""
        if self.when is not None:
            return f"REQUIRES EXPLICIT USER INSTRUCTION only when {self.when}."
        return f"REQUIRES EXPLICIT USER INSTRUCTION: this {self.effect}."

    @property
    def warning(self) -> str:
        """The paragraph that the tool's description carries."""
        asked = (
            f'the user is asked to agree; where nobody can be asked, `{self.field}` "{self.literal}" counts only if '
            "the owner allows it and the user said so."
        )
        if self.when is not None:
            return f"{self.headline} Then it {self.effect}, and {asked} Otherwise nothing is asked."
        return (
            f"{self.headline} Call it only when the user has asked for exactly that: {asked} Do not use it on your own "
            "initiative or to tidy up."
        )

    def applies_to(self, arguments: Any) -> bool:
        """True if a call with these arguments (a model or a mapping) needs consent."""
        return self.always and not (self.unless and _argument(arguments, self.unless) is True)

    def given_in(self, arguments: Any) -> bool:
        return bool(_argument(arguments, self.field) == self.literal)

    def details_of(self, arguments: Any) -> tuple[str, ...]:
        """The arguments of a call, one per line, as the question shows them."""
        dumped = (
            arguments.model_dump(by_alias=True, exclude_unset=True) if isinstance(arguments, BaseModel) else arguments
        )
        shown = {name: value for name, value in (dumped or {}).items() if name != self.field}
        return tuple(f"{quoted(name)}: {_shown(value)}" for name, value in shown.items())


def _shown(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else quoted(to_json_bytes(value).decode("utf-8"))


def _argument(arguments: Any, name: str) -> Any:
    return arguments.get(name) if isinstance(arguments, Mapping) else getattr(arguments, name, None)


class NoArguments(BaseModel):
    """The model of tools without arguments."""

    model_config = ConfigDict(extra="forbid")


def with_consent_field(model: type[BaseModel] | None, consent: Consent) -> type[BaseModel]:
    """Add the field for the literal to `model`, unless it has one; without a model, make one with only that field."""
    model = model or NoArguments
    if consent.field in model.model_fields:
        return model
    literal = Literal[consent.literal]  # type: ignore[name-defined]
    description = "The user's consent."
    annotation: Any = literal if consent.required else literal | None
    field = Field(description=description) if consent.required else Field(default=None, description=description)
    fields: dict[str, Any] = {consent.field: (annotation, field)}
    return create_model(model.__name__, __base__=model, __module__=model.__module__, **fields)


@dataclass(frozen=True, slots=True)
class Reply:
    """The human's answer to a question: `accept` with content, `decline` or `cancel`."""

    action: str
    content: Mapping[str, Any] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        return self.action == "accept"


class CannotAsk(Exception):
    """The client cannot ask its user."""

    error_type = "cannot_ask"
    hint = "Ask the user in the conversation, and do without the form; or use a client that can show one."


class InputNeeded(Exception):
    """The call has to be repeated with the human's answers (protocol 2026-07-28); not a failure."""

    def __init__(self, questions: Mapping[str, Any]) -> None:
        super().__init__("the call needs an answer from the user")
        self.questions = dict(questions)
