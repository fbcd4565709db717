"""Somebody looks at the results: a browser at the page, a rasteriser at the PDF."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.reports import RenderOptions, Reports
from rolltop.reports.typeset import Typesetter, write_page

EXAMPLE = Path(__file__).with_name("example.Rmd").read_text()
SAMPLER = (
    EXAMPLE
    + """

# Sampler *emphasis* and `code`

| left | right |
|:-----|------:|
| a    | **b** |

: Caption

1. one

   more
2. two^sup^ ~sub~ ~~gone~~[^1]

* "quoted" [link](https://example.org/?a=1&b=#c)

> A block #quote with $5 and *stars*

Term
: Meaning

| a line
| another

---

[^1]: The footnote.
"""
)


def page_text(pdf: Path) -> str:
    return subprocess.run(["pdftotext", "-layout", str(pdf), "-"], capture_output=True, text=True, check=True).stdout


def inked_share(pdf: Path, page: int = 1) -> float:
    """How much of a page is not white, after rasterising it."""
    command = ["pdftoppm", "-r", "40", "-gray", "-f", str(page), "-l", str(page), str(pdf)]
    image = subprocess.run(command, capture_output=True, check=True).stdout
    pixels = image.split(b"\n", 3)[3] if image.split(b"\n", 3)[2] == b"255" else image.split(b"\n", 3)[-1]
    return sum(pixel < 250 for pixel in pixels) / len(pixels)


@pytest.mark.browser
@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_a_browser_shows_the_page_with_its_plot(warm_reports: Reports, run: Any, engine: Any) -> None:
    from playwright.sync_api import sync_playwright

    warm_reports.documents.create("seen", "Seen", EXAMPLE, overwrite=True)
    run(warm_reports.render("seen", RenderOptions(engine=engine)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto((warm_reports.outputs.root / "seen.html").as_uri())
        assert page.get_by_role("heading", name="Summary Statistics").is_visible()
        plot = page.locator("img").first
        assert plot.is_visible()
        assert plot.evaluate("image => image.complete && image.naturalWidth") > 300
        browser.close()


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_a_pdf_has_its_text_and_its_plot(warm_reports: Reports, run: Any, engine: Any) -> None:
    warm_reports.documents.create("paper", "Paper", EXAMPLE, overwrite=True)
    report = run(warm_reports.render("paper", RenderOptions(formats=["pdf"], engine=engine, figures=True)))
    pdf = warm_reports.outputs.root / "paper.pdf"
    text = page_text(pdf)
    for words in ("Example R Markdown", "R-Server", "Summary Statistics", "Median"):
        assert words in text
    assert inked_share(pdf) > 0.02
    assert "image/png" in [figure.mime_type for figure in report.figures]


def test_typst_sets_every_kind_of_block(warm_reports: Reports, run: Any) -> None:
    warm_reports.documents.create("sampler", "Sampler", SAMPLER.replace("$5", "5 USD"), overwrite=True)
    report = run(warm_reports.render("sampler", RenderOptions(formats=["pdf"], engine="fast")))
    assert report.engine == "fast"
    text = page_text(warm_reports.outputs.root / "sampler.pdf")
    for words in ("Sampler emphasis and code", "Caption", "1. one", "The footnote.", "#quote", "Meaning", "another"):
        assert words in text


def test_an_image_among_the_side_files_is_shown(warm_reports: Reports, run: Any) -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40"/></svg>'
    warm_reports.documents.create("pic", "Pic", "![](dot.svg)\n\nwords\n", overwrite=True)
    warm_reports.documents.attach("pic", "dot.svg", svg)
    run(warm_reports.render("pic", RenderOptions(formats=["pdf"], engine="fast")))
    pdf = warm_reports.outputs.root / "pic.pdf"
    assert "image:" not in page_text(pdf)  # what typst is given for a picture that was not found
    assert inked_share(pdf) > 0.001


words = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=40)


@pytest.fixture(scope="module")
def typesetter() -> Any:
    shared = Typesetter()
    yield shared
    shared.close()


@settings(max_examples=40, deadline=None)
@given(words, words, words)
def test_no_text_becomes_markup(run: Any, typesetter: Typesetter, plain: str, code: str, url: str) -> None:
    import json

    tree = {
        "pandoc-api-version": [1, 22],
        "meta": {"title": {"t": "MetaInlines", "c": [{"t": "Str", "c": plain}]}},
        "blocks": [
            {"t": "Para", "c": [{"t": "Str", "c": plain}, {"t": "Code", "c": [["", [], []], code]}]},
            {"t": "Para", "c": [{"t": "Link", "c": [["", [], []], [{"t": "Str", "c": plain}], [url, ""]]}]},
            {"t": "CodeBlock", "c": [["", [code], []], code]},
        ],
    }
    page = write_page(json.dumps(tree).encode(), lambda target: None)
    pdf = run(typesetter._set(json.dumps({"main.typ": page.markup}).encode(), 30))
    assert pdf.startswith(b"%PDF-")
