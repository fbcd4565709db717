"""`rolltop serve`: stdio for a client that starts us, HTTP for those that connect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.options import make_settings, serving_options

__all__ = ["serve"]


@click.command(epilog=EXIT_CODES)
@click.option("--http", is_flag=True, help="Listen for streamable HTTP instead of speaking stdio.")
@click.option("--host", "http_host", metavar="ADDRESS", help="Address to listen on (127.0.0.1).")
@click.option("--port", "http_port", type=int, metavar="N", help="Port to listen on (7779); 0 takes a free one.")
@click.option("--token-file", type=click.Path(exists=True, dir_okay=False), help="File with the bearer token.")
@click.option("--show-connect", is_flag=True, help="Say how to connect each client (with --http).")
@serving_options
@click.pass_obj
def serve(invocation: Invocation, /, http: bool, show_connect: bool, token_file: str | None, **given: Any) -> None:
    """Start the MCP server.

    Without options it speaks MCP over standard input and output, for a client that starts it. With --http
    it listens on 127.0.0.1 and serves any number of clients.
    """
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
