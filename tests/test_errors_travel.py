"""Errors from one process to another, as `concurrent.futures` and `multiprocessing` send them."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from rolltop.catalog.live.python_tools import PythonError
from rolltop.confine.r.worker import RError
from rolltop.errors import InvalidInput, Position, RolltopError
from rolltop.transform import compile_program
from rolltop.transform.errors import ProgramInvalid, ReadFailure, WriteFailure

HEADER = "%utlx 1.0\ninput json\noutput json\n---\n"


def transformed(body: str) -> bytes:
    return compile_program(HEADER + body).apply(b'{"a": 1}')


def raised(body: str) -> RolltopError:
    with pytest.raises(RolltopError) as caught:
        transformed(body)
    return caught.value


@pytest.mark.parametrize("body", ["{ a: 1 ", '{ b: matches("a", "(") }', "1 / 0", "nosuch(1)", "-$input"])
def test_errors_of_programs_arrive_whole(body: str) -> None:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        error = pool.submit(transformed, body).exception()
        assert pool.submit(transformed, "$input.a").result() == b"1"
    here = raised(body)
    assert type(error) is type(here)
    assert isinstance(error, RolltopError)
    assert str(error) == str(here)
    assert (error.hint, error.position, error.details) == (here.hint, here.position, here.details)


@pytest.mark.parametrize(
    "error",
    [
        InvalidInput("no", code="other", hint="Do.", position=Position(1, 2), details={"a": 1}),
        ReadFailure("no", 3, 4, hint="Do."),
        WriteFailure("no", key="k"),
        raised("{ a: "),
    ],
)
def test_errors_are_what_they_were(error: RolltopError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), again.args) == (str(error), error.args)
    assert vars(again).keys() == vars(error).keys()
    assert again.error_type == error.error_type


def test_all_classes_of_errors_can_be_sent() -> None:
    """Whatever they are made of."""
    every = list(subclasses(RolltopError))
    assert {PythonError, RError, ProgramInvalid} <= set(every)
    for kind in every:
        error = kind.__new__(kind)
        RolltopError.__init__(error, "message", hint="hint")
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.hint) == (kind, "message", "hint")


def subclasses(kind: type[RolltopError]) -> list[type[RolltopError]]:
    return [each for below in kind.__subclasses__() for each in (below, *subclasses(below))]
