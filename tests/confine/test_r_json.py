"""R values as JSON: what jsonlite makes of them, without what it cuts."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from rolltop.confine import Limits, RWorker, Sandbox


@pytest.fixture(scope="module")
def r() -> Iterator[RWorker]:
    with RWorker(Sandbox(Limits(seconds=20))) as worker:
        yield worker


THEIRS = "as.character(jsonlite::toJSON(x, auto_unbox = TRUE, null = 'null', na = 'null', digits = NA, force = TRUE))"

NESTED = (
    "local({ d <- data.frame(a = 1:2); d$m <- matrix(1:4, 2); d$d <- data.frame(z = 1:2); d$l <- list(1, 'x'); d })"
)

SAME_AS_JSONLITE = [
    "list()", "setNames(list(), character())", "list(1, 'a', NULL)", "list(a = 1, 2, a = 3)", "list(a = NULL)",
    "c('a', NA)", "NA_character_", "c(TRUE, NA)", "I('a')", "list(I(1), I(1:2))", "list(list(a = 1), list(a = 2))",
    "as.Date(c('2024-01-01', NA))", "factor(c('a', NA))", "as.raw(1:3)", "pairlist(a = 1)",
    "utils::head(datasets::iris, 3)", "utils::head(datasets::mtcars, 3)[1:2]", "datasets::cars[2:3, ]", NESTED,
    "data.frame()", "data.frame(a = integer())", "data.frame(a = 1:2)[, FALSE]", "data.frame(l = I(list(1, 2:3)))",
    "matrix(1:6, 2)", "matrix(numeric(), 0, 3)", "matrix(numeric(), 3, 0)", "array(1:24, c(2, 3, 4))", "array(1:3, 3)",
    "array(1:16, c(2, 2, 2, 2))", "as.table(matrix(1:4, 2))", "structure(list(a = 1), class = 'own')",
    "c(1e20, -0.5, 1e-300, 123456.7)", "intToUtf8(c(1:127, 252, 128512))",
    "jsonlite::unbox(1)", "jsonlite::unbox(data.frame(a = 1))",
]  # fmt: skip


@pytest.mark.parametrize("code", SAME_AS_JSONLITE)
def test_values_are_written_as_jsonlite_writes_them(r: RWorker, code: str) -> None:
    theirs = json.loads(r.evaluate(f"x <- {code}; {THEIRS}").value)
    assert r.evaluate(code).value == theirs
    assert r.evaluate(f"list(v = {code})").value["v"] == theirs


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("1/3", 1 / 3), ("0.1 + 0.2", 0.1 + 0.2), ("c(0.1, 2^53 - 1)", [0.1, 2**53 - 1]),
        (".Machine$double.xmin", 2.0**-1022),
        ("complex(real = 1, imaginary = c(-2, NA))", ["1-2i", None]), (r"'caf\xe9'", "caf<e9>"),
        ("as.POSIXct(c(1.5, NA), '1970-01-01', tz = 'UTC')", ["1970-01-01T00:00:01.5Z", None]),
        ("as.POSIXct('2024-01-01', tz = 'Asia/Kolkata')", "2024-01-01T00:00:00+05:30"), ("quote(a + b)", "a + b"),
        ("structure('[1, {}]', class = 'json')", [1, {}]),
    ],
)  # fmt: skip
def test_what_jsonlite_cuts_or_cannot_write_is_written_whole(r: RWorker, code: str, value: Any) -> None:
    assert r.evaluate(code).value == value


READ_AS_JSONLITE_DOES = [
    "[]", "{}", "3", "null", '"text"', "[1, 2.5]", "[null, null]", '[1, "a", true]', "[true, 1]", "[[1, 2], [3, 4]]",
    '[{"x": 1, "y": {"z": "a"}}, {"x": null, "w": [1, 2]}]', "[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]", "[[1], [2, 3]]",
    "[{}, {}]", '[{"_row": "r1", "x": 1}, {"_row": "r2", "x": 2}]', '[[1, "a"], ["b", 2]]', "[1, [2]]",
    "[[1, 2], null]",
    '[null, {"a": 1}]', '[{"a": [1, 2]}, {"a": [3, 4]}]', '[[{"a": 1}], [{"a": 2}]]', '[{"": 1}]', "[[], []]",
    "[[null, 1], [2, 3]]", "12345678901234567890", '[{"a": null}]', '{"a": {"b": [1, 2]}, "c": []}',
]  # fmt: skip


@pytest.mark.parametrize("matrices", ["TRUE", "FALSE"])
@pytest.mark.parametrize("text", READ_AS_JSONLITE_DOES)
def test_values_are_read_as_jsonlite_reads_them(r: RWorker, text: str, matrices: str) -> None:
    theirs = f"jsonlite::parse_json(text, simplifyVector = TRUE, simplifyMatrix = {matrices})"
    code = f"function(text) identical(rolltop_read(text, {matrices}), {theirs})"
    assert r.call(code, {"text": text}).value is True


@pytest.mark.parametrize("texts", [["NA"], ["NA", "NaN"], ["Inf", "-Inf"]])
def test_texts_that_look_like_missing_values_stay_texts(r: RWorker, texts: list[str]) -> None:
    given = {"alone": texts, "rows": [{"code": text} for text in texts], "deep": {"in": [texts, texts]}}
    code = "function(...) { x <- list(...); list(typeof(x$alone), typeof(x$rows$code), typeof(x$deep$`in`[[1]])) }"
    assert r.call(code, given).value == ["character"] * 3
    assert r.call("function(...) list(...)", given).value["rows"] == [{"code": text} for text in texts]
