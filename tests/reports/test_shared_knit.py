"""One run of the code for several formats gives each of them what it would have had alone."""

from __future__ import annotations

import io
import subprocess
from base64 import b64decode
from typing import Any

import docx
import pytest

from rolltop.reports import RenderOptions, Reports
from rolltop.reports.source.chunks import want_own_knit


def words(reports: Reports, name: str) -> str:
    pdf = str(reports.outputs.root / f"{name}.pdf")
    return subprocess.run(["pdftotext", pdf, "-"], capture_output=True, text=True, check=True).stdout


DOT = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
ASKS = "HTML `r knitr::is_html_output()`, LaTeX `r knitr::is_latex_output()`\n"


@pytest.mark.parametrize(
    ("content", "name", "side"),
    [
        ("```{r, child='kid.Rmd'}\n```\n", "kid.Rmd", ASKS),
        (
            "```{r, include=FALSE}\nsource('tools/h.R')\n```\n\n`r said()`\n",
            "tools/h.R",
            "said <- function() paste0('HTML ', knitr::is_html_output(), ', LaTeX ', knitr::is_latex_output())\n",
        ),
    ],
    ids=["child", "sourced"],
)
def test_side_files_that_ask_for_the_format_are_told_it(
    warm_reports: Reports, run: Any, content: str, name: str, side: str
) -> None:
    warm_reports.documents.create("asking", "Asking", content, overwrite=True)
    warm_reports.documents.attach("asking", name, side.encode())
    report = run(warm_reports.render("asking", RenderOptions(formats=["html", "pdf"])))
    assert report.knits == 2
    assert "HTML FALSE, LaTeX TRUE" in words(warm_reports, "asking")
    assert b"HTML TRUE, LaTeX FALSE" in warm_reports.outputs.read("asking.html")


HIDDEN = """\
```{r, include=FALSE}
ask <- function(what) get(paste0("is_", what, "_", "output"), asNamespace("knitr"))()
```

HTML `r ask("html")`, LaTeX `r ask("latex")`

```{r a, echo=FALSE}
plot(1)
```
"""


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_code_that_asks_without_showing_it_is_told_the_format(warm_reports: Reports, run: Any, engine: Any) -> None:
    """A package that a document uses may ask, too; what one knit for all was told would be wrong."""
    warm_reports.documents.create("hidden", "Hidden", HIDDEN, overwrite=True)
    report = run(warm_reports.render("hidden", RenderOptions(formats=["html", "word"], engine=engine)))
    assert report.knits == 3
    assert b"HTML TRUE, LaTeX FALSE" in warm_reports.outputs.read("hidden.html")
    word = docx.Document(io.BytesIO(warm_reports.outputs.read("hidden.docx")))
    assert any("HTML FALSE, LaTeX FALSE" in paragraph.text for paragraph in word.paragraphs)
    assert len(word.inline_shapes) == 1
    assert "a-1.png" in [figure.name for figure in report.figures]


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_what_knitr_asks_itself_does_not_count(warm_reports: Reports, run: Any, engine: Any) -> None:
    text = (
        "Sum `r 1e9`\n\n```{r, fig.cap='C', out.width='50%'}\nplot(1)\nhead(cars)\n```\n\n"
        "```{r}\nknitr::kable(head(cars))\ntibble::as_tibble(cars)\n```\n\n"
        "```{r, results='asis'}\nprint(lapply(1:2, function(i) i))\nwarning('w'); message('m')\n```\n\n"
        "```{r, child='kid.Rmd'}\n```\n"
    )
    warm_reports.documents.create("plain", "Plain", text, overwrite=True)
    warm_reports.documents.attach("plain", "kid.Rmd", b"```{r}\nknitr::include_graphics('dot.png')\n```\n")
    warm_reports.documents.attach("plain", "dot.png", DOT)
    report = run(warm_reports.render("plain", RenderOptions(formats=["html", "word"], engine=engine)))
    assert report.knits == 1


def test_data_does_not_count_as_code() -> None:
    asks = b"if (knitr::is_html_output()) 1\n"
    assert want_own_knit({"x.Rmd": b"", "x/h.R": asks})
    assert not want_own_knit({"x.Rmd": b"", "x/h.bin": b"\0" + asks})
    assert not want_own_knit({"x.Rmd": b"", "x/large.csv": asks * 50_000})


NUMBERS = """\
Revenue was `r 123456789`, a share of `r -1e-7`, or `r c(1e6, 2)`; `r 12L`, `r 0`, `r NA_real_`, `r pi`, `r "x"`.

Formula $x = `r 123456789`$, and $5 for `r 250000` of `r list(a = 1)$a`.
"""


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_large_numbers_in_the_text_are_set_in_every_format(warm_reports: Reports, run: Any, engine: Any) -> None:
    warm_reports.documents.create("sci", "Sci", NUMBERS, overwrite=True)
    report = run(warm_reports.render("sci", RenderOptions(formats=["html", "pdf", "word"], engine=engine)))
    assert report.knits == 1
    page = " ".join(warm_reports.outputs.read("sci.html").decode().split())
    plain = "Revenue was 1.2345679 \u00d7 10<sup>8</sup>, a share of -10<sup>-7</sup>, or 10<sup>6</sup>, 2; 12, 0, NA"
    assert plain in page
    assert r"x = 1.2345679\times 10^{8}" in page
    assert "$5 for 2.5 \u00d7 10<sup>5</sup> of 1" in page
    assert "Revenue was 1.2345679 \u00d7 108" in words(warm_reports, "sci")
    paper = docx.Document(io.BytesIO(warm_reports.outputs.read("sci.docx")))
    assert any("1.2345679 \u00d7 108" in paragraph.text for paragraph in paper.paragraphs)


def test_large_numbers_are_set_in_a_format_alone(warm_reports: Reports, run: Any) -> None:
    """knitr's own hook loses the ten: 2e7 would be 2^{7}."""
    warm_reports.documents.create("alone", "Alone", "Sum `r 2e7`, $x = `r 3e9`$\n", overwrite=True)
    run(warm_reports.render("alone"))
    page = " ".join(warm_reports.outputs.read("alone.html").decode().split())
    assert "Sum 2 \u00d7 10<sup>7</sup>, " in page
    assert r"x = 3\times 10^{9}" in page
    run(warm_reports.render("alone", RenderOptions(formats=["word"])))
    paper = docx.Document(io.BytesIO(warm_reports.outputs.read("alone.docx")))
    assert any("Sum 2 \u00d7 107" in paragraph.text for paragraph in paper.paragraphs)


def test_a_document_may_have_its_own_way_with_numbers(warm_reports: Reports, run: Any) -> None:
    hook = "function(x) format(x, big.mark = ',', scientific = FALSE)"
    own = f"```{{r}}\nknitr::knit_hooks$set(inline = {hook})\n```\n\nSum `r 2e7`\n"
    warm_reports.documents.create("own", "Own", own, overwrite=True)
    run(warm_reports.render("own"))
    assert "Sum 20,000,000" in warm_reports.outputs.read("own.html").decode()


def test_large_numbers_are_no_formulas_to_the_fast_engine(warm_reports: Reports, run: Any) -> None:
    warm_reports.documents.create("big", "Big", "Revenue was `r 123456789`.\n", overwrite=True)
    report = run(warm_reports.render("big", RenderOptions(formats=["pdf"], engine="fast")))
    assert (report.engine, report.engine_note) == ("fast", None)
    assert "1.2345679 \u00d7 10" in words(warm_reports, "big")
