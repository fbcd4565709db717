"""Where the words of a search stand: in lines, in snippets, on pages and in cells."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import made_files as made
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rolltop.store import Library
from rolltop.store.search.excerpts import LONGEST, MOST, excerpts
from rolltop.store.text import highlighted, word_marks
from rolltop.store.text.word_marks import NEEDLES, Marker
from rolltop.store.text.words.analysis import words_in

TEXT = """Das Café ist groß.
Über die Größe.
検索エンジンは速い
検査だけ
The party started, an air raid
modern art and AI
get_user_name(getUserName)
get the user a name
a cafe\u0301 by Æsop
an e-mail from Łódź
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library(tmp_path_factory.mktemp("marking") / "store") as opened:
        opened.documents.add_text("a.md", TEXT)
        yield opened


def lines(library: Library, query: str, similarity: float | None = None) -> list[str]:
    """The lines that a search shows, with the words between angle brackets."""
    hit = library.search.keyword(query, similarity=similarity).hits[0]
    return [
        re.sub("\x1b\\[01;31m\x1b\\[K(.*?)\x1b\\[m\x1b\\[K", r"<\1>", match.line)
        for match in excerpts(library, hit, 0, 0, color=True).lines
    ]


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("café", ["Das <Café> ist groß.", "a <cafe\u0301> by Æsop"]),
        ("CAFE", ["Das <Café> ist groß.", "a <cafe\u0301> by Æsop"]),
        ("über", ["<Über> die Größe."]),
        ("größe", ["Das Café ist <groß>.", "Über die <Größe>."]),
        ("検索", ["<検索>エンジンは速い"]),
        ("速", ["検索エンジンは<速>い"]),
        ("aesop", ["a cafe\u0301 by <Æsop>"]),
        ("lodz", ["an e-mail from <Łódź>"]),
        ("art", ["modern <art> and AI"]),
        ("AI", ["modern art and <AI>"]),
        ("started", ["The party <started>, an air raid"]),
        ("getUserName", ["<get_user_name>(<getUserName>)"]),
        ("getusername", ["<get_user_name>(<getUserName>)"]),
        ("user", ["get_<user>_name(get<User>Name)", "get the <user> a name"]),
        ("email", ["an <e-mail> from Łódź"]),
        ("par*", ["The <party> started, an air raid"]),
        ('"modern art"', ["<modern> <art> and AI"]),
    ],
)
def test_lines_hold_the_words_as_the_index_has_them(library: Library, query: str, shown: list[str]) -> None:
    assert lines(library, query) == shown


def test_lines_hold_nearly_spelled_words(library: Library) -> None:
    assert lines(library, "grösst", 0.6) == ["Das Café ist <groß>.", "Über die <Größe>."]


def test_where_no_line_holds_an_identifier_its_parts_are_shown(library: Library) -> None:
    library.documents.add_text("parted.md", "set this\nhost name\nanywhere\n")
    assert lines(library, "setThisHost") == ["<set> <this>", "<host> name"]


def test_columns_are_those_of_the_text_as_it_is_written(library: Library) -> None:
    (match,) = excerpts(library, library.search.keyword("raid").hits[0], 1, 1).lines
    assert (match.line_number, match.column_start, match.column_end) == (5, 27, 31)
    assert (match.before, match.after) == (["検査だけ"], ["modern art and AI"])
    (last,) = excerpts(library, library.search.keyword("lodz").hits[0], 0, 3).lines
    assert (last.column_start, last.column_end, last.after) == (16, 20, [])


def test_a_very_long_line_is_shown_as_a_piece_that_says_so(library: Library) -> None:
    long = "gamma " * 5000 + "dormouse " + "delta " * 5000
    library.documents.add_text("long.json", f"{long}\n{'x' * 5000}\n")
    hit = library.search.keyword("dormouse").hits[0]
    (match,) = excerpts(library, hit, 0, 1).lines
    assert (match.column_start, match.column_end, match.line_length) == (30_001, 30_009, len(long))
    assert match.line_from is not None
    assert long[match.line_from - 1 :].startswith(match.line)
    assert (len(match.line), "dormouse" in match.line, match.after) == (LONGEST, True, ["x" * LONGEST + "…"])
    (coloured,) = excerpts(library, hit, 0, 0, color=True).lines
    assert "\x1b[01;31m\x1b[Kdormouse\x1b[m\x1b[K" in coloured.line
    (short,) = excerpts(library, library.search.keyword("raid").hits[0], 0, 0).lines
    assert (short.line_from, short.line_length) == (None, None)


@pytest.mark.parametrize(("count", "complete"), [(MOST, True), (MOST + 1, False)])
def test_more_lines_than_are_shown_are_not_kept_quiet(library: Library, count: int, complete: bool) -> None:
    library.documents.add_text("many.md", "a marmot here\nand none\n" * count)
    found = excerpts(library, library.search.keyword("marmot").hits[0], 0, 0)
    assert (len(found.lines), found.complete) == (MOST, complete)


