"""The requirement, rule by rule, for definitions built from R."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator

from rolltop.catalog import check, find_tools, mcptool_build, source_tree
from rolltop.catalog.rlang.parameters import is_plural

from .helpers import parameter, r_package, r_tool


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("Character. A name.", {"type": "string"}),
        ("String, a name", {"type": "string"}),
        ("Numeric. A size.", {"type": "number"}),
        ("Double: a size", {"type": "number"}),
        ("the number to add", {"type": "number"}),
        ("Integer. How many.", {"type": "integer"}),
        ("Logical. Whether.", {"type": "boolean"}),
        ("a boolean flag", {"type": "boolean"}),
        ("List, options", {"type": "object"}),
        ("Character[]. Names.", {"type": "array", "items": {"type": "string"}}),
        ("character vector of names", {"type": "array", "items": {"type": "string"}}),
        ("A character array", {"type": "array", "items": {"type": "string"}}),
        ("Numeric[], sizes", {"type": "array", "items": {"type": "number"}}),
        ("Numeric vector. Sizes", {"type": "array", "items": {"type": "number"}}),
        ("Integer[] of ids", {"type": "array", "items": {"type": "integer"}}),
        ("integer vector", {"type": "array", "items": {"type": "integer"}}),
        ("Logical[], flags", {"type": "array", "items": {"type": "boolean"}}),
        ("Something else entirely", {"type": "string"}),
        ('an object of class "formula"', {"type": "string"}),
        ("An object of class data.frame, the rows", {"type": "array", "items": {"type": "object"}}),
        ("Logical, whether the vignette list was read", {"type": "boolean"}),
        ("Named list with a character vector of names", {"type": "object"}),
        ("A data frame (or tibble) with numeric columns", {"type": "array", "items": {"type": "object"}}),
        ("A data frame or a tibble with numeric columns", {"type": "array", "items": {"type": "object"}}),
        ("A logical (or a number) indicating it", {"type": "boolean"}),
        ("An integer or NULL giving the character", {"type": "integer"}),
        ("A vector (or list) of integers", {"type": "array", "items": {"type": "integer"}}),
        ("Numeric or character vector of names", {"type": "array", "items": {"type": "string"}}),
        ("Integer, the number of character strings", {"type": "integer"}),
        ("Matrix, of weights", {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}),
        ("Vector, of things", {"type": "array", "items": {"type": "string"}}),
        ("Numeric of length 2. The range", {"type": "array", "items": {"type": "number"}}),
        ("Integer of length n, the ids", {"type": "array", "items": {"type": "integer"}}),
        ("Numeric of length 1. The size", {"type": "number"}),
        ("Character string of length 3, a code", {"type": "string"}),
        ("Data frame. The rows", {"type": "array", "items": {"type": "object"}}),
        ("A data.frame with columns x and y", {"type": "array", "items": {"type": "object"}}),
    ],
)
def test_types_are_inferred(tmp_path: Path, text: str, schema: dict) -> None:
    found = parameter(tmp_path, text)
    assert {key: found[key] for key in ("type", "items") if key in found} == schema


@pytest.mark.parametrize(
    "prefix",
    [
        *("Character string,", "Character vector,", "Character[],", "Character,", "Logical,", "Integer,", "Numeric,"),
        *("Double,", "List,", "Data frame,", "Matrix,", "Array[],", "Array,", "Vector,", "Function,", "Environment,"),
        *("Integer.", "Numeric:", "Logical[],", "Numeric vector.", "Integer (optional),"),
    ],
)
def test_type_prefixes_leave_the_description(tmp_path: Path, prefix: str) -> None:
    assert parameter(tmp_path, f"{prefix} the thing to take.")["description"] == "the thing to take"


@pytest.mark.parametrize("text", ["integer ids to keep", "Character string naming a file", "Number of rows"])
def test_words_that_belong_to_the_sentence_stay(tmp_path: Path, text: str) -> None:
    assert parameter(tmp_path, text)["description"] == text


@pytest.mark.parametrize(
    "text",
    [
        "Integer (between 1 and 10), the count",
        'Character (one of "x" or "y"): mode',
        "Character string or NULL, the name",
        "Character or NULL. The name",
        "Numeric of length 2. The range",
        "Numeric or character, the key",
        'Example: 1, 2L, "3"',
    ],
)
def test_a_description_loses_nothing_but_a_bare_type(tmp_path: Path, text: str) -> None:
    assert parameter(tmp_path, text)["description"] == text


def test_where_there_are_only_examples_they_are_the_description(tmp_path: Path) -> None:
    found = parameter(tmp_path, "Example: \\code{1}, \\code{2L}")
    assert found == {"type": "string", "description": "Example: 1, 2L", "examples": ["1", "2L"]}
    assert parameter(tmp_path, "Integer. Example values: \\code{1}") == {
        "type": "integer",
        "description": "Integer",
        "examples": [1],
    }


def test_the_example_of_the_requirement(tmp_path: Path) -> None:
    text = (
        'Character string, the pipeline name.\n  Example values: \\code{"power_explorer"}, \\code{"notch_filter"},\n'
        '  \\code{"wavelet_module"}'
    )
    assert parameter(tmp_path, text) == {
        "type": "string",
        "description": "the pipeline name",
        "examples": ["power_explorer", "notch_filter", "wavelet_module"],
    }


@pytest.mark.parametrize(
    ("text", "examples"),
    [
        ('Character. A name, e.g. \\code{"a{b"}.', ["a{b"]),
        ("Integer. Example values: \\code{5}, \\code{10L}, \\code{NULL}.", [5, 10]),
        ('Integer. Example: \\code{"5"}, \\code{x}.', [5]),
        ("Logical. For example `TRUE`.", [True]),
        ('Character[]. Examples: `c("a", "b")`, `"c"`.', [["a", "b"], ["c"]]),
        ('Character. Set \\code{verbose} to see. Use \\code{"this"}.', ["this"]),
        ("Character. Unlike \\code{foo()} it is safe.", None),
        ('Character. Examples: \\code{"a"}, \\code{"a"}.', ["a"]),
    ],
)
def test_examples_fit_the_type_of_their_parameter(tmp_path: Path, text: str, examples: list | None) -> None:
    assert parameter(tmp_path, text).get("examples") == examples


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("a \\code{value} here", "a value here"),
        ("see \\link{fun} and \\link[pkg]{other} and \\code{\\link[=x]{shown}}", "see fun and other and shown"),
        ("\\describe{\\item{label}{text} \\item{more}{words}}", "- label: text\n- more: words"),
        ("an \\emph{important} \\strong{word} in \\pkg{stats}", "an important word in stats"),
        ("for \\eqn{x^2}{x squared} only", "for x squared only"),
        ("a \\href{https://example.org}{page} of \\dots", "a page of ..."),
        ("100\\% of \\{these\\}", "100% of {these}"),
        ("`code` and [fun()] and [text][fun] and [page](https://example.org)", "code and fun() and text and page"),
        ("*two* **stars** but 2 * 3 * 4", "two stars but 2 * 3 * 4"),
        ("one\n  two\n\n  three", "one two\n\nthree"),
        ("things:\n* one\n* two\n  more", "things:\n* one\n* two more"),
        ("\\itemize{\\item one\n\\item two}", "- one\n- two"),
        ("\\if{html}{\\out{<b>}}shown\\ifelse{html}{a}{b}", "shownb"),
    ],
)
def test_markup_is_cleaned(tmp_path: Path, markup: str, text: str) -> None:
    assert parameter(tmp_path, markup, Roxygen="list(markdown = TRUE)")["description"] == text


def test_markup_that_is_not_closed_is_text(tmp_path: Path) -> None:
    assert parameter(tmp_path, "a \\code{brace and more")["description"] == "a code{brace and more"


def test_markdown_links_need_markdown(tmp_path: Path) -> None:
    assert parameter(tmp_path, "the range [a] of *x*")["description"] == "the range [a] of *x*"


@pytest.mark.parametrize(
    ("name", "signature", "expected"),
    [
        ("mode", 'c("summary", "details")', {"type": "string", "enum": ["summary", "details"], "default": "summary"}),
        ("modes", 'c("a", "b")', {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}),
        ("status", 'c("on", "off")', {"type": "string", "enum": ["on", "off"], "default": "on"}),
        ("class", 'c(x = "a", y = "b")', {"type": "string", "enum": ["a", "b"], "default": "a"}),
        ("n", "NULL", {"type": "string", "default": None}),
        ("flag", "TRUE", {"type": "boolean", "default": True}),
        ("flag", "c(TRUE, FALSE)", {"type": "boolean", "default": True}),
        ("name", '"text"', {"type": "string", "default": "text"}),
        ("size", "123", {"type": "number", "default": 123}),
        ("count", "5L", {"type": "integer", "default": 5}),
        ("limits", "c(0, 10)", {"type": "array", "items": {"type": "number"}, "default": [0, 10]}),
        ("options", "list()", {"type": "object", "default": {}}),
        ("when", "Sys.time()", {"type": "string"}),
        ("value", "NA", {"type": "string"}),
        ("limit", "Inf", {"type": "number"}),
        ("least", "-Inf", {"type": "number"}),
        ("count", "NA_integer_", {"type": "integer"}),
        ("name", "NA_character_", {"type": "string"}),
        ("limits", "c(0, Inf)", {"type": "array", "items": {"type": "number"}}),
        ("wait", "60 * (2 + 0.5)", {"type": "number"}),
    ],
)
def test_enums_and_defaults_come_from_the_signature(tmp_path: Path, name: str, signature: str, expected: dict) -> None:
    tool = r_tool(tmp_path, "Title", f"function({name} = {signature}) NULL")
    assert tool.parameters["properties"][name] == {**expected, "description": ""}
    assert tool.parameters["required"] == []


@pytest.mark.parametrize("name", ["keys", "days", "areas", "file_names", "fileNames", "children", "boxes"])
def test_plural_names_take_several_values(name: str) -> None:
    assert is_plural(name)


@pytest.mark.parametrize(
    "name", ["status", "class", "axis", "alias", "series", "x", "s", "mode", "address", "analysis"]
)
def test_singular_names_take_one(name: str) -> None:
    assert not is_plural(name)


def test_examples_are_among_the_choices(tmp_path: Path) -> None:
    text = 'Character. Examples: \\code{"a"}, \\code{"zzz"}.'
    assert parameter(tmp_path, text, 'function(x = c("a", "b")) x')["examples"] == ["a"]


def test_a_default_never_violates_the_type(tmp_path: Path) -> None:
    assert parameter(tmp_path, "Character vector. Names", 'function(x = "a") x')["default"] == ["a"]
    assert "default" not in parameter(tmp_path, "Integer. How many", 'function(x = "all") x')
    assert parameter(tmp_path, "Path of the list file", 'function(x = "a.txt") x')["type"] == "string"


def test_a_default_without_a_json_value_still_has_its_type(tmp_path: Path) -> None:
    assert parameter(tmp_path, "Most rows of the character table", "function(x = Inf) x")["type"] == "number"
    assert parameter(tmp_path, "Most rows, an integer", "function(x = Inf) x")["type"] == "integer"


def test_hidden_parameters_are_left_out(tmp_path: Path) -> None:
    tool = r_tool(
        tmp_path, "T\n@param query Character. Q\n@param .state_env Environment. Hidden", "function(query, .state_env) 1"
    )
    assert tool.parameters == {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "Q"}},
        "required": ["query"],
    }


def test_required_means_no_default_and_order_is_that_of_the_documentation(tmp_path: Path) -> None:
    tool = r_tool(tmp_path, "T\n@param c C\n@param a A\n@param b B", "function(a, b = 1, c, d) NULL")
    assert list(tool.parameters["properties"]) == ["c", "a", "b", "d"]
    assert tool.parameters["required"] == ["c", "a", "d"]


def test_parameters_may_share_a_description_and_span_lines(tmp_path: Path) -> None:
    tool = r_tool(
        tmp_path, "T\n@param x,y Numeric. A very\n  long\n  description\n@param ... ignored", "function(x, y, ...) 1"
    )
    assert tool.parameters["properties"]["y"]["description"] == "A very long description"
    assert set(tool.parameters["properties"]) == {"x", "y"}


@pytest.mark.parametrize(
    ("documentation", "description"),
    [
        ("Title\n@description Words.", "Words."),
        ("Title\n\nSecond paragraph.\n\nDetails.", "Second paragraph."),
        ("Only a title", "Only a title"),
        ("@title Tagged", "Tagged"),
        ("@description\nOn its\nown lines.\n@title T", "On its own lines."),
    ],
)
def test_the_description_is_description_or_title(tmp_path: Path, documentation: str, description: str) -> None:
    assert r_tool(tmp_path, documentation).description == description


def test_keywords_set_category_and_flags_from_any_line(tmp_path: Path) -> None:
    tool = r_tool(tmp_path, "T\n@keywords internal\n@keywords mcp-category-a_b mcp-dangerous, mcp-requires-approval")
    assert (tool.category, tool.dangerous, tool.requires_approval) == ("a_b", True, True)


def test_only_the_exact_marker_counts(tmp_path: Path) -> None:
    r_package(tmp_path, "#' T\n#' @keywords mcp-toolbox\nf <- function() 1\n#' not\ng <- function() 1\n")
    assert find_tools(source_tree(tmp_path)) == []


def test_returns_with_items_is_an_object(tmp_path: Path) -> None:
    tool = r_tool(
        tmp_path, "T\n@return A list:\n\\describe{\n\\item{\\code{n}}{Integer. How many}\n\\item{b}{Logical}\n}"
    )
    assert tool.returns == {
        "type": "object",
        "description": "A list",
        "properties": {
            "n": {"type": "integer", "description": "How many"},
            "b": {"type": "boolean", "description": "Logical"},
        },
    }


def test_returns_of_markdown_items_and_plain_text(tmp_path: Path) -> None:
    listed = r_tool(tmp_path, "T\n@returns\nA list with\n* `n`: Integer. How many\n* `s` - Character vector, names")
    assert listed.returns["properties"]["s"] == {"type": "array", "items": {"type": "string"}, "description": "names"}
    plain = r_tool(tmp_path, "T\n@return Character vector of \\code{x}")
    assert plain.returns == {"type": "array", "items": {"type": "string"}, "description": "Character vector of x"}


def test_a_block_that_names_no_function_is_remarked_on_and_is_no_tool(tmp_path: Path) -> None:
    block = "#' T\n#' @param x Numeric. X\n#' @keywords mcp-tool\n"
    nameless = [
        "function(x) { x } -> mcp_tool_arrow",
        'setMethod("mcp_tool_area", "numeric", function(x) x)',
        "stats::lm",
    ]
    odd = "`mcp_tool_a b` <- function(x) x"
    source = "\n".join(f"{block}{code}" for code in [*nameless, odd, "(function(x) x) -> mcp_tool_one"])
    built = mcptool_build(r_package(tmp_path, source))
    assert [file.name for file in built.written] == ["demo-mcp_tool_one.yaml"]
    assert built.definitions["demo-mcp_tool_one"].parameters["required"] == ["x"]
    remarks = [str(remark) for remark in built.remarks]
    assert len([each for each in remarks if "names no function" in each]) == 3
    assert remarks[0].startswith(f"{tmp_path / 'R' / 'tools.R'}:4:1: demo ")
    assert "has no tool mcp_tool_a b" in remarks[3]
    assert [problem.kind for problem in check(tmp_path)].count("source") == 4


def test_documentation_is_shared_between_topics(tmp_path: Path) -> None:
    source = """
