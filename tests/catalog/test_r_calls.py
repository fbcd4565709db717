"""What an R tool gets and gives: numbers to the last digit, documented shapes, errors that name the tool."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.catalog import mcptool_build
from rolltop.catalog.live import Catalog, CatalogSettings, ExampleRuns
from rolltop.errors import ForeignFailure, InvalidInput, MemoryLimit, RolltopError

from .helpers import r_package

SOURCE = r"""
#' Same
#' @param x Numeric vector. Numbers
#' @keywords mcp-tool
same <- function(x) list(x = x, table = data.frame(x = x))
#' Shapes
#' @param texts Character vector. Texts
#' @param rows Data frame. Rows
#' @param numbers Matrix. Numbers
#' @keywords mcp-tool
shapes <- function(texts = NULL, rows = NULL, numbers = NULL) {
  list(texts = class(texts), rows = vapply(rows, class, ""), numbers = class(numbers))
}
#' Text
#' @param x Character. Text
#' @keywords mcp-tool
text <- function(x) x
#' Names
#' @param n Integer. How many
#' @return Character vector. The names
#' @keywords mcp-tool
names_ <- function(n) letters[seq_len(n)]
#' Fields
#' @param n Integer. How many
#' @return A list with
#' \describe{
#'   \item{names}{Character vector. The names}
#'   \item{options}{List. The options}
#'   \item{count}{Integer. How many}
#' }
#' @keywords mcp-tool
fields <- function(n) list(names = letters[seq_len(n)], options = list(), count = n)
#' Values
#' @param kind Character. Kind
#' @keywords mcp-tool
values <- function(kind) switch(kind,
  complex = list(fft = stats::fft(1:3)), time = as.POSIXct("2026-07-01 12:00:00.25", tz = "America/New_York"),
  utc = as.POSIXlt("2026-07-01 12:00:00", tz = "UTC"),
  times = data.frame(t = as.POSIXct(c(0.5, NA), "1970-01-01", tz = "UTC")),
  rows = data.frame(n = 1, row.names = "first"), described = mcp_describe(1L),
  plain = matrix(1:4, 2), columns = matrix(1:4, 2, dimnames = list(NULL, c("x", "y"))),
  both = list(m = matrix(1:4, 2, dimnames = list(c("a", "b"), c("x", "y")))),
  named_rows = matrix(1:2, 2, dimnames = list(c("a", "b"), NULL)))
