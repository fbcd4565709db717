"""Which paths a pattern matches."""

from __future__ import annotations

import re
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolltop.guide.errors import ExpressionInvalid, PathUnsafe
from rolltop.guide.pattern import Pattern


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("python", "python.md", True),
        ("python", "python", True),
        ("python", "python.tar.gz", True),
        ("python", "python-style.md", False),
        ("python", "sub/python.md", False),
        ("python", "Python.md", False),
        ("python.md", "python.md", True),
        ("python.md", "python.md.txt", False),
        ("*", "a.md", True),
        ("*", "sub/a.md", False),
        ("*.md", "sub/a.md", False),
        ("?.md", "a.md", True),
        ("?.md", "ab.md", False),
        ("[ab].md", "b.md", True),
        ("[!ab].md", "b.md", False),
        ("**", "a/b/c.md", True),
        ("**", "c.md", True),
        ("**/*.md", "c.md", True),
        ("**/*.md", "a/b/c.md", True),
        ("**/b/*.md", "a/b/c.md", True),
        ("**/b/*.md", "b/c.md", True),
        ("**/b/*.md", "b/x/c.md", False),
        ("a/**/b/**/c.md", "a/b/c.md", True),
        ("a/**/b/**/c.md", "a/x/b/y/z/c.md", True),
        ("a/**/b/**/c.md", "a/x/y/c.md", False),
        ("a/**/b/**/c.md", "other.md", False),
        ("sub/**", "sub/x/y.md", True),
        ("sub/**", "sub.md", False),
        ("./sub//a.md", "sub/a.md", True),
        (r"*.c\+\+", "x.c++", True),
        (r"a\*b", "a*b.md", True),
        (r"a\*b", "axb.md", False),
        (r"a\\b", "a\\b", True),
        ("file..txt", "file..txt", True),
        ("[", "[.md", True),
    ],
)
def test_matching(pattern: str, path: str, expected: bool) -> None:
    assert Pattern.compile(pattern).matches(path) is expected


@pytest.mark.parametrize("text", ["/etc/passwd", "../x", "a/../../x", "a/..", r"a/\.\./b", r".\./x"])
def test_leading_out_of_the_directory_is_refused(text: str) -> None:
    with pytest.raises(PathUnsafe) as caught:
        Pattern.compile(text)
    assert caught.value.error_type == "security_error"


def test_a_pattern_has_a_length() -> None:
    with pytest.raises(ExpressionInvalid):
        Pattern.compile("x" * 2000)


@pytest.mark.parametrize(
    ("prefix", "path", "inside"),
    [
        ("api/", "api/a.md", True),
        ("api/", "api/x/y.md", True),
        ("api/", "api.md", False),
        ("api/", "other/api/a.md", False),
        ("**/api/", "other/api/a.md", True),
        ("a*/", "api/a.md", True),
    ],
)
def test_a_trailing_slash_names_a_directory(prefix: str, path: str, inside: bool) -> None:
    assert Pattern.compile(prefix).narrows
    assert Pattern.compile(prefix).contains(path) is inside


def test_hostile_patterns_take_no_time() -> None:
    started = time.process_time()
    Pattern.compile("*a" * 200 + "b").matches("a" * 255)
    Pattern.compile("/".join(["x"] + ["**"] * 100 + ["y"])).matches("/".join(["x"] * 500))
    assert time.process_time() - started < 1


def reference(pattern: str) -> re.Pattern[str]:
    """The same meaning, as one regular expression over the whole path (exponential, but clear)."""
    parts = pattern.split("/")
    text = ""
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if part == "**":
            text += ".*" if last else "(?:[^/]+/)*"
            continue
        segment = "".join("[^/]*" if c == "*" else "[^/]" if c == "?" else re.escape(c) for c in part)
        text += f"{segment}(?:[.][^/]*)?" if last and "." not in part else segment
        text += "" if last else "/"
    return re.compile(text)


SEGMENTS = st.one_of(st.just("**"), st.text("ab*?.", min_size=1, max_size=3).filter(lambda s: s not in {".", ".."}))


@given(
    st.lists(SEGMENTS, min_size=1, max_size=4).map("/".join),
    st.lists(st.text("ab.", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join),
)
def test_matching_agrees_with_a_regular_expression(pattern: str, path: str) -> None:
    if "**" in pattern.replace("/**", "").removeprefix("**"):
        return  # `a**` within a segment is an ordinary star, which the reference does not know
    assert Pattern.compile(pattern).matches(path) is (reference(pattern).fullmatch(path) is not None)


@given(st.text(max_size=20))
def test_any_pattern_compiles_or_is_refused(text: str) -> None:
    with suppress(ExpressionInvalid, PathUnsafe):
        Pattern.compile(text).matches("a/b.md")
