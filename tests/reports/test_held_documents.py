"""Documents as people write them, by both engines, beside plain rmarkdown: equal words and as many figures."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from rolltop.reports import RenderOptions, Reports

HELD = Path(__file__).with_name("held")
DOCUMENTS = ["sales", "model", "project", "cited", "html", "frames"]
FAST = {"sales", "model", "project", "html"}
"""What the fast engine renders itself; it leaves output options and references to rmarkdown."""


INLINE = {"span", "code", "a", "em", "strong", "sup", "sub", "del"}
UNSEEN = {"script", "style", "title", "math"}


class Page(HTMLParser):
    """The words of a page, formulas aside, and how many pictures it shows."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.pictures = 0
        self._text: list[str] = []
        self._within = ""
        self.feed(html)

    @property
    def words(self) -> Counter[str]:
        return Counter("".join(self._text).split())

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.pictures += tag == "img"
        is_formula = ("class", "math inline") in attrs or ("class", "math display") in attrs
        if not self._within and (tag in UNSEEN or is_formula):
            self._within = tag
        self._text += [] if tag in INLINE else [" "]

    def handle_endtag(self, tag: str) -> None:
        self._within = "" if tag == self._within else self._within
        self._text += [] if tag in INLINE else [" "]

    def handle_data(self, data: str) -> None:
        self._text += [] if self._within else [data]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    """All documents by one R with rmarkdown alone."""
    place = tmp_path_factory.mktemp("plain")
    shutil.copytree(HELD, place, dirs_exist_ok=True)
    for each in (place / "project").iterdir():
        each.rename(place / each.name)
    names = ", ".join(f"'{name}'" for name in DOCUMENTS)
    code = f"for (name in c({names})) rmarkdown::render(paste0(name, '.Rmd'), quiet = TRUE, envir = new.env())"
    subprocess.run(["Rscript", "-e", code], cwd=place, check=True, capture_output=True)
    return {name: Page((place / f"{name}.html").read_text("utf-8")) for name in DOCUMENTS}


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_words_and_figures_are_those_of_plain_rmarkdown(
    warm_reports: Reports, plain: dict[str, Page], run: Any, name: str, engine: Any
) -> None:
    folder = HELD / name
    source = folder / f"{name}.Rmd" if folder.is_dir() else HELD / f"{name}.Rmd"
    warm_reports.documents.create(name, name, source.read_text("utf-8"), overwrite=True)
    for each in folder.rglob("*"):
        if each.is_file() and each != source:
            warm_reports.documents.attach(name, str(each.relative_to(folder)), each.read_bytes())
    report = run(warm_reports.render(name, RenderOptions(engine=engine)))
    assert report.engine == ("fast" if engine == "fast" and name in FAST else "rmarkdown"), report.engine_note
    page = Page(warm_reports.outputs.read(f"{name}.html").decode("utf-8"))
    ours, theirs = page.words, plain[name].words
    assert (ours - theirs, theirs - ours) == (Counter(), Counter())
    assert page.pictures == plain[name].pictures
