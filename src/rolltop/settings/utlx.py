"""Settings that UTL-X's own tools use: `~/.utlx/mcp-config.yaml` and its environment variables.

The environment wins over rolltop's configuration file, which wins over this one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rolltop.errors import InvalidData, InvalidInput

__all__ = ["VARIABLES", "config_file", "from_environment", "read_config"]

VARIABLES = {
    "UTLX_DAEMON_URL": "daemon_url",
    "UTLX_DAEMON_TOKEN": "daemon_token",
    "UTLX_DAEMON_TIMEOUT": "daemon_timeout",
    "CONFORMANCE_SUITE_PATH": "suite",
    "FUNCTION_REGISTRY_PATH": "registry",
}
"""Environment variables, with the key of the section `transform` that each sets."""
_KEYS = {
    ("daemon", "url"): "daemon_url",
    ("daemon", "timeout"): "daemon_timeout",
    ("daemon", "retry_attempts"): "daemon_retries",
    ("tools", "get_examples", "index_path"): "index_path",
    ("tools", "get_examples", "rebuild_on_startup"): "rebuild_on_startup",
    ("tools", "execute_transformation", "timeout"): "timeout",
    ("tools", "execute_transformation", "max_memory_mb"): "max_memory_mb",
    ("server", "port"): "http_port",
    ("server", "log_level"): "log_level",
}
SERVER = ("http_port", "log_level")
"""Keys that are settings of the server, not of the section."""


def config_file(env: Mapping[str, str]) -> Path | None:
    """The path of the file; None without a home directory."""
    home = env.get("HOME")
    return Path(home) / ".utlx" / "mcp-config.yaml" if home else None


def from_environment(env: Mapping[str, str]) -> dict[str, Any]:
    """Values for the section `transform` from the variables."""
    return {key: env[variable] for variable, key in VARIABLES.items() if env.get(variable)}


def read_config(env: Mapping[str, str]) -> dict[str, Any]:
    """Values of the file under our names of settings; an absent file is empty."""
    path = config_file(env)
    try:
        text = path.read_text("utf-8") if path else ""
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from None
    if not text.strip():
        return {}
    return _flat(_parsed(text, path), (), path)


def _parsed(text: str, path: Path | None) -> Any:
    import yaml  # noqa: PLC0415 - only when there is a file

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise InvalidData(f"{path} is not valid YAML: {error}", hint="Correct it, or move it away.") from None


def _flat(node: Any, above: tuple[str, ...], path: Path | None) -> dict[str, Any]:
    if not isinstance(node, dict):
        raise InvalidInput(f"{path}: {'.'.join(above) or 'the document'} must be a mapping")
    found: dict[str, Any] = {}
    for key, value in node.items():
        place = (*above, str(key))
        if place in _KEYS:
            found[_KEYS[place]] = value
        elif any(known[: len(place)] == place for known in _KEYS):
            found.update(_flat(value, place, path))
        else:
            known = ", ".join(".".join(each) for each in _KEYS)
            raise InvalidInput(f"{path} has an unknown key {'.'.join(place)}", hint=f"Known are {known}.")
    return found
