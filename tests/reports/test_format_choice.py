"""The output format of the front matter is used, also one of a package; what it needs and is not there is named."""

from __future__ import annotations

from typing import Any

import pytest

from rolltop.errors import PartMissing
from rolltop.reports import PackageMissing, RenderOptions, Reports


def create(reports: Reports, output: str) -> None:
    reports.documents.create("choice", "Choice", f"---\ntitle: t\noutput:{output}\n---\n\nwords\n", overwrite=True)


@pytest.mark.parametrize(
    ("output", "form", "package"),
    [
        (" bookdown::html_document2", "html", "bookdown"),
        ("\n  flexdashboard::flex_dashboard:\n    orientation: rows", "html", "flexdashboard"),
        ("\n  html_document: default\n  bookdown::pdf_document2: default", "pdf", "bookdown"),
        (" nothere::thesis", "word", "nothere"),
    ],
)
@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_a_format_of_a_missing_package_is_not_replaced(
    warm_reports: Reports, run: Any, output: str, form: Any, package: str, engine: Any
) -> None:
    create(warm_reports, output)
    with pytest.raises(PackageMissing, match=f"needs the R package {package}") as caught:
        run(warm_reports.render("choice", RenderOptions(formats=[form], engine=engine)))
    assert f"r-cran-{package}" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("output", "form"),
    [
        (" bookdown::html_document2", "word"),
        ("\n  bookdown::pdf_document2: default\n  html_document: default", "html"),
        ("\n  nothere::thesis: default\n  html_document: default", "html"),
        (" github_document", "html"),
    ],
)
def test_a_format_of_another_kind_does_not_matter(warm_reports: Reports, run: Any, output: str, form: Any) -> None:
    create(warm_reports, output)
    assert run(warm_reports.render("choice", RenderOptions(formats=[form]))).knits == 1


def test_any_declared_format_that_makes_the_kind_is_used(warm_reports: Reports, run: Any) -> None:
    """html_fragment stands for the formats of packages: it is none of those that are known by name."""
    create(warm_reports, "\n  rmarkdown::html_fragment:\n    number_sections: true")
    run(warm_reports.render("choice"))
    assert warm_reports.outputs.read("choice.html").strip() == b"<p>words</p>"
    report = run(warm_reports.render("choice", RenderOptions(formats=["html", "word"])))
    assert report.knits == 2  # such a format may knit in its own way
    assert warm_reports.outputs.read("choice.html").strip() == b"<p>words</p>"


def test_a_missing_latex_program_is_named_before_the_code_runs(warm_reports: Reports, run: Any) -> None:
    text = "---\ntitle: t\noutput:\n  pdf_document:\n    latex_engine: {}\n---\n\n```{{r}}\nstop('ran')\n```\n"
    warm_reports.documents.create("choice", "Choice", text.format("tectonic"), overwrite=True)
    with pytest.raises(PartMissing, match="asks for tectonic, which is not installed") as caught:
        run(warm_reports.render("choice", RenderOptions(formats=["pdf"])))
    assert caught.value.exit_code == 5
    assert "apt-get install" in (caught.value.hint or "")
