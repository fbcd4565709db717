"""Patterns: the same answers from both engines, in linear time."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from typing import Any

import pytest
from frugal import given
from hypothesis import strategies as st

from rolltop.transform.errors import FunctionFailure
from rolltop.transform.stdlib import find
from rolltop.transform.stdlib.string.java_regex import Unsupported, translated
from rolltop.transform.stdlib.string.patterns import _as_simple, compiled


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
        theirs = re2.compile(translated(pattern), options)
    except (Unsupported, re2.error):
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


JAVA = [
    (r"\p{Punct}", "a,b!", "a-b-"),
    (r"\p{Upper}", "AbÄ", "-bÄ"),
    (r"\P{Upper}", "AbC", "A-C"),
    (r"\p{Alpha}+", "ab1é", "-1é"),
    (r"\p{Alnum}\p{Digit}\p{XDigit}", "x1f g1f", "- -"),
    (r"\p{Space}|\p{Blank}|\p{Cntrl}", "a \x0b\x01b", "a---b"),
    (r"\p{Graph}", "a b", "- -"),
    (r"\p{ASCII}", "aé", "-é"),
    (r"[\p{Lower}\d]+", "ab1AB", "-AB"),
    (r"[^\p{Punct}]", "a,b", "-,-"),
    (r"[\P{Lower}]", "aB", "a-"),
    (r"\h+", "a \t\u00a0b", "a-b"),
    (r"[\h,]", "a, b", "a--b"),
    (r"\H", " a", " -"),
    (r"[\H]", " a", " -"),
    (r"\v", "a\nb\x0bc\u2028d", "a-b-c-d"),
    (r"\V", "a\n", "-\n"),
    (r"\R", "a\r\nb\nc\rd", "a-b-c-d"),
    (r"\R+", "a\n\nb", "a-b"),
    (r"b\Z", "ab", "a-"),
    (r"\p{IsLatin}", "aéλ1", "--λ1"),
    (r"\p{IsGREEK}", "aλ", "a-"),
    (r"\p{script=Cyrillic}", "aд", "a-"),
    (r"\P{IsLatin}", "aλ", "a-"),
    (r"\p{IsLu}\p{general_category=Ll}", "Ab", "-"),
    (r"\p{IsUppercase}", "AaⅣ", "-a-"),
    (r"\p{IsLowercase}", "Aaª", "A--"),
    (r"\p{IsWhite_Space}", "a\u2003b", "a-b"),
    (r"\p{IsDigit}", "1٣", "--"),
    (r"\p{javaWhitespace}", "a\u00a0 b", "a\u00a0-b"),
    (r"\p{LC}", "aªA", "-ª-"),
    (r"\pL", "é1", "-1"),
    (r"[a-c[x-z]]", "abx1", "---1"),
    (r"[a-[c]]", "abc-", "-b--"),
    (r"[[ab]-d]", "abcd-", "--c--"),
    (r"[]a]", "a]b", "--b"),
    (r"[b[]a]]", "ab]", "---"),
    (r"\u0061\x62\0143", "abc", "-"),
    (r"\uD83D\uDE00", "a😀", "a-"),
    (r"\e\cA", "\x1b\x01", "-"),
    (r"\Qa.b\E", "a.b axb", "- axb"),
    (r"[\Q]-\E]", "a]-b", "a--b"),
    (r"(?u)a(?d)b", "ab", "-"),
    (r"(?iu)A", "aA", "--"),
    (r"(?<n>a)b+?", "abb", "-b"),
    (r"a{2,3}?", "aaaa", "--"),
]


@pytest.mark.parametrize(("pattern", "text", "result"), JAVA)
def test_patterns_are_those_of_java(pattern: str, text: str, result: str) -> None:
    assert call("replace", text, pattern, "-") == result
    assert call("replaceRegex", text, pattern, "-") == result


LACKING = [
    ("(?=a)", "a lookahead"),
    ("(?!a)", "a negative lookahead"),
    ("(?<=a)b", "a lookbehind"),
    ("(?<!a)b", "a negative lookbehind"),
    ("(?>a)", "an atomic group"),
    (r"(a)\1", "a back reference"),
    (r"(?<n>a)\k<n>", "a back reference"),
    ("a++", "a possessive quantifier"),
    ("C++", "a possessive quantifier"),
    ("(ab)*+c", "a possessive quantifier"),
    ("a?+", "a possessive quantifier"),
    (r"\R{2}+", "a possessive quantifier"),
    ("[a-z&&[^aeiou]]", "an intersection of classes"),
    ("[a[^b]]", "a negated class inside of a class"),
    (r"[\P{LC}]", "inside of a class"),
    (r"\X", r"\X"),
    (r"\Ga", r"\G"),
    (r"\b{g}", r"\b{g}"),
    (r"\N{LATIN SMALL LETTER A}", "a character by its name"),
    ("(?x)a b", "the flag x"),
    (r"(?U)\w", "the flag U"),
    (r"\p{IsAlphabetic}", r"the property \p{IsAlphabetic}"),
    (r"\p{InGreek}", r"the property \p{InGreek}"),
    (r"\p{block=Greek}", r"the property \p{block=Greek}"),
    ("a{2000}", "more than 1000 repetitions"),
    ("(a{900}){900}", "more repetitions inside of repetitions"),
]


@pytest.mark.parametrize(("pattern", "named"), LACKING)
def test_what_re2_lacks_is_named_and_never_taken_literally(pattern: str, named: str) -> None:
    for name, arguments in (("replace", ("a", pattern, "")), ("matches", ("a", pattern))):
        with pytest.raises(FunctionFailure, match="which patterns here do not have") as raised:
            call(name, *arguments)
        assert f"uses {named}" in raised.value.message or f"{named}, which" in raised.value.message
        assert raised.value.hint


@pytest.mark.parametrize("pattern", ["(", "++", "a|*", "(++", "[[", "[a", "a**", r"\y", "x{3,2}"])
def test_what_is_no_pattern_in_java_either_is_taken_literally(pattern: str) -> None:
    assert call("replace", f"1{pattern}2", pattern, "-") == "1-2"


def test_a_bracket_that_is_not_closed_inside_of_a_class_is_one() -> None:
    assert call("replace", "a[b", "[[]", "-") == "a-b"
    assert call("replace", "a[b", "[[b]", "-") == "a--"


@given(st.text(alphabet="ab[]^-&\\pPQEhvRLu{}()?+*:<>=!01", max_size=14), st.text(alphabet="ab[]-1", max_size=6))
def test_any_pattern_gives_a_text_or_a_refusal(pattern: str, text: str) -> None:
    with suppress(FunctionFailure):
        assert isinstance(call("replaceRegex", text, pattern, "-"), str)


def test_long_patterns_of_brackets_take_no_time() -> None:
    start = time.process_time()
    for piece in ("[", "[a", "(", "\\Q", "\\p{", "[[:", "(?", "a{", "[^[", "\\u00"):
        with suppress(FunctionFailure):
            compiled((piece * 10_000)[:10_000])
    assert time.process_time() - start < 2


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