#' Documented as arrays
#' @return Numeric matrix. The numbers
#' @keywords mcp-tool
arrays <- function() matrix(1:4, 2, dimnames = list(c("a", "b"), c("x", "y")))
#' Print by another program, and end
#' @param end Logical. Whether to end R
#' @keywords mcp-tool
shout <- function(end) {
  system(if (end) "echo last words" else "echo earlier words")
  if (end) tools::pskill(Sys.getpid(), 9L)
}
#' Fails
#' @param x Integer. A number
#' @keywords mcp-tool
fails <- function(x, .state_env = NULL) { if (x > 1) inner(x); stop("not this way") }
inner <- function(y) stop("too deep")
#' How it was called
#' @param x Integer. A number
#' @keywords mcp-tool
asked <- function(x) list(deparse(substitute(x)), deparse(match.call()), x)
#' Allocate
#' @keywords mcp-tool
allocate <- function() raw(4e9)
#' Plots
#' @param n Integer. How many
#' @keywords mcp-tool
plots <- function(n) for (i in seq_len(n)) plot(i)
#' Mask functions of R
#' @param where Character. The environment
#' @keywords mcp-tool
mask <- function(where) {
  mine <- function(...) "mine"
  if (where == "base") {
    unlockBinding("list", baseenv())
    base::assign("list", mine, envir = baseenv())
  }
  if (where == "nowhere") base::rm(list = ls(globalenv(), all.names = TRUE), envir = globalenv())
  for (name in c("list", "c", "paste", "paste0", "names", "lapply", "is.null", "mcp_describe", "structure", "return")) {
    base::assign(name, mine, envir = globalenv())
  }
  where
}
#' Keep
#' @param x Numeric. A number
#' @keywords mcp-tool
keep <- function(x, .state_env) {
  if (x > 0) .state_env$set("x", x)
  .state_env$get("x")
}
#' Area
#' @param shape Numeric. A shape
#' @keywords mcp-tool
setGeneric("area", function(shape, ...) standardGeneric("area"))
setMethod("area", "numeric", function(shape, ...) shape^2)
#' Arrow
#' @param x Numeric. A number
#' @keywords mcp-tool
(function(x) x + 1) -> arrow
#' Assigned
#' @param x Numeric. A number
#' @keywords mcp-tool
assign("assigned", function(x) x + 2)
"""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    root = r_package(tmp_path_factory.mktemp("calls") / "demo", SOURCE)
    mcptool_build(root)
    made = Catalog(CatalogSettings(serve=(str(root),), seconds=30))
    yield made
    made.close()


Call = Callable[..., Any]


@pytest.fixture(scope="module")
def call(catalog: Catalog) -> Call:
    return lambda name, **arguments: catalog.call(f"demo-{name}", arguments, session="tests")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False), min_size=2, max_size=20))
def test_numbers_come_back_to_the_last_digit(call: Call, numbers: list[float]) -> None:
    value = call("same", x=numbers).value
    assert value == {"x": numbers, "table": [{"x": number} for number in numbers]}


@pytest.mark.parametrize("number", [9007199254740991, 1700000000.123456, 0.1 + 0.2, 0.1, 1e300, -5])
def test_single_numbers_do_so_too(call: Call, number: float) -> None:
    assert call("same", x=[number]).value["x"] == number


@pytest.mark.parametrize("n", [0, 1, 2])
def test_results_have_the_shape_that_is_documented(call: Call, n: int) -> None:
    names = ["a", "b"][:n]
    assert call("names_", n=n).value == names
    assert call("fields", n=n).value == {"names": names, "options": {}, "count": n}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("complex", {"fft": ["6+0i", "-1.5+0.866025403784439i", "-1.5-0.866025403784439i"]}),
        ("time", "2026-07-01T12:00:00.25-04:00"),
        ("utc", "2026-07-01T12:00:00Z"),
        ("times", [{"t": "1970-01-01T00:00:00.5Z"}, {"t": None}]),
        ("rows", [{"n": 1, "_row": "first"}]),
        ("described", "1L"),
        ("plain", [[1, 3], [2, 4]]),
        ("columns", [{"x": 1, "y": 3}, {"x": 2, "y": 4}]),
        ("both", {"m": [{"x": 1, "y": 3, "_row": "a"}, {"x": 2, "y": 4, "_row": "b"}]}),
        ("named_rows", {"a": [1], "b": [2]}),
    ],
)
def test_values_that_json_has_no_type_for(call: Call, kind: str, value: object) -> None:
    assert call("values", kind=kind).value == value


def test_a_matrix_that_is_documented_as_one_is_arrays(call: Call) -> None:
    assert call("arrays").value == [[1, 3], [2, 4]]


def test_the_end_of_a_process_is_told_with_the_words_of_its_own_call(catalog: Catalog) -> None:
    catalog.call("demo-shout", {"end": False}, session="shout")
    with pytest.raises(ForeignFailure) as caught:
        catalog.call("demo-shout", {"end": True}, session="shout")
    assert "last words" in caught.value.details["output"]
    assert "earlier words" not in caught.value.details["output"]


def test_a_text_that_r_would_cut_is_refused(call: Call) -> None:
    assert call("text", x="a\\u0000b").value == "a\\u0000b"
    with pytest.raises(InvalidInput, match="NUL"):
        call("text", x="a\0b")


def test_an_error_names_the_tool_or_the_function_inside_it(call: Call) -> None:
    with pytest.raises(RolltopError) as caught:
        call("fails", x=1)
    assert str(caught.value) == "R: not this way (in fails)"
    assert caught.value.details["trace"] == ["fails(x = x, .state_env = .state_env)", 'stop("not this way")']
    with pytest.raises(RolltopError, match=r"R: too deep \(in inner\(x\)\)"):
        call("fails", x=2)


def test_a_function_sees_the_call_as_a_person_would_write_it(call: Call) -> None:
    assert call("asked", x=3).value == ["x", "asked(x = x)", 3]


def test_functions_are_called_however_they_got_their_name(call: Call) -> None:
    assert call("area", shape=3).value == 9
    assert call("arrow", x=3).value == 4
    assert call("assigned", x=3).value == 5


@pytest.mark.parametrize("where", ["global", "nowhere"])
def test_what_a_tool_puts_into_the_global_environment_harms_no_call(catalog: Catalog, where: str) -> None:
    def call(name: str, **arguments: Any) -> Any:
        return catalog.call(f"demo-{name}", arguments, session=f"mask {where}")

    call("keep", x=5)
    assert call("mask", where=where).value == where
    assert call("same", x=[1, 2]).value == {"x": [1, 2], "table": [{"x": 1}, {"x": 2}]}
    assert call("text", x="a").text == '"a"'
    with pytest.raises(RolltopError, match="too deep"):
        call("fails", x=2)
    assert call("keep", x=0).value == 5


def test_a_process_that_answers_nonsense_is_ended(catalog: Catalog) -> None:
    def call(name: str, **arguments: Any) -> Any:
        return catalog.call(f"demo-{name}", arguments, session="broken")

    with pytest.raises(ForeignFailure):
        call("mask", where="base")
    assert call("text", x="a").value == "a"


def test_memory_that_is_refused_is_a_limit(call: Call) -> None:
    with pytest.raises(MemoryLimit, match="cannot allocate"):
        call("allocate")


def test_plots_that_are_left_out_are_told(call: Call) -> None:
    assert call("plots", n=8).warnings == ()
    answer = call("plots", n=11)
    assert len(answer.images) == 8
    assert answer.warnings == ("11 plots were drawn; the answer has the first 8. Draw fewer, or several on one page.",)


@pytest.mark.parametrize("session", ["s", None])
def test_a_package_that_does_not_load_says_why_each_time_and_works_once_it_is_mended(
    tmp_path: Path, session: str | None
) -> None:
    root = r_package(tmp_path / "demo", "#' One\n#' @keywords mcp-tool\none <- function() 1\n")
    mcptool_build(root)
    (root / "R" / "z.R").write_text('stop("not configured")\n')
    catalog = Catalog(CatalogSettings(serve=(str(root),)))
    try:
        for _ in range(3):
            with pytest.raises(RolltopError, match=r"^R: /package/R/z\.R: not configured$"):
                catalog.call("demo-one", {}, session=session)
        (root / "R" / "z.R").write_text("two <- 2\n")
        assert catalog.call("demo-one", {}, session=session).value == 1
    finally:
        catalog.close()


def test_first_calls_at_the_same_time_load_the_package_once(catalog: Catalog) -> None:
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda n: catalog.call("demo-names_", {"n": n}, session="crowd").value, range(4)))
    assert answers == [["a", "b", "c"][:n] for n in range(4)]


@pytest.mark.parametrize("key", ["", "x" * 20_000, "a\0b"])
def test_a_state_has_keys_that_r_can_keep(catalog: Catalog, key: str) -> None:
    with pytest.raises(InvalidInput, match="key of the state"):
        catalog.open_state({key: 1})


def test_a_value_of_the_state_that_r_would_cut_is_refused_each_time(catalog: Catalog) -> None:
    handle = catalog.open_state({"k": "a\0b"})
    for _ in range(2):
        with pytest.raises(InvalidInput, match="NUL"):
            catalog.call("demo-names_", {"n": 1}, session=f"handle:{handle}")


def test_an_example_that_quits_leaves_the_next_one_its_temporary_directory(tmp_path: Path) -> None:
    blocks = [("one", 'quit("no")'), ("two", 'file <- tempfile(); writeLines("x", file); file.exists(file)')]
    tool = "#' {0}\n#' @examples\n#' {1}\n#' @keywords mcp-tool\n{0} <- function() 1\n"
    root = r_package(tmp_path, "".join(tool.format(*block) for block in blocks))
    built = mcptool_build(root, run_examples=ExampleRuns(seconds=10))
    tools = {definition.function: definition.implementation_example for definition in built.definitions.values()}
    assert tools["one"].endswith("#> Error: the R process ended\n")
    assert tools["two"].endswith("#> TRUE\n")


@pytest.mark.parametrize("text", ["NA", "NaN", "Inf"])
def test_a_text_that_r_writes_for_a_missing_value_is_text(call: Call, text: str) -> None:
    value = call("shapes", texts=[text], rows=[{"country": text}]).value
    assert (value["texts"], value["rows"]) == ("character", {"country": "character"})


def test_an_empty_matrix_is_one(call: Call) -> None:
    assert call("shapes", numbers=[]).value["numbers"] == ["matrix", "array"]
