"""Types that accept right calls: what counts as evidence, and what is accepted where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.catalog.helpers import py_tool, r_package, r_tool

from rolltop.catalog import check, find_tools, mcptool_build, mcptool_load, source_tree
from rolltop.catalog.arguments import check_arguments, served_schema
from rolltop.catalog.found import Remark


def accepts(root: Path, text: str, value: Any, signature: str = "function(x) x", more: str = "") -> bool:
    tool = r_tool(root, f"Title\n@param x {text}\n{more}", signature)
    return not check_arguments(served_schema(tool), {"x": value})[1]


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("A data frame to pivot.", {"type": "array", "items": {"type": "object"}}),
        ("a sequence of integers", {"type": "array", "items": {"type": "integer"}}),
        ("A string to split", {"type": "string"}),
        ("a numeric threshold", {"type": "number"}),
    ],
)
def test_the_beginning_of_a_description_says_the_type(tmp_path: Path, text: str, schema: dict[str, Any]) -> None:
    found = r_tool(tmp_path, f"Title\n@param x {text}").parameters["properties"]["x"]
    assert {key: found[key] for key in schema} == schema


@pytest.mark.parametrize(
    ("text", "value", "is_accepted"),
    [
        ("Who", 5, True),
        ("Who", ["a", 2], True),
        ("Who", {"a": 1}, False),
        ("Minimum width of padded strings", 10, True),
        ("a numeric threshold", "high", False),
        ("Character. The name", 5, False),
        ("A numeric vector, or a function", "mean", True),
        ("A list of settings", ["a"], True),
    ],
)
def test_what_nothing_says_is_not_refused(tmp_path: Path, text: str, value: Any, is_accepted: bool) -> None:
    assert accepts(tmp_path, text, value) is is_accepted


def test_the_definition_of_an_unknown_parameter_says_string_and_a_file_keeps_that_it_is_unknown(tmp_path: Path) -> None:
    r_package(tmp_path, "#' T\n#' @param x Who\n#' @keywords mcp-tool\nf <- function(x) 1\n")
    mcptool_build(tmp_path)
    tool = mcptool_load(tmp_path, "f")
    assert tool.parameters["properties"]["x"] == {"type": "string", "description": "Who"}
    assert tool.untyped == ("x",)
    assert [problem for problem in check(tmp_path) if problem.is_serious] == []


def test_examples_and_checks_are_evidence_and_no_example_contradicts_its_schema(tmp_path: Path) -> None:
    seen = r_tool(tmp_path, "T\n@param x Who\n@examples\nmcp_tool_one(c(1, 2))")
    assert seen.parameters["properties"]["x"]["items"] == {"type": "number"}
    body = "function(x) {\n  if (!is.numeric(x)) stop('no')\n}"
    assert r_tool(tmp_path, "T\n@param x Who", body).parameters["properties"]["x"]["type"] == "number"
    assert not accepts(tmp_path, "Who", "a", body)
    assert accepts(tmp_path, "Integer. How many", "all", more="@examples\nmcp_tool_one('all')")


@pytest.mark.parametrize(
    ("body", "is_required"),
    [
        ("x", True),
        ("{ if (missing(x)) x <- 1; x }", False),
        ('{ if (missing(x)) stop("x is needed"); x }', True),
        ("{ if (missing(x)) { rlang::abort('no x') }; x }", True),
    ],
)
def test_what_a_function_finds_missing_and_goes_on_without_is_optional(
    tmp_path: Path, body: str, is_required: bool
) -> None:
    tool = r_tool(tmp_path, "Title\n@param x Who", f"function(x) {body}")
    assert tool.parameters["required"] == (["x"] if is_required else [])


def test_if_true_is_no_second_form_of_a_switch(tmp_path: Path) -> None:
    text, signature = "If TRUE, nothing is printed", "function(x = FALSE) x"
    assert accepts(tmp_path, text, True, signature)
    assert not accepts(tmp_path, text, "quietly", signature)
    assert not accepts(tmp_path, "TRUE or FALSE: print nothing", "quietly", signature)
    assert accepts(tmp_path, "Where to write, or FALSE", "a.txt", signature)


def test_an_untyped_parameter_of_python_may_be_anything(tmp_path: Path) -> None:
    tool = py_tool(tmp_path, "def mcp_tool_f(x, y=0, z=None):\n    'T.'\n")
    for value in (1, "a", [1], {"a": 1}, None, True):
        assert not check_arguments(served_schema(tool), {"x": value, "z": value})[1]
    assert not check_arguments(served_schema(tool), {"x": 1, "y": 0.5})[1]


def test_what_nobody_can_call_is_remarked_on(tmp_path: Path) -> None:
    source = "#' T\n#' @keywords mcp-tool\nf <- function(...) 1\n#' T\n#' @keywords mcp-tool\ng <- function(.x) 1\n"
    f, g = find_tools(source_tree(r_package(tmp_path, source)))
    assert "takes nothing but `...`" in f.remarks[0].message
    assert "has the hidden parameter .x without a default" in g.remarks[0].message


def test_templates_and_constant_code_are_read_and_other_code_is_remarked_on(tmp_path: Path) -> None:
    source = (
        "#' T\n#' @templateVar unit metres\n#' @template size\n"
        "#' @eval \"@param y Logical. Whether\"\n#' @eval more()\n"
        "#' @keywords mcp-tool\nf <- function(x, y) 1\n"
    )
    r_package(tmp_path, source)
    (tmp_path / "man-roxygen").mkdir()
    (tmp_path / "man-roxygen" / "size.R").write_text("#' @param x Numeric. Size in <%= unit %>\n")
    (tool,) = find_tools(source_tree(tmp_path))
    assert tool.definition.parameters["properties"] == {
        "x": {"type": "number", "description": "Size in metres"},
        "y": {"type": "boolean", "description": "Whether"},
    }
    assert "@eval more()" in tool.remarks[0].message


def test_what_dots_hand_on_can_be_named(tmp_path: Path) -> None:
    source = (
        "#' G\n#' @param a Integer. A\n#' @param b Logical. B\ng <- function(a, b = TRUE) 1\n"
        "#' T\n#' @param x Numeric. X\n#' @inheritDotParams g -a\n#' @keywords mcp-tool\nf <- function(x, ...) g(...)\n"
        "#' S\n#' @param x Numeric. X\n#' @param trim Numeric. How much\n#' @keywords mcp-tool\n"
        "s <- function(x, ...) UseMethod('s')\ns.default <- function(x, trim = 0.1, ...) 1\n"
    )
    f, s = find_tools(source_tree(r_package(tmp_path, source)))
    assert f.definition.parameters["properties"]["b"] == {"type": "boolean", "description": "B", "default": True}
    assert s.definition.parameters["properties"]["trim"]["default"] == 0.1
    assert [f.definition.parameters["required"], s.definition.parameters["required"]] == [["x"], ["x"]]
    assert f.remarks == s.remarks == ()


def test_a_name_can_be_given_and_a_second_one_does_not_stop_a_build(tmp_path: Path) -> None:
    block = "#' T\n#' @keywords mcp-tool{}\nf <- function() 1\n"
    remarks: list[Remark] = []
    source = block.format(" mcp-name-first") + block.format("") + block.format("")
    first, second = find_tools(source_tree(r_package(tmp_path, source)), remarks)
    assert (first.definition.name, first.definition.function) == ("demo-first", "f")
    assert second.definition.to_dict().get("calls") is None
    assert "demo-f is defined twice" in str(remarks[0])
