"""Reaching into values: properties, attributes, metadata, wildcards, indices; and building objects."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from rolltop.transform.errors import EvaluationFailure, TypeFailure
from rolltop.transform.stdlib.coerce import READS_XML
from rolltop.transform.values import Node, arity_of, is_element, is_number, kind_of, number_text, scalar_text, unwrap

__all__ = [
    "all_attributes",
    "all_values",
    "attribute",
    "attribute_text",
    "call",
    "index",
    "key_text",
    "metadata",
    "object_of",
    "prop",
    "safe_prop",
    "spliced",
]

TEXT = ("_text", "#text")


def spliced(value: Any) -> Iterable[Any]:
    """`...x` in an array: the elements of an array, one XML element as itself, and nothing of anything else."""
    return value if isinstance(value, list) else (value,) if is_element(value) else ()


def prop(target: Any, name: str) -> Any:
    """`x.name`: the property or null; null of null."""
    kind = type(target)
    if kind is dict:
        value = target.get(name)
        return unwrap(value) if type(value) is Node else value
    if kind is Node:
        return unwrap(target.get(name if name != "#text" else "_text"))
    if target is None:
        return None
    if name in TEXT and not isinstance(target, list):
        return target
    raise _no_property(target, name)


def _no_property(target: Any, name: str) -> TypeFailure:
    hint = f"Map over it: map(items, x => x.{name})." if isinstance(target, list) else None
    article = "an" if kind_of(target)[0] in "ao" else "a"
    return TypeFailure(f"Cannot access property '{name}' of {article} {kind_of(target)}", hint=hint)


def safe_prop(target: Any, name: str) -> Any:
    """`x?.name`: never fails."""
    return prop(target, name) if isinstance(target, dict) else None


def attribute(target: Any, name: str) -> Any:
    """`x.@name`: the attribute, else (so that one program serves XML and JSON) the property.

    Data that shows an attribute as a key `@name` has it as one.
    """
    if type(target) is Node:
        found = target.attributes.get(name)
        if found is not None:
            return found
    if isinstance(target, dict):
        marked = "@" + name
        return unwrap(target.get(marked if marked in target else name))
    if isinstance(target, list):
        raise TypeFailure(
            f"Cannot access attribute '@{name}' of an array", hint=f"Map over it: map(items, x => x.@{name})."
        )
    return None


def metadata(target: Any, name: str) -> Any:
    """`x.^name`: metadata under that name, or with the internal prefix."""
    if isinstance(target, list):
        raise TypeFailure(f"Cannot access metadata '^{name}' of an array")
    known = getattr(target, "metadata", None) or {}
    return known.get(name, known.get("__" + name))


def all_values(target: Any) -> list[Any]:
    """`x.*`: the property values."""
    if isinstance(target, dict):
        return [unwrap(value) for key, value in target.items() if not (key == "_text" and type(target) is Node)]
    if target is None:
        return []
    raise TypeFailure(f"Cannot take all values of a {kind_of(target)}", hint="`.*` needs an object.")


def all_attributes(target: Any) -> list[str]:
    """`x.@*`: the attribute texts."""
    if isinstance(target, list):
        raise TypeFailure("Cannot take all attributes of an array", hint="Map over it: map(items, x => x.@*).")
    return list(getattr(target, "attributes", {}).values())


def index(target: Any, key: Any) -> Any:
    """`x[key]`: an element by number, a property by text (`"@name"` an attribute, `"^name"` metadata)."""
    if isinstance(target, list):
        return _element(target, key)
    if target is None:
        return None
    if isinstance(target, dict):
        return _by_key(target, key)
    if key in TEXT:
        return target
    if is_number(key) and READS_XML.get() and type(target) in (str, int, float):
        return _element([target], key)  # an element with text only that occurs once
    raise TypeFailure(f"Cannot index a {kind_of(target)}", hint="Only arrays and objects can be indexed.")


def _element(target: list[Any], key: Any) -> Any:
    if not is_number(key) or not math.isfinite(key):
        raise TypeFailure(f"Array index must be a number, not a {kind_of(key)}")
    at = int(key)
    if at < 0:
        raise EvaluationFailure(
            f"Array index out of bounds: negative index {at}",
            code="index_out_of_bounds",
            hint="Use last(array) for the last element.",
        )
    if at >= len(target):
        raise EvaluationFailure(
            f"Array index out of bounds: index {at}, size {len(target)}", code="index_out_of_bounds"
        )
    return target[at]


def _by_key(target: dict[str, Any], key: Any) -> Any:
    if type(key) is bool:
        key = "true" if key else "false"
    if type(key) is not str:
        if is_number(key) and type(target) is Node and target.name is not None:
            # A single XML child stands for an array of one.
            return _element([target], key)
        raise TypeFailure(f"Object key must be a string, not a {kind_of(key)}")
    if key in target:
        return unwrap(target[key])
    if key[:1] == "@":
        return attribute(target, key[1:])
    if key[:1] == "^":
        return metadata(target, key[1:])
    return target.get("_text") if key == "#text" else None


def key_text(key: Any) -> str:
    """The text of a computed key."""
    key = unwrap(key)
    if type(key) is str:
        return key
    if is_number(key):
        return number_text(key)
    raise TypeFailure(f"A computed key must be a string or a number, not a {kind_of(key)}")


def attribute_text(value: Any) -> str:
    """The text that an attribute gets; null is empty."""
    if value is None:
        return ""
    text = scalar_text(value)
    if text is None:
        raise TypeFailure(
            f"An attribute cannot hold a {kind_of(value)}", hint="Attributes are text, numbers or booleans."
        )
    return text


def object_of(properties: dict[str, Any], attributes: dict[str, str]) -> dict[str, Any]:
    """An object literal's value: a plain dict unless it has attributes."""
    return Node(properties, attributes) if attributes else properties


def call(function: Any, arguments: list[Any]) -> Any:
    """Call a function value with exactly these arguments."""
    if not callable(function):
        raise TypeFailure(f"Cannot call non-function value ({kind_of(function)})")
    arity = arity_of(function)
    if arity is not None and arity != len(arguments) and not hasattr(function, "declared"):
        raise TypeFailure(f"Function expects {arity} arguments, got {len(arguments)}")
    called: Callable[..., Any] = function
    return called(*arguments)
