"""Words stay words where notes, boxes and breaks stand between them, and nothing beside the text is left out."""

from __future__ import annotations

import json
import subprocess

import made_files as made
import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from rolltop.store.extract import Extracted
from rolltop.store.extract.formats.readers import read_document

OOXML = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def lines(text: Extracted) -> list[str]:
    return [line for line in text.body.split("\n") if line]


def docx_of(body: str, **members: str) -> Extracted:
    """A document with this body; other members by their names below `word/`."""
    files = {"[Content_Types].xml": "<Types/>", "word/document.xml": f"<d xmlns:w='w' xmlns:mc='mc'>{body}</d>"}
    files |= {f"word/{name.replace('__', '/')}": content for name, content in members.items()}
    return read_document(made.made_zip(files), "a.docx")


def run(words: str) -> str:
    return f"<w:r><w:t>{words}</w:t></w:r>"


# texts -------------------------------------------------------------------------------------------


def test_the_sign_of_a_note_is_no_part_of_a_word() -> None:
    command = ["pandoc", "--from", "markdown", "--to", "epub", "--output", "-"]
    data = subprocess.run(
        command, input=b"% Bees\n\nwinter[^1].\n\n[^1]: mites\n", capture_output=True, check=True
    ).stdout
    assert "winter 1." in lines(read_document(data, "a.epub"))


@pytest.mark.parametrize("form", ["odt", "docx", "rtf"])
def test_the_words_around_a_note_stay_together(form: str) -> None:
    source = "The colony survived the winter[^1] without losses.\n\n[^1]: varroa mites were counted.\n"
    command = ["pandoc", "--from", "markdown", "--to", form, "--standalone", "--output", "-"]
    data = subprocess.run(command, input=source.encode(), capture_output=True, check=True).stdout
    found = lines(read_document(data, f"a.{form}"))
    assert found[0] == "The colony survived the winter without losses."
    assert found[1].strip() == "varroa mites were counted."


def test_what_stands_in_a_paragraph_of_a_text_comes_after_it() -> None:
    said = "<office:annotation><creator>Ada</creator><date>2024</date><text:p>check this</text:p></office:annotation>"
    box = "<draw:frame><draw:text-box><text:p>boxed <text:title>of</text:title></text:p></draw:text-box></draw:frame>"
    picture = "<draw:frame><draw:image/><title>a heron</title><desc>in the reeds</desc></draw:frame>"
    ruby = "<text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>かん</text:ruby-text></text:ruby>字"
    body = f"<text:p>first{said} word</text:p><text:h>before{box}after</text:h><text:p>{picture}{ruby}\n   x</text:p>"
    text = read_document(made.made_odf("text", f"<office:text>{body}</office:text>"), "a.odt")
    assert lines(text) == ["first word", "check this", "before after", "boxed of", "漢字 x", "a heron", "in the reeds"]
    assert text.headings == ("before after",)


def test_the_margins_of_a_text_are_read() -> None:
    margin = "<s><master-styles><header><p>Top secret</p></header><footer><p>1</p></footer></master-styles></s>"
    members = {"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<c><p>said</p></c>"}
    text = read_document(made.made_zip(members | {"META-INF/manifest.xml": "<m/>", "styles.xml": margin}), "a.odt")
    assert (lines(text), text.place(text.body.index("secret"))) == (["said", "Top secret"], "header")


def test_the_notes_of_a_slide_are_its_notes() -> None:
    page = "<draw:page><draw:frame><text:p>shown</text:p></draw:frame><notes><text:p>told</text:p></notes></draw:page>"
    text = read_document(made.made_odf("presentation", page), "a.odp")
    assert [text.place(text.body.index(word)) for word in ("shown", "told")] == ["slide 1", "slide 1, notes"]


