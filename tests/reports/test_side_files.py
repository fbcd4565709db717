"""Side files with any name, in any folder, of one document or of all; nothing is left out without a word."""

from __future__ import annotations

from typing import Any

import pytest

from rolltop.errors import InvalidInput
from rolltop.reports import RenderFailure, RenderOptions, Reports
from rolltop.reports.source.code_parts import parted

CODE = """# Heading

```{r, child='sub dir/~child #1.Rmd'}
```

```{r}
source('_common.R'); x
readLines('.hidden'); readLines("it's $5 & more.txt")
```
"""


def test_any_name_that_a_file_system_takes(warm_reports: Reports, run: Any) -> None:
    documents = warm_reports.documents
    documents.create("sides", "Sides", CODE)
    documents.attach("sides", "sub dir/~child #1.Rmd", b"A child says `r 40 + 2`.\n")
    documents.attach("sides", ".hidden", b"was hidden\n")
    documents.attach("sides", "it's $5 & more.txt", b"five\n")
    documents.attach("sides", "_output.yml", b"html_document:\n  toc: true\n")
    (documents.root / "_common.R").write_text("x <- 'for all'\n")
    (documents.root / "sides/link").symlink_to("/etc/hostname")
    try:
        report = run(warm_reports.render("sides", RenderOptions(engine="fast")))
    finally:
        (documents.root / "_common.R").unlink()
    for said in ("A child says 42.", "for all", "was hidden", "five"):
        assert said in report.text
    assert report.engine == "rmarkdown"
    assert "_output.yml" in (report.engine_note or "")
    assert b'id="TOC"' in warm_reports.outputs.read("sides.html")
    assert [warning for warning in report.warnings if "'link'" in warning]


@pytest.mark.parametrize("name", ["../x", "/x", "a/../b", "", "a//b", "a\nb", "x" * 256])
def test_names_that_lead_elsewhere_are_refused(reports: Reports, name: str) -> None:
    reports.documents.create("d", "D", "x")
    with pytest.raises(InvalidInput):
        reports.documents.attach("d", name, b"")


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_a_missing_child_is_named(warm_reports: Reports, run: Any, engine: Any) -> None:
    warm_reports.documents.create("orphan", "P", "Text\n\n```{r, child='nope.Rmd'}\n```\n", overwrite=True)
    with pytest.raises(RenderFailure) as caught:
        run(warm_reports.render("orphan", RenderOptions(engine=engine)))
    assert str(caught.value.position).startswith("orphan.Rmd:")
    assert "give it nope.Rmd as one (rmd/orphan/nope.Rmd)" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "text",
    [
        "## Results {.tabset}\n\n### One\n\nx\n",
        "```{r}\n# library(DT)\n```\n",
        "```{=html}\n<b>x</b>\n```\n",
        "<details>x</details>\n",
    ],
)
def test_what_the_plain_page_lacks_is_rendered_by_rmarkdown_with_a_note(
    warm_reports: Reports, run: Any, text: str
) -> None:
    warm_reports.documents.create("lacks", "L", text, overwrite=True)
    report = run(warm_reports.render("lacks", RenderOptions(engine="fast")))
    assert report.engine == "rmarkdown"
    assert report.notes[0].startswith("Rendered by rmarkdown, not by the fast engine: ")


def test_what_follows_a_raw_block_is_judged_as_prose() -> None:
    text = "```{=latex}\n\\newpage\n```\n\n<details>x</details>\n\n```{r}\n1\n```\n"
    assert parted(text) == ("```{=latex}\n\\newpage\n```\n\n<details>x</details>\n\n", "```{r}\n1\n```\n")
