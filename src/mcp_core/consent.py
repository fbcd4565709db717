"""Explicit consent: a human has to agree before something is removed, replaced or run.

A Literal field documents the intent, but any model fills it in on the first try: it is no consent. So
where the client can put a question to the human, the human is asked; the literal alone is accepted only
where nothing better exists and the tool says so, and every decision leaves a row in the journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from mcp_core.jsonable import to_json_bytes

__all__ = ["FIELD", "Consent", "ConsentRequired", "NoArguments", "some_of", "with_consent_field"]

FIELD = "confirm"
"""The argument that carries the literal, where the tool has no other use for that name."""

_SHOWN = 300
"""Characters of the arguments that a question shows."""


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
    """What has to be agreed to.

    `literal` is the exact string of the `confirm` argument, `effect` completes "This …" for people.
    `required` makes the argument part of the required schema (for tools whose schema is ours to fix);
    `unless` names a boolean argument that makes the question unnecessary, such as `dry_run`;
    `always` is False for tools that ask in the call (`ctx.require_consent`), once they know what would happen: the
    human is to see what is agreed to. For the others the question shows the arguments. `field` is another name for
    the argument `confirm`.
    """

    literal: str
    effect: str
    required: bool = False
    unless: str | None = None
    always: bool = True
    field: str = FIELD

    @property
    def warning(self) -> str:
        """The paragraph that the tool's description carries."""
        return (
            f"REQUIRES EXPLICIT USER INSTRUCTION: this {self.effect}. Call it only when the user has asked for "
            f'exactly that; the user is asked to agree, or `{self.field}` is "{self.literal}" because the user said '
            "so. Do not use it on your own initiative or to tidy up."
        )

    def applies_to(self, arguments: Any) -> bool:
        """Whether a call with these arguments (a model or a mapping) has to be agreed to."""
        return self.always and not (self.unless and _argument(arguments, self.unless) is True)

    def given_in(self, arguments: Any) -> bool:
        return bool(_argument(arguments, self.field) == self.literal)

    def effect_of(self, arguments: Any) -> str:
        """What a call with these arguments would do, for the human to agree to."""
        dumped = (
            arguments.model_dump(by_alias=True, exclude_unset=True) if isinstance(arguments, BaseModel) else arguments
        )
        shown = {name: value for name, value in (dumped or {}).items() if name != self.field}
        if not shown:
            return self.effect
        text = to_json_bytes(shown).decode("utf-8")
        return f"{self.effect}; called with {text if len(text) <= _SHOWN else text[:_SHOWN] + ' …'}"

    async def ask(self, arguments: Any, ctx: Any) -> None:
        """Go on only if the human agrees to a call with these arguments."""
        await ctx.require_consent(
            self.literal,
            self.effect_of(arguments),
            given=self.given_in(arguments),
            field=self.field,
            refusal=self.effect,
        )


def some_of(names: Iterable[str], most: int = 5) -> str:
    """The first few names, and how many more there are: for a question."""
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def _argument(arguments: Any, name: str) -> Any:
    return arguments.get(name) if isinstance(arguments, Mapping) else getattr(arguments, name, None)


class NoArguments(BaseModel):
    """For tools that take none."""

    model_config = ConfigDict(extra="forbid")


def with_consent_field(model: type[BaseModel] | None, consent: Consent) -> type[BaseModel]:
    """`model` with the field for the literal, unless it has one of its own; without a model, one with that field."""
    model = model or NoArguments
    if consent.field in model.model_fields:
        return model
    literal = Literal[consent.literal]  # type: ignore[name-defined]
    description = f'The user\'s explicit consent, exactly "{consent.literal}".'
    annotation: Any = literal if consent.required else literal | None
    field = Field(description=description) if consent.required else Field(default=None, description=description)
    fields: dict[str, Any] = {consent.field: (annotation, field)}
    return create_model(model.__name__, __base__=model, __module__=model.__module__, **fields)
