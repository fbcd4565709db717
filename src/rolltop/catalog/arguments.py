"""Arguments of a served tool against its schema: every problem at once, without repeating the values."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rolltop.catalog.definition import Definition
from rolltop.catalog.schema import DRAFT_7, validator_class
from rolltop.errors import InvalidInput

__all__ = ["ArgumentProblem", "check_arguments", "invalid_arguments", "served_schema"]


@dataclass(frozen=True, slots=True)
class ArgumentProblem:
    """Where in the arguments, what is wrong, and the rule that says so."""

    path: str
    message: str
    rule: str


def invalid_arguments(problems: Iterable[tuple[str, str]]) -> InvalidInput:
    """The error that names every place and what is wrong there."""
    found = [{"path": path, "message": message} for path, message in problems]
    listed = "; ".join(f"{problem['path']}: {problem['message']}" for problem in found)
    return InvalidInput(f"the arguments are not valid: {listed}", details={"problems": found})


def served_schema(definition: Definition) -> dict[str, Any]:
    """The schema that clients see: Draft 7, closed against unknown names, open where nothing says the type."""
    properties = dict(definition.parameters["properties"])
    if definition.language == "r":
        properties = {name: _as_r_takes_it(each, name in definition.untyped) for name, each in properties.items()}
    schema: dict[str, Any] = {
        "$schema": DRAFT_7,
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
    if definition.parameters["required"]:
        schema["required"] = list(definition.parameters["required"])
    return schema


_SINGLE = ["string", "number", "boolean"]
_MAY_BE_LIST = re.compile(r"\b(?:lists?|data[ .]?frames?|tibbles?|objects?|frame|environment)\b", re.IGNORECASE)


def _as_r_takes_it(schema: Mapping[str, Any], is_untyped: bool) -> dict[str, Any]:
    """A list of R is an object or an array; where nothing says the type, any single value or vector will do."""
    is_object = schema.get("type") == "object" and not schema.get("properties")
    if not is_untyped:
        return {**schema, "type": ["object", "array"]} if is_object else dict(schema)
    said = {key: value for key, value in schema.items() if key not in ("type", "items", "enum")}
    may_be_list = is_object or _MAY_BE_LIST.search(str(schema.get("description") or "")) is not None
    return {"type": [*_SINGLE, "array", *(["object"] if may_be_list else [])], "items": {}, **said}


def check_arguments(
    schema: Mapping[str, Any], arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], list[ArgumentProblem]]:
    """The arguments to call with, and what is wrong with them.

    A null for a parameter whose default is null says the same as leaving it out.
    """
    properties = schema["properties"]
    given = {
        name: value
        for name, value in arguments.items()
        if value is not None or properties.get(name, {}).get("default", 0) is not None
    }
    errors = _without_repetitions(list(validator_class()(schema).iter_errors(given)))
    problems = [problem for error in errors for problem in _problems(error)]
    return given, sorted(problems, key=lambda problem: problem.path)


def _without_repetitions(errors: list[Any]) -> list[Any]:
    """A union that an array does not fit says so; that its items fit none of the union's arrays is the same again."""
    unions = [
        (list(error.absolute_path), [*list(error.absolute_schema_path)[:-1], "items"])
        for error in errors
        if error.validator == "anyOf"
    ]
    return [
        error
        for error in errors
        if not any(
            list(error.absolute_path)[: len(place)] == place and list(error.absolute_schema_path)[: len(rule)] == rule
            for place, rule in unions
        )
    ]


def _problems(error: Any) -> Iterator[ArgumentProblem]:
    path = _place(error.absolute_path)
    if error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        # jsonschema reports each missing name in an error of its own; the message names it first.
        name = next((name for name in missing if error.message.startswith(repr(name))), missing[0])
        yield ArgumentProblem(_place([*error.absolute_path, name]), "is required", "missing")
    elif error.validator == "additionalProperties" and error.validator_value is False:
        known = list(error.schema.get("properties", {}))
        for name in error.instance:
            if name not in known:
                place = _place([*error.absolute_path, name])
                yield ArgumentProblem(place, _unknown(name, known, is_field=bool(path)), "unknown")
    else:
        yield ArgumentProblem(path, _sentence(error), str(error.validator))


def _place(path: Iterable[str | int]) -> str:
    """`a.b[0]`; a name keeps the dot that it begins with."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _unknown(name: str, known: list[str], *, is_field: bool) -> str:
    what = "a field" if is_field else "an argument"
    if near := difflib.get_close_matches(name, known, n=1, cutoff=0.6):
        return f"is not {what}; did you mean {near[0]!r}?"
    return f"is not {what}; known are {', '.join(known)}" if known else f"is not {what}; there are none"


def _sentence(error: Any) -> str:
    rule = error.validator_value
    match error.validator:
        case "type":
            return f"must be {' or '.join(rule) if isinstance(rule, list) else _with_article(rule)}"
        case "enum":
            return f"must be one of {', '.join(repr(choice) for choice in rule)}"
        case "anyOf":
            return f"must be {' or '.join(_form(each) for each in rule)}"
        case "minItems" | "maxItems":
            return f"must have at {'least' if error.validator == 'minItems' else 'most'} {rule} items"
        case "minLength" | "maxLength":
            return f"must have at {'least' if error.validator == 'minLength' else 'most'} {rule} characters"
        case "minimum" | "maximum":
            return f"must be at {'least' if error.validator == 'minimum' else 'most'} {rule}"
        case "exclusiveMinimum" | "exclusiveMaximum":
            return f"must be {'more' if error.validator == 'exclusiveMinimum' else 'less'} than {rule}"
    return f"does not satisfy {error.validator}: {rule}"


def _form(schema: Any) -> str:
    """What fits a schema, in words where they are few; a file written by hand may have any schema here."""
    match schema:
        case {"enum": [*choices]}:
            return f"one of {', '.join(repr(choice) for choice in choices)}"
        case {"type": "array", "items": {"type": str(item)}}:
            return f"an array of {item}s"
        case {"type": str(kind)}:
            return _with_article(kind)
    return f"what fits {schema}"


def _with_article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
