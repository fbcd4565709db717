"""What connects a client: the settings that hold here, in a file that stays what it was."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from rolltop.client_entries import CLIENTS, Token, typed_command, url_entry
from rolltop.client_files import write_entry
from rolltop.errors import InvalidData

Rolltop = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    """Without the setting that all tests share: an entry carries every setting of the environment."""
    return {key: value for key, value in environment.items() if key != "ROLLTOP_STORE_MODEL"}


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
    assert out.stderr.startswith(f"Error: {folder}/mcp.json cannot be written: ")
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
        ROLLTOP_HTTP_TOKEN="hunter2-hunter2-hunter2", MCP_PORT="1", **variables,
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
    out = rolltop("connect", client, "--url", URL, ROLLTOP_HTTP_TOKEN="hunter2-hunter2-hunter2")
    found = entry(out)
    header = found["env"]["AUTHORIZATION"] if client == "claude-desktop" else found["headers"]["Authorization"]
    assert header == f"Bearer {place}"
    assert "The server asks for its token" in out.stderr
    assert "hunter2" not in out.stdout + out.stderr
    assert "headers" not in entry(rolltop("connect", client, "--url", "https://elsewhere.example/mcp"))


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
    (tmp_path / "token").write_text("hunter2-hunter2-hunter2")
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
    text = "".join(lines)
    for client in CLIENTS:
        assert client == "claude-code" or f"rolltop connect {client} --url http://127.0.0.1:" in text
    [by_stdio] = [line for line in lines if "claude mcp add rolltop -- " in line]
    assert said in by_stdio
    assert f"rolltop --workspace {tmp_path / 'w'} connect CLIENT --toolsets store --read-only --write" in text
    [by_url] = [line for line in lines if "claude mcp add --transport http" in line]
    assert "Authorization: Bearer $ROLLTOP_HTTP_TOKEN" in by_url
    assert "hunter2" not in text


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


def test_comments_and_layout_stay(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(
        '{\n\t// mine\n\t"theme": "a // b",\n'
        '\t"servers": { /* none "yet" */\n\t\t"x": {"args": ["[", "}",]},\n\t},\n}\n'
    )
    before = file.read_text()
    for entry in ({"command": "one"}, {"command": "two", "args": ["-v"]}):
        write_entry(file, "servers", "rolltop", entry)
        text = file.read_text()
        shown = json.dumps(entry, indent=2).replace("\n", "\n    ")
        assert text == before.replace("{ /* none", '{\n    "rolltop": ' + shown + ", /* none")
    write_entry(file, "other", "rolltop", {"command": "three"})
    assert file.read_text().startswith(
        '{\n  "other": {\n    "rolltop": {\n      "command": "three"\n    }\n  },\n\t// mine'
    )


@pytest.mark.parametrize(
    "text", ["", "{}", "{ }\n", '{"mcpServers": {}}', '{"a": [1, {"b": null}], "mcpServers":{"y":{}}}']
)
def test_any_json_gets_the_entry_and_loses_nothing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(text)
    before = json.loads(text or "{}")
    write_entry(file, "mcpServers", "rolltop", {"command": "x"})
    after = json.loads(file.read_text())
    assert after["mcpServers"].pop("rolltop") == {"command": "x"}
    assert after | {"mcpServers": before.get("mcpServers", {})} == {"mcpServers": {}, **before}


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"mcpServers": []}', '{"a": 1} x', '{"a" 1}', "{'a': 1}", '{"a": }', "nul"]
)
def test_a_file_that_is_no_configuration_is_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(text)
    with pytest.raises(InvalidData) as caught:
        write_entry(file, "mcpServers", "rolltop", {"command": "x"})
    assert "Without --write" in str(caught.value.hint)
    assert file.read_text() == text


CODEX = """# my settings
model = "o1"

[mcp_servers.other]
command = "x" # keep
[mcp_servers.rolltop]
command = "old"
[mcp_servers.rolltop.env]
A = "1"

[profiles.fast]
model = "mini"
"""


def test_codex_gets_a_table_and_keeps_the_others(rolltop: Rolltop, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    for text in ("", CODEX):
        file.write_text(text)
        before = tomllib.loads(text)
        assert rolltop("connect", "codex", "--write", "--file", str(file), ROLLTOP_TOOL_MODE="search").returncode == 0
        after = tomllib.loads(file.read_text())
        entry = after["mcp_servers"].pop("rolltop")
        assert entry["args"][-1] == "serve"
        assert entry["env"] == {"ROLLTOP_TOOL_MODE": "search"}
        before.setdefault("mcp_servers", {}).pop("rolltop", None)
        assert after == before
        assert ("# my settings" in file.read_text(), "# keep" in file.read_text()) == (bool(text), bool(text))


@pytest.mark.parametrize("text", ["a = = 1", 'mcp_servers = {rolltop = {command = "x"}}', "mcp_servers = 3"])
def test_a_codex_file_that_cannot_be_changed_is_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(InvalidData):
        write_entry(file, "mcp_servers", "rolltop", {"command": "y"})
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("client", "entry"),
    [
        ("claude-code", {"type": "http", "url": URL}),
        ("cursor", {"url": URL}),
        ("vscode", {"type": "http", "url": URL}),
        ("codex", {"url": URL}),
        ("zed", {"url": URL}),
        ("windsurf", {"serverUrl": URL}),
        ("gemini-cli", {"httpUrl": URL}),
        ("continue", {"type": "http", "url": URL}),
        ("cline", {"type": "streamableHttp", "url": URL}),
    ],
)
def test_each_client_names_a_url_its_own_way_and_gets_the_token_of_the_server(
    client: str, entry: dict[str, str]
) -> None:
    assert url_entry(CLIENTS[client], URL, None) == entry
    with_token = url_entry(CLIENTS[client], URL, Token("secret", in_variable=False))
    name = "http_headers" if client == "codex" else "headers"
    assert with_token == {**entry, name: {"Authorization": "Bearer secret"}}


def test_links_install_the_entry(rolltop: Rolltop) -> None:
    out = rolltop("connect", "cursor")
    [link] = [word for word in out.stderr.split() if word.startswith("cursor://")]
    config = parse_qs(urlsplit(link).query)["config"][0]
    assert json.loads(base64.b64decode(config)) == entry(out)
    out = rolltop("connect", "vscode")
    [link] = [word for word in out.stderr.split() if word.startswith("vscode:mcp/install?")]
    assert json.loads(unquote(link.partition("?")[2])) == {"name": "rolltop", **entry(out)}


def test_a_mistyped_client_is_answered_with_the_nearest_and_all_are_listed(rolltop: Rolltop) -> None:
    out = rolltop("connect", "cursr")
    assert (out.returncode, "Did you mean cursor?" in out.stderr) == (2, True)
    listed = rolltop("connect").stdout.splitlines()
    assert [line.split("\t")[0] for line in listed] == list(CLIENTS)


def test_commands_are_shown_as_they_can_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    binaries = Path(sys.executable).parent
    monkeypatch.setenv("PATH", str(binaries))
    assert typed_command() == "rolltop"
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir(binaries.parent)
    assert typed_command() == f"{binaries.name}/rolltop"
    monkeypatch.chdir("/proc")
    assert typed_command() == str(binaries / "rolltop")
