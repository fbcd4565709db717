"""Names are one safe path component, and URIs carry nothing else."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolltop.errors import InvalidInput
from rolltop.reports.names import document_name, output_name, output_uri, parse_uri, side_name, source_uri, stem_of

HOSTILE = [
    "", ".", "..", "../x", "a/b", "a\\b", "/etc/passwd", ".hidden", "~root", "a\0b", "a\nb", "a'b", 'a"b', "a`id`",
    "$(id)", "a;b", "a|b", "a&b", "a%2e", "a*", "a?", "-rf", "a ", "x" * 121, "output", "Output",
    "con\u202egpj", "a:b", "{a}", "#a", "\u0301a", "a\ufe0f", "a\u034fb", "語" * 67, "a\ud800",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        document_name(name)
    with pytest.raises(InvalidInput):
        document_name(name + ".Rmd")


@pytest.mark.parametrize("name", [
    "example", "Q3 report (final)", "größe", "r-4.2_notes", "日本", "a+b", "हिन्दी", "e\u0301tude", "語" * 45, "x" * 120,
])  # fmt: skip
def test_ordinary_names_are_welcome(name: str) -> None:
    assert document_name(name) == document_name(f"{name}.Rmd") == f"{name}.Rmd"
    assert stem_of(document_name(name)) == name
    assert output_name(f"{name}.docx") == f"{name}.docx"  # what can be written can be rendered


@given(st.text(max_size=60))
def test_an_accepted_name_is_one_component_that_stays_where_it_is(text: str) -> None:
    try:
        name = document_name(text)
    except InvalidInput:
        return
    path = PurePosixPath("/root/rmd") / name
    assert path.parent == PurePosixPath("/root/rmd")
    assert not name.startswith((".", "-", "_"))
    assert parse_uri(source_uri(name)).name == name
    assert not set(name) & set("'\"`$;|&<>\\\0\n\r%#{}*?~")


def test_a_path_from_the_root_is_said_to_be_one() -> None:
    with pytest.raises(InvalidInput, match="begins with /"):
        side_name("/etc/passwd")


@given(st.text(max_size=60))
def test_a_side_file_cannot_leave_its_directory(text: str) -> None:
    try:
        name = side_name(text)
    except InvalidInput:
        return
    assert ".." not in PurePosixPath(name).parts
    assert not PurePosixPath(name).is_absolute()


@pytest.mark.parametrize(
    "uri",
    [
        "rmd:///../../etc/passwd", "rmd:///a/b.Rmd", "rmd://x.Rmd", "rmd:///x.txt", "rmd:///", "file:///etc/passwd",
        "rmd-output:///x.exe", "rmd-output:///../x.html", "rmd-output:///%2e%2e%2fx.html", "rmd-figure:///x.png",
        "rmd-figure:///../a/b.png", "rmd:///%00.Rmd", "RMD", "", "rmd:///.Rmd",
    ],
)  # fmt: skip
def test_a_malformed_uri_is_an_invalid_request(uri: str) -> None:
    with pytest.raises(InvalidInput, match="Invalid URI format") as caught:
        parse_uri(uri)
    assert caught.value.error_type == "invalid_request"


def test_uris_carry_names_with_spaces_and_letters() -> None:
    assert output_uri("Q3 größe.html") == "rmd-output:///Q3%20gr%C3%B6%C3%9Fe.html"
    assert parse_uri(output_uri("Q3 größe.html")).name == "Q3 größe.html"
    assert output_name("x.docx") == "x.docx"
