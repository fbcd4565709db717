"""`rolltop daemon`: the transform engine over plain HTTP."""

from __future__ import annotations

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.options import make_settings

__all__ = ["daemon"]


@click.command(epilog=EXIT_CODES)
@click.option("--port", type=click.IntRange(0, 65535), default=7778, show_default=True, help="0 takes a free one.")
@click.option("--host", help="Address to listen on; 127.0.0.1 unless set.")
@click.pass_obj
def daemon(invocation: Invocation, *, port: int, host: str | None) -> None:
    """Serve /api/parse-schema, /api/infer-schema, /api/validate and /api/execute.

    Tools use it when UTLX_DAEMON_URL names it. Stops on SIGTERM and Ctrl-C; /openapi.json describes it.
    """
    from dataclasses import replace

    from rolltop.server.daemon import run_daemon
    from rolltop.server.environment import start_logging
    from rolltop.transform.service import Service, ServiceConfig

    settings = make_settings(invocation, {"http_host": host})
    start_logging(settings)
    config = ServiceConfig.from_section(settings.section("transform"), settings.sandbox_user)
    # The daemon does the work itself, whatever the tools are told.
    service = Service(replace(config, daemon_url=None))
    run_daemon(settings, service, port, lambda url: click.echo(f"rolltop daemon listens on {url}", err=True))
