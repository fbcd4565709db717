"""Changes to JSON documents as data: JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7396)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import equal, kind_of

_NEEDS = {
    "add": ("path", "value"),
    "remove": ("path",),
    "replace": ("path", "value"),
    "move": ("from", "path"),
    "copy": ("from", "path"),
    "test": ("path", "value"),
}
_POINTER = re.compile(r"(?:/(?:[^/~]|~[01])*)*")
_OPS = "Array<{ op: String, path: String, from?: String, value?: Any }>"


def _steps(pointer: str) -> list[str]:
    if pointer and not pointer.startswith("/"):
        fail(f"{pointer[:60]!r} is no JSON Pointer", hint="A pointer looks like /items/0/name.")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _index(items: list[Any], step: str, *, most: int) -> int:
    if not (step.isascii() and step.isdigit()) or (len(step) > 1 and step[0] == "0") or len(step) > 9:
        fail(f"{step[:40]!r} is no position in an array", hint="Positions are 0, 1, 2, …; - is after the last.")
    at = int(step)
    if at > most:
        fail(f"there is no position {at} in an array of {len(items)}", hint="Positions start at 0.")
    return at


def _get(value: Any, steps: Sequence[str]) -> Any:
    for step in steps:
        if isinstance(value, list):
            value = value[_index(value, step, most=len(value) - 1)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            fail(f"there is no {step[:60]!r} in the document", hint="Check the path.")
    return value


Change = Callable[[Any, str], Any]
"""A container and the last step of a path to the changed copy of the container."""


def _at(value: Any, steps: Sequence[str], change: Change) -> Any:
    """A copy of the value with a change at the end of the path; what is beside the path is shared."""
    if len(steps) == 1:
        if not isinstance(value, (dict, list)):
            fail(f"a {kind_of(value)} has no {steps[0][:60]!r}", hint="Check the path.")
        return change(value, steps[0])
    inner = _get(value, steps[:1])
    changed = _at(inner, steps[1:], change)
    if isinstance(value, list):
        return [changed if item is inner and at == int(steps[0]) else item for at, item in enumerate(value)]
    return {**value, steps[0]: changed}


def _added(value: Any) -> Change:
    def change(container: Any, step: str) -> Any:
        if isinstance(container, dict):
            return {**container, step: value}
        at = len(container) if step == "-" else _index(container, step, most=len(container))
        return [*container[:at], value, *container[at:]]

    return change


def _replaced(value: Any) -> Change:
    def change(container: Any, step: str) -> Any:
        _get(container, [step])
        if isinstance(container, dict):
            return {**container, step: value}
        at = int(step)
        return [*container[:at], value, *container[at + 1 :]]

    return change


def _removed(container: Any, step: str) -> Any:
    _get(container, [step])
    if isinstance(container, dict):
        return {key: item for key, item in container.items() if key != step}
    at = int(step)
    return [*container[:at], *container[at + 1 :]]


def _apply(document: Any, operation: dict[str, Any]) -> Any:
    name, path = operation["op"], _steps(operation["path"])
    if name == "test":
        if not equal(_get(document, path), operation["value"]):
            fail(f"the value at {operation['path']!r} is another one", hint="The document changed since it was read.")
        return document
    if name == "remove":
        return _at(document, path, _removed) if path else fail("the whole document cannot be removed", hint=_WHOLE)
    if name == "replace":
        return _at(document, path, _replaced(operation["value"])) if path else operation["value"]
    if name == "add":
        return _at(document, path, _added(operation["value"])) if path else operation["value"]
    source = _steps(operation["from"])
    value = _get(document, source)
    if name == "move":
        if path[: len(source)] == source:
            if path == source:
                return document
            fail("a value cannot be moved into itself", hint="Copy it instead.")
        document = _at(document, source, _removed)
    return _at(document, path, _added(value)) if path else value


_WHOLE = 'Replace it: {op: "replace", path: "", value: …}.'


def _faults(operations: Any) -> list[str]:
    if not isinstance(operations, list):
        return ["a patch is an array of operations"]
    return [f"operation {at}: {fault}" for at, item in enumerate(operations) for fault in _faults_of(item)]


def _faults_of(operation: Any) -> list[str]:
    if not isinstance(operation, dict):
        return ["it is no object"]
    name = operation.get("op")
    if not isinstance(name, str) or name not in _NEEDS:
        return [f"there is no operation {str(name)[:40]!r}"]
    faults = [f"{name} needs {key!r}" for key in _NEEDS[name] if key not in operation]
    for key in ("path", "from"):
        pointer = operation.get(key)
        if key in operation and key in _NEEDS[name] and not (isinstance(pointer, str) and _POINTER.fullmatch(pointer)):
            faults.append(f"{key!r} is no JSON Pointer")
    return faults


@function(
    f"jsonPatch(document: Any, operations: {_OPS}): Any",
    category="serialization",
    examples=[
        (
            'jsonPatch({a: 1, b: [1, 3]}, [{op: "add", path: "/b/1", value: 2}, {op: "remove", path: "/a"}])',
            "{b: [1, 2, 3]}",
        ),
        ('jsonPatch({a: 1}, [{op: "test", path: "/a", value: 2}])', "error: is another one"),
        ('jsonPatch({a: {b: 1}}, [{op: "move", from: "/a/b", path: "/c"}])', "{a: {}, c: 1}"),
    ],
    params={"operations": "add, remove, replace, move, copy and test, in order"},
)
def json_patch(document: Any, operations: list[Any]) -> Any:
    """Applies a JSON Patch; the document stays as it was when one operation fails."""
    faults = _faults(operations)
    if faults:
        fail(f"the patch is wrong: {faults[0]}", hint="validateJsonPatch lists everything that is wrong.")
    for operation in operations:
        document = _apply(document, operation)
    return document


@function(
    "jsonMergePatch(document: Any, patch: Any): Any",
    category="serialization",
    examples=[("jsonMergePatch({a: 1, b: {c: 2, d: 3}}, {a: null, b: {c: 9}})", "{b: {c: 9, d: 3}}")],
    params={"patch": "An object; null removes a property, anything that is no object replaces"},
)
def json_merge_patch(document: Any, patch: Any) -> Any:
    """Applies a JSON Merge Patch."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = json_merge_patch(merged.get(key), value)
    return merged


