"""English plurals and singulars."""

from __future__ import annotations

from rolltop.transform.stdlib._inflection import (
    IRREGULAR,
    SINGULARS,
    UNCOUNTABLE,
    is_plural_of_man,
    is_singular_in_s,
    plural,
    singular,
)
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import number_text


@function(
    "pluralize(word: String, count?: Number?): String",
    category="string",
    params={"count": "With 1 the word stays as it is"},
    examples=[
        ('pluralize("box")', '"boxes"'),
        ('pluralize("Child")', '"Children"'),
        ('pluralize("city", 1)', '"city"'),
        ('pluralize("sheep")', '"sheep"'),
    ],
)
def pluralize(word: str, count: float | None = None) -> str:
    """The English plural of a noun."""
    return word if count == 1 else plural(word)


@function(
    "singularize(word: String): String",
    category="string",
    examples=[
        ('singularize("boxes")', '"box"'),
        ('singularize("PEOPLE")', '"PERSON"'),
        ('singularize("aliases")', '"alias"'),
        ('singularize("bus")', '"bus"'),
    ],
)
def singularize(word: str) -> str:
    """The English singular of a noun."""
    return singular(word)


@function(
    "pluralizeWithCount(word: String, count: Number?): String",
    category="string",
    examples=[('pluralizeWithCount("item", 3)', '"items"'), ('pluralizeWithCount("item", 1)', '"item"')],
)
def pluralize_with_count(word: str, count: float | None) -> str:
    """The form of a noun that goes with a number; the word itself when the number is null."""
    return word if count is None or count == 1 else plural(word)


@function(
    "formatPlural(count: Number, word: String): String",
    category="string",
    examples=[('formatPlural(3, "box")', '"3 boxes"'), ('formatPlural(1, "box")', '"1 box"')],
)
def format_plural(count: float, word: str) -> str:
    """A number with its noun in the right form."""
    return f"{number_text(count)} {word if count == 1 else plural(word)}"


@function(
    "isPlural(word: String): Boolean",
    category="string",
    examples=[('isPlural("children")', "true"), ('isPlural("bus")', "false"), ('isPlural("sheep")', "false")],
)
def is_plural(word: str) -> bool:
    """Whether a noun is an English plural; false for nouns that have none."""
    low = word.strip().lower()
    if low in SINGULARS or is_plural_of_man(low):
        return True
    return low.endswith("s") and low not in UNCOUNTABLE and low not in IRREGULAR and not is_singular_in_s(low)


@function(
    "isSingular(word: String): Boolean",
    category="string",
    examples=[('isSingular("child")', "true"), ('isSingular("boxes")', "false"), ('isSingular("sheep")', "false")],
)
def is_singular(word: str) -> bool:
    """Whether a noun is an English singular; false for nouns that have no plural."""
    low = word.strip().lower()
    return bool(low) and low not in UNCOUNTABLE and not is_plural(low)