def test_lines_say_the_page_and_the_cell(library: Library) -> None:
    library.documents.add("a.pdf", made.made_pdf("first zebra", "second zebra", "no such animal"))
    library.documents.add("a.xlsx", made.made_xlsx())
    library.indexes.update()

    def places(word: str) -> list[str]:
        hit = library.search.keyword(word).hits[0]
        return [hit.place, *(match.place for match in excerpts(library, hit, 0, 0).lines)]

    assert places("zebra") == ["page 1", "page 1", "page 2"]
    assert (places("lion"), places("tiger"), places("puma")) == (
        ["Sheet1!A7", "Sheet1!A7"],
        ["Sheet1!C9", "Sheet1!C9"],
        ["Second!B2", "Second!B2"],
    )


def test_more_words_than_can_be_looked_for_at_once() -> None:
    marker = Marker(f"word{chr(97 + number % 26)}{'x' * (number // 26)}" for number in range(NEEDLES + 60))
    assert list(marker.lines("nothing\na wordcx and\nworda_wordb\n")) == [(1, [(2, 8)]), (2, [(0, 5), (6, 11)])]
    assert list(Marker([]).lines("nothing")) == []


@pytest.mark.parametrize(("word", "text"), [("速", "検索エンジンは速い"), ("grosse", "Die Größe"), ("lodz", "Łódź")])
def test_a_snippet_is_where_the_word_stands_however_it_is_written(library: Library, word: str, text: str) -> None:
    library.documents.add_text(f"{word}.txt", "Anfang \u2013 ohne das Wort\n" * 100 + text + "\n" + "Ende\n" * 100)
    hits = {hit.document.path: hit for hit in library.search.keyword(word).hits}
    hit = hits[f"{word}.txt"]
    assert (text in hit.snippet, hit.place) == (True, "line 101")
    assert "\x1b[01;31m" in highlighted(hit.snippet, hit.words)


WRITTEN = [
    "art",
    "Art",
    "party",
    "getArt",
    "art_work",
    "ARTWork",
    "größe",
    "検",
    "索",
    "a",
    "2",
    "art2",
    "é",
    "ﬁ",
    "हिन्दी",
    "́",
    "gro\u0308\u00dfe",
    "co\u00adop",
    "coop",
    "ที่นา",
    "À0",
    "a1art",
    "\u30ab\u3099",
    "ガ",
    "\u1112\u1161\u11ab",
    "한",
    "\u200b",
]
PIECES = st.lists(st.sampled_from([*WRITTEN, " ", "\n", "_", "-", ".", "\u2013"]), max_size=30).map("".join)


@example("カ\u3099検\u0301", ["検"])  # a sign on a letter that is a word by itself
@given(
    PIECES,
    st.lists(st.sampled_from(WRITTEN).flatmap(lambda text: st.sampled_from(words_in(text) or ["x"])), max_size=3),
)
@example("ガ検\u0301", ["検"])
def test_a_line_is_shown_where_the_index_finds_a_word_in_it(text: str, words: list[str]) -> None:
    shown = dict(Marker(words).lines(text))
    for number, line in enumerate(text.split("\n")):
        held = set(words_in(line)) & set(words)
        assert not held or number in shown
        for start, end in shown.get(number, ()):
            piece = words_in(line[start:end])
            assert set(piece) & set(words) or "".join(piece) in words


TOGETHER = [
    "needle",
    "get user name",
    "getUserName",
    "get_user-name",
    "username",
    "Größe",
    "日本",
    "e\u0301té",
    "party",
]


@given(
    st.lists(st.tuples(st.sampled_from(TOGETHER), st.sampled_from([" ", ",", ".", "(", "; "])), max_size=120),
    st.lists(
        st.sampled_from(["needle", "getUserName", "user*", "grosse", "ete", "日本", "art"]), min_size=1, max_size=3
    ),
)
def test_a_very_long_line_is_marked_as_if_it_were_looked_at_in_one_go(
    parts: list[tuple[str, str]], words: list[str]
) -> None:
    text = "".join(word + sign for word, sign in parts)
    marker, stretch = Marker(words), word_marks.STRETCH
    whole = marker.spans(text)
    try:
        word_marks.STRETCH = 100
        assert marker.spans(text) == whole
        near = marker.spans(text, 50)
    finally:
        word_marks.STRETCH = stretch
    assert near == whole[: len(near)]
    assert all(span in near for span in whole if span[0] < whole[0][0] + 50)


def test_one_word_of_a_line_of_megabytes_is_found_without_cutting_all_of_it() -> None:
    line = "hay " * 1_000_000 + "needle " + "hay needle " * 300_000
    start = time.process_time()
    (number, spans), *_ = Marker(["needle"]).lines(line, 1000)
    assert (number, spans[0], len(spans) < 2000) == (0, (4_000_000, 4_000_006), True)
    assert time.process_time() - start < 5  # cutting all of it takes four times as long
