"""What connects a client: the settings that hold here, in a file that stays what it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rolltop = Callable[..., subprocess.CompletedProcess[str]]
URL = "http://127.0.0.1:7779/mcp"


def entry(out: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    printed = json.loads(out.stdout)
    found: dict[str, Any] = next(iter(printed.values()))["rolltop"]
    return found


def test_a_private_file_stays_private(rolltop: Rolltop, tmp_path: Path) -> None:
    for mode in (0o600, 0o640):
        file = tmp_path / f"{mode:o}.json"
        file.write_text('{"mcpServers": {"other": {"env": {"KEY": "k"}}}}')
        file.chmod(mode)
        assert rolltop("connect", "cursor", "--write", "--file", str(file)).returncode == 0
        assert file.stat().st_mode & 0o777 == mode
        assert set(json.loads(file.read_text())["mcpServers"]) == {"other", "rolltop"}


def test_a_new_file_is_for_its_user_alone(rolltop: Rolltop, tmp_path: Path) -> None:
    file = tmp_path / "new" / "mcp.json"
    assert rolltop("connect", "cursor", "--write", "--file", str(file)).returncode == 0
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_link_stays_a_link(rolltop: Rolltop, tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    real, link = tmp_path / "dotfiles" / "mcp.json", tmp_path / "mcp.json"
    real.write_text("{}")
    link.symlink_to("dotfiles/mcp.json")
    assert rolltop("connect", "cursor", "--write", "--file", str(link)).returncode == 0
    assert link.is_symlink()
    assert "rolltop" in json.loads(real.read_text())["mcpServers"]


def test_a_write_that_fails_leaves_nothing_behind(environment: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "client"
    folder.mkdir()
    before = json.dumps({"notes": "x" * 5000})
    (folder / "mcp.json").write_text(before)
    line = f"ulimit -f 1; {sys.executable} -B -m rolltop connect cursor --write --file {folder}/mcp.json"
    out = subprocess.run(["bash", "-c", line], env=environment, capture_output=True, text=True, check=False)
    assert out.returncode == 1
    assert out.stderr.startswith(f"rolltop: {folder}/mcp.json cannot be written: ")
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("mcp.json", before)]


def test_a_place_that_cannot_be_written_is_named(rolltop: Rolltop) -> None:
    out = rolltop("connect", "cursor", "--write", HOME="/proc/nowhere")
    assert (out.returncode, "/proc/nowhere/.cursor/mcp.json cannot be written" in out.stderr) == (1, True)
    assert "Traceback" not in out.stderr


def test_the_workspace_of_the_environment_is_carried(rolltop: Rolltop, tmp_path: Path) -> None:
    for client in ("claude-desktop", "claude-code", "cursor", "vscode"):
        out = rolltop("connect", client, ROLLTOP_WORKSPACE=str(tmp_path / "w"))
        assert entry(out)["args"][-3:] == ["--workspace", str(tmp_path / "w"), "serve"]
        assert "env" not in entry(out)


def test_other_settings_are_carried_and_secrets_are_not(rolltop: Rolltop, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("")
    variables = {
        "ROLLTOP_CONFIG": str(tmp_path / "c.toml"),
        "ROLLTOP_TOOL_MODE": "search",
        "ROLLTOP_STORE_UNDO_DAYS": "3",
    }
    out = rolltop(
        "--log-level", "DEBUG", "connect", "cursor", "--toolsets", "store,guide", "--read-only", "--catalog", ".",
        ROLLTOP_HTTP_TOKEN="hunter2-hunter2", MCP_PORT="1", **variables,
    )  # fmt: skip
    found = entry(out)
    serve = found["args"].index("serve")
    assert found["args"][serve - 2 : serve] == ["--log-level", "DEBUG"]
    assert found["args"][serve + 1 :] == ["--toolsets", "store,guide", "--read-only", "--catalog", os.getcwd()]
    assert found["env"] == variables
    assert "hunter2" not in out.stdout + out.stderr


def test_paths_are_carried_in_full(rolltop: Rolltop, tmp_path: Path) -> None:
    """A client starts the server in a directory of its own."""
    (tmp_path / "data").mkdir()
    (tmp_path / "tools").mkdir()
    relative = os.path.relpath(tmp_path)
    out = rolltop(
        "connect",
        "cursor",
        ROLLTOP_ROOTS=f"{relative}/data{os.pathsep}{relative}/tools",
        ROLLTOP_LOG_FILE=f"{relative}/rolltop.log",
        ROLLTOP_CATALOGS=f"{relative}/tools,stats",
        ROLLTOP_GUIDE_CONFIG_DIR=f"{relative}/guide",
        FUNCTION_REGISTRY_PATH=f"{relative}/functions.json",
        CONFORMANCE_SUITE_PATH=f"{relative}/suite",
        DOCKER_HOST="unix:///run/engine.sock",
    )
    assert entry(out)["env"] == {
        "ROLLTOP_ROOTS": f"{tmp_path}/data{os.pathsep}{tmp_path}/tools",
        "ROLLTOP_LOG_FILE": f"{tmp_path}/rolltop.log",
        "ROLLTOP_CATALOGS": f"{tmp_path}/tools,stats",
        "ROLLTOP_GUIDE_CONFIG_DIR": f"{tmp_path}/guide",
        "FUNCTION_REGISTRY_PATH": f"{tmp_path}/functions.json",
        "CONFORMANCE_SUITE_PATH": f"{tmp_path}/suite",
        "DOCKER_HOST": "unix:///run/engine.sock",
    }


@pytest.mark.parametrize(
    ("client", "place"),
    [
        ("claude-desktop", "<token>"),
        ("claude-code", "${ROLLTOP_HTTP_TOKEN}"),
        ("cursor", "${env:ROLLTOP_HTTP_TOKEN}"),
        ("vscode", "${env:ROLLTOP_HTTP_TOKEN}"),
    ],
)
def test_an_entry_with_a_url_says_where_the_token_goes(rolltop: Rolltop, client: str, place: str) -> None:
    out = rolltop("connect", client, "--url", URL, ROLLTOP_HTTP_TOKEN="hunter2-hunter2")
    found = entry(out)
    header = found["env"]["AUTHORIZATION"] if client == "claude-desktop" else found["headers"]["Authorization"]
    assert header == f"Bearer {place}"
    assert "The server asks for its token" in out.stderr
    assert "hunter2" not in out.stdout + out.stderr
    assert "headers" not in entry(rolltop("connect", client, "--url", URL))


@pytest.mark.parametrize("url", ["notaurl", "ftp://x/mcp", "http://", "http://x:99999/mcp", ""])
def test_a_url_that_is_none_is_refused(rolltop: Rolltop, url: str) -> None:
    out = rolltop("connect", "claude-code", "--url", url)
    assert (out.returncode, out.stdout) == (2, "")
    assert "http://127.0.0.1:7779/mcp" in out.stderr


def test_what_is_served_is_not_decided_by_a_client_with_a_url(rolltop: Rolltop) -> None:
    assert rolltop("connect", "cursor", "--url", URL, "--read-only").returncode == 2


def test_options_of_http_go_with_http(rolltop: Rolltop, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("t")
    for options in (["--show-connect"], ["--port", "0"], ["--host", "::1"], ["--token-file", str(tmp_path / "token")]):
        out = rolltop("serve", *options, stdin="")
        assert (out.returncode, f"{options[0]} goes with --http" in out.stderr) == (2, True)


def test_a_token_file_holds_a_token(rolltop: Rolltop, tmp_path: Path) -> None:
    file = tmp_path / "token"
    for data in (b"", b" \n", b"\xff\xfe\x80"):
        file.write_bytes(data)
        out = rolltop("serve", "--http", "--port", "0", "--token-file", str(file))
        assert (out.returncode, str(file) in out.stderr) == (2, True)


def test_a_running_server_shows_entries_with_its_settings(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "token").write_text("hunter2-hunter2")
    with subprocess.Popen(
        [
            sys.executable, "-m", "rolltop", "--workspace", str(tmp_path / "w"), "serve", "--http", "--port", "0",
            "--token-file", str(tmp_path / "token"), "--read-only", "--toolsets", "store", "--show-connect",
        ],
        env=environment, stderr=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        assert server.stderr is not None
        lines: list[str] = []
        while not lines or "Press Ctrl-C" not in lines[-1]:
            lines.append(server.stderr.readline())
            assert lines[-1], lines
        server.terminate()
    said = f"--workspace {tmp_path / 'w'} serve --toolsets store --read-only"
    by_stdio = [line for line in lines if line.startswith("  stdio")]
    assert len(by_stdio) == 4
    for line in by_stdio:
        assert said in " ".join(json.loads(line.removeprefix("  stdio"))[_key(line)]["rolltop"]["args"])
    assert any(line.startswith("  or     claude mcp add rolltop -- ") and said in line for line in lines)
    assert all("uthorization" in line for line in lines if line.startswith(("  URL", "  or     claude mcp add --tr")))
    assert "hunter2" not in "".join(lines)


def _key(line: str) -> str:
    return "servers" if '"servers"' in line else "mcpServers"


def test_what_others_wrote_stays_readable(rolltop: Rolltop, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(
        '\ufeff{"mcpServers": {"größe": {"command": "/home/zoë/x"}, "half": {"env": {"K": "\\ud83d"}}}}', "utf-8"
    )
    assert rolltop("connect", "cursor", "--write", "--file", str(file)).returncode == 0
    assert json.loads(file.read_text("utf-8"))["mcpServers"]["half"]["env"]["K"] == "\ud83d"
    file.write_text('\ufeff{"mcpServers": {"größe": {"command": "/home/zoë/x"}}}', "utf-8")
    assert rolltop("connect", "cursor", "--write", "--file", str(file)).returncode == 0
    text = file.read_text("utf-8")
    assert '"größe"' in text
    assert "/home/zoë/x" in text


def test_a_file_with_comments_is_left_alone_and_the_other_way_is_said(rolltop: Rolltop, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{\n  // mine\n  "servers": {},\n}\n')
    out = rolltop("connect", "vscode", "--write", "--file", str(file))
    assert out.returncode == 4
    assert "Without --write" in out.stderr
    assert file.read_text() == '{\n  // mine\n  "servers": {},\n}\n'
