"""The types that docstrings state: annotations, NumPy's `{'a', 'b'}`, alternatives and words.

`A or B` is both, and so is `A, B or C`; what follows a comma and is no type, such as `shape (n,)`, says something else.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from rolltop.catalog.inference import Schema, array_of, infer_type, leading_type
from rolltop.catalog.pylang.annotations import ABSENT, Annotations, any_of, anything, choices, nullable
from rolltop.catalog.pylang.modules import Module

__all__ = ["documented_type"]

_LONGEST = 1000
_DEEPEST = 8
_MARKUP = re.compile(r":[a-z]+(?::[a-z]+)?:(?=`)|[`*]+")
"""Around types of docstrings: "`int`, *optional*", ":class:`dict`"."""
_ENDING = re.compile(r",?\s*(?:optional|default[= ].*|defaults to .*)$", re.IGNORECASE | re.DOTALL)
_ARTICLE = re.compile(r"^(?:(?:an?|the|optional|single)\s+)+", re.IGNORECASE)
_SHAPE = re.compile(r"\s+(?:of|with)\s+(?:shape|length|size|dimensions?)\b.*$", re.IGNORECASE | re.DOTALL)
_ARRAY_LIKE = re.compile(r"\b(?:array[-_ ]?likes?|nd-?arrays?|(?:numpy|np)[. ]arrays?)\b", re.IGNORECASE)
_COLLECTION = re.compile(
    r"\b(?:list|tuple|pair|set|frozenset|sequence|iterable|iterator|collection|array|vector)s?(?:[-_]likes?)?\b",
    re.IGNORECASE,
)
_SIMPLE = re.compile(
    r"(?:(?:strictly |non-?)?(?:positive|negative|zero) )?(int|float|bool|str|integer|scalar)\b", re.IGNORECASE
)
_OF = re.compile(r"\s+of\s+(?:\d+\s+)?(.+)$", re.IGNORECASE | re.DOTALL)
_WORDS = {
    "none": "null", "null": "null", "scalar": "number", "real": "number", "number": "number", "numeric": "number",
    "double": "number", "integer": "integer", "long": "integer", "string": "string", "text": "string",
    "boolean": "boolean", "logical": "boolean", "dictionary": "object", "mapping": "object",
    "path": "string", "path-like": "string",
}  # fmt: skip
_NULL: Schema = {"type": "null"}


def documented_type(text: str, module: Module, annotations: Annotations) -> Schema | None:
    """The type in a docstring's own words; None where there are none."""
    text = _ENDING.sub("", _MARKUP.sub("", text.strip().rstrip(".")))
    if not text:
        return None
    if len(text) > _LONGEST:
        return infer_type(text)
    return _Reader(module, annotations).stated(text)


