"""JSON Schema types from the words of a description.

A type written at the beginning decides ("Logical, whether the list was read" is a boolean). Then
array notation anywhere, then the keywords in the order of `KEYWORDS`, then what the caller knows
otherwise, then string. How good the evidence is, is told beside it: what a served tool refuses depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = [
    "KEYWORDS",
    "Schema",
    "array_of",
    "fits",
    "infer_type",
    "inferred",
    "is_a",
    "leading_type",
    "names_alternatives",
    "strip_type_prefix",
]

Schema = dict[str, Any]

KEYWORDS: Mapping[str, tuple[str, ...]] = {
    "string": ("character", "string"),
    "number": ("numeric", "number", "double"),
    "integer": ("integer",),
    "boolean": ("logical", "boolean"),
    "object": ("list",),
}
"""The words that give a type anywhere in a description, in order of precedence."""

_WORD_TYPES: dict[str, str] = {word: kind for kind, words in KEYWORDS.items() for word in words} | {
    # Only decisive at the beginning, where they are certainly meant as a type.
    "data frame": "rows",
    "data.frame": "rows",
    "tibble": "rows",
    "environment": "object",
    "object": "object",
    "dict": "object",
    "dictionary": "object",
    "function": "string",
    "text": "string",
    "str": "string",
    "float": "number",
    "int": "integer",
    "bool": "boolean",
    "vector": "array",
    "array": "array",
    "matrix": "matrix",
    "sequence": "array",
}
_WORDS = "|".join(sorted((re.escape(word) for word in _WORD_TYPES), key=len, reverse=True))
_ELEMENT = r"character|string|numeric|number|double|integer|logical|boolean"

_LEADING = re.compile(
    rf"""\s*(?:an?\s+|the\s+|optional\s+|single\s+|named\s+|scalar\s+)*
    (?P<word>{_WORDS})s?\b
    (?P<many>\s*\[\]|\s+vectors?\b|\s+array\b|\s+matrix\b)?
    (?P<shape>\s+string\b|\s+scalar\b|\s+value\b)?""",
    re.IGNORECASE | re.VERBOSE,
)
_DELIMITER = r"(?:\s*[,.:;](?=\s|$)|\s+-{1,2}\s+|\s*$)"
# What may stand between the type and the delimiter that ends it: "(optional)", "of length 2", "or NULL".
_QUALIFIER = re.compile(
    rf"""(?:\s+of\s+length\s+\w+|\s*\([^()]*\)|(?:\s+or|\s*\|)\s+(?:NULL|{_WORDS})(?:\s*\[\]|\s+vector|\s+string)?)*
    {_DELIMITER}""",
    re.IGNORECASE | re.VERBOSE,
)
# A prefix goes only where the schema says all of it: "(between 1 and 10)" or "or NULL" would be lost.
_PREFIX_END = re.compile(rf"(?:\s*\((?:optional|required)\))?{_DELIMITER}", re.IGNORECASE)
# "List of", "Named list with": the word is the type although no delimiter follows.
_CONNECTOR = re.compile(
    r"""(?:\s+of\s+length\s+\w+|\s*\([^()]*\)|\s+or\s+(?:an?\s+)?(?:NULL|tibble|data(?:\ |\.)frame))*
    \s+(?:of|with|containing|where|giving|naming|indicating|specifying|that|between)\b""",
    re.IGNORECASE | re.VERBOSE,
)
# "A data frame to pivot": after an article, a word that goes on about the noun makes it the type.
_GOES_ON = re.compile(
    r"""\s+(?:to|for|from|in|on|at|by|as|used|which|whose|or|and|passed|created|returned|produced|having|holding|describing
    |representing|defining|determining|controlling|denoting|corresponding|whether)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_ARTICLE = re.compile(r"\s*(?:an?|optional|single|named)\s", re.IGNORECASE)
# "or a function", "if a list": what else the parameter may be.
_ALTERNATIVE = re.compile(
    rf"\b(?:or|if|either|alternatively,?)\s+(?:it\s+is\s+|is\s+)?(?:(?:an?|the|single|named)\s+)*(?:\w+\s+)?(?:{_WORDS})s?\b"
    r"|\b(?P<switch>if)\s+(?:TRUE|FALSE)\b|(?<!TRUE\s)(?<!FALSE\s)\bor\s+(?:TRUE|FALSE)\b|\b(?:or|if)\s+[\"']",
    re.IGNORECASE,
)
# An object of R's is seldom one of JSON's: the class says what it is, and a formula is written as text.
_OF_CLASS = re.compile(r"\s+of\s+class\s+[\"'\u201c\u2018]?([\w.]+)", re.IGNORECASE)
_CLASSES = {"formula": "string"}
_OF_LENGTH = re.compile(r"\s+of\s+length\s+(?!(?:1|one)\b)\w", re.IGNORECASE)
_OF_ELEMENT = re.compile(rf"(?:\s*\([^()]*\))?\s+of\s+(?:\w+\s+)?({_ELEMENT})s?\b", re.IGNORECASE)
_ARRAY_ANYWHERE = re.compile(rf"\b({_ELEMENT})s?(?:\s*\[\]|\s+(?:vector|array)s?\b)", re.IGNORECASE)
_KEYWORD_PATTERNS = [
    (kind, re.compile(rf"\b(?:{'|'.join(words)})s?\b", re.IGNORECASE)) for kind, words in KEYWORDS.items()
]


