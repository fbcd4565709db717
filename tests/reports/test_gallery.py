"""Every template renders as it is, in the formats that it names, by the tool and the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from rolltop.errors import InvalidInput
from rolltop.reports import RenderOptions, Reports
from rolltop.reports.source.frontmatter import title_of
from rolltop.reports.source.gallery import TEMPLATES, from_template
from rolltop.tools.reports.write import CreateRmd

FORMATS = {"slides": ["html", "pptx"], "paper": ["html", "word"]}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_renders_without_a_warning(warm_reports: Reports, run: Any, name: str) -> None:
    warm_reports.documents.create(name, "unused", from_template(name, 'It\'s "a: title"'), overwrite=True)
    report = run(warm_reports.render(name, RenderOptions(formats=FORMATS.get(name, ["html"]))))
    assert report.warnings == ()
    assert report.text.startswith('# It\'s "a: title"')
    assert report.figures
    assert "## Error" not in report.text


def test_the_tool_offers_the_templates_that_there_are() -> None:
    (offered, _) = get_args(CreateRmd.model_fields["template"].annotation)
    assert get_args(offered) == tuple(TEMPLATES)


def test_a_title_stays_a_title() -> None:
    assert title_of(from_template("paper", "a: b #c 'd' \"e\"\nf")) == "a: b #c 'd' \"e\" f"
    with pytest.raises(InvalidInput, match="no template"):
        from_template("../gallery", "T")


def test_the_command_line_begins_with_a_template(rolltop: Any) -> None:
    made = rolltop("reports", "new", "mine", "--title", "Mine", "--template", "comparison")
    assert made.returncode == 0, made.stderr
    assert "oneway.test" in Path(made.stdout.strip()).read_text()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("$x^2 + \\nosuchcommand{a}$\n", "MathML"),
        (
            "```{r}\nknitr::asis_output('x', meta = list(htmltools::htmlDependency('x', '1', src = '.')))\n```\n",
            "widgets",
        ),
    ],
)
def test_what_comes_out_only_when_the_code_runs_is_rendered_by_rmarkdown(
    warm_reports: Reports, run: Any, text: str, reason: str
) -> None:
    warm_reports.documents.create("late", "Late", text, overwrite=True)
    report = run(warm_reports.render("late", RenderOptions(engine="fast")))
    assert report.engine == "rmarkdown"
    assert reason in (report.engine_note or "")


def test_code_of_the_fast_page_has_colours(warm_reports: Reports, run: Any) -> None:
    code = "```{r}\n# say 'it'\nf <- function(x) paste('a & b', \"c\", 1L)\n```\n"
    warm_reports.documents.create("coloured", "C", code, overwrite=True)
    run(warm_reports.render("coloured", RenderOptions(engine="fast")))
    page = warm_reports.outputs.read("coloured.html").decode()
    for span in ('<span class="w">function</span>', '<span class="c">paste</span>', '<span class="n">1L</span>'):
        assert span in page
    assert '<span class="t">&#39;a &amp; b&#39;</span>' in page
    assert '<span class="k"># say &#39;it&#39;</span>' in page
    assert "prefers-color-scheme:dark" in page
