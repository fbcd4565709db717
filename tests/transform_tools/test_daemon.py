"""The daemon as a process of its own, and the tools that use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rolltop.errors import RolltopError
from rolltop.transform.service import Service, ServiceConfig
from rolltop.transform.service.wire import request_for

RUN = {"data": "{}", "input_format": "json", "output_format": "json"}


@pytest.fixture
def daemon(environment: dict[str, str]) -> Iterator[Callable[..., tuple[subprocess.Popen[str], str]]]:
    running: list[subprocess.Popen[str]] = []

    def start(port: int = 0, *, token: bool = False, **env: str) -> tuple[subprocess.Popen[str], str]:
        opened = [] if token or "ROLLTOP_HTTP_TOKEN" in env else ["--no-token"]
        command = [sys.executable, "-m", "rolltop", "daemon", "--port", str(port), *opened]
        process = subprocess.Popen(command, env={**environment, **env}, stderr=subprocess.PIPE, text=True)
        running.append(process)
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("rolltop daemon listens on "), line
        return process, line.split()[-1]

    yield start
    for process in running:
        process.terminate()
        process.wait(120)
        assert process.stderr is not None
        process.stderr.close()


def post(url: str, body: Any, headers: dict[str, str] | None = None) -> tuple[int, Any]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def test_the_daemon_asks_for_the_token_that_tools_of_its_workspace_have(daemon: Any, rolltop: Any) -> None:
    _, url = daemon(token=True)
    status, answer = post(f"{url}/api/validate", {"content": "1"})
    assert (status, answer["error"]["code"]) == (401, "INVALID_INPUT")
    given = json.dumps({"transformation": "1 + 1", "inputData": "{}", "inputFormat": "json", "outputFormat": "json"})
    out = rolltop("call", "execute_transformation", given, UTLX_DAEMON_URL=url)
    assert json.loads(out.stdout)["data"]["output"] == "2"
    out = rolltop("call", "execute_transformation", given, UTLX_DAEMON_URL=url, UTLX_DAEMON_TOKEN="another-one")
    assert "refuses the token" in out.stdout


def test_the_four_endpoints(daemon: Any) -> None:
    _, url = daemon(ROLLTOP_TRANSFORM_TIMEOUT="2000", ROLLTOP_HTTP_BODY_LIMIT="5000")
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    status, answer = post(f"{url}/api/parse-schema", {"format": "json-schema", "content": json.dumps(schema)})
    assert (status, answer["data"]["structure"]["properties"]["a"]["type"]) == (200, "integer")
    status, answer = post(f"{url}/api/infer-schema", {"format": "json", "data": '{"a": 1}'})
    assert (status, answer["data"]["structure"]["type"]) == (200, "object")
    status, answer = post(f"{url}/api/infer-schema", {"transformation": "$input.a + 1", "inputSchema": schema})
    assert (status, answer["data"]["outputSchema"]) == (200, {"type": "integer"})
    status, answer = post(f"{url}/api/validate", {"content": "{ a: nope }"})
    assert (status, answer["data"]["valid"]) == (200, False)
    body = {"transformation": "$input.a * 2", "input": '{"a": 4}', "inputFormat": "json", "outputFormat": "json"}
    status, answer = post(f"{url}/api/execute", body)
    assert (status, answer["data"]["output"]) == (200, "8")
    latin = {**body, "transformation": "$input.a", "input": "<?xml version='1.0' encoding='latin-1'?><a>\xe9</a>"}
    status, answer = post(f"{url}/api/execute", {**latin, "inputFormat": "xml", "binary": True})
    assert (status, answer["data"]["output"]) == (200, '"\xe9"')
    status, answer = post(f"{url}/api/infer-schema", {"format": "csv", "data": "a;b\n1;\xe9\n", "binary": True})
    assert answer["data"]["options"] == {"delimiter": ";", "encoding": "cp1252"}
    status, answer = post(f"{url}/api/execute", {**body, "transformation": "{"})
    assert (status, answer["error"]["code"]) == (422, "VALIDATION_ERROR")
    assert post(f"{url}/api/execute", {"transformation": "1"})[0] == 400
    assert post(f"{url}/api/execute", b"not json")[0] == 400
    assert post(f"{url}/api/execute", {**body, "input": "x" * 6000})[0] == 413
    status, answer = post(f"{url}/api/execute", body, {"Origin": "https://evil.example"})
    assert (status, answer["success"], answer["error"]["code"]) == (403, False, "INVALID_INPUT")
    with urllib.request.urlopen(f"{url}/openapi.json", timeout=120) as page:
        assert set(json.loads(page.read())["paths"]) >= {"/api/parse-schema", "/api/validate"}


def test_a_daemon_is_sent_text_where_that_is_what_bytes_are() -> None:
    data = {"transformation": "1", "input_format": "csv", "output_format": "json", "binary": True}
    assert request_for("execute", {**data, "data": "é".encode().decode("latin-1")})[1]["input"] == "é"
    assert "binary" not in request_for("execute", {**data, "data": "é".encode().decode("latin-1")})[1]
    assert request_for("execute", {**data, "data": "\xe9"})[1]["binary"] is True


def test_tools_survive_the_death_and_return_of_a_daemon(daemon: Any) -> None:
    process, url = daemon()
    service = Service(ServiceConfig(daemon_url=url, daemon_timeout=120, daemon_retries=1))
    assert service.ask_blocking("execute", transformation="1 + 1", **RUN)["output"] == "2"
    with pytest.raises(RolltopError) as invalid:
        service.ask_blocking("execute", transformation="{", **RUN)
    assert invalid.value.error_type == "VALIDATION_ERROR"
    assert invalid.value.details["line"] == 1
    process.terminate()
    assert process.wait(120) == 0
    with pytest.raises(RolltopError) as gone:
        service.ask_blocking("execute", transformation="1 + 1", **RUN)
    assert gone.value.error_type == "DAEMON_CONNECTION_ERROR"
    daemon(port=int(url.rpartition(":")[2]))
    assert service.ask_blocking("execute", transformation="1 + 1", **RUN)["output"] == "2"
    assert "pool" not in service.__dict__


def test_a_daemon_that_does_not_answer_is_a_timeout(free_port: int) -> None:
    import socket

    with socket.create_server(("127.0.0.1", free_port)):
        url = f"http://127.0.0.1:{free_port}"
        service = Service(ServiceConfig(daemon_url=url, daemon_timeout=0.3, daemon_retries=1))
        with pytest.raises(RolltopError) as late:
            service.ask_blocking("validate", transformation="1")
        assert late.value.error_type == "TIMEOUT"


@pytest.mark.anyio
async def test_the_tools_use_the_daemon_that_the_environment_names(
    stdio_client: Any, daemon: Any, free_port: int
) -> None:
    _, url = daemon()
    arguments = {"transformation": "1 + 1", "inputData": "{}", "inputFormat": "json", "outputFormat": "json"}
    async with stdio_client("--toolsets", "transform", env={"UTLX_DAEMON_URL": url}) as client:
        answer = await client.call_tool("execute_transformation", arguments)
        assert answer.structured_content["data"]["output"] == "2"
    nobody = {"UTLX_DAEMON_URL": f"http://127.0.0.1:{free_port}", "ROLLTOP_TRANSFORM_DAEMON_RETRIES": "0"}
    async with stdio_client("--toolsets", "transform", env=nobody) as client:
        answer = await client.call_tool("execute_transformation", arguments)
        assert answer.structured_content["error"]["code"] == "DAEMON_CONNECTION_ERROR"


def test_no_process_is_left(daemon: Any) -> None:
    process, _ = daemon()
    process.terminate()
    process.wait(120)
    assert not os.path.exists(f"/proc/{process.pid}")
