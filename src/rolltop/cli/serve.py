"""`rolltop serve` and `rolltop daemon`, and the options of everything that starts a server."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.cli.main import cli
from rolltop.errors import InvalidInput, NotFound, PartMissing
from rolltop.settings import Settings

if TYPE_CHECKING:
    from rolltop.server.application import Application
    from rolltop.settings import Settings

__all__ = ["application_for", "daemon", "make_settings", "page", "serve", "serving_options", "transport_options"]

NEAR_PORTS = 50
"""Ports above one that is in use among which a free one is looked for."""
F = TypeVar("F", bound=Callable[..., Any])
_OPTIONS = (
    click.option("--toolsets", metavar="A,B", help="Tool sets to serve; all of them by default."),
    click.option("--tools", metavar="A,B", help="Serve exactly these tools."),
    click.option("--exclude-tools", metavar="A,B", help="Single tools to leave out."),
    click.option("--page", is_flag=True, default=None, help="Serve the local page beside a stdio server."),
    click.option("--read-only", is_flag=True, default=None, help="Leave out every tool that writes."),
    click.option("--prefix", "tool_prefix", metavar="TEXT", help="Prefix for all tool names; '' for none."),
    click.option(
        "--descriptions",
        type=click.Choice(["auto", "full", "compact", "none"]),
        help="How much of each description tools/list carries.",
    ),
    click.option(
        "--output-schemas/--no-output-schemas",
        default=None,
        help="Whether tools/list carries the schemas of answers.",
    ),
    click.option(
        "--catalog",
        "catalogs",
        multiple=True,
        metavar="PLACE",
        callback=lambda _ctx, _parameter, places: places or None,
        help="Serve the tools that a package or path defines; may be given several times.",
    ),
    click.option(
        "--catalog-group",
        "catalog_groups",
        multiple=True,
        metavar="REGEX",
        callback=lambda _ctx, _parameter, groups: groups or None,
        help="Only tools of this group of the catalogs; may be given several times.",
    ),
    click.option(
        "--consent",
        type=click.Choice(["ask", "literal", "never"]),
        help="What allows a destructive call where nobody can be asked.",
    ),
    click.option("--tool-mode", type=click.Choice(["list", "search"]), help="search: everything behind three tools."),
)
_TRANSPORT = (
    click.option("--http", is_flag=True, help="Listen for streamable HTTP instead of speaking stdio."),
    click.option("--host", "http_host", metavar="ADDRESS", help="Address to listen on (127.0.0.1)."),
    click.option("--port", "http_port", type=int, metavar="N", help="Port to listen on (7779); 0 takes a free one."),
    click.option("--token-file", type=click.Path(exists=True, dir_okay=False), help="File with the bearer token."),
    click.option("--no-token", is_flag=True, help="Let every user of this machine in (with --http, on 127.0.0.1)."),
    click.option("--team", is_flag=True, default=None, help="Serve several users (with --http): see rolltop users."),
    click.option("--show-connect", is_flag=True, help="Say how to connect each client (with --http)."),
)


def transport_options(command: F) -> F:
    """How a server is reached."""
    for option in reversed(_TRANSPORT):
        command = option(command)
    return command


def serving_options(command: F) -> F:
    """What a server serves."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def make_settings(invocation: Invocation, given: dict[str, Any]) -> Settings:
    """Settings for a server, with the default tool prefix in the environment."""
    from rolltop.server.runtime import _configure_environment
    from rolltop.settings import load

    invocation.warn_about_variables()
    by_default = _configure_environment()
    chosen = {**invocation.given, **{key: value for key, value in given.items() if value is not None}}
    return load(chosen, prefix_is_default=by_default)


@click.command(epilog=EXIT_CODES)
@transport_options
@serving_options
@click.pass_obj
def serve(
    invocation: Invocation, /, http: bool, show_connect: bool, token_file: str | None, no_token: bool, **given: Any
) -> None:
    """Start the MCP server.

    Without options it speaks MCP over standard input and output, for a client that starts it. With --http
    it listens on 127.0.0.1 and serves any number of clients, which send a token: the one of --token-file or
    ROLLTOP_HTTP_TOKEN, else one that is made at the first start and kept in the workspace (http-token).
    """
    _refuse_missing_catalogs(given["catalogs"] or ())
    if not http:
        _refuse_http_options(show_connect, token_file, {**given, "no_token": no_token})
        _serve_stdio(invocation, given)
        return
    if token_file is not None:
        if no_token:
            raise click.UsageError("--token-file and --no-token exclude each other")
        given["http_token"] = _token(Path(token_file))
    settings = make_settings(invocation, given)
    from rolltop.server.runtime import run_http

    def announce(url: str) -> None:
        click.echo(f"rolltop listens on {url}", err=True)
        from rolltop.web.doorkeeper import login_link, write_page_address

        address = url.removesuffix("/mcp")
        write_page_address(settings.workspace, address)
        click.echo(f"Its page, for one login: {login_link(settings.workspace, address)}", err=True)
        if show_connect:
            from rolltop.cli.connect import overview

            click.echo(overview(url, settings, no_token=no_token), err=True)
        click.echo("Press Ctrl-C to stop.", err=True)

    try:
        run_http(settings, announce, no_token=no_token)
    except PartMissing as error:
        other = _other_port(error, settings)
        if other is None:
            raise
        if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
            hint = f"Another server may be running; choose a port with --port: {other} is free."
            raise PartMissing(error.message, hint=hint) from None
        click.confirm(f"{error.message}. Listen on port {other} instead?", default=True, abort=True, err=True)
        run_http(replace(settings, http_port=other), announce, no_token=no_token)