def array_of(kind: str) -> Schema:
    """The schema of an array; a matrix is an array of rows of numbers, a data frame one of rows with names."""
    if kind == "matrix":
        return {"type": "array", "items": array_of("number")}
    if kind == "rows":
        return {"type": "array", "items": {"type": "object"}}
    return {"type": "array", "items": {"type": "string" if kind == "array" else kind}}


def leading_type(text: str) -> Schema | None:
    """The type that a description begins with, or None when it begins with something else."""
    found = _LEADING.match(text)
    if not found:
        return None
    # A word that merely starts a sentence ("Number of rows", "List files") is not a type written
    # first: a type is followed by a delimiter, a qualifier or a word that belongs to it.
    goes_on = _ARTICLE.match(text) is not None and _GOES_ON.match(text, found.end()) is not None
    if not (found["many"] or found["shape"] or goes_on or _ends_type(text, found.end())):
        return None
    kind = _WORD_TYPES[found["word"].lower()]
    many = (found["many"] or "").strip().lower()
    if many == "matrix":
        return {"type": "array", "items": array_of(kind)}
    if found["word"].lower() == "object" and (of := _OF_CLASS.match(text, found.end())):
        kind = _CLASSES.get(of[1]) or _WORD_TYPES.get(of[1].lower(), kind)
    if kind == "array" and (element := _OF_ELEMENT.match(text, found.end())):
        return array_of(_WORD_TYPES[element[1].lower()])
    if not found["shape"] and kind != "object" and _OF_LENGTH.match(text, found.end()):
        return array_of(kind)
    return array_of(kind) if many or kind in ("array", "matrix", "rows") else {"type": kind}


def _ends_type(text: str, position: int) -> bool:
    return bool(_QUALIFIER.match(text, position) or _CONNECTOR.match(text, position))


def infer_type(text: str, otherwise: Schema | None = None, default: Any = None) -> Schema:
    """The type of a parameter, field or result from its description.

    `otherwise` is the type of a known `default`: it decides when no word does, and where a keyword
    in the middle of the text would make the default wrong.
    """
    return inferred(text, otherwise, default)[0]


def inferred(text: str, otherwise: Schema | None = None, default: Any = None) -> tuple[Schema, bool]:
    """The type, and whether the evidence for it is good enough to refuse a value of another one.

    A keyword in the middle of the text is good evidence where it speaks of the parameter itself ("a numeric
    threshold"), and none where it speaks of something else ("minimum width of padded strings") or of one of
    several forms.
    """
    has_others = names_alternatives(text, is_switch=isinstance(default, bool))
    if leading := leading_type(text):
        is_open = leading == array_of("array") and not re.search("character|string", text, re.IGNORECASE)
        return leading, not has_others and not is_open
    if found := _ARRAY_ANYWHERE.search(text):
        return array_of(_WORD_TYPES[found[1].lower()]), False
    for kind, pattern in _KEYWORD_PATTERNS:
        if pattern.search(text):
            schema: Schema = {"type": kind}
            if otherwise is None:
                return schema, not has_others and _speaks_of_itself(text, kind)
            return (schema, not has_others) if fits(default, schema) else (otherwise, not has_others)
    return (otherwise, not has_others) if otherwise else ({"type": "string"}, False)


def names_alternatives(text: str, *, is_switch: bool = False) -> bool:
    """Whether a description names more than one form: "a vector, or a function"; "if TRUE" is none for a switch."""
    return any(not (is_switch and found["switch"]) for found in _ALTERNATIVE.finditer(text))


def _speaks_of_itself(text: str, kind: str) -> bool:
    """Whether the first sentence begins with the keyword or with one word before it: "a numeric threshold"."""
    words = "|".join(KEYWORDS[kind])
    return re.match(rf"\s*(?:(?:an?|the|optional|single)\s+)+(?:\w+\s+)?(?:{words})\b", text, re.IGNORECASE) is not None


def strip_type_prefix(text: str) -> str:
    """The description without the type it begins with: "Character string, the name" is "the name".

    A type that comes with more than a delimiter, as in "Integer (at least 1), the count", stays.
    """
    found = _LEADING.match(text)
    if not found:
        return text
    ends = _PREFIX_END.match(text, found.end())
    if not ends:
        return text
    # "Integer" alone stays: it is all there is to say.
    return text[ends.end() :].lstrip() or text


def fits(value: Any, schema: Schema) -> bool:
    """Whether a JSON value is of the schema's type and among its choices."""
    if "enum" in schema and value not in schema["enum"]:
        return False
    kinds = schema.get("type", [])
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if is_a(value, kind):
            return kind != "array" or all(fits(item, schema.get("items", {"type": []})) for item in value)
    return not kinds


def is_a(value: Any, kind: str) -> bool:
    """Whether a JSON value is of a type; a whole number is an integer however it is written."""
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _PYTHON_TYPES.get(kind, ()))


_PYTHON_TYPES: Mapping[str, Any] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "object": dict,
    "array": list,
    "null": type(None),
}
