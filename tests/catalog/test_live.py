"""Tools at work in real R and Python processes: values, state, plots, limits, crashes."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conditions import wait_until

from rolltop.catalog import mcp_describe, mcptool_build
from rolltop.catalog.library import r_libraries
from rolltop.catalog.live import Catalog, CatalogSettings, ExampleRuns
from rolltop.errors import Conflict, ForeignFailure, InvalidInput, NotFound, TimeLimit

from .helpers import EXAMPLES, r_package

R_SOURCE = (Path(__file__).parent / "r" / "live_tools.R").read_text()


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = r_package(tmp_path_factory.mktemp("live") / "demo", R_SOURCE)
    mcptool_build(root)
    return root


@pytest.fixture(scope="module")
def catalog(package: Path) -> Iterator[Catalog]:
    made = Catalog(
        CatalogSettings(serve=(str(package), str(EXAMPLES / "kitchen"), str(EXAMPLES / "orchard")), seconds=20)
    )
    yield made
    made.close()


Call = Callable[..., Any]


@pytest.fixture
def call(catalog: Catalog) -> Call:
    def run(name: str, session: str | None = "tests", **arguments: Any) -> Any:
        return catalog.call(f"demo-{name}", arguments, session=session)

    return run


def test_arguments_arrive_in_the_types_of_the_definition(call: Call) -> None:
    assert call("types", n=[1], v=[1], s=[]).value == {"n": "integer", "v": "numeric", "s": "character", "len": 0}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("named", {"a": 1, "b": 2}),
        ("factor", ["x", "y"]),
        ("frame", [{"a": 1, "b": "p"}, {"a": 2, "b": None}]),
        ("date", "2026-01-02"),
        ("null", None),
        ("nested", {"a": {"b": [1, 2, 3]}, "c": "d"}),
        ("matrix", [[1, 3], [2, 4]]),
    ],
)
def test_values_come_back_as_data(call: Call, kind: str, value: object) -> None:
    assert call("kinds", kind=kind).value == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("null", "NULL"),
        ("frame", "data frame with 2 rows and 2 columns: a, b"),
        ("model", "Coefficients:"),
        ("fun", "function(x) x + 1"),
        ("env", "<environment> 0 objects"),
        ("factor", "Levels: x y"),
        ("long", "more lines"),
    ],
)
def test_values_are_described(call: Call, kind: str, text: str) -> None:
    described = call("kinds", kind=kind).text
    assert text in described
    assert len(described.splitlines()) <= 1010


def test_prints_conditions_and_errors_are_told_apart(call: Call) -> None:
    answer = call("trouble", kind="print")
    assert '{"fake": 1}' in answer.printed
    assert (answer.value, answer.warnings, answer.messages) == (1, ("careful",), ("note",))
    with pytest.raises(ForeignFailure, match="went wrong"):
        call("trouble", kind="error")


@pytest.mark.parametrize("rows", [[{"a": 1, "b": "x"}, {"a": 2, "b": None}], [{"a": 1}], []])
def test_a_result_of_rows_can_be_passed_on(call: Call, rows: list[dict[str, Any]]) -> None:
    assert call("rows", df=call("rows", df=rows).value).value == rows


def test_numbers_reach_parameters_whose_default_is_a_number(call: Call) -> None:
    assert call("range_", r=[1, 5], limit=10).value == {"width": 4, "limit": "numeric"}


def test_state_is_kept_per_session_and_for_nobody_without_one(call: Call) -> None:
    assert [call("count", session="a").value for _ in range(2)] == [1, 2]
    assert call("count", session="b").value == 1
    assert [call("count", session=None).value for _ in range(2)] == [1, 1]


def test_state_has_the_documented_methods_in_r(call: Call) -> None:
    answer = call("methods_", session="methods").value
    assert answer == {"has": True, "size": 2, "keys": ["a", "b"], "missing": 7, "after": "b", "list": "b", "cleared": 0}


def test_a_handle_opens_a_state_of_its_own(catalog: Catalog) -> None:
    handle = catalog.open_state({"n": 41})
    assert catalog.call("demo-count", {}, session=f"handle:{handle}").value == 42
    with pytest.raises(NotFound, match="no state under that handle"):
        catalog.call("demo-count", {}, session="handle:guessed")


def test_state_ends_after_its_time_of_rest(package: Path) -> None:
    catalog = Catalog(CatalogSettings(serve=(str(package),), state_seconds=0.05))
    try:
        assert catalog.call("demo-count", {}, session="s").value == 1
        wait_until(lambda: "s" not in catalog._sessions._sessions)
        assert catalog.call("demo-count", {}, session="s").value == 1
    finally:
        catalog.close()


@pytest.mark.parametrize("session", ["crashing", None])
def test_a_crash_loses_that_worker_only(call: Call, session: str | None) -> None:
    call("count", session="bystander")
    before = call("count", session="bystander").value
    for kind in ("crash", "quit"):
        with pytest.raises(ForeignFailure):
            call("trouble", session=session, kind=kind)
    assert call("echo", session=session, x="alive").value == "alive"
    assert call("count", session="bystander").value == before + 1


@pytest.mark.parametrize("kind", ["net", "read", "write"])
def test_package_code_is_confined(call: Call, kind: str) -> None:
    with pytest.raises(ForeignFailure):
        call("trouble", kind=kind)


def test_a_call_over_its_time_is_ended(package: Path) -> None:
    catalog = Catalog(CatalogSettings(serve=(str(package),), seconds=1))
    try:
        for session in ("slow", None):
            with pytest.raises((TimeLimit, ForeignFailure), match="took longer"):
                catalog.call("demo-trouble", {"kind": "loop"}, session=session)
        assert catalog.call("demo-echo", {"x": "a"}, session="slow").value == "a"
    finally:
        catalog.close()


def test_plots_are_images(call: Call) -> None:
    images = call("draw").images
    assert len(images) == 2
    assert all(base64.b64decode(image).startswith(b"\x89PNG") for image in images)
    assert call("echo", x="x").images == ()


def test_arguments_are_checked_and_values_are_not_repeated(call: Call) -> None:
    with pytest.raises(InvalidInput) as caught:
        call("types", n=["secret"], nn=1)
    assert "n[0]: must be an integer" in str(caught.value)
    assert "did you mean 'n'" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_null_says_the_same_as_leaving_out_where_null_is_the_default(call: Call) -> None:
    assert call("echo", x=None).value is None


def test_python_tools_work_likewise(catalog: Catalog) -> None:
    def call(name: str, **arguments: Any) -> Any:
        return catalog.call(f"kitchen-{name}", arguments, session="kitchen")

    assert call("mcp_tool_recipe_scale", amounts=[200, 3], servings=6).value == [300.0, 4.5]
    assert call("convert", amount=2, unit="pieces").value == "2 pieces"
    call("mcp_tool_shopping_add", item="eggs", count=6)
    assert call("mcp_tool_shopping_add", item="eggs").value == {"eggs": 7}
    with pytest.raises(ForeignFailure, match="ValueError: a recipe is for at least one person"):
        call("mcp_tool_recipe_scale", amounts=[], servings=0)
    assert catalog.call("kitchen-mcp_tool_shopping_add", {"item": "milk"}).value == {"milk": 1}
    assert catalog.call("kitchen-mcp_tool_shopping_add", {"item": "milk"}).value == {"milk": 1}


PY_TROUBLE = '''
import os, socket, time
def mcp_tool_trouble(kind: str):
    """Trouble."""
    if kind == "exit": raise SystemExit(3)
    if kind == "die": os._exit(3)
    if kind == "loop":
        while True: pass
    if kind == "net": socket.create_connection(("127.0.0.1", 9))
    if kind == "read": open("/etc/shadow").read()
    if kind == "write": open("/package/module.py", "w")
    if kind == "print": print('{"fake": 1}'); os.write(1, b"raw")
    return kind
'''


def test_python_code_is_confined_and_survived(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(PY_TROUBLE)
    mcptool_build(tmp_path / "module.py")
    catalog = Catalog(CatalogSettings(serve=(str(tmp_path),), seconds=2))
    try:
        name = catalog.tools()[0].definition.name
        for session in ("s", None):
            for kind in ("exit", "die", "loop", "net", "read", "write"):
                with pytest.raises((ForeignFailure, TimeLimit)):
                    catalog.call(name, {"kind": kind}, session=session)
            answer = catalog.call(name, {"kind": "print"}, session=session)
            assert (answer.value, answer.printed) == ("print", '{"fake": 1}\n')
    finally:
        catalog.close()


def test_catalogs_are_attached_and_remembered(package: Path, tmp_path: Path) -> None:
    file = tmp_path / "catalogs.json"
    catalog = Catalog(CatalogSettings(), file)
    with pytest.raises(NotFound):
        catalog.call("demo-echo", {})
    assert "demo-echo" in [served.definition.name for served in catalog.attach(str(package))]
    catalog.close()
    again = Catalog(CatalogSettings(groups=("none",)), file)
    assert again.tools() == []
    assert again.places == (str(package),)
    again.close()


def test_a_changed_definition_brings_the_changed_code(tmp_path: Path) -> None:
    root = r_package(tmp_path / "demo", "#' One\n#' @keywords mcp-tool\none <- function() 1\n")
    mcptool_build(root)
    catalog = Catalog(CatalogSettings(serve=(str(root),)))
    try:
        assert catalog.call("demo-one", {}, session="s").value == 1
        r_package(root, "#' Two\n#' @param x Numeric. X\n#' @keywords mcp-tool\none <- function(x = 2) x\n")
        mcptool_build(root)
        catalog.reload()
        assert catalog.call("demo-one", {}, session="s").value == 2
    finally:
        catalog.close()


R_BODY = "#' One\n#' @keywords mcp-tool\none <- function(.state_env) {{ .state_env$set('n', 1); {value} }}\n"
PY_BODY = "def mcp_tool_one(_state_env):\n    'One.'\n    return {value}\n"


@pytest.mark.parametrize("language", ["r", "python"])
def test_a_changed_body_is_loaded_after_a_build_that_changes_no_definition(tmp_path: Path, language: str) -> None:
    def write(value: int) -> Path:
        if language == "r":
            return r_package(tmp_path / "demo", R_BODY.format(value=value))
        (tmp_path / "module.py").write_text(PY_BODY.format(value=value))
        return tmp_path / "module.py"

    source = write(1)
    mcptool_build(source)
    catalog = Catalog(CatalogSettings(serve=(str(source),)))
    try:
        name = catalog.tools()[0].definition.name
        assert catalog.call(name, {}, session="s").value == 1
        write(22)
        built = mcptool_build(source)
        assert built.written == ()
        catalog.note_written(built.unchanged)
        assert catalog.call(name, {}, session="s").value == 22
    finally:
        catalog.close()


def test_attaching_again_brings_the_changed_code(tmp_path: Path) -> None:
    root = r_package(tmp_path / "demo", R_BODY.format(value=1))
    mcptool_build(root)
    catalog = Catalog(CatalogSettings())
    try:
        catalog.attach(str(root))
        assert catalog.call("demo-one", {}, session="s").value == 1
        r_package(root, R_BODY.format(value=22))
        catalog.attach(str(root))
        assert catalog.call("demo-one", {}, session="s").value == 22
    finally:
        catalog.close()


def test_a_build_of_unchanged_sources_keeps_the_state(tmp_path: Path) -> None:
    root = r_package(tmp_path / "demo", R_SOURCE)
    mcptool_build(root)
    catalog = Catalog(CatalogSettings(serve=(str(root),)))
    try:
        assert catalog.call("demo-count", {}, session="s").value == 1
        catalog.note_written(mcptool_build(root).unchanged)
        assert catalog.call("demo-count", {}, session="s").value == 2
    finally:
        catalog.close()


def test_a_file_that_is_half_written_changes_nothing(tmp_path: Path) -> None:
    root = r_package(tmp_path / "demo", "#' One\n#' @keywords mcp-tool\none <- function() 1\n")
    (file,) = mcptool_build(root).written
    catalog = Catalog(CatalogSettings(serve=(str(root),)))
    file.write_text("name: [")
    catalog.reload()
    assert [served.definition.name for served in catalog.tools()] == ["demo-one"]
    file.unlink()
    catalog.reload()
    assert catalog.tools() == []
    catalog.close()


def test_two_catalogs_cannot_have_the_same_tool(package: Path, tmp_path: Path) -> None:
    other = r_package(tmp_path / "demo", R_SOURCE)
    mcptool_build(other)
    catalog = Catalog(CatalogSettings(serve=(str(package),)))
    with pytest.raises(Conflict, match="already served"):
        catalog.attach(str(other))
    catalog.close()


def test_of_two_tools_with_one_name_the_log_names_the_one_that_is_not_served(
    package: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = r_package(tmp_path / "demo", R_SOURCE)
    mcptool_build(other)
    catalog = Catalog(CatalogSettings(serve=(str(package), str(other), str(package))))
    assert {served.place for served in catalog.tools()} == {str(package)}
    lines = [record.getMessage() for record in caplog.records if "demo-echo" in record.getMessage()]
    assert lines == [f"demo-echo of {other} is not served: {package} has a tool of that name"]
    catalog.close()


def test_examples_run_clean_with_output_time_and_failures(tmp_path: Path) -> None:
    source = """
