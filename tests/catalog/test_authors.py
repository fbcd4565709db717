"""Where authors work: the decorator, a watched folder, drift in CI, a reference page, the R package."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.catalog.helpers import py_tool, r_package

from rolltop.catalog import find_tools, mcptool_build, source_tree, tool
from rolltop.catalog.live import Catalog, CatalogSettings

ROLLTOP = Path(sys.executable).with_name("rolltop")
R_PACKAGE = Path(__file__).parents[2] / "r"


@pytest.mark.parametrize(
    ("imported", "decorator"),
    [
        ("from rolltop.catalog import tool", "tool"),
        ("from rolltop.catalog import tool as mark", "mark"),
        ("from rolltop import catalog", "catalog.tool"),
        ("import rolltop.catalog", "rolltop.catalog.tool"),
    ],
)
def test_the_decorator_marks_a_tool(tmp_path: Path, imported: str, decorator: str) -> None:
    arguments = "name='twice', category='math', dangerous=True, requires_approval=True"
    found = py_tool(tmp_path, f"{imported}\n@{decorator}({arguments})\ndef double(x: int) -> int:\n    'D.'\n")
    assert (found.name, found.function, found.category) == ("module-twice", "double", "math")
    assert found.dangerous
    assert found.requires_approval
    assert (
        py_tool(tmp_path, f"{imported}\n@{decorator}\ndef double(x: int) -> int:\n    'D.'\n").name == "module-double"
    )


def test_other_decorators_mark_nothing(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("from elsewhere import tool\n@tool\ndef f(x):\n    'F.'\n")
    assert find_tools(source_tree(tmp_path / "m.py")) == []


def test_the_decorator_leaves_the_function_as_it_is() -> None:
    def f() -> int:
        return 1

    assert tool(f) is f
    assert tool(name="g")(f) is f
    with pytest.raises(TypeError, match="takes texts"):
        tool(name=1)  # type: ignore[call-overload]


def test_a_decorated_function_is_called_by_its_tools_name(tmp_path: Path) -> None:
    source = "from rolltop.catalog import tool\n@tool(name='twice')\ndef double(x: int) -> int:\n    return 2 * x\n"
    (tmp_path / "math_tools.py").write_text(source)
    mcptool_build(tmp_path)
    catalog = Catalog(CatalogSettings(serve=(str(tmp_path),)))
    try:
        (name,) = [served.definition.name for served in catalog.tools()]
        assert name.endswith("-twice")
        assert catalog.call(name, {"x": 4}).value == 8
    finally:
        catalog.close()


def test_an_installed_package_names_its_tools_by_an_entry_point(tmp_path: Path) -> None:
    """Another name than the package's own, found and called by a process that has it on its path."""
    package = tmp_path / "snacks"
    package.mkdir()
    code = (
        '"""Snacks."""\nfrom rolltop.catalog import tool\n\n'
        '@tool(name="half", category="food")\ndef cut(x: float) -> float:\n    """Cut it."""\n    return x / 2\n'
    )
    (package / "__init__.py").write_text(code)
    info = tmp_path / "snacks-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: snacks\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[rolltop.catalog]\nmy-snacks = snacks\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    for arguments in (["build", str(package), "--no-examples"], ["list", "my-snacks", "--json"]):
        command = [ROLLTOP, "catalog", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
    assert [each["name"] for each in json.loads(done.stdout)] == ["snacks-half"]


def run(*arguments: str | Path, code: int = 0) -> str:
    done = subprocess.run([ROLLTOP, "catalog", *arguments], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout


SOURCE = "#' Count\n#' @param x Integer. How many\n#' @keywords mcp-tool\nf <- function(x) x\n"


def test_drift_is_an_exit_code(tmp_path: Path) -> None:
    r_package(tmp_path, SOURCE)
    run("diff", tmp_path)
    run("diff", tmp_path, "--exit-code", code=1)
    mcptool_build(tmp_path)
    run("diff", tmp_path, "--exit-code")


def test_a_page_tells_of_every_tool(tmp_path: Path) -> None:
    mcptool_build(r_package(tmp_path, SOURCE))
    page = run("page", tmp_path)
    assert "### `demo-f`" in page
    assert "| `x` | integer | required | How many |" in page
    run("page", tmp_path, "--output", tmp_path / "tools.md")
    assert (tmp_path / "tools.md").read_text() == page


def test_a_watched_folder_is_built_again_when_a_source_is_saved(tmp_path: Path) -> None:
    r_package(tmp_path, SOURCE)
    command = [ROLLTOP, "catalog", "watch", tmp_path, "--no-examples", "--interval", "0.1"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\tdemo-f\n"
        (tmp_path / "R" / "tools.R").write_text(SOURCE.replace("Count", "Count again"))
        assert process.stdout.readline() == "written\tdemo-f\n"
        (tmp_path / "R" / "more.R").write_text(SOURCE.replace("f <-", "g <-"))
        assert process.stdout.readline() == "written\tdemo-g\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def test_the_r_package_passes_its_check(tmp_path: Path) -> None:
    environment = {**os.environ, "ROLLTOP_PROGRAM": str(ROLLTOP), "_R_CHECK_CRAN_INCOMING_": "FALSE"}
    build = ["R", "CMD", "build", "--no-build-vignettes", str(R_PACKAGE)]
    subprocess.run(build, cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=300)
    (archive,) = tmp_path.glob("rolltop_*.tar.gz")
    options = ["--no-manual", "--no-build-vignettes", "--no-codoc", "--ignore-vignettes"]
    check = subprocess.run(
        ["R", "CMD", "check", *options, archive.name],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.search(r"^Status: OK$", check.stdout, re.MULTILINE), check.stdout
    said = next(tmp_path.glob("rolltop.Rcheck/tests/testthat.Rout")).read_text()
    assert re.search(r"FAIL 0 \| WARN 0 \| SKIP 0 \| PASS \d+", said), said
