"""MCP clients: where each keeps its servers, and the entry that connects it to rolltop.

A client starts the server in an environment of its own. Settings from the command line and from variables therefore
become part of the entry; those of the configuration file do not, because the server reads it again. A secret that the
user keeps in a variable is never written: the entry names the variable.
"""

from __future__ import annotations

import base64
import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rolltop.base.http_token import made_token
from rolltop.client_files import as_toml
from rolltop.errors import NotFound
from rolltop.settings import OPTIONS, SECTIONS, Option, Settings
from rolltop.settings import values as read
from rolltop.settings.utlx import VARIABLES
from rolltop.workspace import Workspace

__all__ = [
    "CLIENTS",
    "Client",
    "Token",
    "about_token",
    "add_by_stdio",
    "add_by_url",
    "connect_arguments",
    "server_token",
    "stdio_entry",
    "typed_command",
    "url_entry",
]

TOKEN = "ROLLTOP_HTTP_TOKEN"  # noqa: S105 - the name of the variable
PLACE = "<token>"
COMMAND_LINE = "command line"

FLAGS = {
    "toolsets": "--toolsets",
    "tools": "--tools",
    "exclude_tools": "--exclude-tools",
    "read_only": "--read-only",
    "tool_prefix": "--prefix",
    "descriptions": "--descriptions",
    "output_schemas": "--output-schemas",
    "tool_mode": "--tool-mode",
    "catalogs": "--catalog",
    "catalog_groups": "--catalog-group",
}
"""Settings that options of `serve` set."""
_NAMES_A_PATH = ("_PATH", "_DIR")
_OF_ENGINES = tuple(f"ROLLTOP_{name.upper()}_" for name in SECTIONS)


@dataclass(frozen=True, slots=True)
class Client:
    """Where a client keeps its servers and how it writes one down."""

    name: str
    title: str
    file: str
    key: str = "mcpServers"
    """The object (or TOML table) that holds the servers."""
    stdio_type: str | None = None
    """The value of `type` in an entry that starts a program; None: without `type`."""
    url_type: str | None = None
    """The value of `type` in an entry with a URL; None: without `type`."""
    url_key: str = "url"
    url_by_bridge: bool = False
    """The file takes programs only: a URL goes through the program `mcp-remote`."""
    variable: str | None = "${env:%s}"
    """How the file names an environment variable; None if it cannot."""

    def path(self) -> Path:
        try:
            return Path(self.file).expanduser()
        except RuntimeError:
            raise NotFound(
                f"there is no home directory, in which {self.title} would have its configuration",
                hint="Set HOME, or name the file with --file.",
            ) from None

    def snippet(self, entry: dict[str, Any]) -> str:
        """The entry as it stands in the client's file."""
        if self.file.endswith(".toml"):
            return as_toml(self.key, "rolltop", entry).rstrip("\n")
        return json.dumps({self.key: {"rolltop": entry}}, indent=2, ensure_ascii=False)

    def link(self, entry: dict[str, Any]) -> str | None:
        """The link that installs the entry, for a client that has one."""
        if self.name == "cursor":
            config = base64.b64encode(json.dumps(entry).encode()).decode()
            return f"cursor://anysphere.cursor-deeplink/mcp/install?name=rolltop&config={quote(config, safe='')}"
        if self.name == "vscode":
            return f"vscode:mcp/install?{quote(json.dumps({'name': 'rolltop', **entry}), safe='')}"
        return None


def _application_data(mac: str, windows: str, linux: str) -> str:
    """A file in the place where each system keeps the configuration of applications."""
    if sys.platform == "darwin":
        return f"~/Library/Application Support/{mac}"
    if sys.platform == "win32":
        return str(Path(os.environ.get("APPDATA", "~")) / windows)
    return f"{os.environ.get('XDG_CONFIG_HOME') or '~/.config'}/{linux}"


def _cline_file() -> str:
    name = "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
    return os.environ.get("CLINE_MCP_SETTINGS_PATH") or _application_data(name, name, name)


def _zed_file() -> str:
    if sys.platform == "darwin":  # not in Application Support
        return "~/.config/zed/settings.json"
    return _application_data("", "Zed/settings.json", "zed/settings.json")


def _desktop_file() -> str:
    name = "Claude/claude_desktop_config.json"
    return _application_data(name, name, name)


