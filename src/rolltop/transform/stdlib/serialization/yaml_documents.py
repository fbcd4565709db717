"""YAML texts of several documents, and paths into them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from rolltop.transform.errors import FunctionFailure, fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.serialization.layout import documents_of, yaml_relaid
from rolltop.transform.stdlib.serialization.serialize import read_text, write_text
from rolltop.transform.stdlib.string.patterns import compiled
from rolltop.transform.values import scalar_text

__all__ = ["delete", "exists", "resolve", "set_at"]

Step = str | int
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(-?\d{1,9})\]|\[\"([^\"]*)\"\]|\['([^']*)'\]")
_MISSING = object()
LONGEST_GAP = 10_000


@lru_cache(maxsize=512)
def steps(path: str) -> tuple[Step, ...]:
    """Names and positions, in order; `$` and a leading dot mean the value itself."""
    rest = path.strip().removeprefix("$")
    if rest in ("", "."):
        return ()
    found: list[Step] = []
    at = 0
    while at < len(rest):
        match = _STEP.match(rest, at)
        if match is None:
            fail(f"{path[:60]!r} is no path", hint='A path looks like .spec.items[0].name or .labels["a.b"].')
        name, index, *quoted = match.groups()
        found.append(int(index) if index is not None else next(text for text in (name, *quoted) if text is not None))
        at = match.end()
    return tuple(found)


def _child(value: Any, step: Step) -> Any:
    if isinstance(step, int):
        return value[step] if isinstance(value, list) and -len(value) <= step < len(value) else _MISSING
    return value.get(step, _MISSING) if isinstance(value, dict) else _MISSING


def _walk(value: Any, path: str) -> Any:
    for step in steps(path):
        value = _child(value, step)
        if value is _MISSING:
            return _MISSING
    return value


def resolve(value: Any, path: str) -> Any:
    found = _walk(value, path)
    return None if found is _MISSING else found


def exists(value: Any, path: str) -> bool:
    return _walk(value, path) is not _MISSING


def set_at(value: Any, path: str, new: Any) -> Any:
    """A copy with another value at a path; objects and arrays on the way are made when missing."""
    return _set(value, steps(path), new)


def _set(value: Any, way: tuple[Step, ...], new: Any) -> Any:
    if not way:
        return new
    step, inner = way[0], _child(value, way[0])
    changed = _set(None if inner is _MISSING else inner, way[1:], new)
    if isinstance(step, str):
        return {**value, step: changed} if isinstance(value, dict) else {step: changed}
    items = list(value) if isinstance(value, list) else []
    at = step + len(items) if step < 0 else step
    if not 0 <= at <= len(items) + LONGEST_GAP:
        fail(f"there is no position {step} in an array of {len(items)}", hint="Positions start at 0.")
    items.extend([None] * (at + 1 - len(items)))
    items[at] = changed
    return items


def delete(value: Any, path: str) -> Any:
    """A copy without what is at a path; the same value when nothing is there."""
    way = steps(path)
    if not way or not exists(value, path):
        return value
    return _delete(value, way)


def _delete(value: Any, way: tuple[Step, ...]) -> Any:
    step, rest = way[0], way[1:]
    if isinstance(step, str):
        if rest:
            return {**value, step: _delete(value[step], rest)}
        return {key: item for key, item in value.items() if key != step}
    at = step % len(value)
    if rest:
        return [_delete(item, rest) if position == at else item for position, item in enumerate(value)]
    return [*value[:at], *value[at + 1 :]]


_TWO = '"a: 1\\n---\\nb: 2\\n"'


def document(value: Any) -> Any:
    """YAML text stands for what it says."""
    return read_text("yaml", value) if isinstance(value, str) else value


@function(
    "yamlSplitDocuments(text: String): Array",
    category="serialization",
    examples=[(f"yamlSplitDocuments({_TWO})", "[{a: 1}, {b: 2}]")],
)
def yaml_split_documents(text: str) -> list[Any]:
    """The values of all documents of a YAML text."""
    return documents_of(text)


@function(
    "yamlMergeDocuments(documents: Array): String",
    category="serialization",
    examples=[
        ("yamlMergeDocuments([{a: 1}, {b: 2}])", _TWO),
        (f'yamlMergeDocuments([{_TWO}, "c: 3"])', '"a: 1\\n---\\nb: 2\\n---\\nc: 3\\n"'),
    ],
    params={"documents": "Values, or YAML texts"},
)
def yaml_merge_documents(documents: list[Any]) -> str:
    """One YAML text of several documents, with --- between them; comments of texts are lost."""
    return "---\n".join(
        yaml_relaid(item, 2, flow=None) if isinstance(item, str) else write_text("yaml", item) for item in documents
    )


@function(
    "yamlGetDocument(text: String, index: Integer): Any",
    category="serialization",
    examples=[(f"yamlGetDocument({_TWO}, 1)", "{b: 2}"), (f"yamlGetDocument({_TWO}, 2)", "error: no document 2")],
    params={"index": "From 0"},
)
def yaml_get_document(text: str, index: int) -> Any:
    """One document of a YAML text."""
    documents = documents_of(text)
    if not 0 <= index < len(documents):
        fail(f"there is no document {index} in a text of {len(documents)}", hint="Documents are counted from 0.")
    return documents[index]


@function(
    "yamlValidate(text: String): Boolean",
    category="serialization",
    examples=[('yamlValidate("a: [1, 2]")', "true"), ('yamlValidate("a: [1")', "false")],
)
def yaml_validate(text: str) -> bool:
    """Whether a text is YAML."""
    try:
        documents_of(text)
    except FunctionFailure:
        return False
    return True


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object inside a value, outer before inner."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
            waiting.extend(reversed(item.values()))
        elif isinstance(item, list):
            waiting.extend(reversed(item))


@function(
    "yamlFindByField(v: Any, name: String): Array",
    category="serialization",
    examples=[('yamlFindByField({a: {id: 1}, b: [{id: 2}]}, "id")', "[1, 2]")],
)
def yaml_find_by_field(v: Any, name: str) -> list[Any]:
    """Every value of a field, at any depth."""
    return [found[name] for found in _objects(document(v)) if name in found]


@function(
    "yamlFindObjectsWithField(v: Any, name: String): Array<Object>",
    category="serialization",
    examples=[('yamlFindObjectsWithField([{id: 1, x: 2}, {y: 3}], "id")', "[{id: 1, x: 2}]")],
)
def yaml_find_objects_with_field(v: Any, name: str) -> list[dict[str, Any]]:
    """Every object that has a field, at any depth."""
    return [found for found in _objects(document(v)) if name in found]


@function(
    "yamlValidateKeyPattern(v: Any, pattern: String, deep?: Boolean): Boolean",
    category="serialization",
    examples=[
        ('yamlValidateKeyPattern({aB: 1, c: 2}, "[a-z]+")', "false"),
        ('yamlValidateKeyPattern({a: {B: 1}}, "[a-z]+", false)', "true"),
    ],
    params={"pattern": "A regular expression for the whole key", "deep": "Whether inner objects count; default true"},
)
def yaml_validate_key_pattern(v: Any, pattern: str, deep: bool = True) -> bool:
    """Whether all keys match a pattern."""
    value, expression = document(v), compiled(pattern)
    objects = _objects(value) if deep else iter([value] if isinstance(value, dict) else [])
    return all(expression.fullmatch(key) is not None for found in objects for key in found)


@function(
    "yamlHasRequiredFields(v: Any, paths: Array<String>): Boolean",
    category="serialization",
    examples=[
        ('yamlHasRequiredFields({a: {b: 1}}, ["a.b"])', "true"),
        ('yamlHasRequiredFields({a: {b: 1}}, ["a.b", "c"])', "false"),
    ],
    params={"paths": "Paths such as a.b[0].c"},
)
def yaml_has_required_fields(v: Any, paths: list[Any]) -> bool:
    """Whether something is there at all paths."""
    value = document(v)
    return all(exists(value, scalar_text(path) or "") for path in paths)


@function(
    "yamlPath(v: Any, path: String): Any",
    category="serialization",
    examples=[('yamlPath({a: {b: [1, 2]}}, ".a.b[1]")', "2"), ('yamlPath({a: 1}, "b.c")', "null")],
    params={"v": "A value or YAML text", "path": "For example .spec.items[0].name; [-1] is the last"},
)
def yaml_path(v: Any, path: str) -> Any:
    """What is at a path; null when nothing is."""
    return resolve(document(v), path)


@function(
    "yamlExists(v: Any, path: String): Boolean",
    category="serialization",
    examples=[('yamlExists({a: {b: null}}, ".a.b")', "true"), ('yamlExists({a: 1}, ".b")', "false")],
)
def yaml_exists(v: Any, path: str) -> bool:
    """Whether something, be it null, is at a path."""
    return exists(document(v), path)