#' Base
#'
#' The base function.
#' @param x Numeric. Shared x
#' @param y Integer. Shared y
#' @return Numeric. A number
base <- function(x, y) x
#' @rdname base
#' @keywords mcp-tool
a <- function(x) x
#' @describeIn base The second one.
#' @keywords mcp-tool
b <- function(y) y
#' Third
#' @inheritParams base
#' @param z Own z
#' @keywords mcp-tool
c_ <- function(z, x) x
#' Fourth
#' @inheritParams c_
#' @keywords mcp-tool
d <- function(y = 2, z) x
#' @inherit base
#' @keywords mcp-tool
e <- function(x) x
#' Alias
#' @keywords mcp-tool
f <- base
"""
    tools = {each.definition.function: each.definition for each in find_tools(source_tree(r_package(tmp_path, source)))}
    assert tools["a"].description == "The base function."
    assert tools["a"].parameters["properties"] == {"x": {"type": "number", "description": "Shared x"}}
    assert tools["a"].returns == {"type": "number", "description": "A number"}
    assert tools["b"].description == "The second one."
    assert tools["b"].parameters["properties"]["y"]["description"] == "Shared y"
    assert list(tools["c_"].parameters["properties"]) == ["z", "x"]
    assert tools["d"].parameters["properties"]["y"] == {"type": "integer", "description": "Shared y", "default": 2}
    assert tools["e"].description == "The base function."
    assert tools["f"].parameters["required"] == ["x", "y"]


def test_parameters_are_inherited_from_the_help_of_installed_packages(tmp_path: Path) -> None:
    source = """
