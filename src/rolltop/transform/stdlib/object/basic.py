"""Objects as a whole: keys, values, merging, picking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.array.join import group
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.rules import deep_merged, field_union, merged, pair_values
from rolltop.transform.stdlib.texts import identity, key_text, text_of
from rolltop.transform.types import ANY, STRING, ArrayType, ObjectType, Type, union
from rolltop.transform.values import Node, kind_of


@function("keys(object: Object): Array<String>", category="object", examples=[("keys({ a: 1, b: 2 })", '["a", "b"]')])
def keys(value: dict[str, Any]) -> list[str]:
    """The names of the properties, in order."""
    return list(value)


@function(
    "values(object: Map<T>): Array<T>",
    category="object",
    infer=lambda arguments: ArrayType(field_union(arguments[0])),
    examples=[('values({ a: 1, b: "x" })', '[1, "x"]')],
)
def values(value: dict[str, Any]) -> list[Any]:
    """The values of the properties, in order."""
    return list(value.values())


@function(
    "entries(object: Map<T>): Array<Array<String | T>>",
    category="object",
    infer=lambda arguments: ArrayType(ArrayType(union((STRING, field_union(arguments[0]))))),
    examples=[("entries({ a: 1 })", '[["a", 1]]')],
)
def entries(value: dict[str, Any]) -> list[list[Any]]:
    """The properties as [key, value] pairs, in order."""
    return [[name, item] for name, item in value.items()]


@function(
    "fromEntries(pairs: Array): Object",
    category="object",
    infer=pair_values,
    examples=[
        ('fromEntries([["a", 1], ["b", 2], ["a", 3]])', "{ a: 3, b: 2 }"),
        ('fromEntries([["a"]])', "error: pairs"),
    ],
)
def from_entries(pairs: list[Any]) -> dict[str, Any]:
    """An object from [key, value] pairs (or { key, value } objects); later ones win."""
    return dict(_pair("fromEntries", pair) for pair in pairs)


def _pair(name: str, pair: Any) -> tuple[str, Any]:
    if isinstance(pair, dict) and "key" in pair:
        return key_text(pair["key"]), pair.get("value")
    if not isinstance(pair, list) or len(pair) < 2:
        fail(f"{name} requires an array of [key, value] pairs", hint='Write [["a", 1], ["b", 2]].')
    return key_text(pair[0]), pair[1]


@function(
    "merge(...objects: Object): Object",
    category="object",
    infer=merged,
    examples=[("merge({ a: 1, b: 1 }, { b: 2 })", "{ a: 1, b: 2 }"), ("merge()", "{}")],
)
def merge(*objects: dict[str, Any]) -> dict[str, Any]:
    """Objects laid over each other, the later over the earlier; their properties are not merged in turn."""
    if len(objects) == 2 and type(objects[0]) is type(objects[1]) is dict:
        return {**objects[0], **objects[1]}
    result: dict[str, Any] = {}
    attributed = False
    for value in objects:
        result.update(value)
        attributed = attributed or type(value) is Node
    return _attributed(result, objects) if attributed else result


def _attributed(properties: dict[str, Any], sources: Sequence[Any]) -> dict[str, Any]:
    attributes = {name: text for value in sources if type(value) is Node for name, text in value.attributes.items()}
    return Node(properties, attributes) if attributes else properties


@function(
    "deepMerge(left: Object, right: Object): Object",
    category="object",
    infer=lambda arguments: deep_merged(arguments[0], arguments[1]),
    examples=[("deepMerge({ a: { x: 1 }, l: [1] }, { a: { y: 2 }, l: [2] })", "{ a: { x: 1, y: 2 }, l: [1, 2] }")],
)
def deep_merge(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    """Two objects as one: objects in both are merged in turn, arrays strung together, else the right wins."""
    result = dict(left)
    for name, value in right.items():
        result[name] = _deep_merged(result[name], value) if name in result else value
    return _attributed(result, (left, right))


def _deep_merged(left: Any, right: Any) -> Any:
    if isinstance(left, dict) and isinstance(right, dict):
        return deep_merge(left, right)
    if isinstance(left, list) and isinstance(right, list):
        return left + right
    return right


@function(
    "deepMergeAll(objects: Array<Object>): Object",
    category="object",
    examples=[("deepMergeAll([{ a: { x: 1 } }, { a: { y: 2 } }, { b: 3 }])", "{ a: { x: 1, y: 2 }, b: 3 }")],
)
def deep_merge_all(objects: list[Any]) -> dict[str, Any]:
    """Any number of objects merged as with deepMerge."""
    result: dict[str, Any] = {}
    for value in objects:
        if not isinstance(value, dict):
            fail(f"deepMergeAll requires objects, but an element is {kind_of(value)}")
        result = deep_merge(result, value)
    return result


@function("deepClone(value: T): T", category="object", examples=[("deepClone({ a: [1] })", "{ a: [1] }")])
def deep_clone(value: Any) -> Any:
    """A copy of a value that shares nothing with it."""
    if isinstance(value, list):
        return [deep_clone(item) for item in value]
    if type(value) is Node:
        inner = {name: deep_clone(item) for name, item in value.items()}
        return Node(inner, dict(value.attributes), value.name, value.metadata, value.content)
    if isinstance(value, dict):
        return {name: deep_clone(item) for name, item in value.items()}
    return value


def _picked(arguments: Sequence[Type]) -> Type | None:
    return _loose(arguments[0], keep_rest=True)


def _loose(type_: Type, *, keep_rest: bool) -> Type | None:
    if not isinstance(type_, ObjectType):
        return None
    return ObjectType(type_.fields, frozenset(), type_.rest if keep_rest else None)


@function(
    "pick(object: Object, names: Array<String>): Object",
    category="object",
    infer=_picked,
    examples=[('pick({ a: 1, b: 2, c: 3 }, ["c", "a", "z"])', "{ c: 3, a: 1 }")],
)
def pick(value: dict[str, Any], names: list[Any]) -> dict[str, Any]:
    """The named properties of an object, in the order of the names; missing ones are left out."""
    return {name: value[name] for name in map(text_of, names) if name in value}


@function(
    "omit(object: Object, names: Array<String>): Object",
    category="object",
    infer=_picked,
    examples=[('omit({ a: 1, b: 2, c: 3 }, ["b"])', "{ a: 1, c: 3 }")],
)
def omit(value: dict[str, Any], names: list[Any]) -> dict[str, Any]:
    """An object without the named properties."""
    dropped = set(map(text_of, names))
    return _attributed({name: item for name, item in value.items() if name not in dropped}, (value,))


@function(
    "containsKey(object: Object, key: String): Boolean",
    category="object",
    aliases=("hasKey",),
    examples=[('containsKey({ a: null }, "a")', "true"), ('hasKey({ a: 1 }, "b")', "false")],
)
def contains_key(value: dict[str, Any], key: str) -> bool:
    """Whether an object has a property of that name, be it null."""
    return key in value or (key[:1] == "@" and key[1:] in getattr(value, "attributes", ()))


@function(
    "containsValue(object: Object, value: Any): Boolean",
    category="object",
    examples=[("containsValue({ a: [1] }, [1])", "true"), ('containsValue({ a: 1 }, "1")', "false")],
)
def contains_value(value: dict[str, Any], wanted: Any) -> bool:
    """Whether a property of an object has a value, compared as with `==`."""
    key = identity(wanted)
    return any(identity(item) == key for item in value.values())


@function(
    "invert(object: Object): Map<String>",
    category="object",
    examples=[('invert({ a: "x", b: 2 })', '{ x: "a", "2": "b" }')],
)
def invert(value: dict[str, Any]) -> dict[str, str]:
    """Values become keys and keys become values; of equal values the last wins."""
    return {key_text(item): name for name, item in value.items()}


def _divided(arguments: Sequence[Type]) -> Type | None:
    source = arguments[0]
    if isinstance(source, ArrayType):
        return ObjectType(rest=source)
    loose = _loose(source, keep_rest=True)
    return ArrayType(loose) if loose is not None else ANY


@function(
    "divideBy(value: Array<T> | Object, by: String | Number | ((T) => Any)): Array | Object",
    category="object",
    infer=_divided,
    params={"by": "For an array a property name or a function, for an object how many properties go together"},
    examples=[
        ('divideBy([{ t: "a", n: 1 }, { t: "b", n: 2 }], "t")', '{ a: [{ t: "a", n: 1 }], b: [{ t: "b", n: 2 }] }'),
        ("divideBy([1, 2, 3], n => n % 2)", '{ "1": [1, 3], "0": [2] }'),
        ("divideBy({ a: 1, b: 2, c: 3 }, 2)", "[{ a: 1, b: 2 }, { c: 3 }]"),
    ],
)
def divide_by(value: Any, by: Any) -> Any:
    """Divides an array into groups as groupBy does, or an object into objects of so many properties."""
    if isinstance(value, list):
        return group(value, by if callable(by) else text_of(by))
    if type(by) not in (int, float) or not 1 <= by < 2**63:
        fail("divideBy requires a number of at least 1 to divide an object")
    pairs, size = list(value.items()), int(by)
    return [dict(pairs[at : at + size]) for at in range(0, len(pairs), size)]
