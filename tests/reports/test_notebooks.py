"""Jupyter notebooks in and out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rolltop.errors import InvalidData
from rolltop.reports import RenderOptions, Reports
from rolltop.reports.job import Figure
from rolltop.reports.results.notebook import as_notebook
from rolltop.reports.source.notebook import as_document


def notebook(language: str, *cells: tuple[str, Any]) -> str:
    made = [{"cell_type": kind, "source": source, "metadata": {}, "outputs": []} for kind, source in cells]
    return json.dumps({"cells": made, "metadata": {"language_info": {"name": language}}, "nbformat": 4})


def test_a_notebook_becomes_a_document() -> None:
    given = notebook(
        "python", ("markdown", ["# Title\n", "text"]), ("code", "%matplotlib inline\nx = '```'"), ("code", " ")
    )
    assert as_document(given) == "# Title\ntext\n\n````{python}\n# %matplotlib inline\nx = '```'\n````\n"


@pytest.mark.parametrize("text", ["{not JSON", '{"cells": 1', '{"cells": []}', 'Text with {"cells": []}'])
def test_what_is_no_notebook_stays_as_it_is(text: str) -> None:
    assert as_document(text) == text


def test_a_language_that_nothing_runs_is_refused() -> None:
    with pytest.raises(InvalidData, match="julia"):
        as_document(notebook("Julia", ("code", "1")))


def test_the_knitted_text_becomes_a_notebook() -> None:
    text = (
        "# T\n\n```r\nplot(1)\nprint(2)\n```\n\n```\n## [1] 2\n```\n\n"
        "![](a_figures/p-1.png)<!-- -->\n\nWords.\n\n```bash\nls\n```\n"
    )
    made = json.loads(as_notebook(text, [Figure("p-1.png", b"png")]))
    kinds = [cell["cell_type"] for cell in made["cells"]]
    assert kinds == ["markdown", "code", "markdown", "markdown"]
    printed, drawn = made["cells"][1]["outputs"]
    assert printed["text"] == ["[1] 2\n"]
    assert drawn["data"] == {"image/png": "cG5n"}
    assert made["metadata"]["kernelspec"]["name"] == "ir"


def test_a_notebook_goes_round(warm_reports: Reports, run: Any) -> None:
    given = notebook("R", ("markdown", "Some *text*."), ("code", "x <- 6 * 7\nx"), ("code", "plot(x)"))
    warm_reports.documents.create("round", "Round", given, overwrite=True)
    report = run(warm_reports.render("round", RenderOptions(formats=["ipynb", "html"], engine="fast")))
    assert [each.name for each in report.outputs] == ["round.html", "round.ipynb"]
    made = json.loads(warm_reports.outputs.read("round.ipynb"))
    codes = [cell for cell in made["cells"] if cell["cell_type"] == "code"]
    assert codes[0]["outputs"][0]["text"] == ["[1] 42\n"]
    assert list(codes[1]["outputs"][0]["data"]) == ["image/svg+xml"]  # as the page has it
    assert as_document(json.dumps(made)).count("```{r}") == 2
