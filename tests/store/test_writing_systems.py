"""Words of any script are found however they are written: composed or not, with or without accents and case."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

import pytest

from rolltop.store import Library
from rolltop.store.search.excerpts import excerpts
from rolltop.store.text import fields, highlighted

WRITTEN = {
    "hindi": ("हिन्दी भाषा में लिखा गया पाठ", ["हिन्दी", "भाषा"]),
    "tamil": ("இது தமிழ் மொழி", ["தமிழ்"]),
    "thai": ("ภาษาไทยเป็นภาษาที่สวย", ["ภาษา", "ไทย", "ที่"]),
    "lao": ("ພາສາລາວ", ["ລາວ"]),
    "khmer": ("ភាសាខ្មែរ", ["ភាសា", "ខ្មែរ"]),
    "burmese": ("မြန်မာဘာသာ", ["မြန်မာ", "ဘာသာ"]),
    "arabic": ("هٰذِهِ اللُّغَةُ", ["اللُّغَةُ", "اللغة"]),
    "hebrew": ("שָׁלוֹם עולם", ["שָׁלוֹם", "שלום"]),
    "german": ("Die Größe und das Résumé über naïve Ideen", ["größe", "GRÖSSE", "résumé", "über", "naïve", "resume"]),
    "greek": ("ὁ λόγος του", ["ΛΟΓΟΣ", "λογος", "λόγος"]),
    "turkish": ("gece İstanbul", ["istanbul", "İSTANBUL", "ISTANBUL"]),
    "hyphens": ("they co\u00adoperate well", ["cooperate", "co\u00adoperate"]),
    "japanese": ("日本語ガイド", ["ガイド", "日本"]),
    "korean": ("한국어 문서", ["한국어"]),
    "russian": ("Ёлка зелёная", ["елка", "ёлка", "зеленая"]),
    "names": ("run sha256sum and md5sum, utf8mb4, api v2beta1", ["sha256", "md5", "utf8", "v2", "sha256sum", "sum"]),
}
FORMS = ["NFC", "NFD"]
CASES = [(name, query) for name, (_, queries) in WRITTEN.items() for query in queries]


@pytest.fixture(scope="module", params=[(form, learned) for form in FORMS for learned in (True, False)], ids=str)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    form, learned = request.param
    with Library(tmp_path_factory.mktemp("scripts") / "store") as opened:
        for name, (text, _) in WRITTEN.items():
            opened.documents.add_text(f"{name}.txt", normalize(form, f"\u2014 first line\n{text}\n"))
        if learned:
            opened.search.catch_up()
        yield opened


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("name", "query"), CASES)
def test_a_word_is_found_and_shown(library: Library, name: str, query: str, form: str) -> None:
    query = normalize(form, query)
    found = library.search.keyword(query)
    assert [hit.document.name for hit in found.hits] == [f"{name}.txt"], found.note
    (hit,) = found.hits
    assert hit.place == "line 2"
    (line,) = excerpts(library, hit, 0, 0).lines
    assert line.line_number == 2
    assert line.column_end > line.column_start
    assert "\x1b[01;31m" in highlighted(hit.snippet, hit.words)


@pytest.mark.parametrize(("name", "query"), CASES)
def test_a_word_is_near_itself(library: Library, name: str, query: str) -> None:
    assert f"{name}.txt" in [hit.document.name for hit in library.search.keyword(query, similarity=1.0).hits]


@pytest.mark.parametrize(("query", "found"), [("हि", []), ("भा", []), ("लेखा", []), ("ber", []), ("ไท", ["thai.txt"])])
def test_a_part_of_a_word_is_no_word(library: Library, query: str, found: list[str]) -> None:
    assert [hit.document.name for hit in library.search.keyword(query).hits] == found


def test_a_mark_goes_from_the_first_sign_to_the_last() -> None:
    text = normalize("NFD", "das Résumé, भाषा")
    assert highlighted(text, ["resume", "भाषा"]).count("\x1b[01;31m") == 2
    start = text.index("R")
    marked = "\x1b[01;31m\x1b[K" + normalize("NFD", "Résumé") + "\x1b[m\x1b[K"
    assert highlighted(text, ["resume"]) == text[:start] + marked + text[start + 8 :]


def test_an_index_whose_words_were_made_otherwise_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(fields, "FORMAT", fields.FORMAT - 1)
        with Library(tmp_path / "store") as library:
            library.documents.add_text("a.txt", "भाषा")
            library.search.catch_up()
            (before,) = (path.name for path in (tmp_path / "store" / "text").iterdir() if path.is_dir())
    with Library(tmp_path / "store") as library:
        assert library.search.unindexed() == 1
        assert library.search.keyword("भाषा").total == 1
        library.search.catch_up()
        assert library.search.unindexed() == 0
        after = {path.name for path in (tmp_path / "store" / "text").iterdir() if path.is_dir()}
    assert after > {before}  # another release may still use its own
