"""Options that several commands share: what to serve, and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from rolltop.cli.main import Invocation
from rolltop.settings import Settings

__all__ = ["make_settings", "serving_options", "transport_options"]

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--toolsets", metavar="A,B", help="Tool sets to serve; all of them by default."),
    click.option("--exclude-tools", metavar="A,B", help="Single tools to leave out."),
    click.option("--read-only", is_flag=True, default=None, help="Leave out every tool that writes."),
    click.option("--prefix", "tool_prefix", metavar="TEXT", help="Prefix for all tool names; '' for none."),
    click.option(
        "--descriptions",
        type=click.Choice(["auto", "full", "compact", "none"]),
        help="How much of each description tools/list carries.",
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
    """Settings for a server, with the environment of requirement 002 in place."""
    from rolltop.server.environment import _configure_environment
    from rolltop.settings import load

    by_default = _configure_environment()
    chosen = {**invocation.given, **{key: value for key, value in given.items() if value is not None}}
    return load(chosen, prefix_is_default=by_default)
