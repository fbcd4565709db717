"""Folders of the owner that the tools of one package see, and the reasons of R's errors."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.catalog.helpers import r_package

from rolltop.catalog import mcptool_build
from rolltop.catalog.live import Catalog, CatalogSettings
from rolltop.errors import ForeignFailure, InvalidInput

SOURCE = """
#' Read
#' @param path Character. A file
#' @keywords mcp-tool
read <- function(path) readLines(path)
#' Write
#' @param path Character. A file
#' @keywords mcp-tool
write <- function(path) { writeLines("made", path); file.exists(path) }
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


def test_an_error_of_r_carries_the_warning_that_says_why(catalog: Catalog) -> None:
    with pytest.raises(ForeignFailure, match=r"cannot open the connection.*warning: cannot open file.*No such file"):
        catalog.call("demo-read", {"path": "/no/such/file"})


def test_folders_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no folder"):
        CatalogSettings.from_section({"folders": {"demo": [str(tmp_path / "none")]}})
    with pytest.raises(InvalidInput, match="must be one folder"):
        CatalogSettings.from_section({"output_folders": {"demo": [str(tmp_path), str(tmp_path)]}})
