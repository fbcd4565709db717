"""R packages with compiled code: installed in a sandbox, then served."""

from __future__ import annotations

from pathlib import Path

import pytest

from rolltop.catalog import mcptool_build
from rolltop.catalog.live import Catalog, CatalogSettings
from rolltop.errors import ForeignFailure

from .helpers import r_package

R_CODE = """
#' Twice
#' @param x Numeric. A number
#' @keywords mcp-tool
#' @noRd
twice <- function(x) .Call(C_twice, x)
"""
C_CODE = """
#include <Rinternals.h>
SEXP C_twice(SEXP x) { return ScalarReal(TIMES * asReal(x)); }
"""


def test_a_package_with_c_code_is_served_from_its_sources(tmp_path: Path) -> None:
    package = r_package(tmp_path / "demo", R_CODE)
    (package / "NAMESPACE").write_text("useDynLib(demo, C_twice)\n")
    (package / "src").mkdir()
    (package / "src" / "twice.c").write_text(C_CODE.replace("TIMES", "2"))
    mcptool_build(package)
    catalog = Catalog(CatalogSettings(serve=(str(package),)))
    try:
        assert catalog.call("demo-twice", {"x": 21}).value == 42
        assert not list((package / "src").glob("*.o"))
        (package / "src" / "twice.c").write_text(C_CODE.replace("TIMES", "nonsense"))
        catalog.reload()
        with pytest.raises(ForeignFailure, match="the compiled code of demo could not be installed") as caught:
            catalog.call("demo-twice", {"x": 21})
        assert "nonsense" in caught.value.details["log"]
    finally:
        catalog.close()
