"""`~/.utlx/mcp-config.yaml` and the environment variables of UTL-X."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rolltop.errors import InvalidData, InvalidInput
from rolltop.settings import load
from rolltop.transform.service import Service, ServiceConfig

CONFIG = """daemon:
  url: http://localhost:7778
  timeout: 10000
  retry_attempts: 3

server:
  port: 7790
  log_level: info

tools:
  get_examples:
    index_path: ~/.utlx/conformance-index.json
    rebuild_on_startup: true

  execute_transformation:
    timeout: 5000
    max_memory_mb: 64
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".utlx").mkdir()
    (tmp_path / ".utlx" / "mcp-config.yaml").write_text(CONFIG)
    return tmp_path


def config(home: Path, **env: str) -> ServiceConfig:
    settings = load(env={"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), **env})
    return ServiceConfig.from_section(settings.section("transform"))


def test_every_key_of_the_file_is_honoured(home: Path) -> None:
    found = config(home)
    assert found.daemon_url == "http://localhost:7778"
    assert (found.daemon_timeout, found.daemon_retries) == (10.0, 3)
    assert (found.timeout, found.memory) == (5.0, 64 << 20)
    assert found.rebuild_on_startup
    assert found.index_path is not None
    assert found.index_path.name == "conformance-index.json"
    settings = load(env={"HOME": str(home), "XDG_CONFIG_HOME": str(home)})
    assert (settings.http_port, settings.log_level) == (7790, "INFO")


def test_the_environment_comes_first(home: Path) -> None:
    found = config(home, UTLX_DAEMON_URL="http://localhost:1", UTLX_DAEMON_TIMEOUT="2500")
    assert (found.daemon_url, found.daemon_timeout) == ("http://localhost:1", 2.5)
    settings = load(env={"HOME": str(home), "XDG_CONFIG_HOME": str(home), "MCP_PORT": "7781"})
    assert settings.http_port == 7781
    assert config(home, CONFORMANCE_SUITE_PATH=str(home)).suite == home


@pytest.mark.parametrize("text", ["daemon:\n  uri: x\n", "- 1\n", "daemon: 5\n"])
def test_mistakes_are_named(home: Path, text: str) -> None:
    (home / ".utlx" / "mcp-config.yaml").write_text(text)
    with pytest.raises(InvalidInput, match=r"mcp-config\.yaml"):
        config(home)


def test_doctor_shows_them(home: Path, rolltop: Any) -> None:
    shown = rolltop("doctor", HOME=str(home)).stdout
    assert "5 s and 64 MB" in shown
    assert "http://localhost:7778" in shown


REGISTRY = """{"functions": [
  {"name": "upper", "category": "string", "description": "Ours is told instead"},
  {"name": "toKelvin", "category": "math", "description": "Degrees above absolute zero", "returnType": "Number",
   "parameters": [{"name": "celsius", "type": "Number"}]}
]}"""


def test_functions_of_another_registry_are_told_in_addition(home: Path) -> None:
    path = home / "utlx-functions.json"
    path.write_text(REGISTRY)
    found = Service(config(home, FUNCTION_REGISTRY_PATH=str(path))).functions("kelvin")
    assert [(entry.name, entry.signature, entry.callable) for entry in found] == [
        ("toKelvin", "toKelvin(celsius: Number): Number", False)
    ]
    [upper] = [entry for entry in Service(config(home)).functions("upper") if "upper" in entry.names][:1]
    assert upper.callable


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": 1}', "[1, 2]"])
def test_a_registry_that_is_none_is_named(home: Path, text: str) -> None:
    path = home / "wrong.json"
    path.write_text(text)
    with pytest.raises(InvalidData, match=r"wrong\.json"):
        Service(config(home, FUNCTION_REGISTRY_PATH=str(path))).functions("a")


def test_doctor_shows_suite_registry_and_index(home: Path, rolltop: Any) -> None:
    (home / "suite").mkdir()
    (home / "registry.json").write_text(REGISTRY)
    found = {
        "HOME": str(home),
        "CONFORMANCE_SUITE_PATH": str(home / "suite"),
        "FUNCTION_REGISTRY_PATH": str(home / "registry.json"),
        "UTLX_DAEMON_TIMEOUT": "2500",
    }
    shown = " ".join(rolltop("doctor", **found).stdout.split())
    assert "0 cases" in shown
    assert "1 functions that rolltop does not have" in shown
    assert "conformance-index.json, made anew at each start" in shown
    assert "(2.5 s, 3 retries)" in shown
    missing = rolltop("doctor", HOME=str(home), FUNCTION_REGISTRY_PATH=str(home / "none.json")).stdout
    assert "none.json cannot be read" in " ".join(missing.split())
