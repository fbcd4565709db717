"""Patterns: the same answers from both engines, in linear time."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from frugal import given
from hypothesis import strategies as st

from rolltop.transform.errors import FunctionFailure
from rolltop.transform.stdlib import find
from rolltop.transform.stdlib._regex import _as_simple, compiled


def call(name: str, *arguments: Any) -> Any:
    declared = find(name)
    assert declared is not None
    return declared.call(*arguments)


SIMPLE = [
    "abc",
    "[^0-9]",
    r"\s+",
    r"^\d{5}$",
    r"\w",
    "a.c",
    r"[a-z]+",
    r"\.",
    "[-+]",
    "^a",
    "x$",
    r"[\s,;]+",
    "é",
    "ab?",
]
GENERAL = [
    "(a|b)+",
    "a*b*",
    r"\d+$",
    "(?i)abc",
    r"[0-9]+-[0-9]+",
    "a|b",
    "^(.*)$",
    r"\bword\b",
    "[[:alpha:]]",
    "a{2,3}",
]


@pytest.mark.parametrize("pattern", SIMPLE)
def test_patterns_that_cannot_backtrack_stay_in_python(pattern: str) -> None:
    assert isinstance(compiled(pattern), re.Pattern)


@pytest.mark.parametrize("pattern", GENERAL)
def test_all_others_go_to_re2(pattern: str) -> None:
    assert not isinstance(compiled(pattern), re.Pattern)


TEXTS = st.text(alphabet="abcxyz0159 \t\n.,;-+é\x0b", max_size=30)


@given(st.sampled_from(SIMPLE), TEXTS)
def test_both_engines_agree_on_simple_patterns(pattern: str, text: str) -> None:
    import re2

    ours = compiled(pattern)
    theirs = re2.compile(pattern)
    assert [m.span() for m in ours.finditer(text)] == [m.span() for m in theirs.finditer(text)]
    assert (ours.fullmatch(text) is None) == (theirs.fullmatch(text) is None)


@given(st.text(alphabet="ab^$.[]-\\dsw{}2*+?()|", max_size=8), st.text(alphabet="ab2 -.", max_size=8))
def test_any_pattern_matches_as_re2_does_or_is_refused(pattern: str, text: str) -> None:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        theirs = re2.compile(pattern, options)
    except re2.error:
        theirs = None
    try:
        ours = compiled(pattern)
    except FunctionFailure:
        assert theirs is None
        return
    assert theirs is not None, f"{pattern!r} became {_as_simple(pattern)!r}"
    spans = [match.span() for match in ours.finditer(text)]
    # RE2's Python binding repeats some empty matches.
    assert spans == list(dict.fromkeys(match.span() for match in theirs.finditer(text)))
    assert len(ours.sub("#", text)) == len(text) + len(spans) - sum(end - start for start, end in spans)


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "([a-z]+)*x", "(.*)*y", "a*a*a*a*a*a*b", "[0-9]+$", "^(a?){30}a{30}$"]
)
def test_hostile_patterns_take_no_time(pattern: str) -> None:
    start = time.process_time()
    call("matches", "a" * 20_000, pattern)
    call("replaceRegex", "0" * 20_000 + "!", pattern, "")
    assert time.process_time() - start < 2


@pytest.mark.parametrize("pattern", ["(?=a)", "(?<!a)b", r"(a)\1", "(?>a)"])
def test_what_re2_lacks_is_named(pattern: str) -> None:
    with pytest.raises(FunctionFailure, match="lookaround or a back reference"):
        call("replace", "a", pattern, "")
    with pytest.raises(FunctionFailure, match="lookaround or a back reference"):
        call("matches", "a", pattern)


def test_replace_takes_nonsense_literally_but_replace_regex_does_not() -> None:
    assert call("replace", "a (b", "(", "[") == "a [b"
    with pytest.raises(FunctionFailure, match="not a regular expression"):
        call("replaceRegex", "a (b", "(", "[")


@pytest.mark.parametrize(
    ("replacement", "result"),
    [
        ("$2$1", "ba"),
        ("${n}", "b"),
        ("$0$0", "abab"),
        ("\\$1", "$1"),
        ("$", "$"),
        ("$12", "a2"),
        ("\\\\", "\\"),
        ("US$", "US$"),
    ],
)
def test_references_in_replacements(replacement: str, result: str) -> None:
    assert call("replaceRegex", "ab", "(a)(?P<n>b)", replacement) == result


@pytest.mark.parametrize("replacement", ["$7", "${missing}"])
def test_a_reference_to_nothing_is_an_error(replacement: str) -> None:
    with pytest.raises(FunctionFailure, match="refers to group"):
        call("replaceRegex", "ab", "(a)(b)", replacement)


def test_literal_replacements_in_order() -> None:
    assert call("replace", "abc", {"a": "b", "b": "c"}) == "ccc"
    assert call("replace", "abc", [["a", 1], ["", "x"], ["c", None]]) == "1b"
    with pytest.raises(FunctionFailure, match="pairs"):
        call("replace", "abc", [["a"]])
    with pytest.raises(FunctionFailure, match="needs a replacement"):
        call("replace", "abc", "a")


def test_places_count_characters_not_bytes() -> None:
    assert call("analyzeString", "é€x1", "(x)([0-9])?(y)?") == [
        {"match": "x1", "start": 2, "end": 4, "groups": ["x", "1", ""]}
    ]
    assert call("findAllMatches", "ééé", "é+|z") == [{"match": "ééé", "start": 0, "end": 3}]


@given(TEXTS, st.sampled_from(SIMPLE + GENERAL))
def test_splitting_with_matches_loses_nothing(text: str, pattern: str) -> None:
    assert "".join(call("splitWithMatches", text, pattern)) == text
