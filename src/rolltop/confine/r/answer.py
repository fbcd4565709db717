"""What R answers, as Python data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rolltop.errors import ForeignFailure, MemoryLimit

__all__ = ["RAnswer", "RCondition", "RError", "read_answer"]

_NO_MEMORY = ("cannot allocate ", "vector memory exhausted", "memory exhausted")
"""How R begins to say that an allocation was refused."""
_MOST_WARNINGS, _LONGEST_WARNING = 5, 500
"""Of those that an error carries, the last ones."""


@dataclass(frozen=True, slots=True)
class RCondition:
    """A warning, message or error that R code signalled."""

    kind: str
    message: str
    call: str | None = None
    classes: tuple[str, ...] = ()
    trace: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RAnswer:
    """What a call gave: its value as Python data, what it printed, what it warned about."""

    value: Any
    visible: bool
    printed: str
    conditions: tuple[RCondition, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(condition.message for condition in self.conditions if condition.kind == "warning")

    @property
    def messages(self) -> tuple[str, ...]:
        return tuple(condition.message for condition in self.conditions if condition.kind == "message")


class RError(ForeignFailure):
    """R code signalled an error: `condition` has its call and trace, `answer` what was printed before it."""

    code = "r_error"

    def __init__(self, condition: RCondition, answer: RAnswer) -> None:
        where = f" (in {condition.call})" if condition.call else ""
        # R says the reason of many an error in a warning: "cannot open file 'x': No such file or directory".
        warned = [text[:_LONGEST_WARNING] for text in dict.fromkeys(answer.warnings)][-_MOST_WARNINGS:]
        told = "".join(f"; warning: {text}" for text in warned)
        details = {"trace": list(condition.trace), **({"warnings": warned} if warned else {})}
        super().__init__(f"R: {condition.message}{where}{told}", details=details)
        self.condition = condition
        self.answer = answer


def read_answer(fields: Mapping[str, Any]) -> RAnswer:
    """The answer in a frame; raises `RError` when it holds one."""
    conditions = tuple(_condition(item) for item in fields.get("conditions") or ())
    printed = "".join(f"{line}\n" for line in fields.get("printed") or ())
    answer = RAnswer(fields.get("value"), bool(fields.get("visible")), printed, conditions)
    if error := fields.get("error"):
        condition = _condition({"kind": "error", **error})
        if condition.message.startswith(_NO_MEMORY):
            raise MemoryLimit(
                f"R needed more memory than it is allowed: {condition.message}",
                hint="Use less data at once.",
                details={"trace": list(condition.trace)},
            )
        raise RError(condition, answer)
    return answer


def _condition(fields: Mapping[str, Any]) -> RCondition:
    return RCondition(
        kind=str(fields.get("kind")),
        message=str(fields.get("message")).rstrip("\n"),
        call=fields.get("call") or None,
        classes=tuple(fields.get("class") or ()),
        trace=tuple(fields.get("trace") or ()),
    )
