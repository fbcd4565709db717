"""What the operators do with values. Back ends call these, or prove that Python's own do the same."""

from __future__ import annotations

import datetime as dt
import math
import operator as python
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from rolltop.transform.errors import EvaluationFailure, TypeFailure
from rolltop.transform.values import (
    as_decimal,
    compare,
    concat_text,
    equal,
    fit,
    is_number,
    kind_of,
    parse_number,
    truthy,
    unwrap,
)

__all__ = ["BINARY", "add", "divide", "exact", "less", "modulo", "multiply", "negate", "power", "subtract"]

Number = int | float | Decimal
_ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _MODULO = (
    python.add, python.sub, python.mul, python.truediv, python.mod,
)  # fmt: skip


def add(left: Any, right: Any) -> Any:
    """Joins texts when either side is one, else adds numbers."""
    a, b = type(left), type(right)
    if a is str and b is str:
        return left + right
    if (a is int or a is float) and (b is int or b is float):
        return fit(left + right)
    left, right = unwrap(left), unwrap(right)
    if isinstance(left, str) or isinstance(right, str):
        return _joined(left) + _joined(right)
    if is_number(left) and is_number(right):
        return exact(_ADD, left, right)
    raise TypeFailure("Invalid operands for +", hint=_operands_hint(left, right))


def _joined(value: Any) -> str:
    text = concat_text(value)
    if text is None:
        raise TypeFailure(
            "Invalid operands for +", hint=f"a {kind_of(value)} has no text form; use renderJson or join."
        )
    return text


def _operands_hint(left: Any, right: Any) -> str:
    kinds = f"they are {kind_of(left)} and {kind_of(right)}"
    if left is None or right is None:
        return f"{kinds}; give a default, as in (x ?? 0) + 1."
    if isinstance(left, list) or isinstance(right, list):
        return f"{kinds}; join arrays with [...a, ...b]."
    return f"{kinds}."


def _number(value: Any, message: str) -> Number:
    """A number, or the number that a text spells."""
    if is_number(value):
        return value  # type: ignore[no-any-return]
    value = unwrap(value)
    if is_number(value):
        return value  # type: ignore[no-any-return]
    if type(value) is str:
        number = parse_number(value)
        if number is not None:
            return number
    raise TypeFailure(message, hint=_number_hint(value))


def _number_hint(value: Any) -> str:
    if value is None:
        return "it is null; give a default, as in x ?? 0."
    if isinstance(value, str):
        return "it is a text that is not a number; use toNumber or replace to clean it."
    return f"it is {'an' if kind_of(value)[0] in 'ao' else 'a'} {kind_of(value)}."


_LEFT, _RIGHT = "Left operand must be number", "Right operand must be number"


def exact(operation: Callable[[Any, Any], Any], a: Number, b: Number) -> Number:
    """The result of two numbers, exact where one of them is a decimal: the other becomes one too."""
    if (type(a) is Decimal or type(b) is Decimal) and math.isfinite(a) and math.isfinite(b):
        try:
            return operation(as_decimal(a), as_decimal(b))  # type: ignore[no-any-return]
        except ArithmeticError:
            raise EvaluationFailure("the result is beyond what a decimal can hold") from None
    if type(a) is Decimal or type(b) is Decimal:
        a, b = float(a), float(b)
    result: Number = fit(operation(a, b))
    return result


def subtract(left: Any, right: Any) -> Number:
    return exact(_SUBTRACT, _number(left, _LEFT), _number(right, _RIGHT))


def multiply(left: Any, right: Any) -> Number:
    return exact(_MULTIPLY, _number(left, _LEFT), _number(right, _RIGHT))


