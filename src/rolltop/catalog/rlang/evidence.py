"""What code says of a parameter's type: the values that examples pass, and the checks at the start of a function."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rolltop.catalog.inference import Schema, array_of, fits
from rolltop.catalog.rlang.binding import name_of, significant, split_at_commas
from rolltop.catalog.rlang.constants import constant
from rolltop.catalog.rlang.lexer import top_level_tokens

__all__ = ["checked_types", "observed_values", "omissible", "type_of_values"]

_MOST_CALLS = 50
_CHECKS = {
    "numeric": "number", "double": "number", "integer": "integer", "character": "string", "logical": "boolean",
    "list": "object", "environment": "object", "function": "string", "data.frame": "rows", "string": "string",
    "number": "number", "count": "integer", "int": "integer", "flag": "boolean",
}  # fmt: skip
_KINDS = "|".join(sorted(map(re.escape, _CHECKS), key=len, reverse=True))
# A check that stops the function: in stopifnot() or an assertion, or negated before stop().
_REQUIRED = re.compile(rf"(?:!\s*is[._]|\bassert_?)(?P<kind>{_KINDS})\(\s*(?P<name>[\w.]+)\s*[,)]")
_STOPIFNOT = re.compile(r"\bstopifnot\s*\(")
_IS = re.compile(rf"(?<![!\w.])is[._](?P<kind>{_KINDS})\(\s*(?P<name>[\w.]+)\s*\)")
_MISSING = re.compile(r"(?<![\w.])missing\(\s*(?P<name>[\w.]+)\s*\)(?!\s*\)\s*\{?\s*(?:\w+::)?(?:stop|abort|cli_abort)\()")
_MATCHED = re.compile(r"\bmatch\.arg\(\s*(?P<name>[\w.]+)\s*[,)]")


def observed_values(code: str, function: str, formals: Sequence[str]) -> dict[str, list[Any]]:
    """The constants that calls of a function in `code` pass, by parameter."""
    seen: dict[str, list[Any]] = {}
    found = re.finditer(rf"(?<![\w.]){re.escape(function)}\(", code)
    for _, call in zip(range(_MOST_CALLS), found, strict=False):
        if "#" in code[code.rfind("\n", 0, call.start()) + 1 : call.start()]:
            continue
        for name, value in _arguments(code, call.end() - 1, formals):
            seen.setdefault(name, []).append(value)
    return seen


def _arguments(code: str, opening: int, formals: Sequence[str]) -> Iterator[tuple[str, Any]]:
    group = next(iter(top_level_tokens(code, opening)), None)
    if group is None or group.kind != "group" or not group.text.endswith(")"):
        return
    named: list[tuple[str, Any]] = []
    positional: list[Any] = []
    for part in split_at_commas(significant(code, group.start + 1, group.end - 1)):
        is_named = len(part) > 2 and part[1].text == "=" and name_of(part[0])
        known = constant(code, part[2:] if is_named else part) if part else None
        value = known.to_json() if known is not None and known.kind not in ("null", "missing") else None
        if is_named:
            named.append((name_of(part[0]) or "", value))
        else:
            positional.append(value)
    given = {name for name, _ in named}
    free = [name for name in formals if name not in given]
    before_dots = free[: free.index("...")] if "..." in free else free
    named += zip(before_dots, positional, strict=False)
    yield from ((name, value) for name, value in named if value is not None)


def type_of_values(values: Iterable[Any]) -> Schema | None:
    """The type that all of them have, as single values or in arrays; None where there is none."""
    given = list(values)
    for kind in ("boolean", "integer", "number", "string", "object"):
        if given and all(fits(value, {"type": kind}) for value in given):
            # In R 2 is no integer: whether a fraction would do, the example does not say.
            return {"type": "number" if kind == "integer" else kind}
        if given and all(fits(value, array_of(kind)) or fits(value, {"type": kind}) for value in given):
            return array_of("number" if kind == "integer" else kind)
    return None


def checked_types(body: str) -> dict[str, Schema | None]:
    """The types that a function insists on, by parameter; None for a parameter that may be of several."""
    kinds: dict[str, set[str]] = {}
    for found in _REQUIRED.finditer(body):
        kinds.setdefault(found["name"], set()).add(_CHECKS[found["kind"]])
    for opening in _STOPIFNOT.finditer(body):
        group = next(iter(top_level_tokens(body, opening.end() - 1)), None)
        for found in _IS.finditer(group.text if group else ""):
            kinds.setdefault(found["name"], set()).add(_CHECKS[found["kind"]])
    for found in _MATCHED.finditer(body):
        kinds.setdefault(found["name"], set()).add("string")
    return {name: _schema(found.pop()) if len(found) == 1 else None for name, found in kinds.items()}


def omissible(body: str) -> set[str]:
    """The parameters whose absence a function looks for and goes on: `if (missing(x)) x <- 1`."""
    return {found["name"] for found in _MISSING.finditer(body)}


def _schema(kind: str) -> Schema:
    return array_of("rows") if kind == "rows" else {"type": kind}