def test_the_titles_of_slides_are_headings() -> None:
    boxes = '<draw:frame class="title"><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>{}'
    other = "<draw:frame><draw:text-box><text:p>other words</text:p></draw:text-box></draw:frame>"
    pages = "".join(f"<draw:page>{boxes.format(title, other)}</draw:page>" for title in ("Harvest", "Rain"))
    text = read_document(made.made_odf("presentation", f"<office:presentation>{pages}</office:presentation>"), "a.odp")
    assert (text.title, text.headings) == ("Harvest", ("Harvest", "Rain"))
    assert lines(text) == ["Harvest", "other words", "Rain", "other words"]


def test_breaks_and_hyphens_of_a_document() -> None:
    breaks = '<w:p><w:r><w:t>alpha</w:t><w:br w:type="page"/><w:t>beta</w:t><w:cr/><w:t>gamma</w:t></w:r></w:p>'
    hyphens = (
        "<w:p><w:r><w:t>well</w:t><w:noBreakHyphen/><w:t>known, Wort</w:t><w:softHyphen/><w:t>art</w:t></w:r></w:p>"
    )
    stops = (
        '<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r></w:p>'
    )
    assert lines(docx_of(breaks + hyphens + stops)) == ["alpha", "beta", "gamma", "well-known, Wortart", "a\tb"]


def test_a_box_in_a_paragraph_of_a_document_comes_after_it() -> None:
    cell = f"<w:tbl><w:tr><w:tc><w:p>{run('cell')}</w:p></w:tc></w:tr></w:tbl>"
    inside = f"<w:txbxContent><w:p>{run('inside')}</w:p>{cell}</w:txbxContent>"
    box = (
        f"<mc:AlternateContent><mc:Choice>{inside}</mc:Choice><mc:Fallback>{inside}</mc:Fallback></mc:AlternateContent>"
    )
    body = f"<w:p>{run('before')}<w:r>{box}</w:r>{run('after')}</w:p><w:p>{run('end')}</w:p>"
    assert lines(docx_of(body)) == ["before after", "inside", "cell \t", "end"]


def test_what_was_moved_and_how_it_sounds_is_not_said_twice() -> None:
    ruby = f"<w:ruby><w:rt>{run('かん')}</w:rt><w:rubyBase>{run('漢')}</w:rubyBase></w:ruby>{run('字')}"
    body = f"<w:p><w:moveFrom>{run('moved')}</w:moveFrom></w:p><w:p><w:moveTo>{run('moved')}</w:moveTo> {ruby}</w:p>"
    assert lines(docx_of(body)) == ["moved漢字"]


def test_parts_of_a_document_are_found_by_their_relations() -> None:
    kinds = {"footnotes": "notes7.xml", "chart": "c.xml", "aFChunk": "page.html"}
    related = "".join(
        f"<Relationship Id='{kind}' Type='{OOXML}/{kind}' Target='{target}'/>" for kind, target in kinds.items()
    )
    chart = "<c><rich><a><p><r><t>Harvest</t></r></p></a></rich><strCache><pt><v>apples</v></pt></strCache><v>3</v></c>"
    members = {
        "_rels__document.xml.rels": f"<R>{related}</R>",
        "notes7.xml": f"<n xmlns:w='w'><w:p>{run('a note')}</w:p></n>",
        "c.xml": chart,
        "page.html": "<html><p>put in</p></html>",
    }
    text = docx_of(f"<w:p>{run('said')}</w:p>", **members)
    assert lines(text) == ["said", "Harvest", "apples", "a note", "page.html", "put in"]
    assert [text.place(text.body.index(word)) for word in ("apples", "a note", "put in")] == [
        "drawing",
        "notes7",
        "page.html",
    ]


