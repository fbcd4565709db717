"""Text, Markdown and code, read at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolltop.store import Library
from rolltop.store.extract import Anchor, Extracted
from rolltop.store.extract.plain import decoded, read_plain


def test_a_markdown_page_has_its_first_heading_as_title() -> None:
    page = read_plain("# One\n\ntext\n\n## Two ##\n", "page.md", ".md")
    assert (page.title, page.headings) == ("One", ("One", "Two"))


def test_the_title_of_the_front_matter_wins() -> None:
    assert read_plain('---\ndate: x\ntitle: "Real"\n---\n# One\n', "page.md", ".md").title == "Real"


@pytest.mark.parametrize("end", ["---", "...", "---  "])
def test_front_matter_holds_no_headings(end: str) -> None:
    front = f"---\n# a comment\ntitle: My Title\n\ntags: [x]\n{end}\n"
    page = read_plain(front + "\n# Real heading\n\nPart\n---\n", "a.md", ".md")
    assert (page.title, page.headings) == ("My Title", ("Real heading", "Part"))
    assert read_plain(f"---\nlicense: MIT\n{end}", "a.md", ".md").headings == ()


@pytest.mark.parametrize("begins", ["---\n\n", "---\njust text\n\n", "***\n", "a: b\n---\n"])
def test_a_rule_at_the_beginning_is_no_front_matter(begins: str) -> None:
    assert "Part" in read_plain(begins + "Part\n---\ntext\n\n---\n", "a.md", ".md").headings


def test_a_comment_between_fences_is_no_heading() -> None:
    page = read_plain("# One\n```sh\n# not this\n```\n# Two\n", "page.md", ".md")
    assert page.headings == ("One", "Two")


def test_a_ruled_line_is_a_heading() -> None:
    assert read_plain("Title\n=====\n\ntext\n\nPart\n----\n", "page.rst", ".rst").headings == ("Title", "Part")


def test_a_text_without_headings_is_called_by_its_name() -> None:
    assert read_plain("plain words", "notes.txt", ".txt").title == "notes.txt"


def test_code_says_what_it_defines_and_where() -> None:
    code = "class Cart:\n    async def total(self):\n        pass\n\ndef main():\n    pass\n"
    found = read_plain(code, "cart.py", ".py").symbols
    assert [(symbol.name, symbol.kind, symbol.line) for symbol in found] == [
        ("Cart", "class", 1),
        ("total", "def", 2),
        ("main", "def", 5),
    ]


def test_functions_that_are_assigned_are_symbols_too() -> None:
    names = [s.name for s in read_plain("const add = (a, b) => a + b\nadd2 <- function(x) x\n", "a.js", ".js").symbols]
    assert names == ["add", "add2"]


def test_bytes_with_a_mark_are_decoded_by_it() -> None:
    assert [decoded(("\ufeff" + "ü").encode(name)) for name in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-8")] == [
        "ü",
        "ü",
        "ü",
        "ü",
    ]


def test_places_without_anchors_are_lines() -> None:
    text = Extracted(body="a\nb\nc")
    assert [text.place(offset) for offset in (0, 2, 4)] == ["line 1", "line 2", "line 3"]


def test_places_are_pages_where_there_are_pages() -> None:
    text = Extracted(body="first second", anchors=(Anchor(0, "page 1"), Anchor(6, "page 2")))
    assert (text.place(0), text.place(5), text.place(6), text.place(99)) == ("page 1", "page 1", "page 2", "page 2")


def test_places_in_a_sheet_are_cells() -> None:
    text = Extracted(body="a\tb\nc\td\ne", anchors=(Anchor(0, "Sheet1", 6), Anchor(8, "Sheet1", 20)))
    assert [text.place(offset) for offset in (0, 2, 4, 6, 8)] == [
        "Sheet1!A6",
        "Sheet1!B6",
        "Sheet1!A7",
        "Sheet1!B7",
        "Sheet1!A20",
    ]


def test_columns_go_on_after_z() -> None:
    text = Extracted(body="\t" * 800, anchors=(Anchor(0, "S", 1),))
    places = {25: "S!Z1", 26: "S!AA1", 51: "S!AZ1", 52: "S!BA1", 701: "S!ZZ1", 702: "S!AAA1"}
    assert {offset: text.place(offset) for offset in places} == places


def test_a_picture_says_why_it_has_no_text(tmp_path: Path) -> None:
    library = Library(tmp_path)
    document = library.documents.add("a.png", b"\x89PNG\r\n\x1a\n\0\0").document
    text = library.extracts.of(document)
    assert (text.body, text.title, text.note) == ("", "a.png", "no text is read from image/png")
    library.close()


@given(st.text(max_size=400), st.sampled_from([".md", ".rst", ".py", ".js", ".txt", ""]))
def test_any_text_is_its_own_body(text: str, extension: str) -> None:
    assert read_plain(text, "name", extension).body == text
