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
NAMES = sorted(path.stem for path in HELD.iterdir())
SAMPLE = {"sales", "model", "project", "cited", "frames", "children", "figures", "manyplots"}
DOCUMENTS = [name if name in SAMPLE else pytest.param(name, marks=pytest.mark.soak) for name in NAMES]
LEFT_TO_RMARKDOWN = {
    "cited": "references",
    "frames": "options",
    "html_raw": "HTML",
    "paged": "options",
    "paper": "bibliography",
    "refs": "options",
    "site": "_output.yml",
    "tabset": "options",
}
"""What the fast engine does not render itself, with a word of the note that says why."""


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


def source_of(name: str) -> Path:
    return HELD / name / f"{name}.Rmd" if (HELD / name).is_dir() else HELD / f"{name}.Rmd"


RENDER = """
for (name in commandArgs(TRUE)) {
  job <- parallel::mcparallel({
    setwd(name)
    rmarkdown::render(paste0(name, ".Rmd"), "html_document", quiet = TRUE, envir = new.env())
  })
  stopifnot(is.character(parallel::mccollect(job)[[1]]))
}
"""


@pytest.fixture(scope="module")
def plain(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    """The documents of this run by rmarkdown alone, each in a fork of one R."""
    place = tmp_path_factory.mktemp("plain")
    names = sorted({each.callspec.params["name"] for each in request.session.items if each.path == request.path})
    for name in names:
        if source_of(name).parent != HELD:
            shutil.copytree(source_of(name).parent, place / name)
        else:
            (place / name).mkdir()
            shutil.copy(source_of(name), place / name)
    done = subprocess.run(["Rscript", "-e", RENDER, *names], cwd=place, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {name: Page((place / name / f"{name}.html").read_text("utf-8")) for name in names}


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_words_and_figures_are_those_of_plain_rmarkdown(
    warm_reports: Reports, plain: dict[str, Page], run: Any, name: str, engine: Any
) -> None:
    source = source_of(name)
    warm_reports.documents.create(name, name, source.read_text("utf-8"), overwrite=True)
    for each in source.parent.rglob("*") if source.parent != HELD else ():
        if each.is_file() and each != source:
            warm_reports.documents.attach(name, str(each.relative_to(source.parent)), each.read_bytes())
    report = run(warm_reports.render(name, RenderOptions(formats=["html"], engine=engine)))
    page = Page(warm_reports.outputs.read(f"{name}.html").decode("utf-8"))
    ours, theirs = page.words, plain[name].words
    assert (ours - theirs, theirs - ours) == (Counter(), Counter())
    assert page.pictures == plain[name].pictures
    assert report.engine == ("fast" if engine == "fast" and name not in LEFT_TO_RMARKDOWN else "rmarkdown")
    assert engine == "rmarkdown" or LEFT_TO_RMARKDOWN.get(name, "") in (report.engine_note or "")
