"""What the fast engine cannot set: rmarkdown renders after all, judged by what arrives in the knitted document."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rolltop.errors import RolltopError
from rolltop.reports import RenderOptions, Report, Reports
from rolltop.reports.typeset.pictures import as_svg

FAST_PDF = RenderOptions(formats=["pdf"], engine="fast")


def rendered(reports: Reports, run: Any, content: str, options: RenderOptions = FAST_PDF, **files: Any) -> Report:
    reports.documents.create("limit", "Limit", content, overwrite=True)
    for name, data in files.items():
        reports.documents.attach("limit", name.replace("__", "/").replace("_", "."), data)
    report: Report = run(reports.render("limit", options))
    return report


def words(reports: Reports) -> str:
    pdf = str(reports.outputs.root / "limit.pdf")
    return subprocess.run(["pdftotext", pdf, "-"], capture_output=True, text=True, check=True).stdout


def plain_png(width: int, height: int, colour: tuple[int, int, int]) -> bytes:
    import io

    from PIL import Image

    data = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(data, "PNG")
    return data.getvalue()


def seen(reports: Reports, tmp_path: Path) -> Any:
    """The first page as a picture."""
    from PIL import Image

    pdf = str(reports.outputs.root / "limit.pdf")
    subprocess.run(["pdftoppm", "-png", "-r", "50", "-singlefile", pdf, str(tmp_path / "page")], check=True)
    return Image.open(tmp_path / "page.png").convert("RGB")


def red_dots(page: Any) -> list[tuple[int, int]]:
    dots = ((x, y) for y in range(page.height) for x in range(page.width))
    return [dot for dot in dots if page.getpixel(dot)[0] > 240 and page.getpixel(dot)[1] < 20]


@pytest.mark.parametrize(
    ("content", "files"),
    [
        ("```{r, child='kid.Rmd'}\n```\n", {"kid_Rmd": b"Half: $\\frac{1}{2}$\n"}),
        ("Half: $\\frac{1}\n{2}$\n", {}),
        ("```{r, results='asis', echo=FALSE}\ncat('Half: $\\\\frac{1}{2}$')\n```\n", {}),
        ("Half: ½\n\n`r '\\\\newpage'`\n\nmore\n", {}),
    ],
    ids=["child", "across lines", "from R", "raw LaTeX"],
)
def test_formulas_and_latex_wherever_they_come_from(
    warm_reports: Reports, run: Any, content: str, files: dict[str, bytes]
) -> None:
    report = rendered(warm_reports, run, content, **files)
    assert (report.engine, report.engine_note) == (
        "rmarkdown",
        "the document has formulas or LaTeX, which typst does not read",
    )
    assert "frac" not in words(warm_reports)
    again = run(warm_reports.render("limit", FAST_PDF))
    assert again.cached
    assert (again.engine, again.engine_note) == (report.engine, report.engine_note)


@pytest.mark.parametrize("text", ["日本語 中文", "한국어", "Fine 😀", "`code 字`", "```\nblock 字\n```"])
def test_characters_that_no_font_has_are_no_boxes(warm_reports: Reports, run: Any, text: str) -> None:
    with pytest.raises(RolltopError, match="LaTeX could not set") as caught:
        rendered(warm_reports, run, f"{text}\n")
    assert caught.value.details["engine_note"].startswith("typst has no font for ")
    assert "typst has no font for" in (caught.value.hint or "")
    assert "latex_engine: xelatex" in (caught.value.hint or "")


def test_what_a_font_has_is_set_by_typst(warm_reports: Reports, run: Any) -> None:
    report = rendered(warm_reports, run, "Ångström, ελληνικά, кириллица, → ≤ ✓, soft\u00adhyphen, e\u0301\n")
    assert (report.engine, report.engine_note) == ("fast", None)
    assert "ελληνικά, кириллица, → ≤ ✓" in words(warm_reports)


def test_a_picture_is_the_file_that_the_document_names(warm_reports: Reports, run: Any, tmp_path: Path) -> None:
    """Before, a plot of the same base name took its place."""
    content = "![](old/sales-1.png)\n\n```{r sales, echo=FALSE}\nplot(1:10)\n```\n"
    red = plain_png(300, 300, (255, 0, 0))
    report = rendered(
        warm_reports, run, content, RenderOptions(formats=["word", "pdf"], engine="fast"), **{"old__sales-1_png": red}
    )
    assert report.engine == "fast"
    page = seen(warm_reports, tmp_path)
    assert len(red_dots(page)) > 10_000


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
@pytest.mark.parametrize("place", ["plots/", "plots/my-"])
def test_plots_are_found_where_the_document_puts_them(warm_reports: Reports, run: Any, engine: Any, place: str) -> None:
    content = (
        f"```{{r, include=FALSE}}\nknitr::opts_chunk$set(fig.path='{place}')\n```\n\n"
        "```{r x}\nplot(1)\n```\n\n![](plots/old.png)\n"
    )
    side = {"plots__old_png": plain_png(20, 20, (0, 0, 255))}
    report = rendered(warm_reports, run, content, RenderOptions(formats=["pdf"], engine=engine, figures=True), **side)
    assert report.engine == engine
    kept = {figure.name.rpartition(".")[0] for figure in report.figures}
    assert kept == {f"{place.removeprefix('plots/')}x-1"}
    assert "image:" not in words(warm_reports)


def test_a_picture_that_the_code_makes_is_shown(warm_reports: Reports, run: Any, tmp_path: Path) -> None:
    draw = "```{r, include=FALSE}\npng('own name.png'); par(bg='red'); plot.new(); dev.off()\n```\n\n"
    report = rendered(warm_reports, run, draw + "![](<own name.png>)\n")
    assert (report.engine, report.engine_note) == ("fast", None)
    assert len(red_dots(seen(warm_reports, tmp_path))) > 10_000


def test_a_picture_that_is_not_there_is_no_success(warm_reports: Reports, run: Any) -> None:
    with pytest.raises(RolltopError) as caught:
        rendered(warm_reports, run, "![](nowhere.png)\n")
    assert caught.value.details["engine_note"] == "the picture nowhere.png was not found"


def test_a_picture_that_typst_does_not_show_is_left_to_latex(warm_reports: Reports, run: Any) -> None:
    draw = "```{r, include=FALSE}\npdf('own.pdf'); plot(1); dev.off()\n```\n\n"
    report = rendered(warm_reports, run, draw + "![](own.pdf)\n")
    assert report.engine_note == "the picture own.pdf is of a kind that typst does not show"


def test_what_typst_refuses_is_left_to_rmarkdown(warm_reports: Reports, run: Any) -> None:
    with pytest.raises(RolltopError) as caught:
        rendered(
            warm_reports, run, "![](broken.svg)\n", broken_svg=b"<svg xmlns='http://www.w3.org/2000/svg'><g></svg>"
        )
    assert caught.value.details["engine_note"].startswith("typst could not set the document: failed to parse SVG")


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "WEBP"])
def test_a_bitmap_has_its_own_shape(warm_reports: Reports, run: Any, tmp_path: Path, kind: str) -> None:
    import io

    from PIL import Image

    data = io.BytesIO()
    Image.new("RGB", (400, 100), (255, 0, 0)).save(data, kind)
    svg = as_svg(data.getvalue())
    assert svg is not None
    assert 'width="400" height="100"' in svg
    rendered(warm_reports, run, "![](wide.img)\n\nbelow\n", wide_img=data.getvalue())
    red = red_dots(seen(warm_reports, tmp_path))
    width, height = max(x for x, _ in red) - min(x for x, _ in red), max(y for _, y in red) - min(y for _, y in red)
    assert width / height == pytest.approx(4, rel=0.1)


@pytest.mark.parametrize(
    "data", [b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0\x00", b"GIF89a", b"RIFF1234WEBP", b"%PDF-1"]
)
def test_what_is_no_picture_is_none(data: bytes) -> None:
    assert as_svg(data) is None
    assert as_svg(data + struct.pack(">I", 0)) is None
