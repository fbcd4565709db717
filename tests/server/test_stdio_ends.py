"""How a stdio server starts and ends when its ends are not the pipes of a client."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SERVE = f"{sys.executable} -m rolltop serve"
ASKED = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    file = tmp_path / "asked.jsonl"
    file.write_text("".join(json.dumps(message) + "\n" for message in ASKED))
    return file


def run(line: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("line", ["</dev/null", "</dev/null >/dev/null", "< {asked} >/dev/null", "< {asked} 2>&-"])
def test_the_end_of_input_is_a_good_end(environment: dict[str, str], asked: Path, line: str) -> None:
    for _ in range(2):  # the second start answers from what the first one kept
        out = run(f"{SERVE} {line.format(asked=asked)}", environment)
        assert (out.returncode, out.stderr) == (0, "")


def test_answers_go_into_a_file_and_come_from_one(environment: dict[str, str], asked: Path, tmp_path: Path) -> None:
    for _ in range(2):
        assert run(f"{SERVE} < {asked} > {tmp_path}/out", environment).returncode == 0
        answers = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
        # Input ends at once, and a busy machine may not answer everything in the time that is left then.
        assert {answer["id"] for answer in answers} in ({1, 2}, {1}, {2})


@pytest.mark.parametrize(("line", "end"), [("<&-", "input"), ("</dev/null >&-", "output")])
def test_a_closed_end_is_named(environment: dict[str, str], line: str, end: str) -> None:
    for options in ("", "--catalog-group x"):  # the fast way to start, and the plain one
        out = run(f"{SERVE} {options} {line}", environment)
        assert out.returncode == 2
        assert out.stderr.startswith(f"Error: standard {end} is closed")
        assert len(out.stderr.splitlines()) == 2


def test_a_client_that_leaves_is_a_good_end(environment: dict[str, str], asked: Path) -> None:
    for _ in range(2):
        out = run(f"{SERVE} < {asked} | head -c 10", environment)
        assert (out.returncode, out.stderr) == (0, "")


@pytest.mark.parametrize("more", [b"", b'{"jsonrpc":"2.0","id":9,"method":"ping"}\n'])
def test_a_client_that_stops_reading_ends_the_server(environment: dict[str, str], asked: Path, more: bytes) -> None:
    """Though it keeps its other end open."""
    server = subprocess.Popen(SERVE.split(), env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(asked.read_bytes())
    server.stdin.flush()
    server.stdout.readline()
    server.stdout.close()
    server.stdin.write(more)
    server.stdin.flush()
    assert server.wait(120) == 0
    server.stdin.close()


def test_answers_that_cannot_be_written_are_a_failure(environment: dict[str, str], asked: Path) -> None:
    for _ in range(2):
        out = run(f"{SERVE} < {asked} > /dev/full", environment)
        assert out.returncode == 1
        assert out.stderr == "rolltop: answers cannot be written to standard output: No space left on device\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_server_that_still_loads(environment: dict[str, str], asked: Path, number: int) -> None:
    run(f"{SERVE} < {asked}", environment)  # keeps the answer that the next one gives before it is loaded
    with subprocess.Popen(SERVE.split(), env=environment, stdin=-1, stdout=-1, stderr=-1, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(ASKED[0]) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        server.send_signal(number)
        _, errors = server.communicate(timeout=120)
    assert (server.returncode, errors) == (0, "")


def test_nothing_is_left_open(environment: dict[str, str], asked: Path) -> None:
    serve = SERVE.replace(" -m ", " -X dev -W default -m ")
    with subprocess.Popen(serve.split(), env=environment, stdin=-1, stdout=-1, stderr=-1, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(asked.read_text())
        server.stdin.flush()
        assert any('"id":2' in line for line in iter(server.stdout.readline, ""))
        _, errors = server.communicate(timeout=120)
    assert server.returncode == 0
    assert "ResourceWarning" not in errors