CLIENTS = {
    client.name: client
    for client in (
        Client("claude-desktop", "Claude Desktop", _desktop_file(), url_by_bridge=True, variable=None),
        Client("claude-code", "Claude Code", ".mcp.json", stdio_type="stdio", url_type="http", variable="${%s}"),
        Client("cursor", "Cursor", "~/.cursor/mcp.json"),
        Client("vscode", "VS Code", ".vscode/mcp.json", "servers", stdio_type="stdio", url_type="http"),
        Client("codex", "Codex", f"{os.environ.get('CODEX_HOME') or '~/.codex'}/config.toml", "mcp_servers"),
        Client("zed", "Zed", _zed_file(), "context_servers", variable=None),
        Client("windsurf", "Windsurf", "~/.codeium/windsurf/mcp_config.json", url_key="serverUrl"),
        Client("gemini-cli", "Gemini CLI", "~/.gemini/settings.json", url_key="httpUrl", variable="${%s}"),
        # Continue reads every file in this directory, in the form of Claude's.
        Client("continue", "Continue", "~/.continue/mcpServers/rolltop.json", url_type="http", variable=None),
        Client("cline", "Cline", _cline_file(), url_type="streamableHttp", variable=None),
    )
}


def stdio_entry(client: Client, settings: Settings) -> dict[str, Any]:
    """Start this installation with these settings."""
    program, *rest = [*_command(), *_arguments(settings)]
    entry: dict[str, Any] = {"command": program, "args": rest}
    if variables := _variables(settings):
        entry["env"] = variables
    return {"type": client.stdio_type, **entry} if client.stdio_type else entry


@dataclass(frozen=True, slots=True)
class Token:
    """The bearer token of a server. One that the user keeps in a variable is named, never written into a file."""

    value: str
    in_variable: bool


def server_token(settings: Settings) -> Token | None:
    """The token that the server of these settings asks for; one that it makes itself is made now."""
    if settings.http_token is not None:
        return Token(settings.http_token, in_variable=True)
    return Token(made_token(Workspace(settings).prepare()), in_variable=False)


def url_entry(client: Client, url: str, token: Token | None) -> dict[str, Any]:
    """Connect to a running server, with its token as a header."""
    bearer = f"Bearer {_written(client, token)}" if token else None
    if client.url_by_bridge:
        entry: dict[str, Any] = {"command": "npx", "args": ["-y", "mcp-remote", url]}
        if bearer:
            # The bridge fills in variables itself; a space in an argument does not survive every client.
            entry["args"] += ["--header", "Authorization:${AUTHORIZATION}"]
            entry["env"] = {"AUTHORIZATION": bearer}
        return entry
    entry = {"type": client.url_type} if client.url_type else {}
    entry[client.url_key] = url
    if not bearer or token is None:
        return entry
    if client.name == "codex":  # it takes the name of a variable, or headers under another name
        named = {"bearer_token_env_var": TOKEN} if token.in_variable else {"http_headers": {"Authorization": bearer}}
        return {**entry, **named}
    return {**entry, "headers": {"Authorization": bearer}}


def _written(client: Client, token: Token) -> str:
    if not token.in_variable:
        return token.value
    return client.variable % TOKEN if client.variable else PLACE


def about_token(*clients: Client) -> str:
    """What is left to do where the token is in a variable."""
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


def add_by_url(url: str, token: Token | None) -> str:
    """The command of Claude Code that adds a running server."""
    if token is None:
        header = ""
    else:
        value = f"${TOKEN}" if token.in_variable else token.value
        header = f' --header "Authorization: Bearer {value}"'
    return f"claude mcp add --transport http rolltop {shlex.quote(url)}{header}"


def connect_arguments(settings: Settings) -> tuple[list[str], list[str]]:
    """The global options and the options of `connect` that carry these settings."""
    words = _arguments(settings)
    at = words.index("serve")
    return words[:at], words[at + 1 :]


def _command() -> list[str]:
    """The command that starts this installation."""
    beside = Path(sys.executable).with_name("rolltop")
    found = str(beside) if beside.exists() else shutil.which("rolltop")
    return [found] if found else [sys.executable, "-m", "rolltop"]


def typed_command() -> str:
    """What a user types here to call this installation: `rolltop` where the search path finds it, else its path."""
    command = _command()
    found = shutil.which("rolltop")
    if len(command) > 1 or (found and os.path.samefile(found, command[0])):
        return "rolltop" if found else shlex.join(command)
    path = Path(command[0])
    return shlex.quote(str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path))


def _arguments(settings: Settings) -> list[str]:
    """What the command line says; the workspace also if a variable says it, so that a reader of the entry sees it."""
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
    elif name == "output_schemas":
        yield "--no-output-schemas"
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
    """The value of a variable; a path is written in full, because a client may start the server in any directory."""
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
    """Variables that the entry has to carry: neither those of HTTP nor secrets."""
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
