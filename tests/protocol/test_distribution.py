"""What ships beside the package: the bundle's manifest and the registry's server.json."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import jsonschema

from rolltop import __version__

ROOT = Path(__file__).parents[2]
MANIFEST = json.loads((ROOT / "manifest.json").read_text())
SERVER = json.loads((ROOT / "server.json").read_text())

ARGUMENT = {
    "type": "object",
    "properties": {"type": {"enum": ["positional", "named"]}},
    "required": ["type"],
    "anyOf": [{"required": ["value"]}, {"required": ["valueHint"]}, {"required": ["name"]}],
}
VARIABLE = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "description": {"type": "string"},
        "format": {"enum": ["string", "number", "boolean", "filepath"]},
        "isRequired": {"type": "boolean"},
        "isSecret": {"type": "boolean"},
        "default": {"type": "string"},
    },
    "required": ["name"],
    "additionalProperties": False,
}
PACKAGE = {
    "type": "object",
    "properties": {
        "registryType": {"enum": ["npm", "pypi", "oci", "nuget", "mcpb"]},
        "identifier": {"type": "string"},
        "version": {"type": "string", "minLength": 1, "not": {"const": "latest"}},
        "runtimeHint": {"type": "string"},
        "transport": {"type": "object", "properties": {"type": {"const": "stdio"}}, "required": ["type"]},
        "packageArguments": {"type": "array", "items": ARGUMENT},
        "environmentVariables": {"type": "array", "items": VARIABLE},
    },
    "required": ["registryType", "identifier", "version", "transport"],
    "additionalProperties": False,
}
SERVER_RULES = {
    "type": "object",
    "properties": {
        "$schema": {"type": "string", "pattern": r"/schemas/\d{4}-\d{2}-\d{2}/server\.schema\.json$"},
        "name": {"type": "string", "pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "minLength": 3, "maxLength": 200},
        "title": {"type": "string", "minLength": 1, "maxLength": 100},
        "description": {"type": "string", "minLength": 1, "maxLength": 100},
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
        "packages": {"type": "array", "items": PACKAGE, "minItems": 1},
    },
    "required": ["$schema", "name", "description", "version", "packages"],
    "additionalProperties": False,
}
"""What the registry's schema says about the fields that we use, and no field beyond them."""


def test_the_bundle_manifest_is_valid(node: Any) -> None:
    done = node("node_modules/.bin/mcpb", "validate", str(ROOT / "manifest.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (ROOT / MANIFEST["server"]["entry_point"]).exists()


def test_the_bundle_holds_what_runs_and_nothing_else(node: Any, tmp_path: Path) -> None:
    done = node("node_modules/.bin/mcpb", "pack", str(ROOT), str(tmp_path / "rolltop.mcpb"))
    assert done.returncode == 0, done.stdout + done.stderr
    names = zipfile.ZipFile(tmp_path / "rolltop.mcpb").namelist()
    assert {MANIFEST["server"]["entry_point"], "pyproject.toml", "manifest.json", "LICENSE", "README.md"} <= set(names)
    assert {name for name in names if "/" in name and not name.startswith("src/")} == set()
    listed = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert set(listed.split("\n")) - {""} <= set(names)


def test_the_unpacked_bundle_serves_every_tool_set(node: Any, tmp_path: Path, environment: dict[str, str]) -> None:
    done = node("node_modules/.bin/mcpb", "pack", str(ROOT), str(tmp_path / "rolltop.mcpb"))
    assert done.returncode == 0, done.stdout + done.stderr
    zipfile.ZipFile(tmp_path / "rolltop.mcpb").extractall(tmp_path / "bundle")
    here = {**environment, "PYTHONPATH": str(tmp_path / "bundle" / "src")}
    program = "import rolltop; print(rolltop.__file__)"
    where = subprocess.run([sys.executable, "-c", program], env=here, capture_output=True, text=True, check=True)
    assert str(tmp_path) in where.stdout
    shown = subprocess.run(
        [sys.executable, "-m", "rolltop", "toolsets", "--json"], env=here, capture_output=True, text=True, check=False
    )
    sets = {each["toolset"]: each for each in json.loads(shown.stdout)}
    assert {"store", "transform", "reports", "catalog", "guide"} <= {
        name for name, each in sets.items() if each["served"]
    }


def test_the_registry_entry_is_valid() -> None:
    jsonschema.validate(SERVER, SERVER_RULES)
    assert f"<!-- mcp-name: {SERVER['name']} -->" in (ROOT / "README.md").read_text()  # the registry looks for it


def test_versions_agree() -> None:
    assert MANIFEST["version"] == SERVER["version"] == SERVER["packages"][0]["version"] == __version__


def test_what_both_start_is_a_server(rolltop: Any) -> None:
    assert MANIFEST["server"]["mcp_config"]["args"][-2:] == ["rolltop", "serve"]
    assert SERVER["packages"][0]["packageArguments"] == [{"type": "positional", "value": "serve"}]
    answer = rolltop("serve", stdin='{"jsonrpc":"2.0","id":1,"method":"ping"}\n', ROLLTOP_TOOLSETS="")
    assert json.loads(answer.stdout)["id"] == 1
