"""`rolltop connect`"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from rolltop.base.atomic_files import write_file
from rolltop.cli.clients import CLIENTS, about_token, add_by_stdio, add_by_url, stdio_entry, url_entry
from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.serve import serving_options
from rolltop.errors import InvalidData, InvalidInput, PermissionDenied
from rolltop.settings import Settings

__all__ = ["connect", "overview", "replace_file"]


def overview(url: str, settings: Settings) -> str:
    """How to connect every client, by stdio and by URL."""
    with_token = settings.http_token is not None
    lines = []
    for client in CLIENTS.values():
        lines.append(f"\n{client.title} ({client.path()}):")
        by_url = url_entry(client, url, with_token=with_token)
        for label, entry in (("stdio", stdio_entry(client, settings)), ("URL", by_url)):
            lines.append(f"  {label:<6} {json.dumps({client.key: {'rolltop': entry}})}")
        if client.name == "claude-code":
            lines.append(f"  or     {add_by_url(url, with_token=with_token)}")
            lines.append(f"  or     {add_by_stdio(settings)}")
    if with_token:
        lines.append(f"\n{about_token(*CLIENTS.values())}")
    return "\n".join(lines) + "\n"


@click.command(epilog=EXIT_CODES)
@click.argument("client", type=click.Choice(list(CLIENTS)))
@click.option("--url", metavar="URL", help="Connect to a server that runs with --http instead of starting one.")
@click.option("--write", is_flag=True, help="Write it into the client's file; other servers in it stay.")
@click.option("--file", "file", type=click.Path(dir_okay=False), help="The client's file, if it is elsewhere.")
@serving_options
@click.pass_obj
def connect(
    invocation: Invocation, /, client: str, url: str | None, write: bool, file: str | None, **given: Any
) -> None:
    """Print what connects CLIENT to rolltop, or write it with --write.

    The settings of the command line and of the environment become part of it.
    """
    chosen = CLIENTS[client]
    settings = invocation.settings(**given)
    with_token = url is not None and settings.http_token is not None
    if url is None:
        entry = stdio_entry(chosen, settings)
    else:
        _refuse_what_the_server_decides(given)
        entry = url_entry(chosen, _checked(url), with_token=with_token)
    path = Path(file).expanduser() if file else chosen.path()
    if write:
        _write(path, chosen.key, entry)
        click.echo(f"wrote {path}; restart {chosen.title}", err=True)
    else:
        click.echo(json.dumps({chosen.key: {"rolltop": entry}}, indent=2))
        click.echo(f"goes into {path}; --write puts it there", err=True)
    if with_token:
        click.echo(about_token(chosen), err=True)


def _refuse_what_the_server_decides(given: dict[str, Any]) -> None:
    if any(value is not None for value in given.values()):
        raise click.UsageError("what is served is decided where the server of --url is started")


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good:
        raise InvalidInput("--url is not the address of a server", hint="As in http://127.0.0.1:7779/mcp")
    return url


def _write(path: Path, key: str, entry: dict[str, Any]) -> None:
    document = _read(path)
    if not isinstance(document, dict) or not isinstance(document.get(key, {}), dict):
        raise InvalidData(f"{path} does not look like a client's configuration; nothing was written")
    document.setdefault(key, {})["rolltop"] = entry
    replace_file(path, _text(document) + "\n")


def _text(document: dict[str, Any]) -> str:
    """JSON in which what others wrote is still to be read; half a surrogate pair can only be escaped."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(document, indent=2)
    return text


def _read(path: Path) -> Any:
    try:
        text = path.read_text("utf-8-sig")
        return json.loads(text) if text.strip() else {}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise PermissionDenied(f"{path} cannot be read: {error.strerror}", hint="Nothing was written.") from None
    except ValueError as error:
        raise InvalidData(
            f"{path} is not plain JSON: {error}",
            hint="Nothing was written: a file with comments would lose them. Without --write you see what to put in.",
        ) from None


def replace_file(path: Path, text: str) -> None:
    """Write `text` to the file that `path` leads to.

    A link stays a link: what it leads to is replaced. The file keeps its mode and owner; a new one is readable by its
    user alone, because such files hold the keys of other programs.
    """
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_file(target, text.encode("utf-8"), keep_attributes=True)
    except OSError as error:
        raise PermissionDenied(
            f"{path} cannot be written: {error.strerror}", hint="Check the disk and the permissions; it is as it was."
        ) from None
