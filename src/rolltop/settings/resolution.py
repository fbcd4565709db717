"""Resolve every setting once: command line, then environment, then configuration file, then default."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rolltop.errors import InvalidData, InvalidInput, Position
from rolltop.settings import utlx as utlx_settings
from rolltop.settings import values as read
from rolltop.settings.directories import (
    config_path,
    default_roots,
    default_workspace,
    home_directory,
    working_directory,
)
from rolltop.settings.options import OPTIONS, SECTIONS, Option, Settings

__all__ = ["load", "read_config", "unknown_variables"]


_BY_KEY = {option.key: option for option in OPTIONS}


def load(
    given: Mapping[str, Any] | None = None,
    *,
    env: Mapping[str, str] | None = None,
    config: Path | None = None,
    prefix_is_default: bool = False,
) -> Settings:
    """Resolve all settings. `given` holds what the command line set (absent or None: not set).

    `prefix_is_default`: the environment's tool prefix was put there by us, not by the user.
    """
    env = os.environ if env is None else env
    path = config or config_path(env)
    if path is None:  # without a home directory, it is in the workspace
        path = _workspace(given or {}, env) / "config.toml"
    must_exist = config is not None or bool(env.get("ROLLTOP_CONFIG"))
    document = read_config(path, must_exist=must_exist, keys=[*_BY_KEY], sections=SECTIONS)
    values: dict[str, Any] = {"config": path}
    sources: dict[str, str] = {}
    for option in OPTIONS:
        found = _resolve(option, given or {}, env, document, path)
        if found is not None:
            values[option.name], sources[option.name] = found
    utlx = utlx_settings.read_config(env)
    for name in utlx_settings.SERVER:
        if name in utlx and name not in sources:
            origin = str(utlx_settings.config_file(env))
            values[name], sources[name] = _parsed(_BY_KEY[name], utlx[name], origin), origin
    if "workspace" not in values:
        values["workspace"] = default_workspace(env)
    values.setdefault("roots", default_roots(working_directory(), home_directory()))
    return Settings(
        **values,
        prefix_is_default=prefix_is_default and sources.get("tool_prefix") == "MCP_TOOL_PREFIX",
        started_in=env.get("PWD"),
        sections={name: _section(name, document, env, utlx) for name in SECTIONS},
        sources=MappingProxyType(sources),
    )


def _workspace(given: Mapping[str, Any], env: Mapping[str, str]) -> Path:
    """The workspace as far as the command line and the environment name it."""
    found = _resolve(_BY_KEY["workspace"], given, env, {}, Path())
    return found[0] if found else default_workspace(env)


def _resolve(
    option: Option, given: Mapping[str, Any], env: Mapping[str, str], document: Mapping[str, Any], path: Path
) -> tuple[Any, str] | None:
    if (value := given.get(option.name)) is not None:
        return _parsed(option, value, "command line"), "command line"
    for variable in option.env:
        # An empty variable that should name a place names none: it would be the working directory.
        if variable in env and (env[variable].strip() or option.parse is not read.path):
            return _parsed(option, env[variable], variable), variable
    if option.key in document:
        return _parsed(option, document[option.key], str(path)), str(path)
    return None


def _parsed(option: Option, value: Any, source: str) -> Any:
    try:
        return option.parse(_as_text(value, os.pathsep if option.parse is read.paths else ","))
    except ValueError as error:
        shown = "" if option.secret else f": {error}"
        raise InvalidInput(
            f"the setting {option.name} from {source} is not valid{shown}", hint=option.meaning
        ) from None


def _as_text(value: Any, separator: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return separator.join(str(item) for item in value)
    return str(value)


def _section(
    name: str, document: Mapping[str, Any], env: Mapping[str, str], utlx: Mapping[str, Any]
) -> Mapping[str, Any]:
    marker = f"ROLLTOP_{name.upper()}_"
    merged: dict[str, Any] = {}
    if name == "transform":
        merged.update({key: value for key, value in utlx.items() if key not in utlx_settings.SERVER})
    merged.update(document.get(name, {}))
    if name == "transform":
        merged.update(utlx_settings.from_environment(env))
    merged.update({key[len(marker) :].lower(): value for key, value in env.items() if key.startswith(marker)})
    return MappingProxyType(merged)


def read_config(path: Path, *, must_exist: bool, keys: Sequence[str], sections: Sequence[str]) -> Mapping[str, Any]:
    """Read the file; an absent one is empty. Errors carry their position in it."""
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        if must_exist:
            raise InvalidInput(f"the configuration file {path} does not exist") from None
        return {}
    except OSError as error:
        raise InvalidInput(f"the configuration file {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InvalidData(
            f"the configuration file {path} is not UTF-8 text: byte {error.start + 1} is not valid",
            hint="Save it as UTF-8, or move it away to start from the defaults.",
        ) from None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line, column = _toml_position(str(error))
        raise InvalidData(
            f"the configuration file is not valid TOML: {error}",
            position=Position(line, column, str(path)),
            hint="Correct the line, or move the file away to start from the defaults.",
        ) from None
    _refuse_unknown(document, path, keys, sections)
    return document


def _toml_position(message: str) -> tuple[int, int]:
    words = message.replace(",", " ").replace(")", " ").split()
    numbers = [int(word) for word in words if word.isdigit()]
    return (numbers[-2], numbers[-1]) if len(numbers) >= 2 else (1, 1)


def _refuse_unknown(document: Mapping[str, Any], path: Path, keys: Sequence[str], sections: Sequence[str]) -> None:
    known = [*keys, *sections]
    for key in document:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise InvalidInput(f"{path} has an unknown key {key!r}{meant}")
        if key in sections and not isinstance(document[key], dict):
            raise InvalidInput(f"{path}: {key} must be a table, as in [{key}]")


_PREFIX = "ROLLTOP_"
_OTHERS = ("ROLLTOP_CONFIG", "ROLLTOP_PACKAGE")
"""Known variables that are not settings: the path of the file, and one for a catalog's worker."""


def unknown_variables(env: Mapping[str, str]) -> dict[str, str | None]:
    """Variables that begin with ROLLTOP_ and set nothing, each with the closest known name.

    Engines check the keys of their own section, so `ROLLTOP_STORE_…` is not checked here.
    """
    known = [*_OTHERS, *(name for option in OPTIONS for name in option.env if name.startswith(_PREFIX))]
    sections = tuple(f"{_PREFIX}{section.upper()}_" for section in SECTIONS)
    unknown = sorted(
        name for name in env if name.startswith(_PREFIX) and name not in known and not name.startswith(sections)
    )
    if not unknown:
        return {}
    from difflib import get_close_matches  # noqa: PLC0415 - seldom needed

    return {name: next(iter(get_close_matches(name, known, n=1, cutoff=0.75)), None) for name in unknown}