class _Reader:
    """Reads types as the module writes them, whose classes and aliases they may name."""

    def __init__(self, module: Module, annotations: Annotations) -> None:
        self.module = module
        self.annotations = annotations

    def stated(self, text: str) -> Schema:
        known = self.read(text)
        if known == _NULL and (rest := [part for part, _ in _alternatives(text) if part.lower() != "none"]):
            return nullable(infer_type(rest[0]))
        return known or infer_type(text)

    def read(self, text: str, depth: int = 0) -> Schema | None:
        """The union of the alternatives that are known; None where none is."""
        if depth > _DEEPEST:
            return None
        if whole := self._annotation(text):
            return whole
        literals: list[Any] = []
        schemas: list[Schema] = []
        for part, is_main in _alternatives(text):
            if (literal := _literal(part)) is not ABSENT:
                literals.append(literal)
            elif schema := self._alternative(part, depth, is_main=is_main):
                schemas.append(schema)
        chosen = choices(literals) or (_NULL if literals else None)
        found = [*([chosen] if chosen else []), *schemas]
        return any_of(found) if found else None

    def _alternative(self, part: str, depth: int, *, is_main: bool) -> Schema | None:
        part = _SHAPE.sub("", _ARTICLE.sub("", part)).strip()
        if part[:1] == "{" and part[-1:] == "}":
            return self.read(part[1:-1], depth + 1)
        if part[:1] == "(" and part[-1:] == ")":
            return self._in_parentheses(part[1:-1], depth)
        if schema := self._annotation(part) or _word(part):
            return schema
        return self._described(part, depth) if is_main or _COLLECTION.match(part) else None

    def _described(self, part: str, depth: int) -> Schema | None:
        if found := _ARRAY_LIKE.search(part):
            item = self._held(part, found.end(), depth) or {"type": "number"}
            return _array_like(item) if "like" in found[0].lower() else _nested(item)
        leading = leading_type(part)
        if found := _COLLECTION.search(part):
            if held := self._held(part, found.end(), depth):
                return {"type": "array", "items": held}
            # "numeric vector" says what it holds, "list" and "array" do not: to R a list has names.
            is_typed = leading is not None and leading["type"] == "array" and leading != array_of("array")
            return leading if is_typed else {"type": "array", "items": anything()}
        if found := _SIMPLE.match(part):
            return _word(found[1]) or self._annotation(found[1])
        return leading

    def _held(self, part: str, position: int, depth: int) -> Schema | None:
        """What a collection is said to be of: in the singular or plural, `string` where the word is not known."""
        found = _OF.match(part, position)
        if not found:
            return None
        words = found[1].strip()
        for form in (words, words.removesuffix("s")):
            if schema := self.read(form, depth + 1):
                return schema
        return infer_type(words)

    def _in_parentheses(self, inside: str, depth: int) -> Schema | None:
        """Alternatives, or a tuple by the types of its items; anything else, such as a shape, is no type."""
        parts = [part.strip() for part in _split(inside, ",") if part.strip()]
        if len(parts) == 1:
            return self.read(inside, depth + 1)
        items = [None if _literal(part) is not ABSENT else self.read(part, depth + 1) for part in parts]
        known = [item for item in items if item]
        if not known or len(known) < len(parts):
            return None
        return {"type": "array", "items": any_of(known), "minItems": len(parts), "maxItems": len(parts)}

    def _annotation(self, text: str) -> Schema | None:
        try:
            node = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return None
        if isinstance(node, ast.Constant) and node.value is not None:
            return None
        return self.annotations.schema(node, self.module)


def _alternatives(text: str) -> Iterator[tuple[str, bool]]:
    """The parts between `or` and commas, and whether a part is one by `or`: after a comma there may be anything."""
    for each in _split(text, " or "):
        for at, part in enumerate(_split(each, ",")):
            if part := part.strip().removeprefix("either "):
                yield part, at == 0


def _split(text: str, separator: str) -> list[str]:
    """The parts of a text at a separator outside of brackets and quotes."""
    parts, start, depth, quote, at = [], 0, 0, "", 0
    while at < len(text):
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth = max(0, depth - 1)
        elif depth == 0 and text.startswith(separator, at):
            parts.append(text[start:at])
            at = start = at + len(separator)
            continue
        at += 1
    return [*parts, text[start:]]


def _literal(part: str) -> Any:
    """The value of a constant that JSON has, or ABSENT."""
    try:
        value = ast.literal_eval(part.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ABSENT
    return value if value is None or isinstance(value, bool | int | float | str) else ABSENT


def _word(part: str) -> Schema | None:
    if part.lower() in ("any", "anything"):
        return anything()
    kind = _WORDS.get(part.lower()) or _WORDS.get(part.lower().removesuffix("s"))
    return {"type": kind} if kind else None


def _array_like(item: Schema) -> Schema:
    """To NumPy a single one is like an array too."""
    nested = _nested(item)
    return {"type": [item["type"], "array"], "items": nested["items"]} if _is_plain(item) else any_of([item, nested])


def _is_plain(item: Schema) -> bool:
    return set(item) == {"type"} and isinstance(item["type"], str)


def _nested(item: Schema) -> Schema:
    """An array of these, or of arrays of them: how many dimensions it has the words do not tell."""
    if not _is_plain(item):
        return {"type": "array", "items": item}
    kinds = [item["type"], "array"]
    return {"type": "array", "items": {"type": kinds, "items": {"type": kinds, "items": item}}}
