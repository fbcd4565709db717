"""What does not end a render and is not as it was meant is told with the result."""

from __future__ import annotations

from typing import Any

import pytest

from rolltop.reports import RenderOptions, Reports
from rolltop.reports.job import RenderJob
from rolltop.reports.results.failure import diagnose


def warnings(reports: Reports, run: Any, text: str, **options: Any) -> tuple[str, ...]:
    reports.documents.create("warns", "Warns", text, overwrite=True)
    first = run(reports.render("warns", RenderOptions(**options)))
    assert run(reports.render("warns", RenderOptions(**options))).warnings == first.warnings  # from the cache
    assert first.sentence == f"Successfully rendered warns.Rmd to {first.outputs[0].name}" or len(first.outputs) > 1
    assert first.notes == tuple(f"Warning: {warning}" for warning in first.warnings)
    return tuple(first.warnings)


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_a_picture_that_word_goes_without_is_told(warm_reports: Reports, run: Any, engine: Any) -> None:
    (said,) = warnings(warm_reports, run, "![a](nowhere.png)\n", formats=["word"], engine=engine)
    assert "could not fetch resource nowhere.png" in said.lower()


def test_a_picture_that_the_fast_page_goes_without_is_told(warm_reports: Reports, run: Any) -> None:
    text = "![a](nowhere.png) ![b](https://example.com/b.png)\n"
    assert warnings(warm_reports, run, text, engine="fast") == ("could not find the picture nowhere.png",)


def test_a_citation_that_is_not_in_the_bibliography_is_told(warm_reports: Reports, run: Any) -> None:
    text = "---\ntitle: T\nreferences:\n- id: known\n  title: Known\n---\n\nSee @unknown.\n"
    (said,) = warnings(warm_reports, run, text)
    assert "citation unknown not found" in said


def test_a_language_that_is_not_run_is_told(warm_reports: Reports, run: Any) -> None:
    (said,) = warnings(warm_reports, run, "```{nonsense}\n1\n```\n")
    assert said.startswith("Unknown language engine 'nonsense'")


def test_an_ordinary_document_warns_of_nothing(warm_reports: Reports, run: Any) -> None:
    text = "Text\n\n```{r}\nwarning('in the page'); plot(1)\n```\n\nno line end"
    assert warnings(warm_reports, run, text, formats=["html", "word"]) == ()
    report = run(warm_reports.render("warns"))
    assert report.sentence == "Successfully rendered warns.Rmd to warns.html"


def test_warnings_of_one_document_are_not_those_of_the_next(warm_reports: Reports, run: Any) -> None:
    assert warnings(warm_reports, run, "```{nonsense}\n2\n```\n")
    assert not warnings(warm_reports, run, "Text\n")


JOB = RenderJob("d.Rmd", {"d.Rmd": b"text\n"}, ("html",))


@pytest.mark.parametrize(
    ("message", "printed"),
    [
        ("'R_Calloc' could not allocate memory (180001102 of 1 bytes)", ""),
        ("pandoc document conversion failed with error 251", "pandoc: out of memory\n"),
    ],
)
def test_memory_that_is_not_to_be_had_is_a_limit(message: str, printed: str) -> None:
    error = diagnose(JOB, {"message": message}, "", "local", printed)
    assert (error.code, "raise memory" in (error.hint or "")) == ("memory_limit", True)


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        ("Duplicate map key: 'title'", "names it twice"),
        ("no value field specified for YAML parameter 'o'", "under the key value"),
    ],
)
def test_front_matter_that_fails_has_a_hint(message: str, hint: str) -> None:
    assert hint in (diagnose(JOB, {"message": message}, "", "local").hint or "")


def test_a_picture_that_latex_misses_is_a_side_file() -> None:
    latex = "! Package pdftex.def Error: File `a b.png' not found: using draft setting.\n\nl.74 \\includegraphics\n"
    error = diagnose(JOB, {"message": "LaTeX failed to compile d.tex", "latex": latex}, "", "local")
    assert error.hint == "Give the document a side file a b.png, or correct the name."
