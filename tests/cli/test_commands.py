"""The command line, as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from rolltop.cli.main import COMMANDS, cli

Rolltop = Callable[..., subprocess.CompletedProcess[str]]
EXAMPLES = {"MCP_INCLUDE_EXAMPLE_TOOLS": "true"}
JOB = {"transformation": "$input", "inputData": "1", "inputFormat": "json", "outputFormat": "json"}


def test_version(rolltop: Rolltop) -> None:
    assert rolltop("--version").stdout.startswith("rolltop, version ")


def test_every_help_text_has_the_exit_codes(rolltop: Rolltop) -> None:
    for command in (["serve"], ["transform", "run"]):
        out = rolltop(*command, "--help")
        assert out.returncode == 0, out.stderr
        assert "5 a needed part is missing" in " ".join(out.stdout.split())
    without = [context.command_path for context in every_command(cli) if not context.command.epilog]
    assert without == []


def every_command(command: click.Command, above: click.Context | None = None) -> Iterator[click.Context]:
    context = click.Context(command, parent=above, info_name=command.name)
    yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from every_command(below, context)


def test_call_prints_the_exact_answer(rolltop: Rolltop) -> None:
    out = rolltop("call", "example_echo", "--json", '{"text": "hé"}', **EXAMPLES)
    assert out.returncode == 0
    assert json.loads(out.stdout)["value"] == {"text": "hé", "length": 2}
    assert out.stderr == ""
    assert rolltop("call", "example_echo", '{"text": "hé"}', **EXAMPLES).stdout == out.stdout


def test_call_takes_arguments_from_stdin_and_files(rolltop: Rolltop, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"text": "file"}')
    piped = rolltop("call", "example_echo", "--json", "-", stdin='{"text": "pipe"}', **EXAMPLES)
    from_file = rolltop("call", "example_echo", "--json", f"@{tmp_path / 'a.json'}", **EXAMPLES)
    assert [json.loads(out.stdout)["value"]["text"] for out in (piped, from_file)] == ["pipe", "file"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["call", "example_echo", "--json", "{}"], 2, "text: is required"),
        (["call", "example_echo", "--json", "nope"], 2, "not JSON"),
        (["call", "example_echo", "{}", "--json", "{}"], 2, "given twice"),
        (["call", "example_echo", ""], 2, "not JSON"),
        (["call", "exmple_echo"], 3, "did you mean example_echo"),
        (["call", "forget_everything", "--json", '{"what": "it"}'], 7, "consent_required"),
        (["call", "read_resource", "--json", '{"uri": "tool://nothing"}'], 3, "there is no resource"),
        (["call", "execute_transformation", "{}"], 2, "INVALID_INPUT"),
        (["call", "execute_transformation", json.dumps({**JOB, "transformation": "{"})], 4, "VALIDATION_ERROR"),
        (["call", "execute_transformation", json.dumps({**JOB, "inputData": "{"})], 4, "PARSE_ERROR"),
        (["call", "execute_transformation", json.dumps({**JOB, "transformation": "[1][5]"})], 1, "EXECUTION_ERROR"),
        (["--workspace", "", "store", "stats"], 2, "the setting workspace from command line"),
        (["journal", "-n", "-1"], 2, "-1 is not in the range"),
        (["demo", "--toolsets", "stor"], 2, "did you mean store"),
        (["tools", "show", "nothing"], 3, "there is no tool"),
        (["--workspace", "/proc/nowhere", "doctor"], 1, "cannot be used"),
        (["doctor", "--workspace", "/proc/nowhere"], 1, "cannot be used"),
        (["doctor", "--workspace=/proc/nowhere"], 1, "cannot be used"),
        (["store", "list", "--workspace"], 2, "requires an argument"),
        (["store", "search", "--", "--workspace"], 1, ""),
        (["serve", "--bogus"], 2, "No such option"),
        (["toolsets", "--toolsets", "nope"], 2, "there is no tool set"),
    ],
)
def test_exit_codes_say_what_went_wrong(rolltop: Rolltop, arguments: list[str], code: int, said: str) -> None:
    out = rolltop(*arguments, **EXAMPLES)
    assert (out.returncode, said in out.stdout + out.stderr) == (code, True), out


@pytest.mark.parametrize(
    ("typed", "meant"),
    [(["stor"], "'store'"), (["store", "ls"], "'list'"), (["store", "serach"], "'search'"), (["start"], "'serve'")],
)
def test_a_mistyped_command_is_answered_with_the_nearest(rolltop: Rolltop, typed: list[str], meant: str) -> None:
    out = rolltop(*typed)
    assert out.returncode == 2
    assert f"Did you mean {meant}" in out.stderr


def test_a_transformation_that_takes_too_long_reaches_a_limit(rolltop: Rolltop) -> None:
    endless = 'let n = split(repeat("x,", 3000), ",")\nmap(n, a => map(n, b => map(n, c => a + b + c) |> count))'
    job = json.dumps({**JOB, "transformation": endless})
    out = rolltop("call", "execute_transformation", job, ROLLTOP_TRANSFORM_TIMEOUT="1000")
    assert (out.returncode, json.loads(out.stdout)["error"]["code"]) == (6, "TIMEOUT")


def test_yes_agrees(rolltop: Rolltop) -> None:
    assert rolltop("call", "forget_everything", "--json", '{"what": "it"}', "--yes", **EXAMPLES).returncode == 0


def test_a_broken_configuration_is_named_with_its_line(rolltop: Rolltop, tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text('workspace = "x"\nread_only = = 1\n')
    out = rolltop("doctor", ROLLTOP_CONFIG=str(file))
    assert out.returncode == 4
    assert f"{file}:2:" in out.stderr
    file.write_text("workspce = 1\n")
    out = rolltop("doctor", ROLLTOP_CONFIG=str(file))
    assert (out.returncode, "did you mean workspace" in out.stderr) == (2, True)


def test_tools_show_gives_the_four_sections(rolltop: Rolltop) -> None:
    out = rolltop("tools", "show", "read_resource").stdout
    headings = [line for line in out.splitlines() if line.startswith("## ")]
    assert headings == ["## Description", "## JSON Schema", "## Usage Instructions", "## Concrete Examples"]


def test_lint_passes(rolltop: Rolltop) -> None:
    out = rolltop("tools", "lint")
    assert out.returncode == 0, out.stdout


@pytest.mark.parametrize(
    ("client", "key"),
    [("claude-desktop", "mcpServers"), ("claude-code", "mcpServers"), ("cursor", "mcpServers"), ("vscode", "servers")],
)
def test_connect_writes_a_clients_file_and_keeps_what_is_in_it(
    rolltop: Rolltop, tmp_path: Path, client: str, key: str
) -> None:
    file = tmp_path / "sub" / "config.json"
    file.parent.mkdir()
    file.write_text(json.dumps({key: {"other": {"command": "x"}}, "theme": "dark"}))
    assert rolltop("connect", client, "--write", "--file", str(file)).returncode == 0
    written = json.loads(file.read_text())
    assert written["theme"] == "dark"
    assert set(written[key]) == {"other", "rolltop"}
    assert written[key]["rolltop"]["args"][-1] == "serve"
    printed = json.loads(rolltop("connect", client, "--url", "http://127.0.0.1:7779/mcp").stdout)
    assert "127.0.0.1:7779" in json.dumps(printed[key]["rolltop"])


def test_connect_does_not_touch_a_broken_file(rolltop: Rolltop, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text("{ not json")
    out = rolltop("connect", "cursor", "--write", "--file", str(file))
    assert out.returncode == 4
    assert file.read_text() == "{ not json"


def test_doctor_shows_settings_and_where_they_came_from_but_no_secret(rolltop: Rolltop) -> None:
    out = rolltop("doctor", "--settings", "--json", ROLLTOP_HTTP_TOKEN="hunter2-hunter2")
    settings = {row["name"]: row for row in json.loads(out.stdout)["settings"]}
    assert settings["http_token"]["value"] == "***"
    assert settings["http_token"]["from"] == "ROLLTOP_HTTP_TOKEN"
    assert "hunter2" not in out.stdout + out.stderr


def test_a_prefix_that_nobody_set_is_shown_as_the_default(rolltop: Rolltop) -> None:
    for given, source in (({}, "default"), ({"MCP_TOOL_PREFIX": "guide"}, "MCP_TOOL_PREFIX")):
        out = rolltop("doctor", "--settings", "--json", **given)
        assert {row["name"]: row["from"] for row in json.loads(out.stdout)["settings"]}["tool_prefix"] == source


def test_doctor_tells_of_the_workspace_among_the_rest(rolltop: Rolltop) -> None:
    out = rolltop("doctor", "--workspace", "/proc/nowhere")
    assert out.returncode == 1
    assert "✘ the workspace /proc/nowhere cannot be used" in out.stdout
    assert "✔ store" in out.stdout


def test_an_empty_variable_names_no_workspace(rolltop: Rolltop, environment: dict[str, str], tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    line = [sys.executable, "-m", "rolltop", "call", "store_text", '{"content": "a", "name": "a.txt"}']
    empty = {**environment, "ROLLTOP_WORKSPACE": "", "ROLLTOP_LOG_FILE": ""}
    subprocess.run(line, cwd=here, env=empty, capture_output=True, check=True)
    assert not list(here.iterdir())
    assert (Path(environment["XDG_DATA_HOME"]) / "rolltop" / "workspace.json").exists()


def test_a_working_directory_that_was_removed_stops_nothing(environment: dict[str, str], tmp_path: Path) -> None:
    command = f"{sys.executable} -m rolltop"
    line = f"mkdir {tmp_path}/gone && cd {tmp_path}/gone && rmdir {tmp_path}/gone && {command}"
    out = subprocess.run(["bash", "-c", f"{line} toolsets"], env=environment, capture_output=True, check=False)
    assert (out.returncode, out.stderr) == (0, b"")
    relative = ["bash", "-c", f"{line} --workspace here toolsets"]
    out = subprocess.run(relative, env=environment, capture_output=True, check=False)
    assert (out.returncode, b"expected a full path" in out.stderr) == (2, True)


def test_call_logs_where_the_settings_say(rolltop: Rolltop, tmp_path: Path) -> None:
    log = tmp_path / "log"
    out = rolltop("--log-level", "TRACE", "call", "get_stats", ROLLTOP_LOG_FILE=str(log))
    assert (out.returncode, out.stderr) == (0, "")
    assert "get_stats" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600
    out = rolltop("call", "get_stats", ROLLTOP_LOG_FILE=str(tmp_path / "no" / "log"))
    assert (out.returncode, "the setting log_file from ROLLTOP_LOG_FILE cannot be used" in out.stderr) == (2, True)


def test_what_is_made_in_a_workspace_is_for_its_user_alone(environment: dict[str, str], tmp_path: Path) -> None:
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o755)
    command = f"{sys.executable} -m rolltop --workspace {open_to_all}"
    note = json.dumps({"content": "a", "name": "a.txt"})
    line = f"umask 000; {command} call store_text '{note}' && {command} reports new note"
    subprocess.run(["bash", "-c", line], env=environment, capture_output=True, check=True)
    assert {path.name for path in open_to_all.iterdir()} >= {"journal.sqlite", "workspace.json", "store", "rmd"}
    assert [path.name for path in open_to_all.iterdir() if path.stat().st_mode & 0o077] == []


def test_nobody_minds_a_closed_pipe(environment: dict[str, str]) -> None:
    out = subprocess.run(
        f"{sys.executable} -m rolltop tools list --json | head -c 1",
        shell=True,
        env=environment,
        capture_output=True,
        check=True,
    )
    assert out.stderr == b""


def test_a_reader_that_leaves_is_no_failure(environment: dict[str, str]) -> None:
    line = f"{sys.executable} -m rolltop tools list --json | head -c 1 > /dev/null; exit ${{PIPESTATUS[0]}}"
    for unbuffered in ("", "1"):
        out = subprocess.run(
            ["bash", "-c", line],
            env={**environment, "PYTHONUNBUFFERED": unbuffered},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (out.returncode, out.stderr) == (0, "")


def test_a_call_that_nobody_can_agree_to_says_how_to(rolltop: Rolltop) -> None:
    out = rolltop("call", "forget_everything", '{"what": "it"}', **EXAMPLES)
    assert out.returncode == 7
    assert "--yes agrees" in out.stderr
    assert "did not agree" not in out.stdout


def test_the_page_has_every_command() -> None:
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
    missing = [name for name in COMMANDS if f"| `rolltop {name}" not in page]
    assert missing == []


def test_a_report_that_cannot_be_shown_is_a_failure(rolltop: Rolltop, tmp_path: Path) -> None:
    output = tmp_path / "workspace" / "rmd" / "output"
    output.mkdir(parents=True)
    (output / "cars.html").write_text("<p>cars</p>")
    desktop = tmp_path / "desktop"
    desktop.mkdir()
    starter = desktop / ("open" if sys.platform == "darwin" else "xdg-open")
    for code in (3, 0):
        starter.write_text(f"#!/bin/sh\nexit {code}\n")
        starter.chmod(0o755)
        out = rolltop("reports", "open", "cars", PATH=f"{desktop}:/usr/bin:/bin")
        assert (out.returncode, "could not open cars.html" in out.stderr) == ((1, True) if code else (0, False))
