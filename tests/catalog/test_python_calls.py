"""What a Python tool says beside its result, and what it cannot do to the answers of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rolltop.catalog import mcptool_build
from rolltop.catalog.live import Catalog, CatalogSettings
from rolltop.errors import ForeignFailure, MemoryLimit, SizeLimit

SOURCE = '''
import logging, os, sys, types, warnings
logging.basicConfig(level=logging.INFO)
stdout = sys.stdout
def mcp_tool_talk(fail: bool = False):
    """Talk."""
    logging.info("logged")
    print("to error", file=sys.stderr)
    print("to output", file=stdout)
    warnings.warn("careful")
    if fail:
        raise ValueError("no")
def mcp_tool_fork(n: int) -> int:
    """Fork, and come back twice."""
    os.fork()
    return n
def mcp_tool_shout(end: bool):
    """Print by another program, and end."""
    os.system("echo last words" if end else "echo earlier words")
    if end:
        os._exit(3)
def mcp_tool_take(what: str):
    """Take too much."""
    return len(bytearray(10**11)) if what == "memory" else "x" * 10**8
def mcp_tool_draw(n: int):
    """Draw; as pyplot does it, which need not be installed."""
    figure = types.SimpleNamespace(savefig=lambda buffer, format: buffer.write(b"picture"))
    sys.modules["matplotlib.pyplot"] = types.SimpleNamespace(
        get_fignums=lambda: list(range(n)), figure=lambda number: figure, close=lambda which: None
    )
'''


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    folder = tmp_path_factory.mktemp("python")
    (folder / "demo.py").write_text(SOURCE)
    mcptool_build(folder / "demo.py")
    made = Catalog(CatalogSettings(serve=(str(folder),), seconds=20))
    yield made
    made.close()


Call = Callable[..., Any]


@pytest.fixture
def call(catalog: Catalog) -> Call:
    return lambda name, session="tests", **arguments: catalog.call(f"demo-mcp_tool_{name}", arguments, session=session)


@pytest.mark.parametrize("session", ["talk", None])
def test_what_is_logged_or_goes_to_standard_error_is_a_message(call: Call, session: str | None) -> None:
    for _ in range(2):
        answer = call("talk", session)
        assert answer.printed == "to output\n"
        assert answer.messages == ("INFO:root:logged", "to error")
        assert answer.warnings == ("careful",)


def test_a_failure_has_the_messages_too(call: Call) -> None:
    with pytest.raises(ForeignFailure) as caught:
        call("talk", fail=True)
    assert caught.value.details["messages"] == ["INFO:root:logged", "to error"]


def test_a_fork_that_comes_back_does_not_answer(call: Call) -> None:
    assert [call("fork", n=n).value for n in range(8)] == list(range(8))


def test_the_end_of_a_process_is_told_with_the_words_of_its_own_call(call: Call) -> None:
    call("shout", "shout", end=False)
    with pytest.raises(ForeignFailure) as caught:
        call("shout", "shout", end=True)
    assert "last words" in caught.value.details["output"]
    assert "earlier words" not in caught.value.details["output"]


def test_limits_are_named_as_such(call: Call) -> None:
    with pytest.raises(MemoryLimit):
        call("take", what="memory")
    with pytest.raises(SizeLimit, match="the answer of Python has"):
        call("take", what="answer")


def test_plots_that_are_left_out_are_told(call: Call) -> None:
    answer = call("draw", None, n=30)
    assert len(answer.images) == 8
    assert answer.warnings == ("30 plots were drawn; the answer has the first 8. Draw fewer, or several on one page.",)
