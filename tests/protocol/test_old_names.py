"""Requirement 003's older method names, over stdio."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

sys.path.insert(0, os.path.dirname(__file__))
from raw import RawStdio


@pytest.fixture
def server(environment: dict[str, str]) -> Iterator[RawStdio]:
    running = RawStdio([sys.executable, "-m", "rolltop", "serve"], {**environment, "MCP_TOOL_PREFIX": ""})
    yield running
    running.close()


def ask(server: RawStdio, method: str, **params: object) -> dict[str, object]:
    server.send({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
    return server.reply(method)


def test_old_names_are_aliases_with_their_own_errors(server: RawStdio) -> None:
    listed = ask(server, "listTools")["result"]["tools"]  # type: ignore[index]
    assert listed == ask(server, "tools/list")["result"]["tools"]  # type: ignore[index]
    created = ask(server, "callTool", name="create_rmd", arguments={"filename": "a", "title": "A", "content": "x"})
    assert created["result"] == {"content": [{"type": "text", "text": "Created R Markdown file: a.Rmd"}]}
    entry = {"uri": "rmd:///a.Rmd", "mimeType": "text/markdown", "name": "A", "description": "R Markdown file: A"}
    assert entry in ask(server, "listResources")["result"]["resources"]  # type: ignore[index]
    assert 'title: "A"' in ask(server, "readResource", uri="rmd:///a.Rmd")["result"]["contents"][0]["text"]  # type: ignore[index]
    assert "result" in ask(server, "listResourceTemplates")
    assert ask(server, "callTool", name="nope", arguments={})["error"]["code"] == -32601  # type: ignore[index]
    assert ask(server, "tools/call", name="nope", arguments={})["error"]["code"] == -32602  # type: ignore[index]
    missing = ask(server, "callTool", name="create_rmd", arguments={})
    assert missing["error"]["code"] == -32602  # type: ignore[index]
    assert "Invalid params: filename is required" in missing["error"]["message"]  # type: ignore[index]
    broken = {"filename": "b", "title": "B", "content": "```{r}\nstop('boom')\n```"}
    ask(server, "callTool", name="create_rmd", arguments=broken)
    failed = ask(server, "callTool", name="render_rmd", arguments={"filename": "b", "format": "html"})
    assert failed["error"]["code"] == -32603  # type: ignore[index]
    assert "boom" in failed["error"]["message"]  # type: ignore[index]


def test_names_in_pascal_case_are_the_same(server: RawStdio) -> None:
    for name in ("ListTools", "ListResources", "ListResourceTemplates"):
        old = name[0].lower() + name[1:]
        assert ask(server, name)["result"] == ask(server, old)["result"]
    call = {"name": "create_rmd", "arguments": {"filename": "p", "title": "P", "content": "x"}}
    assert ask(server, "CallTool", **call)["result"]["content"][0]["text"] == "Created R Markdown file: p.Rmd"  # type: ignore[index]
    assert "contents" in ask(server, "ReadResource", uri="rmd:///p.Rmd")["result"]  # type: ignore[operator]


def test_a_uri_of_no_known_form_is_an_invalid_request(server: RawStdio) -> None:
    for uri in ("bogus://x", "no URI at all"):
        for method in ("readResource", "ReadResource", "resources/read"):
            assert ask(server, method, uri=uri)["error"]["code"] == -32600  # type: ignore[index]
