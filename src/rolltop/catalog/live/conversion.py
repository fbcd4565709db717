"""JSON arguments as what a function's annotations ask for: members of enums, dataclasses, dates, sets, tuples.

Runs inside the sandbox, beside `worker.py`: only the standard library. What a schema of `rolltop.catalog.pylang`
allows arrives as the annotated type; what cannot is `Unfit`, with every problem and its place.
"""

from __future__ import annotations

import base64
import collections
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import inspect
import os
import sys
import types
import typing
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

__all__ = ["Unfit", "arguments_for", "declaration_of"]


class Unfit(Exception):
    """Arguments that the annotations do not allow: where and why, for each."""

    def __init__(self, *problems: tuple[str, str]) -> None:
        super().__init__("; ".join(f"{path}: {message}" for path, message in problems))
        self.problems = list(problems)


def declaration_of(function: Callable[..., Any], name: str, depth: int = 0) -> Callable[..., Any]:
    """The function as it is written, with its annotations: a decorator may have put one around it that has none."""
    if depth > _MOST_DECORATORS or getattr(function, "__name__", name) == name:
        return function
    for cell in getattr(function, "__closure__", None) or ():
        inner = _content(cell)
        if callable(inner) and not inspect.isclass(inner):
            found = declaration_of(inner, name, depth + 1)
            if getattr(found, "__name__", None) == name:
                return found
    return function


_MOST_DECORATORS = 10


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # empty
        return None


