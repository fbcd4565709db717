"""Classes that a call makes, as the class statements that say the same: `Point = namedtuple("Point", "x y")`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

__all__ = ["class_of_call"]

_ENUMS = ("Enum", "StrEnum", "IntEnum", "Flag", "IntFlag")


def class_of_call(name: str, value: ast.expr) -> ast.ClassDef | None:
    """The class that `name = value` defines; None where it defines none, or only running the code would tell."""
    match value:
        case ast.Call(func=ast.Name(id=maker) | ast.Attribute(attr=maker), args=[ast.Constant(), members]):
            if make := _MAKERS.get(maker):
                body = list(make(members, {item.arg: item.value for item in value.keywords if item.arg}))
                keywords = [item for item in value.keywords if item.arg == "total"] if maker == "TypedDict" else []
                base = ast.Name("NamedTuple" if maker == "namedtuple" else maker)
                return ast.ClassDef(name, [base], keywords, body, []) if body else None
    return None


Options = dict[str, ast.expr]


def _named(members: ast.expr, options: Options) -> Iterator[ast.stmt]:
    """`namedtuple`: fields of any type, the last of which may have defaults."""
    names = _names(members)
    defaults = options.get("defaults")
    given = defaults.elts if isinstance(defaults, ast.Tuple | ast.List) else []
    for at, name in enumerate(names, len(given) - len(names)):
        yield _field(name, ast.Name("Any"), given[at] if at >= 0 else None)


def _typed(members: ast.expr, _options: Options) -> Iterator[ast.stmt]:
    """`NamedTuple` with pairs, `TypedDict` with a dict."""
    for name, annotation in _pairs(members):
        yield _field(name, annotation, None)


def _members(members: ast.expr, _options: Options) -> Iterator[ast.stmt]:
    """`Enum`: names that are counted from one, or names with values."""
    for name in _names(members):
        yield ast.Assign([ast.Name(name)], ast.Call(ast.Name("auto"), [], []))
    for name, value in _pairs(members):
        yield ast.Assign([ast.Name(name)], value)


_MAKERS: dict[str, Callable[[ast.expr, Options], Iterator[ast.stmt]]] = {
    "namedtuple": _named,
    "NamedTuple": _typed,
    "TypedDict": _typed,
    **dict.fromkeys(_ENUMS, _members),
}


def _field(name: str, annotation: ast.expr, default: ast.expr | None) -> ast.stmt:
    return ast.AnnAssign(ast.Name(name), annotation, default, 1)


def _names(node: ast.expr) -> list[str]:
    """Of "x y", "x, y" and ["x", "y"]."""
    match node:
        case ast.Constant(value=str(text)):
            return text.replace(",", " ").split()
        case ast.List(elts=items) | ast.Tuple(elts=items):
            names = [item.value for item in items if isinstance(item, ast.Constant)]
            return [name for name in names if isinstance(name, str)]
    return []


def _pairs(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Of {"x": int} and [("x", int)]."""
    match node:
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            for item in items:
                match item:
                    case ast.Tuple(elts=[ast.Constant(value=str(name)), value]):
                        yield name, value
