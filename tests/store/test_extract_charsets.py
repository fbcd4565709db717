"""Pages and texts that are not in UTF-8 are read as they say they are written."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

import made_files as made
import pytest

from rolltop.store import Library, Pattern
from rolltop.store.extract.charsets import ENCODINGS, codec_named, declared_in
from rolltop.store.extract.detect import format_of
from rolltop.store.extract.formats.readers import read_document
from rolltop.store.extract.worker_pool import Workers

WORDS = {
    "windows-1251": "кириллица на странице",
    "koi8-r": "кириллица на странице",
    "shift_jis": "東京タワー",
    "euc-jp": "東京タワー",
    "iso-2022-jp": "東京タワー",
    "gbk": "你好世界",
    "big5": "臺灣",
    "euc-kr": "한국어",
    "iso-8859-7": "ελληνικά",
    "windows-1252": "Größe “café”",
}
PAGE = (
    '<!doctype html><html><head><meta charset="{}"><title>{}</title></head><body><script>code</script><p>{}</p></html>'
)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(tmp_path / "store") as opened:
        yield opened


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with_limits = Workers()
    yield with_limits
    with_limits.close()


@pytest.mark.parametrize("charset", WORDS)
def test_a_page_is_read_in_the_charset_that_it_declares(workers: Workers, charset: str) -> None:
    words = WORDS[charset]
    data = PAGE.format(charset, words, words * 50).encode(charset)
    text = workers.read("a", data)
    assert (format_of(data, "a"), text.title, text.body, text.note) == ("html", words, words * 50 + "\n", None)


@pytest.mark.parametrize("codec", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_page_with_a_mark_is_read_by_its_mark(codec: str) -> None:
    data = PAGE.format("windows-1251", "鯨", "кит").encode(codec)
    assert (format_of(data, "a"), read_document(data, "a").body) == ("html", "кит\n")


def test_a_page_without_a_charset_is_western() -> None:
    data = b"<html><body><p>caf\xe9</p></body></html>"
    assert read_document(data, "a").body == "café\n"


def test_a_page_that_declares_wrongly_is_believed_by_its_bytes() -> None:
    assert read_document(PAGE.format("windows-1251", "", "Größe 鯨").encode(), "a").body == "Größe 鯨\n"


def test_chapters_of_a_book_are_read_as_they_declare() -> None:
    chapter = '<?xml version="1.0" encoding="windows-1251"?><html><body><p>кит</p></body></html>'.encode("cp1251")
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": "<container><rootfile full-path='b.opf'/></container>",
        "b.opf": "<package><manifest><item id='a' href='1.xhtml'/><item id='b' href='gone.xhtml'/></manifest>"
        "<spine><itemref idref='a'/><itemref idref='b'/></spine></package>",
        "1.xhtml": chapter,
    }
    text = read_document(made.made_zip(members), "a.epub")
    assert (text.body, text.note) == ("кит\n", "chapter 2: it has no gone.xhtml")


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.xml", '<?xml version="1.0" encoding="{}"?>\n<a>{}</a>\n'),
        ("a.py", "#!/usr/bin/python\n# -*- coding: {} -*-\nprint('{}')\n"),
        ("a.tex", "% -*- coding: {} -*-\n{}\n"),
    ],
)
def test_texts_are_read_as_they_say_they_are_written(library: Library, name: str, source: str) -> None:
    words = "кириллица"
    library.documents.add(name, source.format("koi8-r", words * 9).encode("koi8-r"))
    library.texts.read_all()
    assert words * 9 in library.texts.of(library.documents.get(name)).body
    assert library.documents.get(name).mime.endswith("; charset=koi8-r")


def test_a_page_is_found_by_its_words_and_searched_as_it_is_written(library: Library) -> None:
    page = (
        "<html>\n<head><meta charset=windows-1251></head>\n<p>кириллица <b>на</b> странице\n<script>hidden</script>\n"
    )
    library.documents.add("ru.html", page.encode("cp1251"))
    library.indexes.update()
    document = library.documents.get("ru.html")
    assert (document.kind, document.mime) == ("text", "text/html; charset=windows-1251")
    assert [hit.document.path for hit in library.search.keyword("кириллица").hits] == ["ru.html"]
    assert library.search.keyword("hidden").hits == []
    [file] = library.grep.files(Pattern("<b>на"))
    assert [(m.line_number, m.line, m.place) for m in file.matches()] == [(3, "<p>кириллица <b>на</b> странице", "")]
    library.grep.index_pending()
    assert [found.path for found, _ in library.grep.counts(Pattern("hidden"))] == ["ru.html"]


def test_a_page_that_cannot_be_read_keeps_its_source_as_text(library: Library) -> None:
    library.documents.add("a.ipynb", b'{"nbformat": 4, "cells": caf\xe9')
    library.indexes.update()
    text = library.texts.of(library.documents.get("a.ipynb"))
    assert "café" in text.body
    assert "not valid JSON" in (text.note or "")


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("Windows-1251", "windows-1251"),
        ("x-cp1251", "windows-1251"),
        (" ISO_8859-1:1987 ", "windows-1252"),
        ("x-sjis", "cp932"),
        ("ks_c_5601-1987", "cp949"),
        ("iso-8859-8-i", "iso-8859-8"),
        ("tis-620", "cp874"),
        ("utf8", "utf-8"),
        *[(label, None) for label in ("rot13", "base64", "idna", "punycode", "../x", "ü", "", None)],
    ],
)
def test_encodings_go_by_many_names(label: str | None, codec: str | None) -> None:
    assert codec_named(label) == codec


def test_every_encoding_is_one() -> None:
    assert {codecs.lookup(name).name for name in ENCODINGS} == ENCODINGS
    assert all(codecs.lookup(codec_named(name) or "").name == name for name in ENCODINGS)


def test_a_text_that_mentions_a_charset_declares_none() -> None:
    assert declared_in(b'Write <meta charset="koi8-r"> at the top: caf\xe9') is None
    assert declared_in(b"The coding: koi8-r was used") is None
