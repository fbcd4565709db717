"""The R reader is exact: what R itself would parse, it reads the same way."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolltop.catalog.rlang import expressions, formals_of, top_level_tokens
from rolltop.catalog.rlang.package import read_text
from rolltop.catalog.rlang.syntax import require_r
from rolltop.errors import InvalidData


def only(text: str):
    found = list(expressions(text))
    assert len(found) == 1
    return found[0]


def names(text: str) -> list[str]:
    formals = only(text).formals
    assert formals is not None
    return [formal.name for formal in formals]


def default(text: str):
    formals = only(f"f <- function(x = {text}) x").formals
    assert formals is not None
    constant = formals[0].default
    return constant.to_json() if constant else "not constant"


@pytest.mark.parametrize(
    "source",
    [
        "f <- function(x, y) x",
        "f = function(x, y) x",
        "f <<- function(x, y) x",
        "`f` <- function(x, y) x",
        '"f" <- function(x, y) { x }',
        "f <- \\(x, y) x",
        "f <- (function(x, y) x)",
        "f <- g <- function(x, y) x",
        "f <- function(x, # ) { not the end\n y) x",
        "f <-\n  function(x,\n\n y)\n  {\n x }",
        'f <- function(x = ") {", y = "a\\"b") x',
        'f <- function(x = r"---(a)" b)---", y = R\'[)]\') x',
        "f <- function(x = c(1, (2)), y = function(a, b) { a }) x",
        "f <- function(x = `odd ) name`, y = x %)% 2) x",
        "(function(x, y) x) -> f",
        "(function(x, y) x) ->> 'f'",
        "(function(x, y) x) -> g -> f",
        "f <- (function(x, y) x) -> g",
        "f <- function(x, y) x -> g",
        'setGeneric("f", function(x, y) standardGeneric("f"))',
        'methods::setGeneric(def = function(x, y) 1, name = "f", valueClass = "numeric")',
        'assign("f", function(x, y) x)',
    ],
)
def test_signatures_are_read_in_every_form(source: str) -> None:
    assert only(source).name == "f"
    assert names(source) == ["x", "y"]


@pytest.mark.parametrize(
    "source",
    [
        "function(x) x -> f",  # to R a function that assigns, and has no name
        "if (TRUE) g -> f",
        'setMethod("f", "numeric", function(x) x)',
        'assign("f", function(x) x, envir = other)',
        "assign(name, function(x) x)",
        "stats::lm",
        '"data"',
    ],
)
def test_what_names_nothing_has_no_name(source: str) -> None:
    assert only(source).name is None


def test_a_signature_may_be_longer_than_any_window() -> None:
    many = [f"p{i}" for i in range(500)]
    assert names("f <- function(\n" + ",\n".join(many) + "\n) NULL") == many


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("NULL", None),
        ("TRUE", True),
        ("F", False),
        ("5", 5),
        ("5L", 5),
        ("-1", -1),
        ("2.5e-3", 0.0025),
        ("0x10", 16),
        ("1e5L", 100000),
        ('"a\\nb"', "a\nb"),
        ("'it''s'", "not constant"),
        ('r"(a\\b)"', "a\\b"),
        ('"\\u00e9\\x41"', "éA"),
        ('c("a", "b")', ["a", "b"]),
        ("c(a = 1, b = 2)", [1, 2]),
        ('c("a", 1, TRUE)', ["a", "1", "TRUE"]),
        ("c()", None),
        ("1:3", [1, 2, 3]),
        ("list()", {}),
        ("list(a = 1, b = c(2, 3))", {"a": 1, "b": [2, 3]}),
        ("list(1, 'x')", [1, "x"]),
        ("character(0)", []),
        ("(3)", 3),
        ("Sys.time()", "not constant"),
        ("x + 1", "not constant"),
        ('c("a", b)', "not constant"),
    ],
)
def test_defaults_are_values_where_they_are_constant(source: str, value: object) -> None:
    assert default(source) == value


def test_documentation_belongs_to_the_expression_below_it() -> None:
    source = "#' one\n\n# plain\n#' two\nf <- function(x)\n  #' inside\n  x +\n  1\n##' three\ng <- 1; h <- 2\n"
    found = list(expressions(source))
    assert [(each.name, each.doc) for each in found] == [("f", ("one", "two", "inside")), ("g", ("three",)), ("h", ())]


def test_documentation_inside_a_string_is_none() -> None:
    source = "x <- \"\n#' @keywords mcp-tool\n\"\nf <- function() {\n  g(r'(\n#' inner\n)') # #' no\n  1 }\n"
    assert all(not each.doc for each in expressions(source))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f <- function(x {\n", r"a\.R:1:14: not valid R: this \( is never closed"),
        ("f <- function(x) {\n  if (x {\n 1 }\n}\n", r"2:6: not valid R: this \( is not closed before the } in line 4"),
        ("f <- 1\n}\n", r"2:1: not valid R: nothing opens what this } closes"),
        ("f <- 'it\\'\n", r"1:6: not valid R: the text that begins with this ' does not end"),
        ('f <- r"---(a)"\n', r'1:6: not valid R: the text that begins with this " does not end'),
        ("`f <- 1\n", r"1:1: not valid R: the text that begins with this ` does not end"),
    ],
)
def test_text_that_r_cannot_load_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        require_r(text, Path("a.R"))


@given(st.text(alphabet="a1\"'`#(){}[]\\\n,%r-", max_size=12))
def test_text_that_r_can_load_is_never_refused(text: str) -> None:
    """Brackets and quotes in comments, strings, names and operators of R do not count."""
    wrapped = [f"# {line}" for line in text.split("\n")]
    quoted = json.dumps(text)
    raw = f'r"---------------({text})---------------"'
    operator = "x %" + text.replace("%", "").replace("\n", "") + "% y"
    require_r("\n".join([*wrapped, f"f <- function(x = {quoted}) {{", raw, operator, "x[[1]]", "}"]), Path("a.R"))


@given(st.text(alphabet="abfr\"'`#(){}[]\\\n <-=,%;1.-", max_size=80))
def test_any_text_is_read_without_an_exception(text: str) -> None:
    tokens = list(top_level_tokens(text))
    assert all(text[token.start : token.end] == token.text for token in tokens)
    for expression in expressions(text):
        formals_of(text, expression.value)


DUMP = (Path(__file__).parent / "r" / "dump_functions.R").read_text()
ORACLE = (Path(__file__).parent / "r" / "parse_with_r.R").read_text()


def r(script: str, *arguments: str) -> str:
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", script, *arguments], capture_output=True, text=True, timeout=300, check=True
    )
    return done.stdout


FEW = ("base", "utils")
MANY = (
    *("stats", "tools", "methods", "graphics", "grDevices", "parallel", "splines", "grid", "stats4", "jsonlite"),
    *("roxygen2", "rlang", "cli", "knitr", "stringr", "xml2", "withr", "R6", "magrittr", "purrr"),
)


def shipped_sources() -> list[str]:
    """The files that R and its packages carry as sources."""
    return [str(path) for place in ("/usr/lib/R", "/usr/share/R") for path in sorted(Path(place).rglob("*.R"))]


@pytest.mark.parametrize(
    ("packages", "at_least"), [(FEW, 1500), pytest.param(MANY, 5000, marks=pytest.mark.soak)], ids=["few", "many"]
)
def test_every_function_of_rs_packages_is_read_as_r_reads_it(
    tmp_path: Path, packages: tuple[str, ...], at_least: int
) -> None:
    r(DUMP, str(tmp_path), *packages)
    files = [str(path) for path in sorted(tmp_path.glob("*.R"))] + shipped_sources()
    oracle = json.loads(r(ORACLE, *files))
    functions = sum(compare(file, expected) for file, expected in oracle.items())
    assert functions > at_least


def compare(file: str, expected: list[dict] | None) -> int:
    """How many functions of a file were compared with what R found in it."""
    found = list(expressions(Path(file).read_text("utf-8", errors="replace")))
    if expected is None:  # no R by R's own judgement (a template, another encoding): reading it is enough
        return 0
    require_r(read_text(Path(file)), Path(file))
    assert len(found) == len(expected), file
    functions = [(ours, theirs) for ours, theirs in zip(found, expected, strict=True) if theirs["formals"] is not None]
    for ours, theirs in functions:
        assert ours.name == theirs["name"], file
        assert [each.name for each in ours.formals or ()] == theirs["formals"], (file, ours.name)
    return len(functions)
