"""Changing, merging and sorting what YAML describes. Arguments are values or YAML text."""

from __future__ import annotations

from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.serialization.yaml_documents import delete, document, set_at
from rolltop.transform.stdlib.string.patterns import compiled
from rolltop.transform.values import kind_of, scalar_text

_PATH = {"path": "For example .spec.items[0].name; [-1] is the last"}


def _object(value: Any, name: str) -> dict[str, Any]:
    found = document(value)
    if not isinstance(found, dict):
        fail(f"{name} takes an object, not {kind_of(found)}", hint="Give an object, or YAML text of one.")
    return found


def _names(names: list[Any]) -> list[str]:
    return [scalar_text(name) or "" for name in names]


@function(
    "yamlSet(v: Any, path: String, value: Any): Any",
    category="serialization",
    examples=[
        ('yamlSet({a: {b: 1}}, ".a.c", 2)', "{a: {b: 1, c: 2}}"),
        ('yamlSet({}, "x.y[0]", 1)', "{x: {y: [1]}}"),
    ],
    params=_PATH,
)
def yaml_set(v: Any, path: str, value: Any) -> Any:
    """A copy with another value at a path; what is missing on the way is made."""
    return set_at(document(v), path, value)


@function(
    "yamlDelete(v: Any, path: String): Any",
    category="serialization",
    examples=[('yamlDelete({a: {b: 1, c: 2}}, ".a.b")', "{a: {c: 2}}"), ('yamlDelete([1, 2], "[0]")', "[2]")],
    params=_PATH,
)
def yaml_delete(v: Any, path: str) -> Any:
    """A copy without what is at a path."""
    return delete(document(v), path)


@function(
    "yamlKeys(v: Any): Array<String>", category="serialization", examples=[("yamlKeys({a: 1, b: 2})", '["a", "b"]')]
)
def yaml_keys(v: Any) -> list[str]:
    """The keys of an object."""
    return list(_object(v, "yamlKeys"))


@function("yamlValues(v: Any): Array", category="serialization", examples=[("yamlValues({a: 1, b: 2})", "[1, 2]")])
def yaml_values(v: Any) -> list[Any]:
    """The values of an object."""
    return list(_object(v, "yamlValues").values())


@function(
    "yamlEntries(v: Any): Array<{ key: String, value: Any }>",
    category="serialization",
    examples=[("yamlEntries({a: 1})", '[{key: "a", value: 1}]')],
)
def yaml_entries(v: Any) -> list[dict[str, Any]]:
    """The keys and values of an object as {key, value}."""
    return [{"key": key, "value": value} for key, value in _object(v, "yamlEntries").items()]


@function(
    "yamlFromEntries(entries: Array): Object",
    category="serialization",
    examples=[('yamlFromEntries([{key: "a", value: 1}])', "{a: 1}"), ('yamlFromEntries(["a"])', "error: no entry")],
)
def yaml_from_entries(entries: list[Any]) -> dict[str, Any]:
    """An object from {key, value} entries."""
    for entry in entries:
        if not isinstance(entry, dict) or "key" not in entry:
            fail("this is no entry", hint="Entries look like {key: …, value: …}.")
    return {scalar_text(entry["key"]) or "": entry.get("value") for entry in entries}


@function(
    "yamlFilterByKeyPattern(v: Any, pattern: String): Object",
    category="serialization",
    examples=[('yamlFilterByKeyPattern({"x-a": 1, b: 2}, "^x-")', '{"x-a": 1}')],
    params={"pattern": "A regular expression that is found in the key; ^ and $ tie it to its ends"},
)
def yaml_filter_by_key_pattern(v: Any, pattern: str) -> dict[str, Any]:
    """The properties of an object whose keys match a pattern."""
    expression = compiled(pattern)
    return {key: value for key, value in _object(v, "yamlFilterByKeyPattern").items() if expression.search(key)}


@function(
    "yamlSelectKeys(v: Any, names: Array<String>): Object",
    category="serialization",
    examples=[('yamlSelectKeys({a: 1, b: 2}, ["b", "c"])', "{b: 2}")],
)
def yaml_select_keys(v: Any, names: list[Any]) -> dict[str, Any]:
    """An object with only these keys, in its own order."""
    wanted = set(_names(names))
    return {key: value for key, value in _object(v, "yamlSelectKeys").items() if key in wanted}


@function(
    "yamlOmitKeys(v: Any, names: Array<String>): Object",
    category="serialization",
    examples=[('yamlOmitKeys({a: 1, b: 2}, ["b"])', "{a: 1}")],
)
def yaml_omit_keys(v: Any, names: list[Any]) -> dict[str, Any]:
    """An object without these keys."""
    unwanted = set(_names(names))
    return {key: value for key, value in _object(v, "yamlOmitKeys").items() if key not in unwanted}


def _merged(base: Any, overlay: Any) -> Any:
    if overlay is None:
        return base
    if not (isinstance(base, dict) and isinstance(overlay, dict)):
        return overlay
    return {**base, **{key: _merged(base.get(key), value) for key, value in overlay.items()}}


@function(
    "yamlMerge(base: Any, overlay: Any): Any",
    category="serialization",
    examples=[
        ("yamlMerge({a: {x: 1, y: 2}, b: [1]}, {a: {y: 3}, b: [2], c: null})", "{a: {x: 1, y: 3}, b: [2], c: null}")
    ],
)
def yaml_merge(base: Any, overlay: Any) -> Any:
    """One object over another, deep; arrays are replaced, and null in the second keeps the first."""
    return _merged(document(base), document(overlay))


@function(
    "yamlMergeAll(documents: Array): Any",
    category="serialization",
    examples=[("yamlMergeAll([{a: 1}, {b: 2}, {a: 3}])", "{a: 3, b: 2}")],
)
def yaml_merge_all(documents: list[Any]) -> Any:
    """Objects merged one over the other, in order."""
    merged: Any = None
    for item in documents:
        merged = _merged(merged, document(item))
    return merged


@function(
    "yamlSort(v: Any, deep?: Boolean): Any",
    category="serialization",
    examples=[
        ("keys(yamlSort({b: 1, a: 2}))", '["a", "b"]'),
        ("keys(yamlSort({b: {d: 1, c: 2}}, false).b)", '["d", "c"]'),
    ],
    params={"deep": "Whether inner objects are sorted too; default true"},
)
def yaml_sort(v: Any, deep: bool = True) -> Any:
    """An object with its keys in order."""
    return _sorted(document(v), deep=deep)


def _sorted(value: Any, *, deep: bool) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key], deep=True) if deep else value[key] for key in sorted(value)}
    if isinstance(value, list) and deep:
        return [_sorted(item, deep=True) for item in value]
    return value
