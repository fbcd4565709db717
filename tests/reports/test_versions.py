"""Replacing and deleting loses nothing: earlier texts and files are listed, read and brought back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rolltop.errors import NotFound
from rolltop.reports import RenderOptions, Reports
from rolltop.reports.files.documents import Documents


@pytest.fixture
def documents(tmp_path: Path) -> Documents:
    made = Documents(tmp_path / "rmd", side_limit=1 << 20)
    made.create("a", "A", "---\ntitle: A\n---\none")
    return made


def texts(documents: Documents, *, side: str | None = None) -> list[str]:
    found = documents.versions("a", side)
    return [documents.version("a", each.number, side).decode().rpartition("---\n")[2] for each in found]


def test_every_text_that_is_replaced_is_kept(documents: Documents) -> None:
    assert documents.versions("a") == []
    documents.update("a", "two")
    documents.edit("a", lambda text: text + " three")
    documents.create("a", "A", "---\ntitle: A\n---\nfour", overwrite=True)
    assert texts(documents) == ["two three", "two", "one"]
    assert documents.restore("a", 2) == "a.Rmd"
    assert documents.text("a") == "two"
    assert [each.number for each in documents.versions("a")] == [4, 3, 2, 1]


def test_side_files_are_kept_too(documents: Documents) -> None:
    for content in (b"1", b"2", b"3"):
        documents.attach("a", "sub/data.csv", content)
    assert texts(documents, side="sub/data.csv") == ["2", "1"]
    assert documents.restore("a", 1, "sub/data.csv") == "a/sub/data.csv"
    assert (documents.root / "a/sub/data.csv").read_bytes() == b"1"


def test_a_deleted_document_comes_back_with_its_files(documents: Documents) -> None:
    documents.attach("a", "data.csv", b"1")
    documents.delete("a")
    with pytest.raises(NotFound):
        documents.text("a")
    documents.restore("a", documents.versions("a")[0].number)
    documents.restore("a", documents.versions("a", "data.csv")[0].number, "data.csv")
    assert documents.text("a").endswith("one")
    assert documents.gather("a.Rmd")["a/data.csv"] == b"1"


def test_a_version_that_is_not_there_is_named(documents: Documents) -> None:
    with pytest.raises(NotFound, match=r"a\.Rmd has no version 7"):
        documents.restore("a", 7)
    assert [each.name for each in documents.all()] == ["a.Rmd"]


def test_a_check_that_refuses_leaves_everything_as_it_is(documents: Documents) -> None:
    def refuse() -> None:
        raise RuntimeError

    for change in (
        lambda: documents.delete("a", check=refuse),
        lambda: documents.create("a", "A", "new", overwrite=True, check=refuse),
    ):
        with pytest.raises(RuntimeError):
            change()
    assert documents.text("a").endswith("one")
    assert documents.versions("a") == []


def test_the_command_line_lists_and_restores(rolltop: Any) -> None:
    for text in ("first\n", "second\n"):
        rolltop("reports", "new", "a", "--from", "-", "--overwrite", stdin=text)
    assert '"version": 1' in rolltop("reports", "versions", "a", "--json").stdout.replace(":1", ": 1")
    assert rolltop("reports", "restore", "a", "1").returncode == 0
    path = rolltop("reports", "new", "b").stdout.strip()
    assert "first" in Path(path).with_name("a.Rmd").read_text()
    assert rolltop("reports", "restore", "a", "9").returncode == 3


def test_a_page_of_the_fast_engine_is_inert(make_reports: Callable[..., Reports]) -> None:
    """HTML of a document's own goes to rmarkdown; what the fast engine writes runs no script and loads nothing."""
    reports = make_reports(renderer="local")
    reports.documents.create("hostile", "H", "Some *text*, and a plot.\n\n```{r}\nplot(1)\n```\n")
    report = asyncio.run(reports.render("hostile", RenderOptions(formats=("html",), engine="fast")))
    assert report.engine == "fast"
    head, body = (reports.outputs.root / "hostile.html").read_text().split("</head>")
    assert "default-src 'none'" in head
    assert "<script" not in body.lower()
