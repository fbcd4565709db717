"""Letter case and naming styles: upper, camelCase, slugify and their kin."""

from __future__ import annotations

import re

from rolltop.transform.stdlib.declare import function

_LOWER_UPPER = re.compile(r"([a-z0-9])([A-Z])")
_SEPARATORS = re.compile(r"[\s_-]+")
_BEFORE_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")
_WORD = re.compile(r"\S+")


def words_of(s: str) -> list[str]:
    """The words of an identifier: cut at blanks, `_`, `-` and where a capital follows a small letter."""
    if s.isascii():
        s = _LOWER_UPPER.sub(r"\1 \2", s)
    else:
        s = "".join(f" {c}" if c.isupper() and i and _ends_word(s[i - 1]) else c for i, c in enumerate(s))
    return [word for word in _SEPARATORS.split(s) if word]


def _ends_word(char: str) -> bool:
    return char.islower() or char.isdecimal()


def _spread(s: str) -> str:
    if s.isascii():
        return _BEFORE_CAPITAL.sub(" ", s).lower()
    return "".join(f" {c}" if c.isupper() and i else c for i, c in enumerate(s)).lower()


@function(
    "upperCase(s: String): String",
    category="string",
    aliases=("upper",),
    examples=[('upperCase("Grüße")', '"GRÜSSE"'), ('upper("abc")', '"ABC"')],
)
def upper_case(s: str) -> str:
    """Turns all letters into capitals."""
    return s.upper()


@function(
    "lowerCase(s: String): String",
    category="string",
    aliases=("lower",),
    examples=[('lowerCase("ABC")', '"abc"'), ('lower("Ä1")', '"ä1"')],
)
def lower_case(s: str) -> str:
    """Turns all letters into small ones."""
    return s.lower()


@function(
    "toTitleCase(s: String): String",
    category="string",
    examples=[('toTitleCase("jOHN  van dyke")', '"John  Van Dyke"')],
)
def to_title_case(s: str) -> str:
    """Starts every word with a capital and makes the rest small; words are cut at blanks only."""
    return " ".join([word.capitalize() for word in s.split(" ")])


@function(
    "titleCase(s: String): String",
    category="string",
    examples=[('titleCase("one\\ttwo THREE")', '"One\\tTwo Three"')],
)
def title_case(s: str) -> str:
    """Starts every word with a capital and makes the rest small; any whitespace cuts words and is kept."""
    return _WORD.sub(lambda word: word[0].capitalize(), s)


@function(
    "capitalize(s: String): String",
    category="string",
    examples=[('capitalize("mcDonald")', '"McDonald"'), ('capitalize("")', '""')],
)
def capitalize(s: str) -> str:
    """Makes the first character a capital and leaves the rest as it is."""
    return s[:1].upper() + s[1:]


@function(
    "camelCase(s: String): String",
    category="string",
    aliases=("camelize",),
    examples=[('camelCase("order_line-item no")', '"orderLineItemNo"'), ('camelize("HelloWorld")', '"helloWorld"')],
)
def camel_case(s: str) -> str:
    """Writes words as one: the first small, the others Capitalised."""
    words = words_of(s)
    return "".join([words[0].lower(), *[word.capitalize() for word in words[1:]]]) if words else ""


@function(
    "pascalCase(s: String): String",
    category="string",
    examples=[('pascalCase("order line_item")', '"OrderLineItem"')],
)
def pascal_case(s: str) -> str:
    """Writes words as one, each Capitalised."""
    return "".join([word.capitalize() for word in words_of(s)])


@function(
    "kebabCase(s: String): String",
    category="string",
    examples=[('kebabCase("orderLine Item")', '"order-line-item"')],
)
def kebab_case(s: str) -> str:
    """Writes words in small letters with hyphens between them."""
    return "-".join(words_of(s)).lower()


@function(
    "snakeCase(s: String): String",
    category="string",
    examples=[('snakeCase("orderLine-Item")', '"order_line_item"')],
)
def snake_case(s: str) -> str:
    """Writes words in small letters with underscores between them."""
    return "_".join(words_of(s)).lower()


@function(
    "constantCase(s: String): String",
    category="string",
    examples=[('constantCase("maxRetry count")', '"MAX_RETRY_COUNT"')],
)
def constant_case(s: str) -> str:
    """Writes words in capitals with underscores between them."""
    return "_".join(words_of(s)).upper()


@function(
    "dotCase(s: String): String",
    category="string",
    examples=[('dotCase("orderLine Item")', '"order.line.item"')],
)
def dot_case(s: str) -> str:
    """Writes words in small letters with dots between them."""
    return ".".join(words_of(s)).lower()


@function(
    "pathCase(s: String): String",
    category="string",
    examples=[('pathCase("orderLine Item")', '"order/line/item"')],
)
def path_case(s: str) -> str:
    """Writes words in small letters with slashes between them."""
    return "/".join(words_of(s)).lower()


@function(
    "wordCase(s: String): String",
    category="string",
    examples=[('wordCase("hELLO World")', '"Hello world"')],
)
def word_case(s: str) -> str:
    """Makes the first letter a capital and all others small."""
    return s.capitalize()


@function(
    "fromCamelCase(s: String): String",
    category="string",
    aliases=("uncamelize",),
    examples=[('fromCamelCase("orderLineItem")', '"order line item"'), ('uncamelize("aB")', '"a b"')],
)
def from_camel_case(s: str) -> str:
    """Takes a camelCase name apart into small words."""
    return _spread(s)


@function(
    "fromPascalCase(s: String): String",
    category="string",
    examples=[('fromPascalCase("OrderLineItem")', '"order line item"')],
)
def from_pascal_case(s: str) -> str:
    """Takes a PascalCase name apart into small words."""
    return _spread(s)


@function(
    "fromKebabCase(s: String): String",
    category="string",
    examples=[('fromKebabCase("order-line-item")', '"order line item"')],
)
def from_kebab_case(s: str) -> str:
    """Turns hyphens into blanks."""
    return s.replace("-", " ")


@function(
    "fromSnakeCase(s: String): String",
    category="string",
    examples=[('fromSnakeCase("order_line_item")', '"order line item"')],
)
def from_snake_case(s: str) -> str:
    """Turns underscores into blanks."""
    return s.replace("_", " ")


@function(
    "fromConstantCase(s: String): String",
    category="string",
    examples=[('fromConstantCase("MAX_RETRY_COUNT")', '"max retry count"')],
)
def from_constant_case(s: str) -> str:
    """Turns underscores into blanks and capitals into small letters."""
    return s.replace("_", " ").lower()


@function(
    "fromTitleCase(s: String): String",
    category="string",
    examples=[('fromTitleCase("Order Line Item")', '"order line item"')],
)
def from_title_case(s: str) -> str:
    """Turns a title into small letters."""
    return s.lower()


@function(
    "fromDotCase(s: String): String",
    category="string",
    examples=[('fromDotCase("order.line.item")', '"order line item"')],
)
def from_dot_case(s: str) -> str:
    """Turns dots into blanks."""
    return s.replace(".", " ")


@function(
    "fromPathCase(s: String): String",
    category="string",
    examples=[('fromPathCase("order/line/item")', '"order line item"')],
)
def from_path_case(s: str) -> str:
    """Turns slashes into blanks."""
    return s.replace("/", " ")
