"""What a server answers before its tools are loaded is what it answers afterwards."""

from __future__ import annotations

from pathlib import Path

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from rolltop import boot
from rolltop.cli.serve import serve
from rolltop.server import start_cache
from rolltop.server.application import Application
from rolltop.server.sdk import build
from rolltop.settings import load


def test_the_built_in_introduction_is_the_one_of_a_server_with_default_settings(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "MCP_TOOL_PREFIX": "guide"}
    application = Application(load({"workspace": str(tmp_path / "w")}, env=env, prefix_is_default=True))
    told = start_cache.answers_of(build(application))["introduction"]
    application.close()
    assert start_cache.built_in(["serve"], {"HOME": str(tmp_path)})["introduction"] == told
    assert set(told) == {*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS}


def test_a_first_start_with_other_names_gives_no_names(tmp_path: Path) -> None:
    for arguments, env in ((["serve", "--prefix", "x"], {}), (["serve"], {"ROLLTOP_TOOLSETS": "store"})):
        built_in = start_cache.built_in(arguments, {"HOME": str(tmp_path), **env})
        assert built_in["introduction"]["2025-11-25"]["instructions"] == "rolltop is a desk to work at."


def test_every_option_of_a_stdio_server_starts_fast() -> None:
    http = {"--http", "--host", "--port", "--token-file", "--no-token", "--show-connect"}
    options = {name for parameter in serve.params for name in parameter.opts if name.startswith("--")}
    assert options - http - {"--help"} <= {*boot.FLAGS, *boot.VALUED}