def _other_port(error: PartMissing, settings: Settings) -> int | None:
    """A free port near one that is in use; None if that is not what is wrong."""
    if not isinstance(error.__context__, OSError) or error.__context__.errno != errno.EADDRINUSE:
        return None
    family = socket.AF_INET6 if ":" in settings.http_host else socket.AF_INET
    for port in range(settings.http_port + 1, min(settings.http_port + NEAR_PORTS, 65536)):
        with socket.socket(family) as trial, suppress(OSError):
            trial.bind((settings.http_host, port))
            return port
    return None


def _refuse_http_options(show_connect: bool, token_file: str | None, given: dict[str, Any]) -> None:
    """Refuse options that have no effect over stdio."""
    said = {
        "--show-connect": show_connect,
        "--token-file": token_file is not None,
        "--no-token": given["no_token"],
        "--team": given["team"],
        "--host": given["http_host"] is not None,
        "--port": given["http_port"] is not None,
    }
    for option, there in said.items():
        if there:
            raise click.UsageError(f"{option} goes with --http")


def _token(file: Path) -> str:
    try:
        token = file.read_text("utf-8").strip()
    except ValueError:
        raise InvalidInput(f"the token in {file} is not text") from None
    if not token:
        raise InvalidInput(
            f"the token file {file} is empty", hint="Without --token-file the server makes a token of its own."
        )
    return token


def _serve_stdio(invocation: Invocation, given: dict[str, Any]) -> None:
    """Serve over stdio; `rolltop.boot` has a faster start for the usual options."""
    if invocation.only_settings:
        invocation.served = make_settings(invocation, given)
        return
    from rolltop.base.streams import claim_stdio

    wire = claim_stdio()  # first of all: whatever is imported from here on may print
    from rolltop.server.runtime import run_stdio

    run_stdio(_application(make_settings(invocation, given)), wire)


def application_for(arguments: list[str]) -> Application:
    """The application of a stdio server with this command line; raises what the command line raises."""
    invocation = Invocation(only_settings=True)
    cli.main(arguments, prog_name="rolltop", standalone_mode=False, obj=invocation)
    assert invocation.served is not None
    return _application(invocation.served)


def _application(settings: Settings) -> Application:
    from rolltop.server.application import Application
    from rolltop.server.runtime import start_logging

    start_logging(settings)
    return Application(settings)


def _refuse_missing_catalogs(places: tuple[str, ...]) -> None:
    """Refuse a catalog that does not exist, instead of serving without it."""
    if places:
        from rolltop.catalog.library import locate

        for place in places:
            locate(place)


@click.command(epilog=EXIT_CODES)
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
@click.pass_obj
def page(invocation: Invocation, as_json: bool) -> None:
    """Print a login link for the page of the server that runs in this workspace."""
    from rolltop.cli.output import print_json
    from rolltop.web.doorkeeper import login_link, page_address
    from rolltop.workspace import Workspace

    folder = Workspace(make_settings(invocation, {})).prepare()
    address = page_address(folder)
    if address is None:
        raise NotFound(f"no server with a page runs in the workspace {folder}", hint="Start one: rolltop serve --http")
    link = login_link(folder, address)
    if as_json:
        print_json({"link": link, "address": address})
    else:
        click.echo(link)


@click.command(epilog=EXIT_CODES)
@click.option("--port", type=click.IntRange(0, 65535), default=7778, show_default=True, help="0 takes a free one.")
@click.option("--host", help="Address to listen on; 127.0.0.1 unless set.")
@click.option("--no-token", is_flag=True, help="Let every user of this machine in (on 127.0.0.1).")
@click.pass_obj
def daemon(invocation: Invocation, *, port: int, host: str | None, no_token: bool) -> None:
    """Serve /api/parse-schema, /api/infer-schema, /api/validate and /api/execute.

    Tools use it when UTLX_DAEMON_URL names it; they find its token in the workspace, or in UTLX_DAEMON_TOKEN.
    Stops on SIGTERM and Ctrl-C; /openapi.json describes it.
    """
    from dataclasses import replace

    from rolltop.server.daemon import run_daemon
    from rolltop.server.runtime import start_logging
    from rolltop.transform.service import Service, ServiceConfig

    settings = make_settings(invocation, {"http_host": host})
    start_logging(settings)
    config = ServiceConfig.from_section(settings.section("transform"), settings.sandbox_user)
    # The daemon does the work itself, whatever the tools are told.
    service = Service(replace(config, daemon_url=None))

    def announce(url: str) -> None:
        click.echo(f"rolltop daemon listens on {url}", err=True)

    run_daemon(settings, service, port, announce, no_token=no_token)
