"""Content expressions: what parses to what, and where it says it went wrong."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolltop.guide.errors import ArgumentInvalid, ExpressionInvalid
from rolltop.guide.expression import Expression, Term, escape, parse, parse_patterns


def shape(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(term.name, term.patterns) for term in parse(text).terms]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("lang", [("lang", ())]),
        ("lang/python", [("lang", ("python",))]),
        ("lang/python+java+rust", [("lang", ("python", "java", "rust"))]),
        ("lang/python,docs/api,guidelines", [("lang", ("python",)), ("docs", ("api",)), ("guidelines", ())]),
        ("lang/", [("lang", ())]),
        ("lang/+", [("lang", ())]),
        (" lang / python , docs ", [("lang", ("python",)), ("docs", ())]),
        (",lang,,docs,", [("lang", ()), ("docs", ())]),
        ("docs/a/b/c.md", [("docs", ("a/b/c.md",))]),
        ("docs/guide/", [("docs", ("guide/",))]),
        (r"lang/*.c\+\+", [("lang", (r"*.c\+\+",))]),
        (r"lang/a\,b,docs", [("lang", (r"a\,b",)), ("docs", ())]),
        (r"lang/a\\+b", [("lang", (r"a\\", "b"))]),
        ("ünï-code_1/x", [("ünï-code_1", ("x",))]),
    ],
)
def test_an_expression_is_terms_with_patterns(text: str, terms: list[tuple[str, tuple[str, ...]]]) -> None:
    assert shape(text) == terms


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1),
        ("  ,, ", 1),
        ("/python", 1),
        ("lang,/python", 6),
        ("lang, b@d/x", 7),
        ("la ng", 1),
        ("lang+docs", 1),
        ("_lang", 1),
        ("lang/x\\", 7),
        ("lang/\0", 6),
        ("lang\n", 5),
        ("x" * 31, 1),
    ],
)
def test_an_error_names_the_column(text: str, column: int) -> None:
    with pytest.raises(ExpressionInvalid) as caught:
        parse(text)
    assert caught.value.details["column"] == column
    assert caught.value.error_type == "invalid_expression"
    assert caught.value.hint


def test_an_endless_expression_is_refused() -> None:
    with pytest.raises(ExpressionInvalid, match="longer"):
        parse("lang," * 10_000)


def test_the_two_argument_form_equals_the_slash() -> None:
    assert str(parse("lang").with_pattern("python")) == str(parse("lang/python"))
    assert str(parse("lang,docs").with_pattern("a+b/c")) == "lang/a+b/c,docs/a+b/c"


def test_a_pattern_given_twice_is_an_error_and_not_a_path() -> None:
    with pytest.raises(ArgumentInvalid):
        parse("lang/python").with_pattern("java")


def test_a_comma_in_the_pattern_argument_is_explained() -> None:
    with pytest.raises(ExpressionInvalid, match="comma") as caught:
        parse_patterns("java,python")
    assert "+" in str(caught.value.hint)
    assert parse_patterns(r"java\,python") == (r"java\,python",)


@pytest.mark.parametrize("text", ["", " ", "+", " + "])
def test_an_empty_pattern_argument_is_an_error(text: str) -> None:
    with pytest.raises(ExpressionInvalid):
        parse_patterns(text)


PATTERNS = st.text(st.characters(min_codepoint=32, exclude_categories=("Cc", "Cs")), min_size=1, max_size=12).map(
    lambda text: escape("".join("\\" + c if c == "\\" or c.isspace() else c for c in text))
)
NAMES = st.from_regex(r"\A[a-zA-Z0-9][\w-]{0,29}\Z")
TERMS = st.builds(Term, NAMES, st.lists(PATTERNS, max_size=4).map(tuple))


@given(st.lists(TERMS, min_size=1, max_size=5))
def test_what_is_printed_parses_to_the_same(terms: list[Term]) -> None:
    text = str(Expression(tuple(terms)))
    assert shape(text) == [(term.name, term.patterns) for term in terms]


@given(st.text(alphabet=r"ab/+,\ .*[]", max_size=30))
def test_any_text_parses_or_is_refused(text: str) -> None:
    with suppress(ExpressionInvalid):
        parsed = parse(text)
        assert shape(str(parsed)) == [(term.name, term.patterns) for term in parsed.terms]
