"""Front matter is found, read safely, and written so that any title survives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolltop.errors import InvalidData
from rolltop.reports.source.engine_choice import choose_engine, why_not_fast
from rolltop.reports.source.frontmatter import ensure, metadata, split, title_of

printable = st.text(st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufeff"), max_size=80)


@given(printable)
def test_any_title_survives(title: str) -> None:
    wanted = " ".join(title.split())
    text = ensure("Words.", title)
    assert str(metadata(text)["title"]) == title
    assert title_of(text) == (wanted or None)
    assert split(text)[1].strip() == "Words."


def test_front_matter_that_is_there_is_kept() -> None:
    for text in ("---\ntitle: Mine\n---\nx", "\ufeff---\ntitle: Mine\n---\nx", "\n\n---\r\ntitle: Mine\r\n---\r\nx"):
        assert ensure(text, "Other") == text
        assert title_of(text) == "Mine"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('---\ntitle: "Quoted: yes"\n---\n', "Quoted: yes"),
        ("---\ntitle: Plain\n...\n", "Plain"),
        ("---\ntitle: >\n  folded\n  twice\n---\n", "folded twice"),
        ("---\ntitle: 2026\n---\n", "2026"),
        ("no front matter\n\n---\ntitle: code\n---\n", None),
        ("---\nauthor: me\n---\n", None),
        ("---\ntitle: [broken\n---\n", None),
        ("---\njust text\n---\n", None),
    ],
)
def test_the_title_is_read_as_yaml_not_by_pattern(text: str, title: str | None) -> None:
    assert title_of(text) == title


def test_malformed_front_matter_names_its_line() -> None:
    with pytest.raises(InvalidData) as caught:
        metadata("---\ntitle: fine\nbad: [1\n---\n")
    assert caught.value.position is not None
    assert caught.value.position.line >= 3


@pytest.mark.parametrize(
    "block", ["a: " + "[" * 5000, "a: &a [x]\nb: *a", "? " * 3000 + "x", "x: !!python/object:os.system y"]
)
def test_hostile_yaml_is_refused(block: str) -> None:
    with pytest.raises(InvalidData):
        metadata(f"---\n{block}\n---\n")


@given(st.text(max_size=200))
def test_reading_never_crashes(text: str) -> None:
    title_of(text)
    title_of(f"---\n{text}\n---\n")


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ("title: x\noutput: html_document", None),
        ("title: x", None),
        ("output:\n  html_document: default\n  word_document: {}", None),
        ("output:\n  html_document:\n    toc: true", "has options"),
        ("output: bookdown::gitbook", "not a plain one"),
        ("bibliography: refs.bib", "bibliography"),
        ("header-includes: x", "header-includes"),
    ],
)
def test_the_fast_engine_hands_over_what_it_does_not_do(head: str, reason: str | None) -> None:
    why = why_not_fast(f"---\n{head}\n---\nText\n")
    assert why is None if reason is None else reason in str(why)


def test_formulas_are_for_latex_and_prices_are_not_formulas() -> None:
    formula, price = "Let $x^2$ be.", "It costs $5 and `df$x`.\n\n```{r}\ncars$speed; cars$dist\n```\n"
    assert choose_engine("fast", formula, ["pdf"], typst=True)[0] == "rmarkdown"
    assert choose_engine("fast", formula, ["html"], typst=True)[0] == "fast"
    assert choose_engine("fast", price, ["pdf"], typst=True)[0] == "fast"
    assert choose_engine("fast", price, ["pdf"], typst=False)[0] == "rmarkdown"


@pytest.mark.parametrize(
    "text",
    [
        "Write `<script>` or ``a ` <iframe>``.",
        "```html\n<script src='x'></script>\n```\n",
        "~~~\n<details>\n~~~\n",
        "Or ```<script>``` with three.",
        "````\n```{=html}\n<script>\n```\n````\n",
        "```{r}\nx <- '<script>'\n```\n",
        "```r\nlibrary(plotly)\n```\n",
        "# Use `{.tabset}`\n",
    ],
)
def test_code_that_shows_html_is_no_html(text: str) -> None:
    assert choose_engine("fast", text, ["html"], typst=True) == ("fast", None)


@pytest.mark.parametrize(
    "text",
    [
        "A <iframe src='x'></iframe>.",
        "```{=html}\n<SCRIPT>1</SCRIPT>\n```\n",
        "One ` tick <script>\n\nand ` another.",
        "```{r, echo=FALSE}\nlibrary(plotly)\n```\n",
        "Value `r DT::datatable(cars)`.",
        "# Tabs {.tabset}\n",
    ],
)
def test_html_and_widgets_of_the_document_itself_are_left_to_rmarkdown(text: str) -> None:
    assert choose_engine("fast", text, ["html"], typst=True)[0] == "rmarkdown"