#' One
#' @examples
#' leak <- 1
#' options(leak = 1)
#' cat("printed\\n")
#' demo::one(2)
#' @keywords mcp-tool
#' @export
one <- function(x) x * 2
#' Two
#' @examples
#' c(exists("leak"), is.null(getOption("leak")), !is.null(one))
#' @keywords mcp-tool
two <- function() 1
#' Three
#' @examples
#' stop("on purpose")
#' @keywords mcp-tool
three <- function() 1
#' Four
#' @examples
#' while (TRUE) {}
#' @keywords mcp-tool
four <- function() 1
#' Five
#' @examples
#' rnorm(1)
#' @keywords mcp-tool
five <- function() 1
"""
    root = r_package(tmp_path, source)
    (root / "NAMESPACE").write_text("export(one)\nimportFrom(stats,rnorm)\n")
    built = mcptool_build(root, run_examples=ExampleRuns(seconds=2))
    tools = {definition.function: definition for definition in built.definitions.values()}
    assert tools["one"].implementation_example.endswith("demo::one(2)\n#\n#> printed\n#> 4\n")
    assert tools["one"].execution_time is not None
    assert tools["two"].implementation_example.endswith("#> [1] FALSE  TRUE  TRUE\n")
    assert tools["three"].implementation_example.endswith("#> Error: on purpose\n")
    assert tools["three"].execution_time is None
    assert "took longer than 2 s" in tools["four"].implementation_example
    assert {remark.tool for remark in built.remarks} == {"demo-three", "demo-four"}
    before = {file.name: file.read_bytes() for file in built.written}
    for file in built.written:
        file.unlink()
    again = {file.name: file.read_bytes() for file in mcptool_build(root, run_examples=ExampleRuns(seconds=2)).written}
    strip = lambda data: [line for line in data.splitlines() if not line.startswith(b"execution_time")]  # noqa: E731
    assert {name: strip(data) for name, data in before.items()} == {name: strip(data) for name, data in again.items()}


def test_an_example_of_which_nothing_runs_has_no_time(tmp_path: Path) -> None:
    source = "#' One\n#' @examples\n#' # how to\n#' \\dontrun{one()}\n#' @keywords mcp-tool\none <- function() 1\n"
    (definition,) = mcptool_build(r_package(tmp_path, source), run_examples=ExampleRuns()).definitions.values()
    example = "# how to\n## Not run:\none()\n## End(Not run)\n#\n#> (not run)\n"
    assert definition.implementation_example == example
    assert definition.execution_time is None


def test_files_may_have_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "fruit bowl"
    folder.mkdir()
    (folder / "größe é.R").write_text("#' One\n#' @keywords mcp-tool\none <- function() two()\n")
    (folder / "z.R").write_text("two <- function() 2\n")
    mcptool_build(folder)
    catalog = Catalog(CatalogSettings(serve=(str(folder),)))
    try:
        assert catalog.call("fruitbowl-one", {}, session="s").value == 2
    finally:
        catalog.close()


def test_without_r_examples_are_marked_as_not_run(
    monkeypatch: pytest.MonkeyPatch, package: Path, tmp_path: Path
) -> None:
    import rolltop.confine.r.worker as start

    monkeypatch.setattr(start.shutil, "which", lambda *_, **__: None)
    root = r_package(tmp_path, "#' One\n#' @examples\n#' one()\n#' @keywords mcp-tool\none <- function() 1\n")
    (definition,) = mcptool_build(root, run_examples=ExampleRuns()).definitions.values()
    assert definition.implementation_example == "one()\n#\n#> (not run: R is not installed)\n"
    assert definition.execution_time is None


def test_an_installed_package_is_called_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "library"
    library.mkdir()
    command = ["R", "CMD", "INSTALL", "--no-docs", "--no-test-load", f"--library={library}", str(EXAMPLES / "orchard")]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    monkeypatch.setenv("R_LIBS", str(library))
    r_libraries.cache_clear()
    catalog = Catalog(CatalogSettings(serve=("orchard",)))
    try:
        answer = catalog.call("orchard-mcp_tool_variety_list", {"season": "early"}, session="s")
        assert answer.value[0]["name"] == "Discovery"
    finally:
        catalog.close()
        r_libraries.cache_clear()


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "'a'"),
        (None, "None"),
        ({"a": [1, 2]}, "{'a': [1, 2]}"),
        (list(range(100_000)), "... and 99900 more items"),
        (mcp_describe, "<function mcp_describe(x: 'Any', max_print: 'int' = 100) -> 'str'>"),
        (Broken(), "<Broken that cannot be shown: RuntimeError: no>"),
        ("x\n" * 500, "... and 401 more lines"),
    ],
)
def test_python_values_are_described(value: object, text: str) -> None:
    described = mcp_describe(value)
    assert text in described
    assert len(described) < 10_000
