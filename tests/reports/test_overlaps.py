"""Renders of one document that overlap: each keeps its plots, and no older text takes the place of a newer one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rolltop.errors import NotFound
from rolltop.reports import RenderOptions, Report, Reports
from rolltop.reports.files.outputs import Landed, Outputs
from rolltop.reports.files.render_record import Origin
from rolltop.reports.job import Figure, Output

HTML, PDF = RenderOptions(formats=["html"]), RenderOptions(formats=["pdf"])


def test_two_formats_at_once_each_have_their_plots(make_reports: Callable[..., Reports], run: Any) -> None:
    reports = make_reports(renderer="local", slots=2)
    reports.documents.create("p", "P", "```{r a}\nplot(1)\n```\n")

    async def both() -> list[Report]:
        return await asyncio.gather(reports.render("p", HTML), reports.render("p", PDF))

    for _ in range(4):  # from the second time on out of the cache, which is where they meet
        page, paper = run(both())
        assert [(figure.name, figure.data[:4]) for figure in page.figures] == [("a-1.png", b"\x89PNG")]
        assert [(figure.name, figure.data[:4]) for figure in paper.figures] == [("a-1.pdf", b"%PDF")]
        assert reports.outputs.read_figure("p", "a-1.png") == page.figures[0].data
        assert reports.outputs.read_figure("p", "a-1.pdf") == paper.figures[0].data


def land(outputs: Outputs, text: str, read: int, *figures: str, form: Any = "html", current: bool = False) -> Landed:
    name = "p" + {"html": ".html", "pdf": ".pdf"}[form]
    drawn = [Figure(figure, text.encode()) for figure in figures]
    origin = Origin.of({"p.Rmd": text.encode()}, read)
    return outputs.publish("p", [Output(form, name, text.encode())], drawn, origin, lambda: current)


def test_a_figure_goes_when_no_format_has_it_any_more(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path)

    def there() -> list[str]:
        return [figure.name for figure in outputs.figures("p")]

    land(outputs, "one", 1, "a-1.png", "same-1.png")
    land(outputs, "one", 2, "a-1.pdf", "same-1.png", form="pdf")
    assert there() == ["a-1.pdf", "a-1.png", "same-1.png"]
    land(outputs, "two", 3, "b-1.png")
    assert there() == ["a-1.pdf", "b-1.png", "same-1.png"]
    land(outputs, "two", 4, "b-1.pdf", form="pdf")
    assert there() == ["b-1.pdf", "b-1.png"]
    (tmp_path / "p.pdf").unlink()  # somebody has removed it, and needs its figures no more
    land(outputs, "three", 5, "c-1.png")
    assert there() == ["c-1.png"]
    outputs.delete("p")
    with pytest.raises(NotFound):
        outputs.read_figure("p", "c-1.png")


def test_a_newer_text_stays(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path)
    assert land(outputs, "second", 2, "a-1.png").kept == ()
    older = land(outputs, "first", 1, "a-1.png")
    assert (older.current, older.kept) == (False, ("p.html",))
    assert [file.name for file in older.files] == ["p.html"]
    assert outputs.read("p.html") == outputs.read_figure("p", "a-1.png") == b"second"
    assert land(outputs, "third", 3).kept == ()  # a text between the newest and the one that lies there
    assert outputs.read("p.html") == b"third"
    assert land(outputs, "first", 1, form="pdf").kept == ()  # there is no newer one of that format


def test_what_the_document_says_now_always_lands(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path)
    land(outputs, "from a clock that was ahead", 1000)
    assert land(outputs, "now", 2, current=True).kept == ()
    assert outputs.read("p.html") == b"now"


def test_a_record_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path)
    land(outputs, "second", 2)
    for broken in ("", "[]", '{"html": 1}', '{"html": {"origin": {}, "figures": 3}}'):
        (tmp_path / ".rendered" / "p.json").write_text(broken)
        assert land(outputs, "first", 1).kept == ()


async def change_while_it_renders(reports: Reports, after: Callable[[], Any]) -> tuple[Report, Any]:
    """The report of a slow render, and what was done as soon as its code ran."""
    running = asyncio.Event()
    slow = asyncio.ensure_future(
        reports.render("s", RenderOptions(engine="fast"), lambda event: running.set() if event.chunk else None)
    )
    await running.wait()
    done = await after()
    return await slow, done


def test_an_older_render_does_not_undo_a_newer_one(make_reports: Callable[..., Reports], run: Any) -> None:
    reports = make_reports(renderer="local", slots=2)
    reports.documents.create("s", "S", "VERSION1\n\n```{r slow}\nSys.sleep(20)\nplot(1)\n```\n")

    async def correct() -> Report:
        reports.documents.update("s", "VERSION2\n")
        return await reports.render("s", RenderOptions(engine="fast"))

    older, newer = run(change_while_it_renders(reports, correct))
    assert newer.sentence == "Successfully rendered s.Rmd to s.html"
    assert (older.outdated, older.kept, older.figures) == (True, ("s.html",), ())
    assert "s.Rmd was changed while it was rendered, and s.html is of the newer text already" in older.sentence
    assert b"VERSION2" in reports.outputs.read("s.html")


def test_an_outdated_result_is_told_where_there_is_no_newer_one(make_reports: Callable[..., Reports], run: Any) -> None:
    reports = make_reports(renderer="local")
    reports.documents.create("s", "S", "VERSION1\n\n```{r slow}\nSys.sleep(1)\n```\n")

    async def give_it_a_file() -> None:
        reports.documents.attach("s", "data.csv", b"x\n")

    report, _ = run(change_while_it_renders(reports, give_it_a_file))
    assert (report.outdated, report.kept) == (True, ())
    assert report.sentence == "Successfully rendered s.Rmd to s.html"
    assert report.notes[0].startswith("s.Rmd was changed while it was rendered")
    assert b"VERSION1" in reports.outputs.read("s.html")
    assert not run(reports.render("s", RenderOptions(engine="fast"))).outdated


def test_what_was_deleted_while_it_was_rendered_stays_deleted(make_reports: Callable[..., Reports], run: Any) -> None:
    reports = make_reports(renderer="local")
    reports.documents.create("gone", "G", "```{r a}\nplot(1)\n```\n")
    run(reports.render("gone", HTML))
    assert reports.outputs.all()
    reports.documents.update("gone", "---\ntitle: G\n---\n\n```{r a}\nSys.sleep(2)\nplot(2)\n```\n")

    async def delete_meanwhile() -> None:
        running = asyncio.Event()
        watcher = lambda event: running.set() if event.chunk else None  # noqa: E731
        rendering = asyncio.ensure_future(reports.render("gone", HTML, watcher))
        await running.wait()
        reports.documents.delete("gone")
        assert reports.outputs.delete("gone") == ["gone.html", "gone.md"]
        with pytest.raises(NotFound, match="was deleted while it was rendered"):
            await rendering

    run(delete_meanwhile())
    assert reports.outputs.all() == []
    assert reports.outputs.figured() == []
