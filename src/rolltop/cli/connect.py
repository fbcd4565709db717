"""`rolltop connect`: the configuration of MCP clients, printed or written into their files."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.errors import InvalidData

__all__ = ["CLIENTS", "Client", "connect", "overview"]


@dataclass(frozen=True, slots=True)
class Client:
    """Where a client keeps its servers, and under which key."""

    name: str
    title: str
    file: str
    key: str = "mcpServers"
    typed: bool = False
    url_by_bridge: bool = False

    def path(self) -> Path:
        return Path(self.file).expanduser()


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
        Client("claude-desktop", "Claude Desktop", _desktop_file(), url_by_bridge=True),
        Client("claude-code", "Claude Code", ".mcp.json", typed=True),
        Client("cursor", "Cursor", "~/.cursor/mcp.json"),
        Client("vscode", "VS Code", ".vscode/mcp.json", key="servers", typed=True),
    )
}


def command() -> list[str]:
    """How to start this very installation."""
    beside = Path(sys.executable).with_name("rolltop")
    found = str(beside) if beside.exists() else shutil.which("rolltop")
    return [found] if found else [sys.executable, "-m", "rolltop"]


def stdio_entry(client: Client, workspace: Path | None) -> dict[str, Any]:
    program, *rest = command()
    arguments = [*rest, *(["--workspace", str(workspace)] if workspace else []), "serve"]
    entry: dict[str, Any] = {"command": program, "args": arguments}
    return {"type": "stdio", **entry} if client.typed else entry


def url_entry(client: Client, url: str) -> dict[str, Any]:
    if client.url_by_bridge:
        return {"command": "npx", "args": ["-y", "mcp-remote", url]}
    return {"type": "http", "url": url} if client.typed else {"url": url}


def overview(url: str, workspace: Path) -> str:
    """How to connect every client, by stdio and by URL."""
    lines = []
    for client in CLIENTS.values():
        lines.append(f"\n{client.title} ({client.path()}):")
        for label, entry in (("stdio", stdio_entry(client, workspace)), ("URL", url_entry(client, url))):
            lines.append(f"  {label:<6} {json.dumps({client.key: {'rolltop': entry}})}")
        if client.name == "claude-code":
            lines.append(f"  or     claude mcp add --transport http rolltop {url}")
            lines.append(f"  or     claude mcp add rolltop -- {' '.join(command())} serve")
    return "\n".join(lines) + "\n"


@click.command(epilog=EXIT_CODES)
@click.argument("client", type=click.Choice(list(CLIENTS)))
@click.option("--url", metavar="URL", help="Connect to a server that runs with --http instead of starting one.")
@click.option("--write", is_flag=True, help="Write it into the client's file; other servers in it stay.")
@click.option("--file", "file", type=click.Path(dir_okay=False), help="The client's file, if it is elsewhere.")
@click.pass_obj
def connect(invocation: Invocation, client: str, url: str | None, write: bool, file: str | None) -> None:
    """Print what connects CLIENT to rolltop, or write it with --write."""
    chosen = CLIENTS[client]
    workspace = invocation.settings().workspace if "workspace" in invocation.given else None
    entry = url_entry(chosen, url) if url else stdio_entry(chosen, workspace)
    path = Path(file).expanduser() if file else chosen.path()
    if not write:
        click.echo(json.dumps({chosen.key: {"rolltop": entry}}, indent=2))
        click.echo(f"goes into {path}; --write puts it there", err=True)
        return
    _write(path, chosen.key, entry)
    click.echo(f"wrote {path}; restart {chosen.title}", err=True)


def _write(path: Path, key: str, entry: dict[str, Any]) -> None:
    try:
        document = json.loads(path.read_text("utf-8")) if path.exists() else {}
    except ValueError as error:
        raise InvalidData(
            f"{path} is not valid JSON: {error}", hint="Nothing was written; correct the file first."
        ) from None
    if not isinstance(document, dict) or not isinstance(document.get(key, {}), dict):
        raise InvalidData(f"{path} does not look like a client's configuration; nothing was written")
    document.setdefault(key, {})["rolltop"] = entry
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.rolltop")
    temporary.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
    temporary.replace(path)
