"""What a server answers before its tools are loaded is what it answers afterwards."""

from __future__ import annotations

import fcntl
import os
import termios
from array import array
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from conditions import wait_until
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
    http = {"--http", "--host", "--port", "--token-file", "--no-token", "--show-connect", "--team"}
    options = {name for parameter in serve.params for name in parameter.opts if name.startswith("--")}
    assert options - http - {"--help"} <= {*boot.FLAGS, *boot.VALUED}


def test_a_client_that_talks_on_while_the_tools_load_has_to_wait() -> None:
    class Loading:
        pipe, loaded = os.pipe()

    reader, client = os.pipe()
    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(_write, client, b"x\n" * (4 << 20))
        answering = pool.submit(boot._answer_early, reader, client, {}, Loading)  # type: ignore[arg-type]
        wait_until(lambda: _unread(reader) == PIPE_BYTES)  # nobody reads any more
        os.write(Loading.loaded, b"x")
        unread = answering.result()[0]
        assert len(unread) < 2 << 20
        rest = sum(iter(lambda: len(os.read(reader, 1 << 20)), 0))
        assert (len(unread) + rest, writing.result()) == (8 << 20, None)
    for descriptor in (reader, Loading.pipe, Loading.loaded):
        os.close(descriptor)


PIPE_BYTES = 1 << 16


def _write(descriptor: int, data: bytes) -> None:
    with os.fdopen(descriptor, "wb", 0) as pipe:
        while data:
            data = data[pipe.write(data) :]


def _unread(descriptor: int) -> int:
    count = array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, count)
    return count[0]
