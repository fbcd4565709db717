"""How a standard library function is declared: once, by decorating its Python body.

::

    @function(
        "padRight(s: String, width: Integer, char: String): String",
        category="string",
        examples=[('padRight("ab", 4, ".")', '"ab.."')],
        aliases=("padEnd",),
        params={"width": "Length of the result"},
    )
    def pad_right(s: str, width: int, char: str) -> str:
        '''Pads a text on the right to a width.'''
        return s.ljust(width, char[:1] or " ")

The signature gives the name, the parameters, their types, what is optional (`name?: T`), what repeats
(`...name: T`) and the result. From the one declaration come the call, the coercions, the checker's
knowledge, the registry, the reference page and the tests of the examples.

**What the body receives.** Arguments are coerced by their declared type before the body runs:
`String` text (null is "", numbers and booleans print, an XML element with only text is its text, arrays
and other objects are refused), `Number` int or float (numeric text parses, booleans are 1 and 0, null is
0, anything else is refused), `Integer` the same cut to int, `Boolean` a bool (text only `true`, `yes`,
`1`), `Array<T>` a list (one XML element counts as an array of one, any other object is refused),
`Object`/`Map<T>` a dict, `Binary` bytes (text is UTF-8), `(A, B) => R` a Python callable that takes
exactly that many positional arguments. Everything else (`Any`, unions, dates, variables) arrives as it
is; a union such as `String | Array<T>` is checked, not coerced. `T?` accepts null and passes `None`. An
optional argument that was not given keeps the Python default of the body.

**Results** are values of `rolltop.transform.values`. **Errors**: `fail("what", hint="what to do")`.
**Host**: `host()` of `stdlib.host`, with `pure=False` so that no back end folds or repeats the call.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypeVar

from rolltop.transform.stdlib.calls import checked
from rolltop.transform.types import Type, has_variables, parse_type

__all__ = ["CATEGORIES", "Category", "Function", "Parameter", "Signature", "function"]

Category = Literal["string", "array", "math", "date", "object", "type", "serialization", "crypto"]
CATEGORIES: tuple[Category, ...] = ("string", "array", "math", "date", "object", "type", "serialization", "crypto")
Infer = Callable[[Sequence[Type]], Type | None]
"""A type rule: the argument types to the result type, or None to fall back on the signature."""
Body = TypeVar("Body", bound=Callable[..., Any])


class Parameter(NamedTuple):
    name: str
    type: Type
    optional: bool = False
    repeated: bool = False
    description: str = ""


@dataclass(frozen=True, slots=True)
class Signature:
    """`name(parameters): result`, as written in the declaration."""

    text: str
    name: str
    parameters: tuple[Parameter, ...]
    result: Type
    least: int = field(init=False)
    most: int | None = field(init=False)
    """The largest number of arguments; None when the last parameter repeats."""
    generic: bool = field(init=False)
    """Whether some type in it is a variable."""

    def __post_init__(self) -> None:
        parameters = self.parameters
        repeats = bool(parameters) and parameters[-1].repeated
        sure = [parameter for parameter in parameters if not (parameter.optional or parameter.repeated)]
        types = (self.result, *(parameter.type for parameter in parameters))
        object.__setattr__(self, "least", len(sure))
        object.__setattr__(self, "most", None if repeats else len(parameters))
        object.__setattr__(self, "generic", any(map(has_variables, types)))

    def renamed(self, alias: str) -> Signature:
        return replace(self, name=alias, text=alias + self.text.removeprefix(self.name))


class Function(NamedTuple):
    """Everything known about one function."""

    signature: Signature
    category: Category
    description: str
    body: Callable[..., Any]
    """The Python function; for callers that know the argument types are right."""
    call: Callable[..., Any]
    """The same behind arity check and coercions; for everybody else."""
    aliases: tuple[str, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()
    infer: Infer | None = None
    pure: bool = True
    asks_environment: bool = False
    decimal: Callable[..., Any] | None = None
    """The body for a decimal as the first argument; without one, decimals arrive as doubles."""
    family: str = ""
    details: str = ""
    names: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.signature.name

    def called(self, alias: str) -> Function:
        """The same function, which messages about its calls name as the program does."""
        signature = self.signature.renamed(alias)
        return self._replace(call=_as_value(_for_decimals(checked(signature, self.body), self.decimal), signature))


def function(
    signature: str,
    *,
    category: Category,
    examples: Sequence[tuple[str, str]],
    aliases: Sequence[str] = (),
    params: Mapping[str, str] | None = None,
    infer: Infer | None = None,
    pure: bool = True,
    asks_environment: bool = False,
    decimal: Callable[..., Any] | None = None,
) -> Callable[[Body], Body]:
    """Declare the decorated body as a function of the language and register it.

    `examples` are pairs of a UTL-X expression and the UTL-X expression it equals; an example that
    must fail has `"error: part of the message"` as its second half. `asks_environment` marks functions that fail
    where programs are sealed off from the machine, which they are over MCP. `decimal` is the body for a decimal as the
    first argument, called with the arguments as they are.
    """
    parsed = parse_signature(signature, params or {})

    def register(body: Body) -> Body:
        from rolltop.transform.stdlib.registry import add  # noqa: PLC0415 - the registry imports families lazily

        summary, _, rest = inspect.cleandoc(body.__doc__ or "").partition("\n\n")
        add(
            Function(
                signature=parsed,
                category=category,
                description=" ".join(summary.split()),
                body=body,
                call=_as_value(_for_decimals(checked(parsed, body), decimal), parsed),
                aliases=tuple(aliases),
                examples=tuple(examples),
                infer=infer,
                pure=pure,
                asks_environment=asks_environment,
                decimal=decimal,
                family=body.__module__.removeprefix("rolltop.transform.stdlib."),
                details=rest.strip(),
                names=(parsed.name, *aliases),
            )
        )
        return body

    return register


_HEAD = re.compile(r"\s*([A-Za-z_]\w*)\s*\(")
_PARAMETER = re.compile(r"(\.\.\.)?\s*([A-Za-z_]\w*)(\?)?\s*:\s*(.+)", re.DOTALL)


def parse_signature(text: str, descriptions: Mapping[str, str]) -> Signature:
    """Read `name(a: T, b?: U, ...c: V): R`."""
    head = _HEAD.match(text)
    if head is None:
        raise ValueError(f"not a signature: {text!r}")
    inside, after = _split_call(text, head.end())
    colon, _, result = after.partition(":")
    if colon.strip() or not result.strip():
        raise ValueError(f"{text!r} does not say what it returns")
    parameters = tuple(_parameter(part, descriptions) for part in _split_commas(inside))
    unknown = set(descriptions) - {parameter.name for parameter in parameters}
    if unknown:
        raise ValueError(f"{head[1]} has no parameters {sorted(unknown)}")
    return Signature(text, head[1], parameters, parse_type(result.strip()))


def _split_call(text: str, start: int) -> tuple[str, str]:
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] in "(<{") - (text[at] in ")}" or (text[at] == ">" and text[at - 1] != "="))
        if depth == 0:
            return text[start:at], text[at + 1 :]
    raise ValueError(f"a parenthesis is left open in {text!r}")


def _split_commas(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "(<{") - (char in ")}" or (char == ">" and text[at - 1] != "="))
        if char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def _parameter(text: str, descriptions: Mapping[str, str]) -> Parameter:
    match = _PARAMETER.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not a parameter: {text!r}")
    dots, name, mark, type_ = match.groups()
    return Parameter(name, parse_type(type_.strip()), bool(mark), bool(dots), descriptions.get(name, ""))


def _for_decimals(call: Callable[..., Any], exact: Callable[..., Any] | None) -> Callable[..., Any]:
    """The call with its own body for decimals; others cannot keep them exact and get doubles."""
    if exact is None:
        return call

    def either(*arguments: Any) -> Any:
        if arguments and type(arguments[0]) is Decimal:
            try:
                return exact(*arguments)
            except (TypeError, ArithmeticError):
                pass  # a wrong count or kind of argument: the ordinary call says so
        return call(*arguments)

    return either


def _as_value(call: Callable[..., Any], signature: Signature) -> Callable[..., Any]:
    """Mark the call as a function value that checks its own arguments; passed to `map` it takes one."""
    call.arity = max(signature.least, 1) if signature.most != 0 else 0  # type: ignore[attr-defined]
    call.declared = signature.name  # type: ignore[attr-defined]
    return call
