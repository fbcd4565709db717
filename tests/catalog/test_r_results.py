"""What R functions return, as data: a call that succeeded is never lost by its result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rolltop.catalog import mcptool_build
from rolltop.catalog.live import Catalog, CatalogSettings

from .helpers import r_package

SOURCE = r"""
#' Give
#' @param code Character. What to return
#' @keywords mcp-tool
give <- function(code) eval(parse(text = code))
#' Give an array
#' @param code Character. What to return
#' @return Numeric matrix. The numbers
#' @keywords mcp-tool
matrix_ <- function(code) eval(parse(text = code))
#' Give a vector
#' @param code Character. What to return
#' @return Numeric vector. The numbers
#' @keywords mcp-tool
vector_ <- function(code) eval(parse(text = code))

for (generic in c("format", "print", "mcp_describe")) {
  registerS3method(generic, "broken", function(x, ...) stop("not this one"))
}
for (generic in c("length", "names", "dim", "is.na", "[[", "as.list", "as.character", "print")) {
  registerS3method(generic, "hostile", function(x, ...) stop("leave me alone"))
}
registerS3method("format", "month", function(x, ...) month.abb[unclass(x)])
registerS3method("as.character", "integer64", function(x, ...) c("9007199254740993", NA)[seq_along(unclass(x))])
"""

SIX = ["Min.", "1st Qu.", "Median", "Mean", "3rd Qu.", "Max."]
THREE = dict(zip(SIX, [1, 1.5, 2, 2, 2.5, 3], strict=True))
DAYS = ["2026-01-01", "2026-01-01", "2026-01-02", "2026-01-02", "2026-01-02", "2026-01-03"]

RESULTS: dict[str, Any] = {
    # summary()
    "summary(c(1, 2, 3))": THREE,
    "summary(c(1, 2, 3, NA))": {**THREE, "NA's": 1},
    'summary(as.Date("2026-01-01") + 0:2)': dict(zip(SIX, DAYS, strict=True)),
    'summary(c(as.Date("2026-01-01") + 0:2, NA))': {**dict(zip(SIX, DAYS, strict=True)), "NA's": 1},
    'summary(as.POSIXct("2026-01-01", tz = "UTC"))': dict.fromkeys(SIX, "2026-01-01T00:00:00Z"),
    "summary(c(TRUE, FALSE, TRUE))": {"Mode": "logical", "FALSE": "1", "TRUE": "2"},
    'summary("a")': {"Length": "1", "Class": "character", "Mode": "character"},
    'summary(factor(c("a", "b", "a")))': {"a": 2, "b": 1},
    "summary(NULL)": {"Length": "0", "Class": "NULL", "Mode": "NULL"},
    "summary(list(a = 1))": [{"Length": "1", "Class": "-none-", "Mode": "numeric", "_row": "a"}],
    'summary(data.frame(x = c("a", "b")))': [{"x": "Length:2"}, {"x": "Class :character"}, {"x": "Mode  :character"}],
    "list(s = summary(c(1, 2, 3)), n = 3)": {"s": THREE, "n": 3},
    # tables
    'table(c("a", "b", "a"))': [{"Var1": "a", "Freq": 2}, {"Var1": "b", "Freq": 1}],
    "table(`my var` = c(1, NA), useNA = 'always')": [{"my var": "1", "Freq": 1}, {"my var": None, "Freq": 1}],
    "table(character())": [],
    "table(x = 1, y = 2)": [{"x": "1", "y": "2", "Freq": 1}],
    "ftable(table(x = 1, y = 2))": [{"x": "1", "y": "2", "Freq": 1}],
    "xtabs(n ~ g, data.frame(n = 1:2, g = 3:4))": [{"g": "3", "Freq": 1}, {"g": "4", "Freq": 2}],
    'unclass(table(c("a", "b", "a")))': {"a": 2, "b": 1},
    # arrays
    "tapply(c(1, 2, 6), c(4, 4, 8), mean)": {"4": 1.5, "8": 6},
    "tapply(c(1, 2, 6), c(4, 4, 8), range)": {"4": [1, 2], "8": [6, 6]},
    "tapply(1:2, list(c('a', 'b'), c('x', 'y')), sum)": [
        {"x": 1, "y": None, "_row": "a"}, {"x": None, "y": 2, "_row": "b"},
    ],
    "tapply(1:2, 3:4, function(x) summary(c(1, 2, 3)))": {"3": THREE, "4": THREE},
    "by(c(1, 2, 6), c(4, 4, 8), mean)": {"4": 1.5, "8": 6},
    "array(1:2)": [1, 2],
    "array(1)": [1],
    "array(1:2, 2, list(c('a', 'b')))": {"a": 1, "b": 2},
    "array(1:8, c(2, 2, 2))": [[[1, 5], [3, 7]], [[2, 6], [4, 8]]],
    "array(1:4, c(2, 1, 2), list(c('a', 'b'), 'p', c('x', 'y')))": {
        "a": [{"x": 1, "y": 3, "_row": "p"}], "b": [{"x": 2, "y": 4, "_row": "p"}],
    },
    "array(1:4, c(2, 1, 2), list(NULL, 'p', NULL))": [{"p": [1, 3]}, {"p": [2, 4]}],
    "array(1:4, c(2, 1, 1, 2), list(c('a', 'b'), NULL, NULL, NULL))": {"a": [[[1, 3]]], "b": [[[2, 4]]]},
    "array(numeric(), c(2, 0, 2), list(c('a', 'b'), NULL, NULL))": {"a": [], "b": []},
    "matrix(1:2, 2, dimnames = list(c('a', 'a'), 'x'))": [{"x": 1, "_row": "a"}, {"x": 2, "_row": "a"}],
    "matrix(list(1, NULL), 1)": [[1, None]],
    "matrix(list(1, 2:3), 1, dimnames = list(NULL, c('x', 'y')))": [{"x": 1, "y": [2, 3]}],
    "dist(matrix(c(0, 3), 2))": [{"1": 0, "2": 3, "_row": "1"}, {"1": 3, "2": 0, "_row": "2"}],
    # vectors with a class
    "ts(c(1, NA), start = 2000)": [1, None],
    "ts(matrix(1:2, 1, dimnames = list(NULL, c('a', 'b'))))": [{"a": 1, "b": 2}],
    'as.Date(c("2026-01-02", NA))': ["2026-01-02", None],
    'c(a = as.Date("2026-01-02"))': {"a": "2026-01-02"},
    "as.Date(c(0, Inf), origin = '1970-01-01')": ["1970-01-01", None],
    'c(a = as.POSIXct("2026-01-02", tz = "UTC"))': {"a": "2026-01-02T00:00:00Z"},
    "as.POSIXct(c(0, Inf), origin = '1970-01-01', tz = 'UTC')": ["1970-01-01T00:00:00Z", None],
    'as.difftime(c(a = 1, b = NA), units = "mins")': {"a": 60, "b": None},
    "factor(c(x = 'a', y = NA))": {"x": "a", "y": None},
    "noquote(c('a', 'b'))": ["a", "b"],
    "object.size(1:10)": 96,
    "structure(c(a = 5), class = 'tagged')": {"a": 5},
    "structure(c(1, 12, NA), class = 'month')": ["Jan", "Dec", None],
    "structure(c(0, 0), class = 'integer64')": ["9007199254740993", None],
    "as.hexmode(255L)": "ff",
    "numeric_version('1.2.3')": "1.2.3",
    # data frames
    "data.frame(d = as.difftime(1, units = 'mins'))": [{"d": 60}],
    "data.frame(r = as.raw(255), z = 1i)": [{"r": "ff", "z": "0+1i"}],
    "data.frame(n = 1:2, l = I(list(1, c(a = 2))))": [{"n": 1, "l": 1}, {"n": 2, "l": {"a": 2}}],
    "data.frame(n = 1, l = I(list(new.env())))": [{"n": 1, "l": "<environment> 0 objects"}],
    "aggregate(v ~ g, data.frame(v = 1:3, g = 1), summary)": [{"g": 1, "v": THREE}],
    "aggregate(v ~ g, data.frame(v = 1:3, g = 1), range)": [{"g": 1, "v": [1, 3]}],
    "local({ d <- data.frame(a = 1); d$d <- data.frame(x = 2); d })": [{"a": 1, "d": {"x": 2}}],
    "data.frame(v = I(numeric_version('1.2')))": [{"v": "1.2"}],
    "data.frame(row.names = 'a')": [{"_row": "a"}],
    "data.frame(a = integer())": [],
    "structure(list(a = 1:3, b = 1), class = 'data.frame', row.names = 1:3)": {"a": [1, 2, 3], "b": 1},
    # the rest
    "NULL": None,
    "NA": None,
    "c(NA_character_, 'a')": [None, "a"],
    "list(NA, NULL, NA_integer_, NA_real_, NA_complex_, NaN, Inf)": [None] * 7,
    "1i": "0+1i",
    "as.raw(c(0, 255))": "AP8=",
    "c(a = as.raw(1))": "AQ==",
    "I(structure('x', class = 'json'))": ["x"],
    "formals(function(x, y = 2) x)": {"x": "", "y": 2},
    "setNames(1:3, c('a', '', NA))": {"a": 1, "2": 2, "3": 3},
    "list(a = list(b = tapply(1:2, 3:4, sum), c = summary(c(1, 2, 3))))": {"a": {"b": {"3": 1, "4": 2}, "c": THREE}},
}  # fmt: skip

DESCRIBED = {
    "stats::lm(dist ~ speed, datasets::cars)": "Coefficients",
    "summary(stats::lm(dist ~ speed, datasets::cars))": "Residuals",
    "t.test(1:10)": "One Sample t-test",
    "function(x) x + 1": "x + 1",
    "y ~ x": "y ~ x",
    "quote(a + b)": "a + b",
    "expression(a)": "expression(a)",
    "globalenv()": "<environment: R_GlobalEnv>",
    "stdin()": "A connection with",
    "R6::R6Class('Box', public = list(x = 1))$new()": "<Box>",
    "local({ setClass('P', representation(x = 'numeric')); new('P', x = 1) })": 'class "P"',
    "setRefClass('Acc', fields = list(b = 'numeric'))$new(b = 1)": "Reference class object",
    "structure(list(1), class = 'broken')": "cannot be described: not this one",
}

Call = Callable[..., Any]


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    root = r_package(tmp_path_factory.mktemp("results") / "demo", SOURCE)
    mcptool_build(root)
    catalog = Catalog(CatalogSettings(serve=(str(root),), seconds=30))
    yield lambda code, tool="give": catalog.call(f"demo-{tool}", {"code": code}, session="tests")
    catalog.close()


@pytest.mark.parametrize("code", RESULTS)
def test_a_result_is_data(call: Call, code: str) -> None:
    answer = call(code)
    assert answer.value == RESULTS[code]
    assert (answer.warnings, answer.messages) == ((), ())


@pytest.mark.parametrize("code", DESCRIBED)
def test_what_is_no_data_has_its_description(call: Call, code: str) -> None:
    if code.startswith("R6") and not call('requireNamespace("R6", quietly = TRUE)').value:
        pytest.skip("needs R6")
    assert DESCRIBED[code] in call(code).value
    assert call(f"list(model = {code}, n = 1)").value["n"] == 1


@pytest.mark.parametrize("tool", ["matrix_", "vector_"])
def test_names_are_kept_unless_rows_are_documented_as_arrays(call: Call, tool: str) -> None:
    assert call("tapply(1:2, 3:4, sum)", tool=tool).value == {"3": 1, "4": 2}
    labelled = call("array(1:4, c(2, 1, 2), list(c('a', 'b'), NULL, NULL))", tool=tool).value
    assert labelled == ([[[1, 3]], [[2, 4]]] if tool == "matrix_" else {"a": [[1, 3]], "b": [[2, 4]]})


@pytest.mark.parametrize("kind", ["broken", "hostile"])
def test_methods_that_fail_leave_what_is_data(call: Call, kind: str) -> None:
    given = f"structure(c(a = 1, b = 2), class = '{kind}')"
    assert call(given).value == {"a": 1, "b": 2}
    assert call(f"list(x = {given}, y = structure(list(1), class = '{kind}'), n = 1)").value["n"] == 1
    rows = f"structure(list(n = 1:2, x = {given}), class = 'data.frame', row.names = 1:2)"
    assert call(rows).value in (
        [{"n": 1, "x": 1}, {"n": 2, "x": 2}],
        {"n": [1, 2], "x": {"a": 1, "b": 2}},
    )
