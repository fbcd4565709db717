"""Quarto documents by our own engines: options, callouts, cross references, and what is not supported by name."""

from __future__ import annotations

from typing import Any

import pytest

from rolltop.errors import Conflict
from rolltop.reports import RenderFailure, RenderOptions, Reports
from rolltop.reports.source.quarto import as_rmd

QMD = """---
title: "A Quarto document"
format:
  html:
    toc: true
    fancy: 1
execute:
  echo: false
---

## Plots {#sec-plots}

See @fig-cars, @tbl-head and @sec-plots; write to me@fig-cars.org.

```{r}
#| label: fig-cars
#| fig-cap: "Cars"
plot(cars)
```

```{r}
#| label: tbl-head
#| tbl-cap: "Rows"
knitr::kable(head(cars, 2))
```

::: {.callout-warning title="Mind"}
Be careful.
:::

{{< video x.mp4 >}}
"""


def test_the_lines_stay_where_they_are() -> None:
    text, _ = as_rmd(QMD)
    before, after = QMD.split("\n"), text.split("\n")
    assert len(before) == len(after)
    assert before.index("plot(cars)") == after.index("plot(cars)")


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_a_quarto_document_renders(warm_reports: Reports, run: Any, engine: Any) -> None:
    warm_reports.documents.create("quarto.qmd", "Q", QMD, overwrite=True)
    report = run(warm_reports.render("quarto", RenderOptions(formats=["html", "word"], engine=engine)))
    assert report.sentence == "Successfully rendered quarto.qmd to quarto.docx, quarto.html"
    for said in (
        "See Figure 1, Table 1 and Plots; write to me@fig-cars.org.",
        "Figure 1: Cars",
        "Table 1: Rows",
        "**Mind.** Be careful.",
    ):
        assert said in report.text
    assert "plot(cars)" not in report.text
    lacks = {f"Quarto: {each} is not supported here" for each in ("fancy of html", "the shortcode video")}
    assert lacks <= set(report.warnings)


def test_an_error_points_into_the_quarto_document(warm_reports: Reports, run: Any) -> None:
    text = QMD.replace("plot(cars)", "stop('boom')")
    warm_reports.documents.create("failing.qmd", "Q", text, overwrite=True)
    with pytest.raises(RenderFailure, match="boom") as caught:
        run(warm_reports.render("failing"))
    line = text.split("\n").index("stop('boom')")
    assert str(caught.value.position) == f"failing.qmd:{line - 2}:1"


def test_a_document_without_front_matter_lacks_nothing() -> None:
    assert as_rmd("Text\n")[1] == []
    text, lacks = as_rmd("---\ntitle: T\noutput: html_document\n---\n\nText\n")
    assert lacks == []
    assert '"html_document": "default"' in text


def test_one_name_is_one_document(reports: Reports) -> None:
    reports.documents.create("both.qmd", "B", "x")
    with pytest.raises(Conflict):
        reports.documents.create("both", "B", "x")
    assert reports.documents.existing("both") == "both.qmd"
    assert [each.name for each in reports.documents.all()] == ["both.qmd"]
