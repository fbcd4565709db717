"""Tools that run in the live R session of their author while it is open, and in the sandbox otherwise."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conditions import wait_until

from rolltop.catalog import mcptool_build
from rolltop.catalog.live import Catalog, CatalogSettings
from rolltop.errors import ForeignFailure, PermissionDenied

from .helpers import r_package

R_PACKAGE = Path(__file__).parents[2] / "r"
SOURCE = """
#' Where
#' @param x Integer. A number
#' @keywords mcp-tool
#' @noRd
where <- function(x, .state_env = NULL) list(place = "sandbox", x = x)
"""
LIVE = """
data <- data.frame(a = 1:2, b = c("p", "q"))
where <- function(x, .state_env) {
  if (x < 0) { warning("below zero"); stop("cannot") }
  .state_env$set("calls", c(.state_env$get("calls"), x))
  print("seen"); message("told")
  list(place = "session", calls = .state_env$get("calls"), data = data)
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a session that serves three calls."""
    place = tmp_path_factory.mktemp("live") / "session"
    files = "\n".join(f"source('{file}')" for file in sorted((R_PACKAGE / "R").glob("*.R")))
    code = f"{files}\n{LIVE}\nmcp_session('{place}', calls = 3)"
    with subprocess.Popen(["Rscript", "-e", code]) as process:
        assert wait_until(lambda: (place / "session.json").exists() or process.poll() is not None)
        assert process.poll() is None
        yield place
        process.terminate()


def test_calls_run_in_the_session_while_it_is_open(tmp_path: Path, folder: Path) -> None:
    package = r_package(tmp_path / "demo", SOURCE)
    mcptool_build(package)
    section = {"author_sessions": {"demo": str(folder)}}
    catalog = Catalog(CatalogSettings.from_section(section, serve=(str(package),)))
    try:
        assert catalog.call("demo-where", {"x": 1}).value["place"] == "session"
        answer = catalog.call("demo-where", {"x": 2})
        rows = [{"a": 1, "b": "p"}, {"a": 2, "b": "q"}]
        assert answer.value == {"place": "session", "calls": [1, 2], "data": rows}
        assert (answer.printed, answer.messages) == ('[1] "seen"', ("told",))
        os.chmod(folder, 0o755)
        with pytest.raises(PermissionDenied, match="open to other users"):
            catalog.call("demo-where", {"x": 1})
        os.chmod(folder, 0o700)
        with pytest.raises(ForeignFailure, match="R: cannot; warning: below zero"):
            catalog.call("demo-where", {"x": -1})
        wait_until(lambda: not (folder / "session.json").exists())  # that was the last call that it serves
        assert catalog.call("demo-where", {"x": 3}).value == {"place": "sandbox", "x": 3}
        assert not list(folder.iterdir())
    finally:
        catalog.close()
