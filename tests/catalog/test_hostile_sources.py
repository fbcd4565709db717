"""Text that was made to be slow, or to exhaust the stack, is read like any other."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rolltop.base.interruption import interruptible
from rolltop.catalog.inference import infer_type, strip_type_prefix
from rolltop.catalog.prose import prose_of
from rolltop.catalog.pylang.docstrings import read_docstring
from rolltop.catalog.rlang import expressions, parse_markup
from rolltop.catalog.rlang.plain import to_text
from rolltop.catalog.rlang.syntax import require_r

from .helpers import py_tool

N = 20_000
ALIASES = "T0 = int\n" + "".join(f"T{n + 1} = tuple[{', '.join([f'T{n}'] * 9)}]\n" for n in range(11))


def read(source: str) -> None:
    for expression in expressions(source):
        _ = expression.formals


def annotated(source: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        py_tool(Path(folder), source)


def clean(text: str) -> None:
    to_text(parse_markup(text))


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        (read, 'r"(' * N),
        (read, "(" + " R'---[" * N),
        (read, '"' * N + "'"),
        (read, "f <- function(x=" + "(" * N + ")" * N + ") 1"),
        (read, "f <- " + "(" * 3000 + "function(x) 1" + ")" * 3000),
        (read, "f <- function(x=" + "c(" * 3000 + "1" + ")" * 3000 + ") 1"),
        (read, "f <- function(x=" + "-" * 3000 + "1) 1"),
        (clean, "\\code{" * 200_000),
        (clean, "\\item " * 200_000),
        (clean, "\\a[" * 200_000),
        (clean, "`a` " * 100_000),
        (clean, "``` r\n" * 50_000),
        (clean, "\\emph{" * 3000 + "}" * 3000),
        (clean, " ".join("`" * (i % 50 + 1) for i in range(5000))),
        (clean, "[" * N),
        (clean, "[a" * N + "](" * 100),
        (clean, "**a" * N),
        (clean, "```\n" * 5000),
        (lambda text: prose_of(parse_markup(text)), "Examples: `a` " * 5000),
        (lambda text: prose_of(parse_markup(text)), "one of " * N),
        (infer_type, "a " * N + "character"),
        (strip_type_prefix, "character" + " or NULL" * N),
        (read_docstring, "x\n" + "mcp-" * 5000 + "!"),
        (read_docstring, ">>> a\n" * 5000),
        (lambda text: require_r(text, Path("a.R")), "({[" * N + "]})" * N),
        (lambda text: require_r(text, Path("a.R")), 'r"(a)" ' * N),
        (annotated, ALIASES + "def mcp_tool_f(x: T11): 'Doc'"),
        (annotated, "class A(B): pass\nclass B(A): pass\ndef mcp_tool_f(x: A): 'Doc'"),
    ],
)
def test_hostile_text_is_read_in_time(reader: Callable[[str], object], text: str) -> None:
    began = time.process_time()
    reader(text)
    assert time.process_time() - began < 5


def test_reading_ends_when_nobody_waits_any_more() -> None:
    class Left(Exception):
        pass

    def check() -> None:
        raise Left

    with pytest.raises(Left):
        interruptible(parse_markup, check)("\\item{a} " * 5000)
    parse_markup("\\item{a} " * 5000)
