"""Finding, listing, loading, checking and comparing definitions."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
import yaml

from rolltop.catalog import (
    check,
    diff,
    locate,
    mcptool_build,
    mcptool_list,
    mcptool_load,
    mcptool_load_all,
    mcptool_state_factory,
)
from rolltop.catalog.arguments import check_arguments
from rolltop.catalog.library import r_libraries
from rolltop.errors import InvalidData, InvalidInput, NotFound, PermissionDenied

from .helpers import r_package

SOURCE = """
#' List pipelines
#' @param x Integer. X
#' @examples
#' mcp_tool_pipeline_list(1)
#' @keywords mcp-tool
mcp_tool_pipeline_list <- function(x = 1L) x
#' Load a pipeline
#' @examples
#' mcp_tool_pipeline_load()
#' @keywords mcp-tool
mcp_tool_pipeline_load <- function() 1
#' Set a value
#' @examples
#' mcp_tool_config_set()
#' @keywords mcp-tool
mcp_tool_config_set <- function() 1
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    root = r_package(tmp_path / "demo", SOURCE)
    mcptool_build(root)
    return root


@pytest.mark.parametrize(
    ("groups", "count"),
    [
        (None, 3),
        ("pipeline", 2),
        (["pipeline", "config"], 3),
        ("pipeline_l.a", 1),
        ("pipeline_get", 0),
        (["conf"], 1),
        ([], 0),
    ],
)
def test_groups_filter_by_name(package: Path, groups: object, count: int) -> None:
    assert len(mcptool_list(package, groups)) == count


def test_a_group_that_is_no_expression_is_refused(package: Path) -> None:
    with pytest.raises(InvalidInput, match="regular expression"):
        mcptool_list(package, "(")


@pytest.mark.parametrize(
    ("group", "lacking"),
    [
        ("(?=pipe)", "look-ahead"),
        ("(?<!x)pipe", "look-behind"),
        (r"(.)\1", "back reference"),
        ("(?P<a>.)(?P=a)", "back reference"),
        ("p++", "two repetitions"),
        ("p{2000}", "more than 1000"),
    ],
)
def test_a_group_that_asks_for_too_much_is_refused_by_name(package: Path, group: str, lacking: str) -> None:
    with pytest.raises(InvalidInput, match=lacking):
        mcptool_list(package, group)


def test_a_group_cannot_leave_the_name_of_the_tool(package: Path) -> None:
    with pytest.raises(InvalidInput, match="regular expression"):
        mcptool_list(package, "nothing)|(?:.")


@pytest.mark.timeout(300)
def test_a_group_takes_no_time_whatever_its_pattern(tmp_path: Path) -> None:
    name = "mcp_tool_pipeline_set_settings_from_repository"
    mcptool_build(r_package(tmp_path / "long", f"#' T\n#' @keywords mcp-tool\n{name} <- function() 1\n"))
    assert mcptool_list(tmp_path / "long", "([a-z_]+)+!") == []
    assert mcptool_list(tmp_path / "long", "([a-z_]+)+y$") == [f"demo-{name}"]


def test_one_definition_is_loaded_by_name_or_file(package: Path) -> None:
    by_name = mcptool_load(package, "demo-mcp_tool_config_set")
    assert by_name == mcptool_load(package, "mcp_tool_config_set")
    assert by_name == mcptool_load(package / "inst/mcp/tools/demo-mcp_tool_config_set.yaml")
    with pytest.raises(NotFound, match="no tool nothing"):
        mcptool_load(package, "nothing")


def test_all_definitions_come_by_name_and_broken_files_are_left_out(package: Path) -> None:
    (package / "inst/mcp/tools/broken.yaml").write_text("name: [")
    assert list(mcptool_load_all(package)) == [
        "demo-mcp_tool_config_set",
        "demo-mcp_tool_pipeline_list",
        "demo-mcp_tool_pipeline_load",
    ]


def test_a_definition_survives_writing_and_reading(package: Path) -> None:
    for name, definition in mcptool_build(package).definitions.items():
        assert mcptool_load(package, name) == definition


def test_installed_packages_are_found_without_starting_r(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: Path
) -> None:
    installed = tmp_path / "library" / "demo"
    (installed / "Meta").mkdir(parents=True)
    (installed / "DESCRIPTION").write_text("Package: demo\n")
    (installed / "mcp").mkdir()
    (package / "inst/mcp/tools").rename(installed / "mcp/tools")
    monkeypatch.setenv("R_LIBS", str(tmp_path / "library"))
    r_libraries.cache_clear()
    try:
        assert len(mcptool_list("demo")) == 3
        assert locate("demo").is_installed
        assert mcptool_list("stats") == []
        with pytest.raises(NotFound, match="no installed package"):
            mcptool_list("nosuchpackage")
    finally:
        r_libraries.cache_clear()


def test_a_fresh_build_is_in_order(package: Path) -> None:
    assert check(package) == []
    assert diff(package) == []


def kinds(package: Path) -> set[tuple[str, str]]:
    return {(problem.kind, problem.tool) for problem in check(package)}


def test_check_finds_what_is_stale_missing_and_orphaned(package: Path) -> None:
    source = package / "R/tools.R"
    source.write_text(SOURCE.replace("Integer. X", "Integer. Changed").replace("config_set", "config_get"))
    assert kinds(package) == {
        ("stale", "demo-mcp_tool_pipeline_list"),
        ("missing", "demo-mcp_tool_config_get"),
        ("orphan", "demo-mcp_tool_config_set"),
    } | {("stale", "demo-mcp_tool_pipeline_load")}  # its source is newer, whatever it says
    actions = {(change.action, change.tool) for change in diff(package)}
    assert actions == {
        ("change", "demo-mcp_tool_pipeline_list"),
        ("add", "demo-mcp_tool_config_get"),
        ("remove", "demo-mcp_tool_config_set"),
    }
    built = mcptool_build(package)
    assert [file.stem for file in built.removed] == ["demo-mcp_tool_config_set"]
    assert check(package) == []


