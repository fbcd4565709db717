"""What connects each MCP client to rolltop: the entry of its configuration, with the settings that hold here.

A client starts the server in an environment of its own, so what the command line or the environment says here
has to stand in its entry; what the configuration file says, the server reads again. A secret is never put
there: an entry says where it goes.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rolltop.errors import NotFound
from rolltop.settings import OPTIONS, SECTIONS, Option, Settings
from rolltop.settings import values as read
from rolltop.settings.utlx import VARIABLES

__all__ = ["CLIENTS", "Client", "about_token", "add_by_stdio", "add_by_url", "stdio_entry", "url_entry"]

TOKEN = "ROLLTOP_HTTP_TOKEN"  # noqa: S105 - the name of the variable
PLACE = "<token>"
COMMAND_LINE = "command line"

FLAGS = {
    "toolsets": "--toolsets",
    "exclude_tools": "--exclude-tools",
    "read_only": "--read-only",
    "tool_prefix": "--prefix",
    "descriptions": "--descriptions",
    "tool_mode": "--tool-mode",
    "catalogs": "--catalog",
    "catalog_groups": "--catalog-group",
}
"""Settings that options of `serve` set."""
_NAMES_A_PATH = ("_PATH", "_DIR")
_OF_ENGINES = tuple(f"ROLLTOP_{name.upper()}_" for name in SECTIONS)


@dataclass(frozen=True, slots=True)
class Client:
    """Where a client keeps its servers, and under which key; how its file names a variable, if it can."""

    name: str
    title: str
    file: str
    key: str = "mcpServers"
    typed: bool = False
    url_by_bridge: bool = False
    variable: str | None = "${env:%s}"

    def path(self) -> Path:
        try:
            return Path(self.file).expanduser()
        except RuntimeError:
            raise NotFound(
                f"there is no home directory, in which {self.title} would have its configuration",
                hint="Set HOME, or name the file with --file.",
            ) from None


def _desktop_file() -> str:
    if sys.platform == "darwin":
        return "~/Library/Application Support/Claude/claude_desktop_config.json"
    if sys.platform == "win32":
        return str(Path(os.environ.get("APPDATA", "~")) / "Claude" / "claude_desktop_config.json")
    return "~/.config/Claude/claude_desktop_config.json"


CLIENTS = {
    client.name: client
    for client in (
        # Claude Desktop's file takes programs only; a URL goes through its settings or a bridge.
        Client("claude-desktop", "Claude Desktop", _desktop_file(), url_by_bridge=True, variable=None),
        Client("claude-code", "Claude Code", ".mcp.json", typed=True, variable="${%s}"),
        Client("cursor", "Cursor", "~/.cursor/mcp.json"),
        Client("vscode", "VS Code", ".vscode/mcp.json", key="servers", typed=True),
    )
}


def stdio_entry(client: Client, settings: Settings) -> dict[str, Any]:
    """Start this installation with these settings."""
    program, *rest = [*_command(), *_arguments(settings)]
    entry: dict[str, Any] = {"command": program, "args": rest}
    if variables := _variables(settings):
        entry["env"] = variables
    return {"type": "stdio", **entry} if client.typed else entry


def url_entry(client: Client, url: str, *, with_token: bool) -> dict[str, Any]:
    """Connect to a server that runs; the entry says where its token goes."""
    bearer = f"Bearer {client.variable % TOKEN if client.variable else PLACE}"
    if client.url_by_bridge:
        entry: dict[str, Any] = {"command": "npx", "args": ["-y", "mcp-remote", url]}
        if with_token:
            # The bridge fills in variables itself; a space in an argument does not survive every client.
            entry["args"] += ["--header", "Authorization:${AUTHORIZATION}"]
            entry["env"] = {"AUTHORIZATION": bearer}
        return entry
    entry = {"type": "http", "url": url} if client.typed else {"url": url}
    return {**entry, "headers": {"Authorization": bearer}} if with_token else entry


def about_token(*clients: Client) -> str:
    """What is left to do where a server asks for a token."""
    told = [client.title for client in clients if client.variable]
    by_variable = f"set {TOKEN} in the environment of {_either(told)}" if told else ""
    written = [client.title for client in clients if not client.variable]
    by_hand = f"put it in the place of {PLACE} for {_either(written)}" if written else ""
    return f"The server asks for its token: {'; '.join(filter(None, (by_variable, by_hand)))}."


def _either(titles: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(titles[:-1]), titles[-1])))


def add_by_stdio(settings: Settings) -> str:
    """The command of Claude Code that adds such an entry."""
    variables = [f"--env={name}={value}" for name, value in _variables(settings).items()]
    words = ["claude", "mcp", "add", *variables, "rolltop", "--", *_command(), *_arguments(settings)]
    return shlex.join(words)


def add_by_url(url: str, *, with_token: bool) -> str:
    header = f' --header "Authorization: Bearer ${TOKEN}"' if with_token else ""
    return f"claude mcp add --transport http rolltop {shlex.quote(url)}{header}"


def _command() -> list[str]:
    """How to start this very installation."""
    beside = Path(sys.executable).with_name("rolltop")
    found = str(beside) if beside.exists() else shutil.which("rolltop")
    return [found] if found else [sys.executable, "-m", "rolltop"]


def _arguments(settings: Settings) -> list[str]:
    """What is said on the command line, and the workspace also where a variable says it: that one has to be seen."""
    given: list[str] = []
    if settings.sources.get("workspace") in (COMMAND_LINE, "ROLLTOP_WORKSPACE"):
        given += ["--workspace", str(settings.workspace)]
    if settings.sources.get("log_level") == COMMAND_LINE:
        given += ["--log-level", settings.log_level]
    return [*given, "serve", *(word for name in FLAGS for word in _option(settings, name))]


def _option(settings: Settings, name: str) -> Iterator[str]:
    if settings.sources.get(name) != COMMAND_LINE:
        return
    value, flag = getattr(settings, name), FLAGS[name]
    if value is True:
        yield flag
    elif name in ("catalogs", "catalog_groups"):
        for each in value:
            yield flag
            yield _complete_catalog(each) if name == "catalogs" else each
    elif value is not False:
        yield flag
        yield ",".join(value) if isinstance(value, tuple) else str(value)


def _is_of_engines(name: str) -> bool:
    return name.startswith(_OF_ENGINES) or name in VARIABLES or name == "DOCKER_HOST"


def _complete(name: str, value: str) -> str:
    """The value of a variable; a client may start the server in any directory, so a path is written in full."""
    return os.path.abspath(read.path(value)) if value.strip() and name.endswith(_NAMES_A_PATH) else value


def _complete_option(option: Option, settings: Settings) -> str:
    value = getattr(settings, option.name)
    if option.parse in (read.path, read.paths):
        return os.pathsep.join(map(os.path.abspath, value if isinstance(value, tuple) else (value,)))
    if option.name == "catalogs":
        return ",".join(map(_complete_catalog, value))
    return os.environ[settings.sources[option.name]]


def _complete_catalog(place: str) -> str:
    return os.path.abspath(place) if os.path.exists(place) else place


def _variables(settings: Settings) -> dict[str, str]:
    """Variables that say something here and would not be there: not those of HTTP, and nothing secret."""
    found = {name: _complete(name, value) for name, value in os.environ.items() if _is_of_engines(name)}
    if os.environ.get("ROLLTOP_CONFIG"):
        found["ROLLTOP_CONFIG"] = str(settings.config)
    for option in OPTIONS:
        source = settings.sources.get(option.name, "")
        ours = option.name == "tool_prefix" and settings.prefix_is_default
        if source in option.env and not (ours or option.secret or option.name.startswith("http_")):
            found[source] = _complete_option(option, settings)
    found.pop("ROLLTOP_WORKSPACE", None)
    return found