def test_a_chart_that_is_damaged_takes_nothing_with_it() -> None:
    related = f"<R><Relationship Id='x' Type='{OOXML}/chart' Target='c.xml'/></R>"
    members = {"_rels__document.xml.rels": related, "c.xml": "<c>", "footnotes.xml": f"<n xmlns:w='w'>{run('x')}</n>"}
    text = docx_of(f"<w:p>{run('said')}</w:p>", **members)
    assert (lines(text), "c.xml is not well-formed" in (text.note or "")) == (["said"], True)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (rb"alpha{\footnote betanote}gamma", ["alpha gamma", "betanote"]),
        (rb"alpha{\*\footnote beta\par note}, gamma\par end", ["alpha, gamma", "beta", "note", "end"]),
        (rb"{\header top}alpha\par{\footer bottom\par}beta", ["top", "alpha", "bottom", "beta"]),
        (rb"a{\shp{\*\shpinst{\sp x}{\shptxt inside\par}}}b", ["a b", "inside"]),
        (rb"in{\xe{\v index}}dex", ["index"]),
        (rb"\intbl left{\footnote note\par on}\cell right\cell\row end", ["left\tright\t", "note", "on", "end"]),
        (rb"alpha{\footnote never ended", ["alpha", "never ended"]),
    ],
)
def test_what_stands_in_a_paragraph_of_rtf_comes_after_it(source: bytes, found: list[str]) -> None:
    assert lines(read_document(rb"{\rtf1\ansi " + source + b"}", "a.rtf")) == found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("<details><summary>more</summary>hidden</details>", ["more", "hidden"]),
        ("<fieldset><legend>name</legend>field</fieldset>", ["name", "field"]),
        (
            "<center>mid</center>left<menu><li>one</menu>after<dialog>asked</dialog>",
            ["mid", "left", "one", "after", "asked"],
        ),
        ("<button>yes</button><button>no</button>", ["yes no"]),
        (
            "a <svg><g><text>East</text><text>Herons<tspan x='1' dy='9'>counted</tspan></text></g><path/></svg>b",
            ["a", "East", "Herons counted", "b"],
        ),
        (
            "<svg><defs><text>not shown</text></defs><style>x</style>loose<text>one<tspan>word</tspan></text></svg>",
            ["oneword"],
        ),
        (
            "<svg><foreignObject><div>a <b>node</b><svg><text>in it</text></svg></div>end</foreignObject></svg>c",
            ["a node", "in it", "end", "c"],
        ),
        ("Donau&shy;dampf&shy;schiff", ["Donaudampfschiff"]),
        ("a<img alt='heron'>b<svg><path/></svg>c<input>d", ["a heron b c d"]),
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字</ruby>", ["漢字"]),
        ("winter<a href='#n'><sup>1</sup></a> and<sup><a href='#m'>2</a></sup> ice", ["winter 1 and 2 ice"]),
        ("winter<a class='footnote-ref' href='#n'>1</a>. m<sup>2</sup>", ["winter 1. m2"]),
        ("one<wbr>word and o<b>n</b>e", ["oneword and one"]),
        ("<textarea>wide</textarea>x<noscript>plain</noscript>", ["wide", "x", "plain"]),
    ],
)
def test_what_is_apart_on_a_page_is_apart_in_its_text(source: str, found: list[str]) -> None:
    assert lines(read_document(f"<html><body>{source}</body></html>".encode(), "a.html")) == found


def test_a_heading_on_two_lines_has_its_words() -> None:
    assert read_document(b"<html><h1>Part<br>Two</h1></html>", "a.html").headings == ("Part Two",)


# slides and notebooks ----------------------------------------------------------------------------


def test_tables_charts_and_notes_of_slides() -> None:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Harvest"
    size = Inches(1), Inches(2), Inches(4), Inches(1)
    slide.shapes.add_table(1, 2, *size).table.cell(0, 1).text = "cell"
    chart = CategoryChartData()
    chart.categories = ["apples"]
    chart.add_series("tonnes", (1,))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, *size, chart)
    text = read_document(made.saved(show), "a.pptx")
    assert (text.headings, text.body.split()) == (("Harvest",), ["Harvest", "cell", "tonnes", "apples"])
    assert text.place(text.body.index("apples")) == "slide 1, drawing"


