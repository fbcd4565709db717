"""`rolltop connect`: the configuration of MCP clients, printed or written into their files."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from rolltop.base.http_token import is_loopback_url
from rolltop.cli.groups import EXIT_CODES, Invocation, nearest
from rolltop.cli.output import note, print_rows
from rolltop.cli.serve import serving_options
from rolltop.client_entries import (
    CLIENTS,
    about_token,
    add_by_stdio,
    add_by_url,
    connect_arguments,
    server_token,
    stdio_entry,
    typed_command,
    url_entry,
)
from rolltop.client_files import write_entry
from rolltop.errors import InvalidInput
from rolltop.settings import Settings

__all__ = ["connect", "overview"]


def overview(url: str, settings: Settings, *, no_token: bool = False) -> str:
    """How to connect each client to a running server, and how to let it start one of its own."""
    token = None if no_token else server_token(settings)
    width = max(len(client.title) for client in CLIENTS.values())
    rolltop = typed_command()
    lines = ["", "Connect a client to this server:"]
    for client in CLIENTS.values():
        command = f"{rolltop} connect {client.name} --url {shlex.quote(url)} --write"
        lines.append(
            f"  {client.title:<{width}}  {add_by_url(url, token) if client.name == 'claude-code' else command}"
        )
    first, rest = connect_arguments(settings)
    command = f"{rolltop} {shlex.join([*first, 'connect', 'CLIENT', *rest, '--write'])}"
    lines += ["", "Or let it start a server of its own, with the same settings:"]
    lines += [f"  {'Claude Code':<{width}}  {add_by_stdio(settings)}", f"  {'all others':<{width}}  {command}"]
    if token is not None and token.in_variable:
        lines += ["", about_token(*CLIENTS.values())]
    return "\n".join(lines) + "\n"


class _ClientName(click.Choice[str]):
    """The name of a client; a mistyped one is answered with the nearest."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in CLIENTS:
            return str(value)
        near = nearest(str(value), list(CLIENTS))
        meant = f" Did you mean {' or '.join(near)}?" if near else f" Known clients: {', '.join(CLIENTS)}."
        return self.fail(f"there is no client {str(value)!r}.{meant}", param, ctx)


@click.command(epilog=EXIT_CODES)
@click.argument("client", type=_ClientName(list(CLIENTS)), required=False, metavar="[CLIENT]")
@click.option("--url", metavar="URL", help="Connect to a server that runs with --http instead of starting one.")
@click.option("--write", is_flag=True, help="Write it into the client's file; everything else in it stays.")
@click.option("--file", "file", type=click.Path(dir_okay=False), help="The client's file, if it is elsewhere.")
@serving_options
@click.pass_obj
def connect(
    invocation: Invocation, /, client: str | None, url: str | None, write: bool, file: str | None, **given: Any
) -> None:
    """Print what connects CLIENT to rolltop, or write it with --write; without CLIENT, list the clients.

    The settings of the command line and of the environment become part of it.
    """
    if client is None:
        if write or file or url:
            raise click.UsageError("name the client to connect")
        print_rows(("CLIENT", "NAME", "FILE"), [(each.name, each.title, each.path()) for each in CLIENTS.values()])
        return
    chosen = CLIENTS[client]
    settings = invocation.settings(**given)
    # The token that our own server makes is for our own server.
    ours = url is not None and (settings.http_token is not None or is_loopback_url(url))
    token = server_token(settings) if ours else None
    if url is None:
        entry = stdio_entry(chosen, settings)
    else:
        _refuse_what_the_server_decides(given)
        entry = url_entry(chosen, _checked(url), token)
    path = Path(file).expanduser() if file else chosen.path()
    if write:
        write_entry(path, chosen.key, "rolltop", entry)
        note(f"wrote {path}; restart {chosen.title}")
    else:
        click.echo(chosen.snippet(entry))
        note(f"goes into {path}; --write puts it there")
        if link := chosen.link(entry):
            note(f"or open this link: {link}")
    if token is not None and token.in_variable:
        note(about_token(chosen), style="yellow")


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
