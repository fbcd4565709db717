"""`rolltop serve`: stdio for a client that starts us, HTTP for those that connect."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rolltop.cli.main import EXIT_CODES, Invocation, cli
from rolltop.cli.options import make_settings, serving_options, transport_options
from rolltop.errors import InvalidInput

if TYPE_CHECKING:
    from rolltop.server.application import Application
    from rolltop.settings import Settings

__all__ = ["application_for", "serve"]


@click.command(epilog=EXIT_CODES)
@transport_options
@serving_options
@click.pass_obj
def serve(invocation: Invocation, /, http: bool, show_connect: bool, token_file: str | None, **given: Any) -> None:
    """Start the MCP server.

    Without options it speaks MCP over standard input and output, for a client that starts it. With --http
    it listens on 127.0.0.1 and serves any number of clients.
    """
    _refuse_missing_catalogs(given["catalogs"] or ())
    if not http:
        _refuse_http_options(show_connect, token_file, given)
        _serve_stdio(invocation, given)
        return
    if token_file is not None:
        given["http_token"] = _token(Path(token_file))
    settings = make_settings(invocation, given)
    from rolltop.server.runtime import run_http

    def announce(url: str) -> None:
        click.echo(f"rolltop listens on {url}", err=True)
        if show_connect:
            from rolltop.cli.connect import overview

            click.echo(overview(url, settings), err=True)
        click.echo("Press Ctrl-C to stop.", err=True)

    run_http(settings, announce)


def _refuse_http_options(show_connect: bool, token_file: str | None, given: dict[str, Any]) -> None:
    """Over stdio they would say nothing, and whoever gave them would wait for a server that does not listen."""
    said = {
        "--show-connect": show_connect,
        "--token-file": token_file is not None,
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
        raise InvalidInput(f"the token file {file} is empty", hint="Without --token-file no token is asked for.")
    return token


def _serve_stdio(invocation: Invocation, given: dict[str, Any]) -> None:
    """The plain way; `rolltop.boot` takes a faster one for the usual options."""
    if invocation.only_settings:
        invocation.served = make_settings(invocation, given)
        return
    from rolltop.server.stdio_takeover import claim_stdio

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
    from rolltop.server.environment import start_logging

    start_logging(settings)
    return Application(settings)


def _refuse_missing_catalogs(places: tuple[str, ...]) -> None:
    """What is named on the command line has to be there: a server without it would look as if all were well."""
    if places:
        from rolltop.catalog.library import locate

        for place in places:
            locate(place)
