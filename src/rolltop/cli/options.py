"""Options that several commands share: what to serve, and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from rolltop.cli.main import Invocation
from rolltop.settings import Settings

__all__ = ["make_settings", "serving_options"]

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
    click.option("--tool-mode", type=click.Choice(["list", "search"]), help="search: everything behind three tools."),
)


def serving_options(command: F) -> F:
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
