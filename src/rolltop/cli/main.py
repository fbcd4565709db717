"""The `rolltop` command: the table of commands and the global options."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any

import click

from rolltop import __version__
from rolltop.cli.errors import OutputClosed, leave_with
from rolltop.cli.groups import EXIT_CODES, Invocation, LazyGroup

__all__ = ["COMMANDS", "cli", "main"]

COMMANDS: dict[str, tuple[str, str]] = {
    # name: (module:attribute, one line of help)
    "call": ("rolltop.cli.call:call", "Call a tool and print its answer."),
    "catalog": ("rolltop.cli.catalog:catalog", "Documented functions as tools: build, list, show, check, diff, serve."),
    "completion": ("rolltop.cli.completion:completion", "Print the script that completes commands in a shell."),
    "connect": ("rolltop.cli.connect:connect", "Show or write the configuration of an MCP client."),
    "cost": ("rolltop.cli.journal:cost", "Show what tool calls cost an agent, by tool."),
    "daemon": ("rolltop.cli.serve:daemon", "Serve the transform engine over plain HTTP."),
    "demo": ("rolltop.cli.demo:demo", "A tour: a real client calls every tool set."),
    "doctor": ("rolltop.cli.doctor:doctor", "Say what works here, what is missing, and how to fix it."),
    "guide": ("rolltop.cli.guide:guide", "Project content by expression, flags, categories, collections."),
    "help": ("rolltop.cli.manual:help_", "Show the help of a command."),
    "journal": ("rolltop.cli.journal:journal", "Show the latest tool calls."),
    "made": ("rolltop.cli.origin:made", "Show how something was made, and from what."),
    "man": ("rolltop.cli.manual:man", "Show the manual page of a command."),
    "reports": ("rolltop.cli.reports:reports", "Write R Markdown documents and render them."),
    "page": ("rolltop.cli.serve:page", "Print a login link for the page."),
    "remake": ("rolltop.cli.origin:remake", "Make something again, and say what changed."),
    "serve": ("rolltop.cli.serve:serve", "Start the MCP server (stdio, or --http)."),
    "stale": ("rolltop.cli.origin:stale", "List what was made from inputs that have changed since."),
    "store": ("rolltop.cli.store:store", "Keep documents by content and find them again."),
    "tools": ("rolltop.cli.tools:tools", "List, show and lint the tools."),
    "toolsets": ("rolltop.cli.tools:toolsets", "List the tool sets and what each costs an agent."),
    "transform": ("rolltop.cli.transform.group:transform", "Run, check and format UTL-X transformations."),
    "users": ("rolltop.cli.users:users", "Users of a team's server: add, list, role, token, revoke, space."),
    "version": ("rolltop.cli.manual:version", "Print the version."),
}

VALUED = ("--workspace", "--log-level")
"""Global options with a value that may also stand behind a command: `rolltop serve --workspace DIR`."""


class _Root(LazyGroup):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _global_first(args))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise OutputClosed from error


def _global_first(args: list[str]) -> list[str]:
    """Move the global options before the command, where click expects them."""
    first: list[str] = []
    others: list[str] = []
    rest = iter(args)
    for arg in rest:
        if arg == "--":
            others += [arg, *rest]
        elif arg in VALUED:
            value = next(rest, None)
            if value is None:
                raise click.BadOptionUsage(arg, f"Option '{arg}' requires an argument.")
            first += [arg, value]
        else:
            is_global = arg == "--quiet" or arg.startswith(tuple(f"{name}=" for name in VALUED))
            (first if is_global else others).append(arg)
    return first + others


@click.group(cls=_Root, lazy=COMMANDS, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="rolltop")
@click.option("--workspace", metavar="DIR", help="Directory that holds the store, the journal and reports.")
@click.option("--log-level", metavar="LEVEL", help="TRACE, DEBUG, INFO, WARNING or ERROR.")
@click.option("--quiet", is_flag=True, help="No progress and no remarks; errors are still printed.")
@click.pass_context
def cli(ctx: click.Context, workspace: str | None, log_level: str | None, quiet: bool) -> None:
    """A desk for AI agents: keep documents, transform data, render reports, serve functions."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False
    given = {"workspace": workspace, "log_level": log_level}
    invocation = ctx.ensure_object(Invocation)
    invocation.given.update({key: value for key, value in given.items() if value is not None})
    if quiet:
        from rolltop.cli.output import be_quiet

        be_quiet()


def main() -> None:
    """Run the command line and leave with the documented exit code."""
    invocation = Invocation()
    try:
        # Outside its standalone mode, click returns the code of a command that leaves early.
        code = cli.main(prog_name="rolltop", standalone_mode=False, obj=invocation)
        if sys.stdout is not None:
            sys.stdout.flush()  # while a failure can still be reported
    except BaseException as error:
        leave_with(error, invocation)
    gc.freeze()  # else the interpreter would look for garbage in everything that was imported before it ends
    sys.exit(code if isinstance(code, int) else 0)