#' Fit
#' @inheritParams stats::lm
#' @param weights Own words
#' @keywords mcp-tool
fit <- function(formula, data, weights, model = TRUE) 1
#' @inherit stats::median
#' @keywords mcp-tool
middle <- function(x, na.rm = FALSE) 1
#' None
#' @inheritParams stats::no_such_topic
#' @inheritParams nosuchpackage::topic
#' @keywords mcp-tool
none <- function(x) 1
"""
    built = mcptool_build(r_package(tmp_path, source))
    fit, middle = built.definitions["demo-fit"], built.definitions["demo-middle"]
    properties = fit.parameters["properties"]
    assert properties["formula"]["type"] == "string"
    assert properties["formula"]["description"].startswith('an object of class "formula"')
    assert (properties["data"]["type"], properties["data"]["items"]) == ("array", {"type": "object"})
    assert properties["weights"]["description"] == "Own words"
    assert (properties["model"]["type"], properties["model"]["default"]) == ("boolean", True)
    assert middle.description == "Compute the sample median."
    assert middle.returns is not None
    assert "median(1:4)" in middle.implementation_example
    assert [str(remark).partition(": ")[2] for remark in built.remarks] == [
        "demo-none inherits documentation from stats::no_such_topic, which is not in these sources",
        "demo-none inherits documentation from nosuchpackage::topic, which is not in these sources",
    ]
    assert [problem.kind for problem in check(tmp_path) if problem.is_serious] == []


def test_without_r_inherited_documentation_is_remarked_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rolltop.confine.r.worker.shutil.which", lambda *_, **__: None)
    source = "#' T\n#' @inheritParams utils::head\n#' @keywords mcp-tool\nfirst <- function(x) 1\n"
    built = mcptool_build(r_package(tmp_path, source))
    assert "inherits documentation from utils::head" in str(built.remarks[0])
    assert list(built.definitions) == ["demo-first"]


def test_inheriting_in_a_circle_ends(tmp_path: Path) -> None:
    source = "#' A\n#' @inheritParams g\n#' @keywords mcp-tool\nf <- function(x) 1\n"
    source += "#' B\n#' @inheritParams f\ng <- function(x) 1\n"
    (found,) = find_tools(source_tree(r_package(tmp_path, source)))
    assert found.definition.parameters["properties"]["x"]["description"] == ""


def test_examples_are_kept_with_comments_and_macros_applied(tmp_path: Path) -> None:
    source = """
