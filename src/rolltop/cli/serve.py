"""`rolltop serve`: stdio for a client that starts us, HTTP for those that connect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.options import make_settings, serving_options, transport_options

__all__ = ["serve"]


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
        _serve_stdio(invocation, given)
        return
    if token_file is not None:
        given["http_token"] = Path(token_file).read_text("utf-8").strip()
    settings = make_settings(invocation, given)
    from rolltop.server.serve import run_http

    def announce(url: str) -> None:
        click.echo(f"rolltop listens on {url}", err=True)
        if show_connect:
            from rolltop.cli.connect import overview

            click.echo(overview(url, settings.workspace), err=True)
        click.echo("Press Ctrl-C to stop.", err=True)

    run_http(settings, announce)


def _serve_stdio(invocation: Invocation, given: dict[str, Any]) -> None:
    from rolltop.server.claim import claim_stdio

    wire = claim_stdio()  # first of all: whatever is imported from here on may print
    settings = make_settings(invocation, given)
    from rolltop.server.serve import run_stdio

    run_stdio(settings, wire)


def _refuse_missing_catalogs(places: tuple[str, ...]) -> None:
    """What is named on the command line has to be there: a server without it would look as if all were well."""
    if places:
        from rolltop.catalog.library import locate

        for place in places:
            locate(place)
