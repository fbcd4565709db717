"""YAML texts of several documents, and finding things in what was read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rolltop.transform.errors import FunctionFailure, fail
from rolltop.transform.stdlib._formats import read_text, write_text
from rolltop.transform.stdlib._regex import compiled
from rolltop.transform.stdlib._yaml_layout import documents_of, yaml_relaid
from rolltop.transform.stdlib._yaml_paths import exists, resolve
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import scalar_text

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