#' T
#' @examples
#' # a comment
#' f(1)
#' \\dontrun{
#' f("never }")
#' }
#' \\dontshow{hidden()}
#' @examplesIf interactive()
#' f(2)
#' @keywords mcp-tool
#' @noRd
f <- function(x) x
"""
    (found,) = find_tools(source_tree(r_package(tmp_path, source)))
    assert "# a comment" in found.example.shown
    assert 'f("never }")' in found.example.shown
    assert '## Not run:\nf("never }")\n## End(Not run)\n' in found.example.shown
    assert "dontrun" not in found.example.shown
    assert "hidden" not in found.example.shown
    assert "never" not in found.example.run
    assert "hidden()" in found.example.run
    assert "if (interactive()) {\nf(2)\n}" in found.example.run


def test_files_are_named_and_placed_as_required_and_conform_to_draft_7(tmp_path: Path) -> None:
    r_package(
        tmp_path,
        "#' T\n#' @param x,ys Things\n#' @keywords mcp-tool\nmcp_tool_a_b <- function(x, ys = c('p', 'q')) 1\n",
    )
    built = mcptool_build(tmp_path)
    (file,) = built.written
    assert file == tmp_path / "inst/mcp/tools/demo-mcp_tool_a_b.yaml"
    document = yaml.safe_load(file.read_text())
    assert document["name"] == "demo-mcp_tool_a_b"
    assert list(document) == ["name", "description", "parameters", "implementation_example"]
    Draft7Validator.check_schema(document["parameters"])


def test_the_same_sources_give_the_same_bytes(tmp_path: Path) -> None:
    r_package(
        tmp_path, "#' T\n#' @param x Integer. X\n#' @examples\n#' 1\n#' @keywords mcp-tool\nf <- function(x = 1) x\n"
    )
    (file,) = mcptool_build(tmp_path).written
    before = file.read_bytes()
    file.unlink()
    assert mcptool_build(tmp_path).written[0].read_bytes() == before


def test_a_single_file_and_a_plain_folder_are_sources_too(tmp_path: Path) -> None:
    source = "#' T\n#' @keywords mcp-tool\nf <- function(x) x\n"
    (tmp_path / "my-script.R").write_text(source)
    assert list(mcptool_build(tmp_path / "my-script.R").definitions) == ["myscript-f"]
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.R").write_text(source)
    assert list(mcptool_build(folder).definitions) == ["folder-f"]


def test_crlf_bom_and_latin_1_are_read(tmp_path: Path) -> None:
    r_package(tmp_path, "")
    (tmp_path / "R" / "tools.R").write_bytes(
        b"\xef\xbb\xbf#' T\r\n#' @param x Caf\xc3\xa9\r\n#' @keywords mcp-tool\r\nf <- function(x) x\r\n"
    )
    (tmp_path / "R" / "latin.R").write_bytes(b"#' Caf\xe9\n#' @keywords mcp-tool\ng <- function() 1\n")
    tools = mcptool_build(tmp_path).definitions
    assert tools["demo-f"].parameters["properties"]["x"]["description"] == "Café"
    assert tools["demo-g"].description == "Café"
