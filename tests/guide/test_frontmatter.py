"""What counts as front matter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolltop.guide.frontmatter import split_front_matter


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\ntitle: x\n---\nbody\n", "body\n"),
        ("---\r\ntitle: x\r\n---\r\nbody\r\n", "body\r\n"),
        ("---\ntitle: x\ntags:\n  - a\n- b\n# note\n\n...\nbody", "body"),
        ("---\n---\nbody", "body"),
        ("---\ntags: # some\n- a\n---\nbody", "body"),
        ('---\n"quoted key": x\n---', ""),
    ],
)
def test_it_is_taken_off(text: str, body: str) -> None:
    front, rest = split_front_matter(text)
    assert rest == body
    assert front + rest == text


@pytest.mark.parametrize(
    "text",
    [
        "no front matter",
        "---\nJust a rule, then text.\n---\nmore",
        "---\ntitle: never closed\n",
        " ---\ntitle: x\n---\n",
        "----\ntitle: x\n----\n",
        "---\nhttp://example\n---\n",
        "---\n\n# Rules\n\n## Never push to main\n\n---\n\nrest\n",
        "---\n\nWARNING: this drops the table.\n\n- Do not run it twice.\n\n---\n\nrest\n",
        "---\n" + "k: v\n" * 20_000 + "---\nbody",
        "",
    ],
)
def test_it_is_not_mistaken(text: str) -> None:
    assert split_front_matter(text) == ("", text)


@given(st.text(alphabet="-.: \nab#\r", max_size=60))
def test_nothing_is_lost(text: str) -> None:
    assert "".join(split_front_matter(text)) == text
