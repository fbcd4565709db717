"""What an agent gets back: the text of a report, its plots as images, and no more than that costs."""

from __future__ import annotations

import time
from typing import Any

import pytest

from rolltop.reports import RenderOptions, Reports
from rolltop.reports.results.knitted_text import plain_text

TEXT = """The sum is `r 20 + 22`.

```{r dots, fig.cap='Dots'}
plot(cars)
```

```{r}
knitr::kable(head(cars, 2))
```
"""


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
@pytest.mark.parametrize("formats", [["html"], ["word", "pptx"], ["md"]])
def test_every_engine_and_format_gives_text_and_plots(
    warm_reports: Reports, run: Any, engine: Any, formats: list[Any]
) -> None:
    warm_reports.documents.create("text", "A title", TEXT, overwrite=True)
    report = run(warm_reports.render("text", RenderOptions(formats=formats, engine=engine, figures=True)))
    assert report.text.startswith("# A title\n")
    assert "The sum is 42." in report.text
    assert "|     4|   10|" in report.text
    assert "text_figures/dots-1.png" in report.text
    assert "dots-1.png" in [figure.name for figure in report.figures]
    assert warm_reports.outputs.read("text.md").decode() == report.text
    assert len(report.outputs) == len(formats)


def test_pdf_gives_text_and_plots_too(warm_reports: Reports, run: Any) -> None:
    warm_reports.documents.create("paper", "A title", TEXT, overwrite=True)
    report = run(warm_reports.render("paper", RenderOptions(formats=["pdf"], figures=True)))
    assert "The sum is 42." in report.text
    assert "dots-1.png" in [figure.name for figure in report.figures]


def test_scripts_and_embedded_bytes_are_no_text() -> None:
    body = "---\ntitle: T\n---\nA <script>x</script>B<style>\ny</style> ![](data:image/png;base64," + "A" * 300 + ")"
    assert plain_text(body, "d", []) == "# T\n\nA B ![]((embedded))\n"


def test_code_that_shows_a_script_keeps_it() -> None:
    shown = "Text\n\n```html\n<script>x</script>\n```\n"
    assert plain_text(shown, "d", []) == shown


def test_a_hostile_text_takes_no_time() -> None:
    began = time.process_time()
    plain_text("<script>" * 200_000 + "<img " * 200_000 + "](" * 200_000, "d", ["a.png"])
    assert time.process_time() - began < 5


@pytest.mark.anyio
async def test_reading_a_result_costs_what_its_text_costs(stdio_client: Any) -> None:
    async with stdio_client("--toolsets", "reports,desk", env={"MCP_TOOL_PREFIX": ""}) as client:
        await client.call_tool("create_rmd", {"filename": "r", "title": "R", "content": TEXT + "word \n" * 30_000})
        rendered = await client.call_tool("render_rmd", {"filename": "r"})
        said = rendered.structured_content
        assert said["text_uri"] == "rmd-output:///r.md"
        page = await client.call_tool("read_resource", {"uri": "rmd-output:///r.html"})
        part = page.structured_content["value"]["contents"][0]
        assert part["mime_type"] == "text/markdown"
        assert part["text"].startswith(said["text"])
        rest, offset = said["text"], said["next_offset"]
        while offset:
            read = await client.call_tool("read_resource", {"uri": said["text_uri"], "offset": offset})
            part = read.structured_content["value"]["contents"][0]
            rest, offset = rest + part["text"], part.get("next_offset")
        assert rest == (await client.read_resource("rmd-output:///r.md")).contents[0].text
        picture = await client.call_tool("read_resource", {"uri": said["figures"][0]["uri"]})
        assert picture.content[-1].type == "image"
        assert picture.structured_content["value"]["contents"][0].get("blob") is None
