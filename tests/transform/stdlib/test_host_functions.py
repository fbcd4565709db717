"""What programs may know of the machine, what they log, and identifiers."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import time
import uuid
from typing import Any

import pytest

from rolltop.errors import RolltopError
from rolltop.transform.stdlib import Host, find, installed

MOMENT = dt.datetime(2024, 5, 31, 10, 30, tzinfo=dt.UTC)
TELLING = [
    "envAll", "systemPropertiesAll", "platform", "osVersion", "osArch", "availableProcessors", "memoryInfo",
    "currentDir", "homeDir", "tempDir", "username", "runtimeInfo", "environment",
]  # fmt: skip


def call(name: str, *arguments: Any) -> Any:
    declared = find(name)
    assert declared is not None
    return declared.call(*arguments)


@pytest.mark.parametrize("name", TELLING)
def test_programs_are_told_nothing_unless_the_host_is_open(name: str) -> None:
    with installed(Host()):
        call(name)
    with pytest.raises(RolltopError, match="may not read the environment"):
        call(name)


@pytest.mark.parametrize("name", ["env", "hasEnv", "systemProperty"])
def test_a_sealed_host_refuses_to_look_up(name: str) -> None:
    with installed(Host.sealed()), pytest.raises(RolltopError, match="may not"):
        call(name, "PATH")


def test_the_command_line_opens_the_environment_to_its_user() -> None:
    command = [sys.executable, "-m", "rolltop", "transform", "-e", 'env("GREETING")']
    variables = {**os.environ, "GREETING": "hello"}
    done = subprocess.run(command, env=variables, input="null", capture_output=True, text=True, check=True)
    assert "hello" in done.stdout


def test_variables_are_those_of_the_host() -> None:
    with installed(Host(environment={"A": "1", "UTLX_ENV": "test"})):
        assert call("env", "A") == "1"
        assert call("envAll") == {"A": "1", "UTLX_ENV": "test"}
        assert call("environment") == "test"
        assert call("envOrDefault", "PATH", "none") == "none"


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("log", "trace", "debug", "info", "logType", "logSize", "logPretty"):
        assert call(name, {"a": 1}) == {"a": 1}
    assert capfd.readouterr().out == ""


def test_messages_are_kept_and_forwarded() -> None:
    heard: list[tuple[str, str]] = []
    with installed(Host(now=lambda: MOMENT, log=lambda level, message: heard.append((level, message)))):
        assert call("warn", "total", 5) == 5
        assert call("debug", "hidden") == "hidden"
        call("setConsoleLogging", False)
        call("error", "quiet")
        assert heard == [("WARN", "total: 5")]
        assert [entry["message"] for entry in call("getLogs")] == ["total: 5", "quiet"]
        assert call("getLogs")[0]["timestamp"] == MOMENT
        assert (call("clearLogs"), call("logCount")) == (2, 0)


def test_logs_of_one_program_are_not_those_of_another() -> None:
    host = Host(log=lambda level, message: None)
    with installed(host):
        call("log", "mine")
        call("setLogLevel", "ERROR")
    with installed(host.fresh()):
        assert call("logCount") == 0
        assert call("isDebugMode") is False


def test_the_log_is_bounded() -> None:
    with installed(Host(log=lambda level, message: None)):
        for at in range(10_050):
            call("log", at)
        assert call("logCount") == 10_000
        assert call("getLogs")[0]["message"] == "50"
        call("log", "x" * 100_000)
        assert len(call("getLogs")[-1]["message"]) < 3_000


def test_assertions_log_and_go_on() -> None:
    with installed(Host(log=lambda level, message: None)):
        assert call("assert", False, "sum is wrong") is False
        assert call("assertEqual", [1], [1.0]) is True
        assert call("assertEqual", 1, "1") is False
        assert [entry["message"] for entry in call("getLogs")] == ["sum is wrong", "expected 1, got 1"]


def test_identifiers_are_valid_and_sort_by_time() -> None:
    made = call("generateUuidV7Batch", 1000)
    assert made == sorted(made)
    assert len(set(made)) == 1000
    assert {uuid.UUID(text).version for text in made} == {7}
    assert abs(call("extractTimestampFromUuidV7", made[0]) - time.time() * 1000) < 60_000
    assert uuid.UUID(call("generateUuid")).version == 4


@pytest.mark.parametrize(
    "text", ["", "x", "{018fd1a2-5b00-7abc-8def-0123456789ab}", "018fd1a25b007abc8def0123456789ab", 5, None]
)
def test_what_is_no_identifier(text: Any) -> None:
    assert call("isValidUuid", text) is False
    assert call("isUuidV7", text) is False


def test_a_batch_is_bounded() -> None:
    with pytest.raises(RolltopError, match="limit"):
        call("generateUuidV7Batch", 10**9)