@function(
    f"jsonDiff(a: Any, b: Any): {_OPS}",
    category="serialization",
    examples=[
        ("jsonDiff({a: 1, b: 2}, {a: 1, b: 3, c: 4})", '[{op: "replace", path: "/b", value: 3}, '
         '{op: "add", path: "/c", value: 4}]'),
        ("jsonDiff([1], [1])", "[]"),
    ],
)  # fmt: skip
def json_diff(a: Any, b: Any) -> list[dict[str, Any]]:
    """The JSON Patch that makes the second document of the first; arrays are replaced as a whole."""
    return list(_difference(a, b, ""))


def _difference(a: Any, b: Any, path: str) -> list[dict[str, Any]]:
    if not (isinstance(a, dict) and isinstance(b, dict)):
        return [] if equal(a, b) else [{"op": "replace", "path": path, "value": b}]
    found = [{"op": "remove", "path": f"{path}/{_escaped(key)}"} for key in a if key not in b]
    for key, value in b.items():
        at = f"{path}/{_escaped(key)}"
        found += _difference(a[key], value, at) if key in a else [{"op": "add", "path": at, "value": value}]
    return found


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


@function(
    "validateJsonPatch(operations: Any): { valid: Boolean, errors: Array<String> }",
    category="serialization",
    examples=[
        ('validateJsonPatch([{op: "remove", path: "/a"}]).valid', "true"),
        ('validateJsonPatch([{op: "add", path: "/a"}]).errors', "[\"operation 0: add needs 'value'\"]"),
    ],
)
def validate_json_patch(operations: Any) -> dict[str, Any]:
    """Whether an array has the form of a JSON Patch, and everything that is wrong with it."""
    faults = _faults(operations)
    return {"valid": not faults, "errors": faults}
