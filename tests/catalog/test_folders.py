"""Folders of the owner that the tools of one package see, and the reasons of R's errors."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.catalog.helpers import r_package

from rolltop.catalog import mcptool_build
from rolltop.catalog.live import Catalog, CatalogSettings
from rolltop.errors import ForeignFailure, InvalidInput, TimeLimit

SOURCE = """
#' Read
#' @param path Character. A file
#' @keywords mcp-tool
read <- function(path) readLines(path)
#' Write
#' @param path Character. A file
#' @keywords mcp-tool
write <- function(path) { writeLines("made", path); file.exists(path) }
#' Look
#' @param name Character. A variable
#' @keywords mcp-tool
look <- function(name) Sys.getenv(name)
#' List
#' @param path Character. A folder
#' @keywords mcp-tool
list_folder <- function(path) as.list(list.files(dirname(dirname(dirname(path)))))
#' Wait
#' @keywords mcp-tool
wait <- function() Sys.sleep(60)
"""


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    """Folders that whoever runs foreign code can reach: pytest's own are closed to other users."""
    root = Path(tempfile.mkdtemp(prefix="rolltop-folders-"))
    root.chmod(0o755)
    for name in ("in", "out", "other"):
        (root / name).mkdir()
        (root / name).chmod(0o777)
    (root / "in" / "a.txt").write_text("one")
    yield root
    shutil.rmtree(root)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Iterator[Catalog]:
    package = r_package(tmp_path_factory.mktemp("package"), SOURCE)
    mcptool_build(package)
    section = {"folders": {"demo": [str(data / "in")], "elsewhere": [str(data / "other")]}}
    section |= {"output_folders": {"demo": str(data / "out")}}
    section |= {"secrets": {"demo": ["DEMO_KEY", "DEMO_RING"]}, "limits": {"demo": {"seconds": 2, "memory": 512}}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEMO_KEY", "from the environment")
        patch.setenv("OTHER_KEY", "of the owner")
        ring = SimpleNamespace(get_password=lambda service, name: f"{name} of {service}")
        patch.setitem(sys.modules, "keyring", ring)  # the user's own, whatever is in it, is no part of a test
        yield from _served(package, section)


def _served(package: Path, section: dict[str, Any]) -> Iterator[Catalog]:
    catalog = Catalog(CatalogSettings.from_section(section, serve=(str(package),)))
    yield catalog
    catalog.close()


def test_tools_read_the_folders_of_their_package_and_no_others(catalog: Catalog, data: Path) -> None:
    assert catalog.call("demo-read", {"path": str(data / "in" / "a.txt")}).value == "one"
    with pytest.raises(ForeignFailure, match="cannot open"):
        catalog.call("demo-read", {"path": str(data / "other" / "a.txt")})


def test_tools_write_to_their_output_folder_and_nowhere_else(catalog: Catalog, data: Path) -> None:
    assert catalog.call("demo-write", {"path": str(data / "out" / "b.txt")}).value is True
    assert (data / "out" / "b.txt").read_text() == "made\n"
    with pytest.raises(ForeignFailure, match="Read-only file system"):
        catalog.call("demo-write", {"path": str(data / "in" / "b.txt")})


def test_tools_find_the_secrets_of_their_package_and_no_others(catalog: Catalog) -> None:
    assert catalog.call("demo-look", {"name": "DEMO_KEY"}).value == "from the environment"
    assert catalog.call("demo-look", {"name": "DEMO_RING"}).value == "DEMO_RING of rolltop"
    assert catalog.call("demo-look", {"name": "OTHER_KEY"}).value == ""


def test_a_package_has_limits_of_its_own(catalog: Catalog) -> None:
    with pytest.raises(TimeLimit, match="2 s"):
        catalog.call("demo-wait", {})


def test_documents_are_files_for_one_call_that_others_cannot_list(catalog: Catalog) -> None:
    with catalog.inputs.held({"doc://notes/a b.csv": b"x,y\n1,2\n"}) as paths:
        (path,) = paths.values()
        assert path.endswith("/a_b.csv")
        assert catalog.call("demo-read", {"path": path}).value == ["x,y", "1,2"]
        assert catalog.call("demo-list_folder", {"path": path}).value == []
        with pytest.raises(ForeignFailure, match="Read-only file system"):
            catalog.call("demo-write", {"path": path})
    with pytest.raises(ForeignFailure, match="cannot open"):
        catalog.call("demo-read", {"path": path})


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"secrets": {"demo": ["PATH"]}}, "cannot be a secret"),
        ({"secrets": ["KEY"]}, "must be a table"),
        ({"limits": {"demo": {"threads": 1}}}, "has no setting 'threads'"),
        ({"limits": {"demo": {"seconds": 0}}}, "must be above 0"),
    ],
)
def test_grants_that_make_no_sense_are_refused(section: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        CatalogSettings.from_section(section)


def test_an_error_of_r_carries_the_warning_that_says_why(catalog: Catalog) -> None:
    with pytest.raises(ForeignFailure, match=r"cannot open the connection.*warning: cannot open file.*No such file"):
        catalog.call("demo-read", {"path": "/no/such/file"})


def test_folders_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no folder"):
        CatalogSettings.from_section({"folders": {"demo": [str(tmp_path / "none")]}})
    with pytest.raises(InvalidInput, match="must be one folder"):
        CatalogSettings.from_section({"output_folders": {"demo": [str(tmp_path), str(tmp_path)]}})
