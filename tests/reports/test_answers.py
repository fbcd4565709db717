"""What a sandbox says is read as bytes from a stranger; what went wrong is said so that one can act."""

from __future__ import annotations

import contextlib
import json
from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolltop.errors import MemoryLimit, RolltopError, SizeLimit
from rolltop.reports.job import RenderJob
from rolltop.reports.results.answer import event_of, marked_answer, marked_report, read_answer
from rolltop.reports.results.failure import PackageMissing, RenderFailure, diagnose

JOB = RenderJob("x.Rmd", {"x.Rmd": b"a\n\n```{r bad}\nx <- 1 +\n```\n"}, ("html", "pdf"))
json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


def answer(**fields: Any) -> bytes:
    return json.dumps({"ok": True, "outputs": [], **fields}).encode()


def read(data: bytes) -> Any:
    return read_answer(JOB, data, renderer="local", confinement="bwrap")


@given(st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
def test_nonsense_is_a_failure_and_never_a_crash(data: bytes) -> None:
    with pytest.raises(RolltopError):
        read(data)


@given(json_values, json_values, json_values)
def test_hostile_fields_never_crash(outputs: Any, figures: Any, phases: Any) -> None:
    with contextlib.suppress(RenderFailure):
        read(answer(outputs=outputs, figures=figures, phases=phases))


@given(st.dictionaries(st.sampled_from(["message", "quitting", "inline", "chunk", "trace", "class"]), json_values))
def test_a_hostile_error_is_still_an_error(error: Any) -> None:
    assert isinstance(diagnose(JOB, error, "", "local", "pandoc: no"), RolltopError)


@pytest.mark.parametrize("digits", ["1" * 5000, "0", "999999999"])
def test_a_line_that_no_document_has_is_still_an_error(digits: str) -> None:
    for error in (
        {"quitting": f"Quitting from lines {digits}-{digits} (x.Rmd)", "inline": "`r 1`"},
        {"message": digits},
    ):
        assert isinstance(diagnose(JOB, error, "", "local"), RenderFailure)


def test_the_document_does_not_choose_names() -> None:
    body = b64encode(b"bytes").decode()
    rendered = read(
        answer(
            outputs=[{"format": "html", "name": "../../evil.html", "data": body}],
            figures=[{"name": "../evil.png", "data": body}, {"name": "ok.png", "data": body}],
        )
    )
    assert [output.name for output in rendered.outputs] == ["x.html"]
    assert [figure.name for figure in rendered.figures] == ["ok.png"]


def test_the_first_plots_are_kept_in_the_order_of_their_numbers() -> None:
    body = b64encode(b"bytes").decode()
    names = sorted(f"q-{number}.png" for number in range(1, 121))  # as R lists them
    rendered = read(answer(outputs=[], figures=[{"name": name, "data": body} for name in names]))
    assert [figure.name for figure in rendered.figures] == [f"q-{number}.png" for number in range(1, 51)]
    assert rendered.plots_left_out == 70


def test_a_format_that_was_not_asked_for_is_refused() -> None:
    with pytest.raises(RenderFailure):
        read(answer(outputs=[{"format": "word", "data": ""}]))


def test_marked_lines_are_found_among_printed_ones() -> None:
    assert marked_answer(b"noise\n\n\x01rolltop-answer {1}\nmore\n\x01rolltop-answer {2}\n") == b"{2}"
    assert marked_answer(b"rolltop-answer {1}") is None
    assert marked_report("printed by the document") is None
    event = event_of(marked_report('\x01rolltop-event {"phase": "knit", "done": 1, "total": 4, "chunk": "a"}'))
    assert str(event) == "knit 1/4 (a)"


def test_a_syntax_error_points_into_the_chunk() -> None:
    error = diagnose(JOB, {"message": "<text>:2:0: unexpected end of input", "chunk": "bad"}, "", "local")
    assert str(error.position) == "x.Rmd:5:1"


@pytest.mark.parametrize(
    ("reported", "kind"),
    [
        ({"message": "there is no package called 'dplyr'"}, PackageMissing),
        ({"message": "cannot allocate vector of size 2.2 Gb"}, MemoryLimit),
        ({"message": "x", "class": "size_limit"}, SizeLimit),
        ({"message": "boom"}, RenderFailure),
        ({}, RenderFailure),
    ],
)
def test_failures_are_told_apart(reported: dict[str, str], kind: type[RolltopError]) -> None:
    assert type(diagnose(JOB, reported, "", "local")) is kind


LATEX = "! Undefined control sequence.\nl.87 \\nosuch\n            {x}\n"


def test_a_latex_error_has_its_line_and_text() -> None:
    error = diagnose(JOB, {"message": "LaTeX failed to compile x.tex.", "latex": LATEX}, "", "local")
    assert error.details["latex"] == {"error": "Undefined control sequence.", "line": 87, "text": "\\nosuch"}
    missing = "! LaTeX Error: File `tikz.sty' not found.\n\nl.12 x\n"
    error = diagnose(JOB, {"message": "LaTeX failed to compile x.tex.", "latex": missing}, "", "local")
    assert isinstance(error, PackageMissing)
    assert error.details["package"] == "tikz.sty"
