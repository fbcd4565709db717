"""One suite for every place where R runs: what a render gives, and what it says when it fails."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import docx
import pytest

from rolltop.errors import RolltopError, TimeLimit
from rolltop.reports import Event, PackageMissing, RenderFailure, RenderOptions, Reports

pytestmark = pytest.mark.container

EXAMPLE = Path(__file__).with_name("example.Rmd").read_text()


def test_all_formats_come_from_one_knit(everywhere: Reports, run: Any) -> None:
    everywhere.documents.create("example", "Example", EXAMPLE, overwrite=True)
    report = run(everywhere.render("example", RenderOptions(formats=["html", "pdf", "word"])))
    assert [output.name for output in report.outputs] == ["example.docx", "example.html", "example.pdf"]
    assert report.knits == 1
    html = everywhere.outputs.read("example.html")
    assert b"data:image/png;base64," in html
    assert b"Summary Statistics" in html
    assert everywhere.outputs.read("example.pdf").startswith(b"%PDF-")
    word = docx.Document(io.BytesIO(everywhere.outputs.read("example.docx")))
    assert "Summary Statistics" in [paragraph.text for paragraph in word.paragraphs]
    assert len(word.inline_shapes) == 1
    assert [figure.mime_type for figure in report.figures] == ["image/png"]


def test_side_files_and_params_reach_the_code_and_progress_names_chunks(everywhere: Reports, run: Any) -> None:
    content = (
        "---\ntitle: Data\nparams:\n  who: nobody\n---\n\n```{r load}\n"
        'cat(params$who, nrow(read.csv("numbers.csv")), nrow(read.csv("data/numbers.csv")))\n```\n'
    )
    everywhere.documents.create("data", "Data", content, overwrite=True)
    everywhere.documents.attach("data", "numbers.csv", b"x\n1\n2\n3\n")
    seen: list[Event] = []
    run(everywhere.render("data", RenderOptions(params={"who": "world"}, engine="fast"), seen.append))
    assert b"## world 3 3" in everywhere.outputs.read("data.html")
    assert any(event.phase == "knit" and event.chunk == "load" for event in seen)


def test_an_error_names_chunk_line_message_and_call(everywhere: Reports, run: Any) -> None:
    content = "Words\n\n```{r helper}\nf <- function(x) stop('boom ', x)\n```\n\n```{r culprit}\ny <- 2\nf(y)\n```\n"
    everywhere.documents.create("broken", "Broken", content, overwrite=True)
    with pytest.raises(RenderFailure, match=r"chunk culprit: boom 2") as caught:
        run(everywhere.render("broken"))
    error = caught.value
    line = everywhere.documents.text("broken").splitlines().index("```{r culprit}") + 1
    assert error.position is not None
    assert error.position.line == line
    assert error.details["call"] == "f(y)"
    assert "f(y)" in error.details["traceback"]
    assert "culprit" in (error.hint or "")


def test_a_missing_package_is_named_with_its_cure(everywhere: Reports, run: Any) -> None:
    everywhere.documents.create("lib", "Lib", "```{r}\nlibrary(notthere)\n```\n", overwrite=True)
    with pytest.raises(PackageMissing, match="needs the R package notthere") as caught:
        run(everywhere.render("lib", RenderOptions(engine="fast")))
    assert re.search(r"r-cran-notthere|image build --package notthere", caught.value.hint or "")


def test_an_endless_loop_is_ended(everywhere: Reports, run: Any) -> None:
    everywhere.documents.create("loop", "Loop", "```{r}\nrepeat {}\n```\n", overwrite=True)
    with pytest.raises(TimeLimit, match="took longer than 3 s"):
        run(everywhere.render("loop", RenderOptions(timeout=3, engine="fast")))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("repeat {}", "took longer than 10 s and was ended in chunk culprit"),
        ("quit()", "ended without an answer in chunk culprit"),
        ("f <- function(n) f(n + 1); f(1)", "failed in chunk culprit: .*nested too deeply"),
    ],
)
def test_the_chunk_that_ran_last_is_named(everywhere: Reports, run: Any, code: str, said: str) -> None:
    content = f"---\ntitle: t\n---\n\n```{{r}}\n1\n```\n\nWords\n\n```{{r culprit}}\n{code}\n```\n\nMore\n"
    everywhere.documents.create("last", "Last", content, overwrite=True)
    with pytest.raises(RolltopError, match=said) as caught:
        run(everywhere.render("last", RenderOptions(timeout=10 if code == "repeat {}" else 60, engine="fast")))
    error = caught.value
    assert str(error.position) == "last.Rmd:11:1"
    assert (error.details["chunk"], error.details["lines"]) == ("culprit", [11, 13])
    assert "chunk culprit (from line 11)" in (error.hint or "")
