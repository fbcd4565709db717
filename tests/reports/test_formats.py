"""Several formats of one document: each has everything, whatever the chunks ask for and whatever the name is."""

from __future__ import annotations

import io
import re
import struct
import subprocess
from base64 import b64decode
from typing import Any

import docx
import pytest

from rolltop.reports import RenderFailure, RenderOptions, Reports

ALL = ("html", "pdf", "word")

PLOTS = """\
```{r, out.width='50%', fig.align='center', fig.cap='With a caption'}
plot(cars)
```

```{r, fig.align='right', fig.alt='Only words'}
plot(1)
```

```{r, fig.show='hold', out.width='45%', fig.cap='Both together'}
plot(2)
plot(3)
```

```{r, out.width='0.25\\\\textwidth'}
knitr::include_graphics('dot.png')
```

The end.
"""


def png(colour: int = 200) -> bytes:
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes([colour]) * 40 for _ in range(40))
    head = struct.pack(">IIBBBBB", 40, 40, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def images_in(page: str) -> list[str]:
    return re.findall(r'<img\s+src="([^"]+)"', page)


def first_image_size(reports: Reports, name: str) -> tuple[int, int]:
    data = b64decode(images_in(reports.outputs.read(f"{name}.html").decode())[0].partition(",")[2])
    width, height = struct.unpack(">II", data[16:24])
    return width, height


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_every_format_has_every_plot_and_caption(warm_reports: Reports, run: Any, engine: Any) -> None:
    warm_reports.documents.create("plots", "Plots", PLOTS, overwrite=True)
    warm_reports.documents.attach("plots", "dot.png", png())
    report = run(warm_reports.render("plots", RenderOptions(formats=ALL, engine=engine, timeout=60)))
    assert (report.engine, report.knits) == (engine, 1)
    page = warm_reports.outputs.read("plots.html").decode()
    assert [image[:11] for image in images_in(page)] == ["data:image/"] * 5
    assert 'alt="Only words"' in page
    word = docx.Document(io.BytesIO(warm_reports.outputs.read("plots.docx")))
    assert len(word.inline_shapes) == 5
    pdf = str(warm_reports.outputs.root / "plots.pdf")
    listed = subprocess.run(["pdfimages", "-list", pdf], capture_output=True, text=True, check=True).stdout
    assert len([line for line in listed.splitlines() if " image " in line]) == 5
    words = subprocess.run(["pdftotext", pdf, "-"], capture_output=True, text=True, check=True).stdout
    for text in (page, words, "\n".join(paragraph.text for paragraph in word.paragraphs)):
        assert "With a caption" in text
        assert "Both together" in text


def test_a_plot_is_never_wider_than_the_page(warm_reports: Reports, run: Any) -> None:
    text = "---\ntitle: N\ngeometry: margin=3in\n---\n\n```{r, echo=FALSE, fig.width=9}\nplot(1)\n```\n"
    warm_reports.documents.create("narrow", "Narrow", text, overwrite=True)
    run(warm_reports.render("narrow", RenderOptions(formats=["html", "pdf"])))
    listed = subprocess.run(
        ["pdfimages", "-list", str(warm_reports.outputs.root / "narrow.pdf")],
        capture_output=True,
        text=True,
        check=True,
    )
    picture = listed.stdout.splitlines()[2].split()
    pixels, per_inch = int(picture[3]), int(picture[12])
    assert pixels / per_inch <= 2.6  # of a letter page's 8.5 inches, 2.5 are between the margins
    assert re.search(r'<img\s+src="[^"]+" style="width: 9in"', warm_reports.outputs.read("narrow.html").decode())


def test_a_plot_is_as_large_as_the_front_matter_says(warm_reports: Reports, run: Any) -> None:
    options = "\n    fig_width: 3\n    fig_height: 2\n    df_print: kable\n"
    text = (
        "---\ntitle: Small\noutput:\n  html_document:{}  word_document:{}---\n\n```{{r}}\nplot(cars)\nhead(cars)\n```\n"
    )
    warm_reports.documents.create("small", "Small", text.format(options, options), overwrite=True)
    report = run(warm_reports.render("small", RenderOptions(formats=["html", "word"])))
    assert report.knits == 1
    assert first_image_size(warm_reports, "small") == (576, 384)
    assert b"<table" in warm_reports.outputs.read("small.html")
    warm_reports.documents.create("small", "Small", text.format(options, " default\n"), overwrite=True)
    report = run(warm_reports.render("small", RenderOptions(formats=["html", "word"])))
    assert report.knits == 2  # they ask for different things
    assert first_image_size(warm_reports, "small") == (576, 384)


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_a_name_may_have_spaces_and_brackets(warm_reports: Reports, run: Any, engine: Any) -> None:
    name = "a name (1)+b"
    warm_reports.documents.create(name, "Name", "Sum: `r 1 + 1`\n\n```{r}\nplot(1)\n```\n", overwrite=True)
    report = run(warm_reports.render(name, RenderOptions(formats=["html", "word"], engine=engine)))
    assert [output.name for output in report.outputs] == [f"{name}.docx", f"{name}.html"]
    assert report.knits == 1
    assert len(images_in(warm_reports.outputs.read(f"{name}.html").decode())) == 1


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_the_directory_of_a_document_holds_its_files_and_nothing_else(
    warm_reports: Reports, run: Any, engine: Any
) -> None:
    code = "```{r}\ncat(readLines('output.txt'), readLines('fast.md'))\ncat(' saw:', list.files())\n```\n"
    warm_reports.documents.create("own", "Own", code, overwrite=True)
    for name in ("output.txt", "fast.md"):
        warm_reports.documents.attach("own", name, b"precious\n")
    run(warm_reports.render("own", RenderOptions(engine=engine)))
    page = warm_reports.outputs.read("own.html").decode()
    assert "## precious precious" in page
    assert "saw: fast.md output.txt own own.Rmd" in page


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_params_are_what_they_would_be_in_the_front_matter(warm_reports: Reports, run: Any, engine: Any) -> None:
    text = (
        "---\ntitle: P\nparams:\n  years: [2020, 2021]\n  tags: [a]\n  mixed:\n    value: [1, b]\n---\n\n"
        "```{r}\ncat(sum(params$years), class(params$years), class(params$tags), class(params$mixed))\n```\n"
    )
    warm_reports.documents.create("par", "Par", text, overwrite=True)
    for params, sees in (
        (None, "4041 integer character list"),
        ({"years": [2022, 2023]}, "4045 integer character list"),
        ({"years": [1, 2.5], "tags": ["x", "y"], "mixed": ["b", 1]}, "3.5 numeric character list"),
    ):
        run(warm_reports.render("par", RenderOptions(engine=engine, params=params)))
        assert f"## {sees}" in warm_reports.outputs.read("par.html").decode()


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
@pytest.mark.parametrize("text", ["Nothing declared\n", "---\ntitle: P\nparams:\n  other: 1\n---\n\nWords\n"])
def test_params_that_no_document_declares_are_refused(warm_reports: Reports, run: Any, engine: Any, text: str) -> None:
    warm_reports.documents.create("none", "None", text, overwrite=True)
    with pytest.raises(RenderFailure, match="params not declared in YAML: x") as caught:
        run(warm_reports.render("none", RenderOptions(engine=engine, params={"x": 1})))
    assert "front matter" in (caught.value.hint or "")


def test_a_page_is_whole_whatever_the_front_matter_says(warm_reports: Reports, run: Any) -> None:
    text = "---\ntitle: W\noutput:\n  html_document:\n    self_contained: false\n---\n\n```{r}\nplot(1)\n```\n"
    warm_reports.documents.create("whole", "Whole", text, overwrite=True)
    run(warm_reports.render("whole"))
    page = warm_reports.outputs.read("whole.html").decode()
    assert "whole_files/" not in page
    assert images_in(page)[0].startswith("data:image/png")