def test_what_was_said_about_a_slide_is_read() -> None:
    related = f"<R><Relationship Id='c' Type='{OOXML}/comments' Target='../comments/c.xml'/></R>"
    text = read_document(
        made.made_zip(
            {
                "[Content_Types].xml": "<Types/>",
                "ppt/presentation.xml": "<p xmlns:r='r'><sldId r:id='s'/></p>",
                "ppt/_rels/presentation.xml.rels": "<R><Relationship Id='s' Type='slide' Target='slides/1.xml'/></R>",
                "ppt/slides/1.xml": "<s><sp><p><t>shown</t></p></sp></s>",
                "ppt/slides/_rels/1.xml.rels": related,
                "ppt/comments/c.xml": "<cmLst><cm><text>too small</text></cm></cmLst>",
            }
        ),
        "a.pptx",
    )
    assert (lines(text), text.place(text.body.index("small"))) == (["shown", "too small"], "slide 1, comments")


def notebook(*outputs: dict[str, object]) -> Extracted:
    cell = {"cell_type": "code", "source": "run()", "outputs": outputs}
    return read_document(json.dumps({"nbformat": 4, "metadata": {}, "cells": [cell]}).encode(), "a.ipynb")


def test_errors_in_a_notebook_are_read() -> None:
    trace = ["\x1b[0;31mZeroDivisionError\x1b[0m", "line 3: division by zero"]
    error = {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": trace}
    assert lines(notebook(error))[1:] == ["ZeroDivisionError", "line 3: division by zero"]
    assert lines(notebook(error | {"traceback": []}))[1:] == ["ZeroDivisionError: division by zero"]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"text/plain": "a lynx", "text/html": "<b>a lynx</b>"}, "a lynx"),
        ({"text/html": ["<p>a <b>", "lynx</b></p>"]}, "a lynx"),
        ({"text/markdown": "**a lynx**"}, "**a lynx**"),
        ({"text/plain": "<IPython.core.display.HTML object>", "text/html": "a lynx"}, "a lynx"),
        ({"text/plain": "<Figure size 640x480 with 1 Axes>", "image/png": "x"}, "<Figure size 640x480 with 1 Axes>"),
    ],
)
def test_an_output_is_read_in_its_plainest_form(data: dict[str, object], found: str) -> None:
    assert lines(notebook({"output_type": "display_data", "data": data}))[1:] == [found]


def test_a_long_output_says_that_it_was_cut() -> None:
    assert notebook({"output_type": "stream", "text": "x" * 30_000}).note == (
        "only the first 20000 characters of each output were read"
    )


def test_a_notebook_of_version_3_is_read_cell_by_cell() -> None:
    cells = [
        {"cell_type": "heading", "level": 1, "source": "Study"},
        {
            "cell_type": "code",
            "input": ["def count():\n", " pass"],
            "outputs": [{"output_type": "pyout", "text": "lynx"}],
        },
        {"cell_type": "code", "input": "1/0", "outputs": [{"output_type": "pyerr", "ename": "Oops", "evalue": "no"}]},
    ]
    data = json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}).encode()
    text = read_document(data, "a.ipynb")
    assert (text.title, [symbol.name for symbol in text.symbols]) == ("Study", ["count"])
    assert [text.place(text.body.index(word)) for word in ("lynx", "Oops: no")] == ["cell 2", "cell 3"]


def test_code_in_a_notebook_is_read_in_its_language() -> None:
    cell = {"cell_type": "code", "source": "count <- function(x) x"}
    book = {"nbformat": 4, "metadata": {"language_info": {"file_extension": ".r"}}, "cells": [cell]}
    text = read_document(json.dumps(book).encode(), "a.ipynb")
    assert [symbol.name for symbol in text.symbols] == ["count"]
