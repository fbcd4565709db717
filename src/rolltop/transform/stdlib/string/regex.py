"""Replacing and finding by regular expression (Java's notation on RE2; never backtracks)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.limits import MOST_CHARACTERS, check_text
from rolltop.transform.stdlib.string.patterns import PatternFailure, compiled, group_names, replacer
from rolltop.transform.stdlib.texts import text_of
from rolltop.transform.values import leaf

_META = frozenset("\\.[]{}()*+?|^$")


@function(
    "replace(s: String, pattern: String | Object | Array, replacement?: String): String",
    category="string",
    params={
        "pattern": "A regular expression; without replacement { search: replacement } or [[search, replacement]]",
        "replacement": "What comes in its place; $1 and ${name} stand for groups",
    },
    examples=[
        ('replace("hello world", "world", "there")', '"hello there"'),
        ('replace("tel. 555-1234", "[^0-9]", "")', '"5551234"'),
        ('replace("Doe, Jane", "(\\\\w+), (\\\\w+)", "$2 $1")', '"Jane Doe"'),
        ('replace("a (b", "(", "[")', '"a [b"'),
        ('replace("a-b", { a: "x", b: "y" })', '"x-y"'),
    ],
)
def replace(s: str, pattern: Any, replacement: str | None = None) -> str:
    """Replaces every match of a regular expression, or several literal texts one after the other.

    A pattern that is not a regular expression is taken literally.
    """
    if type(pattern) is not str and replacement is not None:
        pattern = leaf(pattern)
    if type(pattern) is not str:
        if replacement is not None:
            fail("replace takes a replacement only with a text as pattern")
        return _replace_each(s, pattern)
    if replacement is None:
        fail("replace needs a replacement for a pattern that is a text")
    literal, expression, made = _plan(pattern, replacement)
    text = s.replace(pattern, literal) if expression is None else expression.sub(made, s)
    if len(text) > MOST_CHARACTERS:
        check_text("replace", len(text))
    return text


@lru_cache(maxsize=512)
def _plan(pattern: str, replacement: str) -> tuple[str, Any, Any]:
    """How to replace: by a literal text, or by a compiled pattern and what stands for its matches."""
    plain = _META.isdisjoint(pattern) and pattern and "$" not in replacement and "\\" not in replacement
    if plain:
        return replacement, None, None
    try:
        return "", compiled(pattern), replacer(replacement)
    except PatternFailure as failure:
        if not failure.malformed:
            raise
        return replacement, None, None


def _replace_each(s: str, pairs: Any) -> str:
    for search, replacement in pairs.items() if isinstance(pairs, dict) else map(_pair, pairs):
        if search:
            s = _bounded("replace", s.replace(search, text_of(replacement)))
    return s


def _pair(pair: Any) -> tuple[str, Any]:
    if not isinstance(pair, list) or len(pair) != 2:
        fail("replace expects pairs of a search text and its replacement", hint='Write [["a", "b"], ["c", "d"]].')
    return text_of(pair[0]), pair[1]


def _substitute(name: str, s: str, pattern: str, replacement: str | Callable[[Any], str]) -> str:
    return _bounded(name, str(compiled(pattern).sub(replacement, s)))


def _bounded(name: str, text: str) -> str:
    check_text(name, len(text))
    return text


@function(
    "replaceRegex(s: String, pattern: String, replacement: String): String",
    category="string",
    examples=[
        ('replaceRegex("a1b22", "[0-9]+", "#")', '"a#b#"'),
        ('replaceRegex("2024-05", "(?P<y>\\\\d+)-(?P<m>\\\\d+)", "${m}/${y}")', '"05/2024"'),
        ('replaceRegex("a", "(", "")', "error: not a regular expression"),
    ],
)
def replace_regex(s: str, pattern: str, replacement: str) -> str:
    """Replaces every match of a regular expression; `$1` and `${name}` stand for groups."""
    return _substitute("replaceRegex", s, pattern, replacer(replacement))


@function(
    "replaceWithFunction(s: String, pattern: String, fn: (String) => Any): String",
    category="string",
    examples=[('replaceWithFunction("a1b22", "[0-9]+", n => toNumber(n) * 2)', '"a2b44"')],
)
def replace_with_function(s: str, pattern: str, fn: Callable[[str], Any]) -> str:
    """Replaces every match of a regular expression by what a function makes of its text."""
    return _substitute("replaceWithFunction", s, pattern, lambda match: text_of(fn(match.group())))


@function(
    "matches(s: String, pattern: String): Boolean",
    category="string",
    examples=[('matches("12345", "[0-9]{5}")', "true"), ('matches("x12345", "[0-9]{5}")', "false")],
)
def matches(s: str, pattern: str) -> bool:
    """Whether a whole text matches a regular expression."""
    return compiled(pattern).fullmatch(s) is not None


@function(
    "matchesWhole(s: String, pattern: String): Boolean",
    category="string",
    examples=[('matchesWhole("ab", "a|ab")', "true"), ('matchesWhole("abc", "a|ab")', "false")],
)
def matches_whole(s: str, pattern: str) -> bool:
    """Whether a whole text matches a regular expression; the same as matches."""
    return compiled(pattern).fullmatch(s) is not None


@function(
    "analyzeString(s: String, pattern: String): "
    "Array<{ match: String, start: Integer, end: Integer, groups: Array<String> }>",
    category="string",
    examples=[
        (
            'analyzeString("k=v", "(\\\\w)=(\\\\w)")',
            '[{ match: "k=v", start: 0, end: 3, groups: ["k", "v"] }]',
        )
    ],
)
def analyze_string(s: str, pattern: str) -> list[dict[str, Any]]:
    """All matches of a regular expression with their places and groups; `end` is the place after the match."""
    found = compiled(pattern).finditer(s)
    return [
        {"match": m.group(), "start": m.start(), "end": m.end(), "groups": [group or "" for group in m.groups()]}
        for m in found
    ]


@function(
    "findAllMatches(s: String, pattern: String): Array<{ match: String, start: Integer, end: Integer }>",
    category="string",
    examples=[('findAllMatches("a1b22", "[0-9]+") |> map(m => m.match)', '["1", "22"]')],
)
def find_all_matches(s: str, pattern: str) -> list[dict[str, Any]]:
    """All matches of a regular expression with their places."""
    return [{"match": m.group(), "start": m.start(), "end": m.end()} for m in compiled(pattern).finditer(s)]


@function(
    "regexGroups(s: String, pattern: String): Array<String>",
    category="string",
    examples=[
        ('regexGroups("id: 42", "(\\\\w+): (\\\\d+)")', '["id", "42"]'),
        ('regexGroups("none", "(\\\\d+)")', "[]"),
    ],
)
def regex_groups(s: str, pattern: str) -> list[str]:
    """The groups of the first match of a regular expression; groups that took no part are empty."""
    match = compiled(pattern).search(s)
    return [] if match is None else [group or "" for group in match.groups()]


@function(
    "regexNamedGroups(s: String, pattern: String): Map<String>",
    category="string",
    examples=[('regexNamedGroups("2024-05", "(?<year>\\\\d+)-(?<month>\\\\d+)")', '{ year: "2024", month: "05" }')],
)
def regex_named_groups(s: str, pattern: str) -> dict[str, str]:
    """The named groups of the first match of a regular expression."""
    expression = compiled(pattern)
    match = expression.search(s)
    if match is None:
        return {}
    names = sorted(group_names(expression).items(), key=lambda item: item[1])
    return {name: match.group(number) or "" for name, number in names}


@function(
    "splitWithMatches(s: String, pattern: String): Array<String>",
    category="string",
    examples=[('splitWithMatches("a1b22", "[0-9]+")', '["a", "1", "b", "22"]')],
)
def split_with_matches(s: str, pattern: str) -> list[str]:
    """Cuts a text at the matches of a regular expression and keeps them, in order; empty pieces are dropped."""
    pieces: list[str] = []
    at = 0
    for match in compiled(pattern).finditer(s):
        pieces += (s[at : match.start()], match.group())
        at = match.end()
    return [piece for piece in [*pieces, s[at:]] if piece]
