"""A body behind its arity check and coercions.

Most calls have one to three arguments that are of the declared type already, so there is a closure
for each of these counts that looks at the types and goes straight to the body; everything else takes
the general way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rolltop.transform.errors import FunctionFailure
from rolltop.transform.stdlib.coerce import Coercer, coercer_of, ready_types

if TYPE_CHECKING:
    from rolltop.transform.stdlib.declare import Signature

__all__ = ["checked"]

Body = Callable[..., Any]
Guard = tuple[frozenset[type] | None, Coercer]
"""Types that need no coercion (None: no type does), and the coercion for all others."""
_ABSENT: Any = object()


def checked(signature: Signature, body: Body) -> Body:
    """The body as a function that takes any arguments and refuses those that do not fit."""
    guards = [_guard(signature, at) for at in range(len(signature.parameters))]
    if signature.most is None:
        return _repeating(signature, body, guards)
    if all(ready is None for ready, _ in guards) and signature.least == signature.most:
        return _unguarded(signature, body)
    maker = {1: _one, 2: _two, 3: _three}.get(len(guards), _many)
    return maker(signature, body, guards)


def _guard(signature: Signature, at: int) -> Guard:
    wanted = signature.parameters[at].type
    coerce = coercer_of(wanted)
    return (None, _as_it_is) if coerce is None else (ready_types(wanted), coerce)


def _as_it_is(value: Any, signature: Signature, at: int) -> Any:
    return value


def _unguarded(signature: Signature, body: Body) -> Body:
    count = len(signature.parameters)

    def call(*arguments: Any) -> Any:
        if len(arguments) != count:
            raise _wrong_count(signature, len(arguments))
        return body(*arguments)

    return call


def _one(signature: Signature, body: Body, guards: Sequence[Guard]) -> Body:
    [(ready, coerce)] = guards
    least = signature.least

    def call(a: Any = _ABSENT, *surplus: Any) -> Any:
        if a is _ABSENT or surplus:
            if least or surplus:
                raise _wrong_count(signature, _given(a) + len(surplus))
            return body()
        if ready is not None and type(a) not in ready:
            a = coerce(a, signature, 0)
        return body(a)

    return call


def _two(signature: Signature, body: Body, guards: Sequence[Guard]) -> Body:
    (ready_a, coerce_a), (ready_b, coerce_b) = guards
    least = signature.least

    def call(a: Any = _ABSENT, b: Any = _ABSENT, *surplus: Any) -> Any:
        if b is _ABSENT or surplus:
            given = _given(a, b) + len(surplus)
            if not least <= given <= 2:
                raise _wrong_count(signature, given)
            if given == 0:
                return body()
        if ready_a is not None and type(a) not in ready_a:
            a = coerce_a(a, signature, 0)
        if b is _ABSENT:
            return body(a)
        if ready_b is not None and type(b) not in ready_b:
            b = coerce_b(b, signature, 1)
        return body(a, b)

    return call


def _three(signature: Signature, body: Body, guards: Sequence[Guard]) -> Body:
    (ready_a, coerce_a), (ready_b, coerce_b), (ready_c, coerce_c) = guards
    least = signature.least

    def call(a: Any = _ABSENT, b: Any = _ABSENT, c: Any = _ABSENT, *surplus: Any) -> Any:
        if c is _ABSENT or surplus:
            given = _given(a, b, c) + len(surplus)
            if not least <= given <= 3:
                raise _wrong_count(signature, given)
            if given == 0:
                return body()
        if ready_a is not None and type(a) not in ready_a:
            a = coerce_a(a, signature, 0)
        if b is _ABSENT:
            return body(a)
        if ready_b is not None and type(b) not in ready_b:
            b = coerce_b(b, signature, 1)
        if c is _ABSENT:
            return body(a, b)
        if ready_c is not None and type(c) not in ready_c:
            c = coerce_c(c, signature, 2)
        return body(a, b, c)

    return call


def _many(signature: Signature, body: Body, guards: Sequence[Guard]) -> Body:
    least, most = signature.least, len(guards)

    def call(*arguments: Any) -> Any:
        if not least <= len(arguments) <= most:
            raise _wrong_count(signature, len(arguments))
        values = list(arguments)
        for at, value in enumerate(arguments):
            ready, coerce = guards[at]
            if ready is not None and type(value) not in ready:
                values[at] = coerce(value, signature, at)
        return body(*values)

    return call


def _repeating(signature: Signature, body: Body, guards: Sequence[Guard]) -> Body:
    least, last = signature.least, len(guards) - 1
    kinds = guards[0][0] if last == 0 else None
    guarded = any(ready is not None for ready, _ in guards)

    def call(*arguments: Any) -> Any:
        if len(arguments) < least:
            raise _wrong_count(signature, len(arguments))
        if not guarded or (kinds is not None and kinds.issuperset(map(type, arguments))):
            return body(*arguments)
        values = list(arguments)
        for at, value in enumerate(arguments):
            ready, coerce = guards[at if at < last else last]
            if ready is not None and type(value) not in ready:
                values[at] = coerce(value, signature, min(at, last))
        return body(*values)

    return call


def _given(a: Any, b: Any = _ABSENT, c: Any = _ABSENT) -> int:
    """How many of the leading arguments are there."""
    return 3 if c is not _ABSENT else 2 if b is not _ABSENT else 1 if a is not _ABSENT else 0


def _wrong_count(signature: Signature, given: int) -> FunctionFailure:
    least, most = signature.least, signature.most
    if most is None:
        wanted = f"at least {least}"
    else:
        wanted = str(least) if least == most else f"{least} to {most}"
    plural = "argument" if wanted in ("1", "at least 1") else "arguments"
    return FunctionFailure(f"{signature.name} expects {wanted} {plural}, got {given}", hint=f"Write {signature.text}.")
