"""Validate raw arguments: report all problems at once, with paths and suggestions, without the values."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

__all__ = ["InvalidArguments", "Problem", "check_arguments"]

ModelT = TypeVar("ModelT", bound=BaseModel)

_SHOWN = 20
"""Problems that are listed; of the rest only the number is given."""
_EXPLAINED = 100
"""Problems that are put into words: a caller decides how many there are, and each takes time."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of the arguments: the dotted path, and how to fix it."""

    path: str
    message: str
    kind: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class InvalidArguments(Exception):
    """The arguments do not fit; carries every problem found."""

    error_type = "validation_error"

    def __init__(self, problems: Sequence[Problem], more: int = 0) -> None:
        """`more` is how many problems there are beside those."""
        self.problems = tuple(problems)
        shown = "; ".join(str(problem) for problem in self.problems[:_SHOWN])
        more += len(self.problems) - _SHOWN
        super().__init__(f"{shown}; and {more} more" if more > 0 else shown)

    @property
    def details(self) -> dict[str, Any]:
        return {"problems": [{"path": p.path, "message": p.message, "type": p.kind} for p in self.problems]}


def check_arguments(model: type[ModelT], raw: Mapping[str, Any] | None) -> ModelT:
    """Return a validated `model`; raises `InvalidArguments` with all problems."""
    try:
        return model.model_validate({} if raw is None else raw)
    except ValidationError as error:
        problems = _problems(error, model, {} if raw is None else raw)
        raise InvalidArguments(problems, max(0, error.error_count() - _EXPLAINED)) from None


def _problems(error: ValidationError, model: type[BaseModel], raw: Mapping[str, Any]) -> list[Problem]:
    found: dict[str, Problem] = {}
    for each in error.errors(include_url=False, include_input=False, include_context=False)[:_EXPLAINED]:
        location = _without_choices(each["loc"], raw, missing=each["type"] == "missing")
        problem = _problem(location, each["type"], each["msg"], model)
        before = found.get(problem.path)
        if before is not None and location != each["loc"]:  # one error per member of a union
            problem = Problem(before.path, f"{before.message}, or {problem.message}", before.kind)
        found[problem.path] = problem
    return list(found.values())


def _without_choices(location: tuple[int | str, ...], raw: Any, *, missing: bool) -> tuple[int | str, ...]:
    """The path of a problem, without the names of union members that pydantic adds."""
    place: list[int | str] = []
    for at, part in enumerate(location):
        is_absent = missing and at == len(location) - 1
        if isinstance(part, int) or (isinstance(raw, Mapping) and (part in raw or is_absent)):
            place.append(part)
            raw = raw[part] if isinstance(raw, Mapping) and part in raw else _item(raw, part)
    return tuple(place)


def _item(raw: Any, part: int | str) -> Any:
    return raw[part] if isinstance(raw, list) and isinstance(part, int) and part < len(raw) else None


def _problem(location: tuple[int | str, ...], kind: str, message: str, model: type[BaseModel]) -> Problem:
    path = _dotted(location)
    if kind == "extra_forbidden":
        return Problem(path, _unknown(str(location[-1]), location[:-1], model), kind)
    if kind == "missing":
        return Problem(path, "is required", kind)
    return Problem(path, message.removeprefix("Value error, "), kind)


def _dotted(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else str(part)
    return path


def _unknown(name: str, parents: tuple[int | str, ...], model: type[BaseModel]) -> str:
    known = _known_names(model, parents)
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6) or [
        each for each in known if each.replace("_", "").lower() == name.replace("_", "").lower()
    ]
    if near:
        return f"is not an argument; did you mean {near[0]!r}?"
    listed = f"; known are {', '.join(known)}" if known and len(known) <= 24 else ""
    return f"is not an argument{listed}"


def _known_names(model: type[BaseModel], parents: tuple[int | str, ...]) -> list[str]:
    """The wire names of the fields at `parents`, as the schema has them."""
    schema = _schema_of(model)
    definitions = schema.get("$defs", {})
    node = schema
    for part in parents:
        node = _step(node, part, definitions)
    return list(_object_in(node, definitions).get("properties", {}))


@lru_cache(maxsize=64)
def _schema_of(model: type[BaseModel]) -> Mapping[str, Any]:
    return model.model_json_schema(by_alias=True)


def _step(node: Mapping[str, Any], part: int | str, definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = _object_in(node, definitions)
    if isinstance(part, int):
        items = inner.get("items", {})
        return items if isinstance(items, dict) else {}
    found = inner.get("properties", {}).get(part, {})
    return found if isinstance(found, dict) else {}


def _object_in(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" in node:
        return _object_in(definitions.get(str(node["$ref"]).removeprefix("#/$defs/"), {}), definitions)
    for option in node.get("anyOf", ()):
        inner = _object_in(option, definitions)
        if "properties" in inner or "items" in inner:
            return inner
    return node