def divide(left: Any, right: Any) -> Number:
    a, b = _number(left, _LEFT), _number(right, _RIGHT)
    if b == 0:
        raise _by_zero(" (0 / 0 is indeterminate)" if a == 0 else "")
    if type(a) is Decimal or type(b) is Decimal:
        return exact(_DIVIDE, a, b)
    if type(a) is int and type(b) is int and a % b == 0:
        return fit(a // b)
    return a / b  # type: ignore[operator]


def modulo(left: Any, right: Any) -> Number:
    """The remainder with the sign of the left operand."""
    a, b = _number(left, _LEFT), _number(right, _RIGHT)
    if b == 0:
        raise _by_zero(" (modulo by zero)")
    if type(a) is Decimal or type(b) is Decimal:
        return exact(_MODULO, a, b)
    if type(a) is int and type(b) is int:
        return abs(a) % abs(b) * (-1 if a < 0 else 1)
    return math.fmod(a, b) if math.isfinite(a) else math.nan


def _by_zero(which: str) -> EvaluationFailure:
    return EvaluationFailure(
        f"Division by zero{which}", code="division_by_zero", hint="Guard it: if (d != 0) n / d else 0."
    )


def power(left: Any, right: Any) -> Number:
    """Floating-point power: a double, also of two integers; a decimal of a decimal and an integer."""
    base, exponent = _number(left, "Base must be number"), _number(right, "Exponent must be number")
    if type(base) is Decimal and type(exponent) is int:
        return exact(python.pow, base, exponent)
    try:
        result: Any = float(base) ** float(exponent)
    except OverflowError:
        negative = base < 0 and float(exponent) % 2 == 1
        return -math.inf if negative else math.inf
    except ZeroDivisionError:
        return math.inf
    return math.nan if isinstance(result, complex) else float(result)


def negate(value: Any) -> Number:
    return fit(-_number(value, "Unary minus requires number"))


def _order(left: Any, right: Any) -> int:
    result = compare(left, right)
    if result is None:
        result = _compare_loosely(unwrap(left), unwrap(right))
    return result


def _compare_loosely(left: Any, right: Any) -> int:
    """A number and a text that spells one compare as numbers: attributes are always text. So do a date, a point in
    time and a text that spells either."""
    if isinstance(left, dt.date) or isinstance(right, dt.date):
        left, right = _moment(left), _moment(right)
    elif is_number(left) and type(right) is str:
        right = parse_number(right) if parse_number(right) is not None else right
    elif is_number(right) and type(left) is str:
        left = parse_number(left) if parse_number(left) is not None else left
    result = compare(left, right)
    if result is None:
        raise TypeFailure("Cannot compare these types", hint=f"they are {kind_of(left)} and {kind_of(right)}.")
    return result


def _moment(value: Any) -> Any:
    """The point in time that a date or a text stands for; anything else as it is."""
    if not isinstance(value, (dt.date, str)):
        return value
    from rolltop.transform.stdlib.date.moments import instant  # noqa: PLC0415 - few programs compare dates of two kinds

    try:
        return instant(value)
    except EvaluationFailure:
        return value


def _nan(left: Any, right: Any) -> bool:
    return bool(left != left or right != right)  # noqa: PLR0124 - only NaN differs from itself


def less(left: Any, right: Any) -> bool:
    return _order(left, right) < 0


def less_or_equal(left: Any, right: Any) -> bool:
    return _order(left, right) <= 0 and not _nan(left, right)


def greater(left: Any, right: Any) -> bool:
    return _order(left, right) > 0


def greater_or_equal(left: Any, right: Any) -> bool:
    return _order(left, right) >= 0 and not _nan(left, right)


def same(left: Any, right: Any) -> bool:
    return equal(unwrap(left), unwrap(right))


def different(left: Any, right: Any) -> bool:
    return not equal(unwrap(left), unwrap(right))


def negated_truth(value: Any) -> bool:
    return not truthy(value)


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "%": modulo,
    "**": power,
    "==": same,
    "!=": different,
    "<": less,
    "<=": less_or_equal,
    ">": greater,
    ">=": greater_or_equal,
}
"""All operators that evaluate both sides; `&&`, `||` and `??` do not."""
