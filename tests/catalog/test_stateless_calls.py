"""Callers without a session: nothing of one call reaches the next, and none waits for another."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conditions import wait_until

from rolltop.catalog import mcptool_build
from rolltop.catalog.live import Catalog, CatalogSettings
from rolltop.errors import ForeignFailure, RolltopError

from .helpers import r_package

R_SOURCE = """
#' Leave things behind
#' @keywords mcp-tool
leave <- function() {
  for (file in file.path(c("/tmp", tempdir(), "/dev/shm"), "note.txt")) try(writeLines("a secret", file), silent = TRUE)
  system("sleep 654.321 & setsid sleep 654.321 &")
  options(note = 1)
  invisible(1)
}
#' What is there
#' @keywords mcp-tool
look <- function() {
  programs <- vapply(Sys.glob("/proc/[0-9]*/comm"), function(file) readLines(file)[[1L]], "", USE.NAMES = FALSE)
  notes <- list.files(c("/tmp", "/dev/shm"), "note", recursive = TRUE)
  list(sleeping = sum(programs == "sleep"), notes = length(notes), option = is.null(getOption("note")))
}
#' End badly
#' @param how Character. How
#' @keywords mcp-tool
end_badly <- function(how) switch(how, quit = quit("no"), segfault = tools::pskill(Sys.getpid(), 11))
#' Draw
#' @keywords mcp-tool
draw <- function() { plot(1:3); invisible(1) }
#' Sleep
#' @param seconds Numeric. How long
#' @keywords mcp-tool
doze <- function(seconds) { Sys.sleep(seconds); as.numeric(Sys.time()) }
#' Where
#' @keywords mcp-tool
where <- function() Sys.getpid()
"""

PY_SOURCE = '''
import os, subprocess, time
_seen = []
def mcp_tool_leave():
    """Leave things behind."""
    open("/tmp/note.txt", "w").write("a secret")
    subprocess.Popen(["sleep", "654.321"], start_new_session=True)
    _seen.append(1)
def mcp_tool_look():
    """What is there."""
    names = [open(f"/proc/{number}/comm").read().strip() for number in os.listdir("/proc") if number.isdigit()]
    return {"sleeping": names.count("sleep"), "notes": os.listdir("/tmp"), "seen": _seen}
def mcp_tool_doze(seconds: float):
    """Sleep."""
    time.sleep(seconds)
def mcp_tool_where():
    """Where."""
    return os.getpid()
'''


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    folder = tmp_path_factory.mktemp("stateless")
    root = r_package(folder / "demo", R_SOURCE)
    (folder / "pydemo").mkdir()
    (folder / "pydemo" / "pydemo.py").write_text(PY_SOURCE)
    mcptool_build(root)
    mcptool_build(folder / "pydemo" / "pydemo.py")
    made = Catalog(CatalogSettings(serve=(str(root), str(folder / "pydemo")), seconds=20))
    yield made
    made.close()


def test_no_file_process_or_option_of_a_call_is_left_for_the_next(catalog: Catalog) -> None:
    for _ in range(2):
        catalog.call("demo-leave", {})
        assert catalog.call("demo-look", {}).value == {"sleeping": 0, "notes": 0, "option": True}


def test_nothing_is_left_of_a_python_call_either(catalog: Catalog) -> None:
    for _ in range(2):
        catalog.call("pydemo-mcp_tool_leave", {})
        assert catalog.call("pydemo-mcp_tool_look", {}).value == {"sleeping": 0, "notes": [], "seen": []}


@pytest.mark.parametrize("how", ["quit", "segfault"])
def test_a_call_that_ends_badly_harms_no_later_one(catalog: Catalog, how: str) -> None:
    for _ in range(2):
        with pytest.raises(ForeignFailure, match="ended during the call") as caught:
            catalog.call("demo-end_badly", {"how": how})
        assert "perform(request)" not in caught.value.details["output"]
        assert len(catalog.call("demo-draw", {}).images) == 1


def test_a_call_that_prints_nothing_says_so(catalog: Catalog) -> None:
    assert catalog.call("demo-draw", {}).printed == ""


@pytest.mark.parametrize("session", [None, "s"])
@pytest.mark.parametrize("name", ["demo-doze", "pydemo-mcp_tool_doze"])
def test_a_slow_call_does_not_hold_up_others(catalog: Catalog, name: str, session: str | None) -> None:
    key = session or catalog.new_call()
    slow = threading.Thread(target=lambda: call_until_ended(catalog, name, key))
    slow.start()
    for _ in range(3):
        catalog.call(name, {"seconds": 0}, session=session)
    assert slow.is_alive()
    while slow.is_alive():
        catalog.end_session(key)
        slow.join(0.2)


def call_until_ended(catalog: Catalog, name: str, key: str) -> None:
    with contextlib.suppress(RolltopError):
        catalog.call(name, {"seconds": 19}, session=key)


def test_processes_are_kept_for_the_next_calls_without_a_session(catalog: Catalog) -> None:
    """A process that could not be looked at in time is replaced, which a busy machine may need several calls for."""
    for name in ("demo-where", "pydemo-mcp_tool_where"):
        for _ in range(10):
            catalog.call(name, {})
            wait_until_idle(catalog)
            used = waiting(catalog)
            catalog.call(name, {})
            wait_until_idle(catalog)
            if set(used) & set(waiting(catalog)):
                break
        else:
            pytest.fail(f"no process was used again for {name}")


def test_a_call_that_is_given_up_is_ended(catalog: Catalog) -> None:
    key, ended = catalog.new_call(), threading.Event()

    def call() -> None:
        with pytest.raises(RolltopError):
            catalog.call("demo-doze", {"seconds": 15}, session=key)
        ended.set()

    thread = threading.Thread(target=call)
    thread.start()
    began = time.monotonic()
    while not ended.wait(0.2) and time.monotonic() - began < 12:
        catalog.end_session(key)
    thread.join()
    assert time.monotonic() - began < 12


def test_changed_code_is_called_though_a_process_was_ready(tmp_path: Path) -> None:
    root = r_package(tmp_path / "demo", "#' One\n#' @keywords mcp-tool\none <- function() 1\n")
    mcptool_build(root)
    catalog = Catalog(CatalogSettings(serve=(str(root),)))
    try:
        assert catalog.call("demo-one", {}).value == 1
        r_package(root, "#' Two\n#' @keywords mcp-tool\none <- function() 2\n")
        mcptool_build(root)
        catalog.reload()
        assert [catalog.call("demo-one", {}).value for _ in range(3)] == [2, 2, 2]
    finally:
        catalog.close()


def test_processes_that_wait_end_after_their_rest_and_with_the_catalog(tmp_path: Path) -> None:
    root = r_package(tmp_path / "demo", "#' One\n#' @keywords mcp-tool\none <- function() 1\n")
    mcptool_build(root)
    catalog = Catalog(CatalogSettings(serve=(str(root),), state_seconds=0.5))
    catalog.call("demo-one", {})
    wait_until(lambda: not waiting(catalog))
    catalog.call("demo-one", {})
    catalog.close()
    assert not waiting(catalog)
    assert not catalog.tools()[0].origin._copies
    with pytest.raises(RolltopError, match="closed"):
        catalog.call("demo-one", {})


def waiting(catalog: Catalog) -> list[Any]:
    packages = catalog._sessions._stateless._packages
    return [template for package in list(packages.values()) for template in package.pool.ready]


def wait_until_idle(catalog: Catalog) -> None:
    packages = catalog._sessions._stateless._packages
    wait_until(lambda: not any(package.pool.busy for package in list(packages.values())))
