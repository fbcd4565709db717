"""What comes out of a sandbox, read as what it is: bytes from code that nobody vouches for."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rolltop.errors import ForeignFailure, InvalidInput
from rolltop.reports.job import EXTENSIONS, Event, Figure, Output, Rendered, RenderJob
from rolltop.reports.names import figure_name, stem_of
from rolltop.reports.results.failure import RenderFailure, diagnose, tail
from rolltop.reports.results.knitted_text import plain_text

__all__ = ["EVENT_MARK", "MAX_FIGURES", "event_of", "marked_answer", "marked_report", "read_answer"]

EVENT_MARK = "\x01rolltop-event "
ANSWER_MARK = b"\x01rolltop-answer "
"""How `entry.R` marks its lines among whatever else is printed."""

MAX_FIGURES = 50
"""Plots that are kept as files of their own; the documents have them all."""


def marked_report(line: str) -> Any:
    """What a line of a container's or a cold R's error output reports, None when it reports nothing."""
    try:
        return json.loads(line[len(EVENT_MARK) :]) if line.startswith(EVENT_MARK) else None
    except (ValueError, RecursionError):
        return None


def event_of(wire: Any) -> Event | None:
    """The event that a render reported, None when it is none."""
    if not isinstance(wire, dict) or not isinstance(wire.get("phase"), str):
        return None
    return Event(
        wire["phase"][:40],
        chunk=wire["chunk"][:80] if isinstance(wire.get("chunk"), str) else None,
        done=wire["done"] if isinstance(wire.get("done"), int) else None,
        total=wire["total"] if isinstance(wire.get("total"), int) else None,
        file=wire["file"][:200] if isinstance(wire.get("file"), str) else None,
        lines=_lines(wire.get("lines")),
    )


def _lines(value: Any) -> tuple[int, int] | None:
    if not isinstance(value, list) or len(value) != 2:
        return None
    if not all(isinstance(each, int) and 0 < each < 1 << 30 for each in value):
        return None
    return value[0], value[1]


def marked_answer(output: bytes) -> bytes | None:
    """The answer among everything a render wrote to standard output; the last one counts."""
    at = output.rfind(b"\n" + ANSWER_MARK)
    if at < 0:
        return None
    return output[at + 1 + len(ANSWER_MARK) :].partition(b"\n")[0]


def read_answer(job: RenderJob, data: Any, *, renderer: str, confinement: str, printed: str = "") -> Rendered:
    """The result in an answer, as JSON or decoded, or the error it reports; `printed` is what programs printed."""
    answer = _decode(data)
    log = answer.get("log") if isinstance(answer.get("log"), str) else ""
    assert isinstance(log, str)
    if answer.get("ok") is not True:
        error = answer.get("error")
        raise diagnose(job, error if isinstance(error, Mapping) else {}, log, renderer, printed)
    try:
        figures = _figures(answer.get("figures"))
        outputs = tuple(_output(job, item) for item in answer["outputs"])
        text = next((_text(job, each, figures) for each in outputs if each.format == "md"), "")
        return Rendered(
            outputs=tuple(
                replace(each, data=text.encode()) if each.format == "md" else each
                for each in outputs
                if each.format in job.formats
            ),
            text=text,
            figures=figures[:MAX_FIGURES],
            plots_left_out=len(figures[MAX_FIGURES:]),
            renderer=renderer,
            confinement=confinement,
            engine=job.engine,
            unfit=unfit[:200] if isinstance(unfit := answer.get("unfit"), str) and job.engine == "fast" else None,
            reused=tuple(each for each in answer.get("reused") or () if each in job.chunks),
            knits=int(answer.get("knits") or 1),
            phases=_numbers(answer.get("phases")),
            versions=_texts(answer.get("versions")),
            warnings=tuple(text for text in answer.get("warnings") or () if isinstance(text, str)),
            log=tail(log),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _broken(type(error).__name__) from None


def _decode(data: Any) -> dict[str, Any]:
    try:
        answer = json.loads(data) if isinstance(data, bytes) else data
    except (ValueError, RecursionError):
        raise _broken("not JSON") from None
    if not isinstance(answer, dict):
        raise _broken("not an object")
    return answer


def _broken(what: str) -> ForeignFailure:
    return RenderFailure(
        f"the render ended without a proper answer ({what})",
        hint="The document's code may have ended R (quit, a crash) or written over the answer.",
    )


def _output(job: RenderJob, item: Mapping[str, Any]) -> Output:
    """An output under the name that we give it: the document does not choose where it lands."""
    kind = item["format"]
    if kind not in job.formats and kind != "md":
        raise ValueError(kind)
    pictures = {str(each["name"]): b64decode(each["data"], validate=False) for each in item.get("pictures") or ()}
    return Output(kind, stem_of(job.source) + EXTENSIONS[kind], b64decode(item["data"], validate=False), pictures)


def _text(job: RenderJob, output: Output, figures: tuple[Figure, ...]) -> str:
    return plain_text(output.data.decode("utf-8", "replace"), stem_of(job.source), [each.name for each in figures])


def _figures(items: Any) -> tuple[Figure, ...]:
    found: dict[str, Figure] = {}
    for item in items or ():
        try:
            name = figure_name(item["name"])
        except InvalidInput:
            continue  # a figure whose name cannot be a file is not offered; the document has it anyway
        found.setdefault(name, Figure(name, b64decode(item["data"], validate=False)))
    return tuple(sorted(found.values(), key=_counted))


def _counted(figure: Figure) -> list[tuple[int, int, str]]:
    """For the order in which plots are counted: q-2 comes before q-10."""
    parts = re.findall(r"([0-9]+)|([^0-9]+)", figure.name)
    return [(0, int(number), "") if number else (1, 0, text) for number, text in parts]


def _numbers(value: Any) -> dict[str, float]:
    return {str(key): float(number) for key, number in (value or {}).items()}


def _texts(value: Any) -> dict[str, str]:
    return {str(key): text for key, text in (value or {}).items() if isinstance(text, str)}
