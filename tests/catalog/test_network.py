"""The network of a catalog: hosts that the owner names, and no others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from tests.catalog.helpers import r_package

from rolltop.catalog import mcptool_build
from rolltop.catalog.live import Catalog, CatalogSettings
from rolltop.errors import ForeignFailure, InvalidInput

R_SOURCE = """
#' Fetch
#' @param address Character. An address
#' @keywords mcp-tool
fetch <- function(address) { con <- url(address); on.exit(close(con)); readLines(con, warn = FALSE) }
#' Download
#' @param address Character. An address
#' @keywords mcp-tool
download <- function(address) {
  to <- tempfile(); download.file(address, to, quiet = TRUE); readLines(to, warn = FALSE) }
"""
PY_SOURCE = '''
from urllib.request import urlopen


def mcp_tool_fetch(address: str) -> str:
    """Fetch an address."""
    with urlopen(address, timeout=10) as answer:
        return answer.read().decode()
'''


class Hello(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello\n")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Hello) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"localhost:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    package = r_package(tmp_path_factory.mktemp("demo"), R_SOURCE)
    kitchen = tmp_path_factory.mktemp("kitchen") / "kitchen"
    kitchen.mkdir()
    (kitchen / "tools.py").write_text(PY_SOURCE)
    for place in (package, kitchen):
        mcptool_build(place)
    return str(package), str(kitchen)


def served(packages: tuple[str, str], network: dict[str, Any]) -> Catalog:
    return Catalog(CatalogSettings.from_section({"network": network}, serve=packages))


TOOLS = ["demo-fetch", "demo-download", "kitchen-mcp_tool_fetch"]


def test_tools_reach_the_hosts_of_their_package_and_no_others(packages: tuple[str, str], address: str) -> None:
    catalog = served(packages, {"demo": [address], "kitchen": address})
    try:
        for name in TOOLS:
            assert str(catalog.call(name, {"address": f"http://{address}/"}).value).strip() == "hello"
            with pytest.raises(ForeignFailure, match=r"403|cannot open"):
                catalog.call(name, {"address": "http://localhost:1/"})
    finally:
        catalog.close()


@pytest.mark.parametrize("network", [{}, {"elsewhere": True}, {"demo": False, "kitchen": []}])
def test_a_package_without_hosts_has_no_network(packages: tuple[str, str], address: str, network: Any) -> None:
    catalog = served(packages, network)
    try:
        for name in TOOLS:
            with pytest.raises(ForeignFailure, match=r"refused|cannot open|[Cc]ould not|Temporary failure"):
                catalog.call(name, {"address": f"http://{address}/"})
    finally:
        catalog.close()


@pytest.mark.parametrize("wrong", ["https://example.org", "example.org/path", "exa mple.org", "*.*.org", 7, [True]])
def test_what_is_no_host_is_refused_at_the_start(wrong: Any) -> None:
    with pytest.raises(InvalidInput, match=r"catalog\.network"):
        CatalogSettings.from_section({"network": {"demo": wrong}})
