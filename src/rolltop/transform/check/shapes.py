"""What can be read from types: members, elements, whether a value fits a parameter, what a call binds."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rolltop.transform.named_types import NamedObject
from rolltop.transform.types import (
    ANY,
    BOOLEAN,
    INTEGER,
    NEVER,
    NULL,
    NUMBER,
    STRING,
    ArrayType,
    FunctionType,
    ObjectType,
    Type,
    UnionType,
    Variable,
    union,
)

__all__ = [
    "Closure",
    "attribute_of",
    "bind",
    "could_be",
    "element_of",
    "fits",
    "holds_function",
    "is_map",
    "is_number",
    "members",
    "not_null",
    "property_of",
    "substitute",
]


class Closure(Type):
    """The type of a function whose body is inferred anew for the types it is called with."""

    __slots__ = ("apply", "arity", "name")
    __eq__ = object.__eq__  # no two functions are the same
    __hash__ = object.__hash__

    def __init__(self, arity: int, apply: Callable[[list[Type]], Type], name: str = "a function") -> None:
        self.arity = arity
        self.apply = apply
        self.name = name

    def __str__(self) -> str:
        return f"({', '.join(['Any'] * self.arity)}) => Any"


def members(type_: Type) -> tuple[Type, ...]:
    return type_.members if isinstance(type_, UnionType) else (type_,)


def not_null(type_: Type) -> Type:
    if isinstance(type_, UnionType):
        return union(member for member in type_.members if member is not NULL)
    return NEVER if type_ is NULL else type_


def each(type_: Type, rule: Callable[[Type], Type]) -> Type:
    """Apply a rule to every member of a union."""
    if isinstance(type_, UnionType):
        return union(rule(member) for member in type_.members)
    return rule(type_)


def holds_function(type_: Type, known: dict[int, bool] | None = None) -> bool:
    """Whether every value of a type is a function or has one in it. `known` spares looking twice at a shared part."""
    known = {} if known is None else known
    if id(type_) not in known:
        known[id(type_)] = _holds_function(type_, known)
    return known[id(type_)]


def _holds_function(type_: Type, known: dict[int, bool]) -> bool:
    if isinstance(type_, UnionType):
        return all(holds_function(member, known) for member in type_.members)
    if isinstance(type_, NamedObject):
        return False  # it is of the input's schema, and may hold itself
    if isinstance(type_, ObjectType):
        return any(holds_function(kind, known) for name, kind in type_.fields if name in type_.required)
    return isinstance(type_, (Closure, FunctionType))


def is_number(type_: Type) -> bool:
    return type_ is NUMBER or type_ is INTEGER


def is_map(type_: Type) -> bool:
    """Whether a type is that of an object with keys of any name, as `groupBy` gives."""
    return isinstance(type_, ObjectType) and not type_.fields and type_.rest is not None and type_.rest is not ANY


def could_be(given: Type, wanted: Type) -> bool:
    """Whether some value of one type is also of the other."""
    if ANY in (given, wanted) or given is NEVER:
        return True
    return any(_same_kind(a, b) for a in members(given) for b in members(wanted))


def _same_kind(given: Type, wanted: Type) -> bool:
    if given == wanted or ANY in (given, wanted):
        return True
    if is_number(given) and is_number(wanted):
        return True
    kinds = (ArrayType, ObjectType, Variable, (FunctionType, Closure))
    return any(isinstance(given, kind) and isinstance(wanted, kind) for kind in kinds)


def property_of(type_: Type, name: str) -> Type:
    """`x.name`. What is no object (and not null) has no members: Never."""
    if isinstance(type_, UnionType):
        return union(_property(member, name) for member in type_.members)
    return _property(type_, name)


def _property(type_: Type, name: str) -> Type:
    if isinstance(type_, ObjectType):
        known = type_.index.get(name)
        if known is not None:
            return known if name in type_.required else union((known, NULL))
        return NULL if type_.rest is None else union((type_.rest, NULL))
    if type_ is ANY or isinstance(type_, Variable):
        return ANY
    if type_ is NULL:
        return NULL
    if name in ("_text", "#text") and not isinstance(type_, ArrayType):
        return type_
    return NEVER


def attribute_of(type_: Type, name: str) -> Type:
    """`x.@name`: the attribute, else the property of that name."""

    def rule(member: Type) -> Type:
        if isinstance(member, ObjectType):
            return _property(member, "@" + name if "@" + name in member.index else name)
        return NEVER if isinstance(member, ArrayType) else ANY if member is ANY else NULL

    return each(type_, rule)


def element_of(type_: Type) -> Type:
    """The elements of a value used as an array; one XML element is an array of one."""
    if type_ is ANY:
        return ANY

    def rule(member: Type) -> Type:
        if isinstance(member, ArrayType):
            return member.item
        return member if isinstance(member, ObjectType) else ANY

    return each(type_, rule)


_TEXTUAL = frozenset({"String", "Number", "Integer", "Boolean", "Null", "Date", "DateTime", "LocalDateTime", "Time"})
_NUMERIC = frozenset({"String", "Number", "Integer", "Boolean", "Null"})


def fits(given: Type, wanted: Type) -> bool | None:
    """True: always accepted; False: never; None: depends on the value."""
    if not isinstance(given, UnionType):
        return _fits(given, wanted)
    answers = {_fits(member, wanted) for member in given.members}
    return answers.pop() if len(answers) == 1 else None


def _fits(given: Type, wanted: Type) -> bool | None:
    if wanted is ANY or isinstance(wanted, Variable) or given is NEVER:
        return True
    if given is ANY or isinstance(given, Variable):
        return None
    if isinstance(wanted, UnionType):
        answers = {_fits(given, member) for member in wanted.members}
        return True if True in answers else None if None in answers else False
    if isinstance(wanted, FunctionType):
        return isinstance(given, (FunctionType, Closure))
    if isinstance(wanted, ArrayType):
        # One XML element counts as an array of one; any other object does not, a map of keys least of all.
        if isinstance(given, ObjectType):
            return False if is_map(given) else None
        return isinstance(given, ArrayType)
    if isinstance(wanted, ObjectType):
        return isinstance(given, ObjectType)
    return _fits_scalar(given, wanted)


def _fits_scalar(given: Type, wanted: Type) -> bool | None:
    if wanted is BOOLEAN:
        return True
    if isinstance(given, ObjectType):
        # An XML element that has only text counts as its text.
        return None if given.index.get("_text") or given.rest is not None else False
    if isinstance(given, (ArrayType, FunctionType, Closure)):
        return False
    if wanted is STRING:
        return str(given) in _TEXTUAL
    if wanted is NUMBER or wanted is INTEGER:
        return None if given is STRING else str(given) in _NUMERIC
    return given == wanted or None


def bind(wanted: Type, given: Type, bound: dict[str, Type]) -> None:
    """Note what the type variables of a parameter stand for, from an argument that is no lambda."""
    if isinstance(wanted, Variable):
        known = bound.get(wanted.name)
        bound[wanted.name] = given if known is None else union((known, given))
    elif isinstance(wanted, ArrayType):
        bind(wanted.item, element_of(not_null(given)), bound)
    elif isinstance(wanted, UnionType):
        _bind_union(wanted.members, given, bound)
    elif isinstance(wanted, ObjectType) and wanted.rest is not None:
        bind(wanted.rest, _values_of(given), bound)


def _bind_union(options: Iterable[Type], given: Type, bound: dict[str, Type]) -> None:
    for member in members(given):
        for option in options:
            if isinstance(member, type(option)) or isinstance(option, Variable):
                bind(option, member, bound)
                break


def _values_of(type_: Type) -> Type:
    def rule(member: Type) -> Type:
        if not isinstance(member, ObjectType):
            return ANY
        rest = () if member.rest is None else (member.rest,)
        return union([*(field for _, field in member.fields), *rest])

    return each(type_, rule)


def substitute(type_: Type, bound: dict[str, Type]) -> Type:
    """A signature's type with its variables filled in; unknown ones are Any."""
    if isinstance(type_, Variable):
        return bound.get(type_.name, ANY)
    if isinstance(type_, ArrayType):
        return ArrayType(substitute(type_.item, bound))
    if isinstance(type_, UnionType):
        return union(substitute(member, bound) for member in type_.members)
    if isinstance(type_, FunctionType):
        return FunctionType(tuple(substitute(p, bound) for p in type_.params), substitute(type_.result, bound))
    if isinstance(type_, ObjectType) and (type_.fields or type_.rest not in (None, ANY)):
        fields = tuple((name, substitute(field, bound)) for name, field in type_.fields)
        rest = None if type_.rest is None else substitute(type_.rest, bound)
        return ObjectType(fields, type_.required, rest)
    return type_