def arguments_for(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments to call with, each as its parameter's annotation asks for."""
    hints, parameters = _hints(function), inspect.signature(function).parameters
    arguments: dict[str, Any] = {}
    problems: list[tuple[str, str]] = []
    for name, value in given.items():
        hint = hints.get(name, Any)
        default = parameters[name].default if name in parameters else None
        if isinstance(hint, str) and isinstance(default, enum.Enum):
            hint = type(default)
        try:
            arguments[name] = converted(value, hint, name)
        except Unfit as unfit:
            problems += unfit.problems
    if problems:
        raise Unfit(*problems)
    return arguments


def _hints(annotated: Any) -> dict[str, Any]:
    """The annotations as types; one that cannot be evaluated, such as a name only type checkers see, stays text."""
    try:
        return typing.get_type_hints(annotated, include_extras=True)
    except Exception:
        written = getattr(inspect.unwrap(annotated), "__annotations__", {})
        return {name: _evaluated(hint, annotated) for name, hint in written.items()}


def _evaluated(hint: Any, annotated: Any) -> Any:
    if not isinstance(hint, str):
        return hint
    try:
        module = vars(sys.modules[annotated.__module__])
        return eval(hint, dict(module))  # noqa: S307 - the package's own code, in the sandbox
    except Exception:
        return hint


def converted(value: Any, hint: Any, path: str) -> Any:
    """One value as the type `hint`; as it is where that type asks for nothing else."""
    hint = _unwrapped(hint)
    kind, inner = typing.get_origin(hint) or hint, typing.get_args(hint)
    if kind in (typing.Union, types.UnionType):
        return _of_union(value, inner, path)
    if value is None or not inspect.isclass(kind):
        return value
    return _as_kind(value, kind, inner, path)


def _unwrapped(hint: Any) -> Any:
    """The type inside `Annotated`, `Final`, `Required`, `InitVar`, a new type, an alias or a type variable."""
    for _ in range(10):
        if isinstance(hint, dataclasses.InitVar):
            hint = hint.type
        elif isinstance(hint, typing.TypeVar):
            hint = _most_general(hint)
        elif hasattr(hint, "__supertype__"):
            hint = hint.__supertype__
        elif type(hint).__name__ == "TypeAliasType":
            hint = hint.__value__
        elif typing.get_origin(hint) in _WRAPPERS:
            hint = typing.get_args(hint)[0]
        else:
            break
    return hint


def _most_general(variable: typing.TypeVar) -> Any:
    """What a type variable stands for where nothing says which of its types it is."""
    if variable.__constraints__:
        return typing.Union[variable.__constraints__]  # noqa: UP007 - a tuple of them
    bound = variable.__bound__ or Any
    return _evaluated(bound.__forward_arg__, variable) if isinstance(bound, typing.ForwardRef) else bound


_WRAPPERS = (typing.Annotated, typing.Final, getattr(typing, "Required", None), getattr(typing, "NotRequired", None))


def _of_union(value: Any, members: tuple[Any, ...], path: str) -> Any:
    """The first member that takes the value; where none does, what the first one says against it."""
    failures: list[Unfit] = []
    if str in members:  # text is text where both may be given
        members = tuple(member for member in members if member not in _BYTES)
    for member in members:
        try:
            result = converted(value, member, path)
        except Unfit as unfit:
            failures.append(unfit)
            continue
        # 2.0 is a whole number only where no other member takes it as it is.
        if _is_a(result, member) and not (type(value) is float and type(result) is int and float in members):
            return result
    if failures:
        raise failures[0]
    return value


def _is_a(value: Any, hint: Any) -> bool:
    hint = _unwrapped(hint)
    kind: Any = typing.get_origin(hint) or hint
    if kind is typing.Literal:
        return any(value == choice and type(value) is type(choice) for choice in typing.get_args(hint))
    if kind in (Any, object) or not inspect.isclass(kind):
        return True
    if isinstance(value, bool):
        return kind is bool
    if kind is float:
        return isinstance(value, (int, float))
    if typing.is_typeddict(kind):
        required: frozenset[str] = vars(kind)["__required_keys__"]
        return isinstance(value, dict) and required <= value.keys() <= set(_hints(kind))
    try:
        return isinstance(value, kind)
    except TypeError:  # a protocol that cannot be asked
        return False


def _as_kind(value: Any, kind: type, inner: tuple[Any, ...], path: str) -> Any:
    if issubclass(kind, enum.Enum):
        return _member(value, kind, path)
    if kind in _FROM_TEXT or issubclass(kind, PurePath):
        return _from_text(value, kind, path)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if _is_record(kind):
        return _record(value, kind, inner, path)
    if issubclass(kind, collections.abc.Mapping) and isinstance(value, dict):
        return _mapping(value, inner, path)
    if isinstance(value, list):
        return _collection(value, kind, inner, path)
    return value


def _member(value: Any, kind: type[enum.Enum], path: str) -> enum.Enum:
    """By its value; by its name where the value cannot be read from the source, or is nothing JSON has."""
    try:
        return kind(value)
    except (ValueError, TypeError):
        if isinstance(value, str) and value in kind.__members__:
            return kind[value]
        raise Unfit((path, f"must be one of {', '.join(repr(member.value) for member in kind)}")) from None


def _from_text(value: Any, kind: type, path: str) -> Any:
    convert, example = _FROM_TEXT.get(kind) or (kind, "a path")
    try:
        return convert(value)
    except (TypeError, ValueError, AttributeError, ArithmeticError):
        raise Unfit((path, f"must be {example}")) from None


_FROM_TEXT: dict[type, tuple[Callable[[Any], Any], str]] = {
    datetime.date: (datetime.date.fromisoformat, "a date such as 2026-01-31"),
    datetime.datetime: (datetime.datetime.fromisoformat, "a date and time such as 2026-01-31T12:30:00"),
    datetime.time: (datetime.time.fromisoformat, "a time such as 12:30:00"),
    uuid.UUID: (uuid.UUID, "a UUID"),
    decimal.Decimal: (lambda value: decimal.Decimal(str(value)), "a number"),
    complex: (complex, "a complex number such as 1+2j"),
    datetime.timedelta: (lambda value: datetime.timedelta(seconds=float(value)), "a number of seconds"),
    bytes: (lambda value: base64.b64decode(value, validate=True), "base64 such as AP8="),
    bytearray: (lambda value: bytearray(base64.b64decode(value, validate=True)), "base64 such as AP8="),
    os.PathLike: (Path, "a path"),
}


_BYTES = (bytes, bytearray)


def _is_record(kind: type) -> bool:
    is_named_tuple = issubclass(kind, tuple) and hasattr(kind, "_fields")
    return is_named_tuple or dataclasses.is_dataclass(kind) or typing.is_typeddict(kind) or _is_model(kind)


def _is_model(kind: type) -> bool:
    """A pydantic model; it converts for itself, but for bytes: it would take the text for them."""
    return callable(getattr(kind, "model_validate", None))


def _has_bytes(hint: Any, depth: int = 0) -> bool:
    hint = _unwrapped(hint)
    if hint in _BYTES:
        return True
    if inspect.isclass(hint) and _is_record(hint) and depth < _DEEPEST:
        return any(_has_bytes(inner, depth + 1) for inner in _hints(hint).values())
    return any(_has_bytes(inner, depth) for inner in typing.get_args(hint))


_DEEPEST = 5
"""Of models in models that are searched for bytes: they may hold their own kind."""


def _record(value: Any, kind: Any, inner: tuple[Any, ...], path: str) -> Any:
    if _is_model(kind):
        if isinstance(value, dict) and _has_bytes(kind):
            hints = {name: hint for name, hint in _hints(kind).items() if _has_bytes(hint)}
            value = {name: converted(item, hints.get(name, Any), f"{path}.{name}") for name, item in value.items()}
        return _made(kind.model_validate, {"obj": value}, path, kind.__name__)
    variables = dict(zip(getattr(kind, "__parameters__", ()), inner, strict=False))
    fields = dict(_fields(value, kind, variables, path))
    return fields if typing.is_typeddict(kind) else _made(kind, fields, path, kind.__name__)


def _fields(value: Any, kind: type, variables: dict[Any, Any], path: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise Unfit((path, f"must be an object with the fields of {kind.__name__}"))
    hints = _hints(kind)
    for name, item in value.items():
        yield name, converted(item, _filled_in(hints.get(name, Any), variables), f"{path}.{name}")


def _filled_in(hint: Any, variables: dict[Any, Any]) -> Any:
    """The hint of a field of `Box[int]`, where the class says `T`."""
    if isinstance(hint, typing.TypeVar):
        return variables.get(hint, hint)
    open_ones = () if inspect.isclass(hint) else getattr(hint, "__parameters__", ())
    return hint[tuple(variables.get(each, each) for each in open_ones)] if open_ones and variables else hint


def _made(make: Callable[..., Any], arguments: dict[str, Any], path: str, name: str) -> Any:
    try:
        return make(**arguments)
    except (TypeError, ValueError) as error:
        raise Unfit((path, f"cannot be a {name}: {error}")) from None


def _mapping(value: dict[str, Any], inner: tuple[Any, ...], path: str) -> dict[Any, Any]:
    key_hint, item_hint = inner if len(inner) == 2 else (str, Any)
    return {
        _key(key, _unwrapped(key_hint), path): converted(item, item_hint, f"{path}.{key}")
        for key, item in value.items()
    }


def _key(key: str, hint: Any, path: str) -> Any:
    """Names of JSON objects are text; numbers among them are written so."""
    if hint in (int, float):
        try:
            return hint(key)
        except ValueError:
            raise Unfit((f"{path}.{key}", "must have a number as its name")) from None
    return converted(key, hint, f"{path}.{key}")


def _collection(value: list[Any], kind: type, inner: tuple[Any, ...], path: str) -> Any:
    if kind is tuple and inner and inner[-1] is not Ellipsis:
        if len(inner) != len(value):
            raise Unfit((path, f"must have {len(inner)} items"))
        hints = inner
    else:
        hints = (inner[0] if inner else Any,) * len(value)
    items = [converted(item, hint, f"{path}[{at}]") for at, (item, hint) in enumerate(zip(value, hints, strict=True))]
    try:
        return _COLLECTIONS.get(kind, list)(items)
    except TypeError as error:  # a set of what cannot be in one
        raise Unfit((path, f"cannot be a {kind.__name__}: {error}")) from None


_COLLECTIONS: dict[type, Callable[[list[Any]], Any]] = {
    tuple: tuple,
    set: set,
    frozenset: frozenset,
    collections.abc.Set: frozenset,
    collections.abc.MutableSet: set,
    collections.deque: collections.deque,
    collections.abc.Iterator: iter,
}