def test_check_finds_what_is_invalid_undescribed_or_violates_its_types(package: Path) -> None:
    file = package / "inst/mcp/tools/demo-mcp_tool_pipeline_list.yaml"
    document = yaml.safe_load(file.read_text())
    document["description"] = ""
    document["parameters"]["properties"]["x"] |= {"default": "five", "examples": [1.5], "description": ""}
    file.write_text(yaml.safe_dump(document))
    (package / "inst/mcp/tools/demo-bad.yaml").write_text(
        "name: demo-bad\nparameters: {type: object, properties: {x: {}}}\n"
    )
    problems = check(package)
    assert {"invalid", "stale", "undescribed", "types"} <= {problem.kind for problem in problems}
    assert sum(problem.kind == "types" for problem in problems) == 2


def test_a_file_that_is_not_ours_is_never_removed(package: Path) -> None:
    mine = package / "inst/mcp/tools/demo-by_hand.yaml"
    mine.write_text("name: demo-by_hand\ndescription: x\nparameters: {type: object}\nimplementation_example: ''\n")
    assert mcptool_build(package).removed == ()
    assert mine.exists()


def test_packages_may_share_a_directory(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    for name in ("pkg", "pkgx"):
        mcptool_build(r_package(tmp_path / name, SOURCE, name), output=shared)
    assert len(mcptool_build(r_package(tmp_path / "other", SOURCE, "other"), output=shared).removed) == 0
    smaller = r_package(tmp_path / "pkg", SOURCE.replace("config_set", "config_get"), "pkg")
    built = mcptool_build(smaller, output=shared)
    assert [file.stem for file in built.removed] == ["pkg-mcp_tool_config_set"]
    assert len(list(shared.glob("pkgx-*.yaml"))) == 3
    assert len(list(shared.glob("other-*.yaml"))) == 3


def test_a_renamed_package_leaves_nothing_in_its_own_directory(package: Path) -> None:
    r_package(package, SOURCE, "renamed")
    assert len(mcptool_build(package).removed) == 3
    assert check(package) == []


def test_a_rebuild_that_changes_nothing_writes_nothing(package: Path) -> None:
    file = package / "inst/mcp/tools/demo-mcp_tool_config_set.yaml"
    before = file.read_text()
    os.utime(package / "R/tools.R")
    built = mcptool_build(package)
    assert built.written == ()
    assert file.read_text() == before
    assert check(package) == []


def test_a_source_that_is_newer_and_says_the_same_is_nothing_serious(package: Path) -> None:
    """A checkout gives files times in any order."""
    ahead = time.time() + 60
    os.utime(package / "R/tools.R", (ahead, ahead))
    problems = check(package)
    assert [(problem.kind, problem.is_serious) for problem in problems] == [("stale", False)] * 3
    assert problems[0].message == "R/tools.R is newer than the definition, which says the same"


def test_links_out_of_the_package_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.R"
    secret.write_text("#' Secret\n#' @keywords mcp-tool\ns <- function() 1\n")
    root = r_package(tmp_path / "demo", SOURCE)
    (root / "R" / "linked.R").symlink_to(secret)
    assert "demo-s" not in mcptool_build(root).definitions
    outside = tmp_path / "outside"
    outside.mkdir()
    other = r_package(tmp_path / "other", SOURCE)
    (other / "inst").symlink_to(outside)
    with pytest.raises(PermissionDenied, match="leads out"):
        mcptool_build(other)


@pytest.mark.parametrize("path", ["/nonexistent/place", "./nowhere"])
def test_a_path_that_is_not_there_is_not_found(path: str) -> None:
    with pytest.raises(NotFound):
        mcptool_build(path)


def test_invalid_definitions_say_where_and_what(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(
        "name: nohyphen\nparameters:\n  type: object\n  properties:\n    a: {type: array}\n  required: [b]\n"
    )
    with pytest.raises(InvalidData) as caught:
        mcptool_load(file)
    assert len(caught.value.details["problems"]) == 3


def test_a_name_that_is_not_known_is_reported_as_it_was_given() -> None:
    inner = {"type": "object", "required": [".y"]}
    schema = {"type": "object", "properties": {"x": inner}, "additionalProperties": False}
    _, problems = check_arguments(schema, {".hidden": 1, "x": {}})
    assert [problem.path for problem in problems] == [".hidden", "x..y"]


def test_any_schema_written_by_hand_explains_itself() -> None:
    schema = {"type": "object", "properties": {"x": {"type": ["integer", "array"], "anyOf": [{"minimum": 5}, False]}}}
    _, problems = check_arguments(schema, {"x": 1})
    assert [problem.message for problem in problems] == ["must be what fits {'minimum': 5} or what fits False"]


def test_state_has_the_documented_methods() -> None:
    state = mcptool_state_factory({"a": 1})
    state.set("b", None)
    assert (state.get("a"), state.get("zzz", "missing"), state.has("b"), state.size()) == (1, "missing", True, 2)
    assert (state.keys(), state.as_list()) == (["a", "b"], {"a": 1, "b": None})
    state.remove(["a", "nothing"])
    assert state.keys() == ["b"]
    state.clear()
    assert state.size() == 0
