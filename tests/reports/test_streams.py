"""What a render prints, however much and in whatever pieces, is read in passing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from rolltop.errors import SizeLimit
from rolltop.reports import Event, RenderOptions, Reports
from rolltop.reports.job import RenderJob
from rolltop.reports.renderers.interruptions import Following
from rolltop.reports.renderers.stream_output import StreamReading

MARK = b"\x01rolltop-event "


def reading() -> tuple[StreamReading, list[Event]]:
    seen: list[Event] = []
    return StreamReading(Following(RenderJob("x.Rmd", {"x.Rmd": b""}, ("html",)), seen.append, "docker")), seen


@pytest.mark.parametrize("text", [b"x", b"x\n", b"line of a log\n"])
def test_any_amount_of_error_output_is_read_quickly(text: bytes) -> None:
    stream, _ = reading()
    piece = (text * 16384)[:16384]
    began = time.process_time()
    for _ in range(4096):  # 64 MiB
        stream.take("stderr", piece)
    assert time.process_time() - began < 6  # copying what came before with every piece takes minutes
    stream.take("stderr", b"\nthe end\n")
    assert stream.said.endswith("the end\n")
    assert len(stream.said) <= 64 * 1024


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_progress_is_found_among_everything_else(size: int) -> None:
    stream, seen = reading()
    data = (
        b"words\n"
        + MARK
        + b'{"phase": "knit", "chunk": "a"}\n'
        + b"y" * 20_000
        + b"\n"
        + MARK
        + b'{"phase": "convert"}\nno '
        + MARK
        + b'{"phase": "not"}\nlast'
    )
    for at in range(0, len(data), size):
        stream.take("stderr", data[at : at + size])
    assert [(event.phase, event.chunk) for event in seen] == [("knit", "a"), ("convert", None)]
    assert stream.said.startswith("words\nyyy")
    assert '{"phase": "not"}' in stream.said


@pytest.mark.container
@pytest.mark.parametrize("place", ["docker", "compose"])
def test_too_much_output_is_that_limit_everywhere(
    make_reports: Callable[..., Reports], container_host: str, run: Any, place: str
) -> None:
    reports = make_reports(container_host, renderer=place)
    reports.documents.create("much", "Much", "```{r}\nsystem('head -c 40000000 /dev/zero')\n```\n")
    with pytest.raises(SizeLimit, match="printed or produced more than 16 MiB") as caught:
        run(reports.render("much", RenderOptions(engine="fast", timeout=60)))
    assert "output_limit" in (caught.value.hint or "")
