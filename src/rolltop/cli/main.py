"""The `rolltop` command: global options, the table of lazily loaded commands, exit codes."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import click

from rolltop import __version__
from rolltop.errors import DiskFull, RolltopError

if TYPE_CHECKING:
    from pathlib import Path

    from rolltop.settings import Settings

__all__ = ["EXIT_CODES", "Invocation", "LazyGroup", "cli", "leave_with", "main"]

EXIT_CODES = (
    "Exit codes: 0 ok, 1 failure, 2 usage, 3 not found, 4 invalid program or data, "
    "5 a needed part is missing, 6 time or size limit, 7 consent missing."
)

COMMANDS: dict[str, tuple[str, str]] = {
    # name: (module:attribute, one line of help)
    "call": ("rolltop.cli.call:call", "Call a tool and print its answer."),
    "catalog": ("rolltop.cli.catalog:catalog", "Documented functions as tools: build, list, show, check, diff, serve."),
    "connect": ("rolltop.cli.connect:connect", "Show or write the configuration of an MCP client."),
    "daemon": ("rolltop.cli.serve:daemon", "Serve the transform engine over plain HTTP."),
    "demo": ("rolltop.cli.demo:demo", "A tour: a real client calls everything there is."),
    "doctor": ("rolltop.cli.doctor:doctor", "Say what works here, what is missing, and how to fix it."),
    "guide": ("rolltop.cli.guide:guide", "Project content by expression, flags, categories, collections."),
    "journal": ("rolltop.cli.journal:journal", "Show the latest tool calls."),
    "reports": ("rolltop.cli.reports:reports", "Write R Markdown documents and render them."),
    "serve": ("rolltop.cli.serve:serve", "Start the MCP server (stdio, or --http)."),
    "store": ("rolltop.cli.store:store", "Keep documents by content and find them again."),
    "tools": ("rolltop.cli.tools:tools", "List, show and lint the tools."),
    "toolsets": ("rolltop.cli.tools:toolsets", "List the tool sets and what each costs an agent."),
    "transform": ("rolltop.cli.transform.group:transform", "Run, check and format UTL-X transformations."),
}

SAID_ELSEWHERE = {
    # what other programs call it: what it is called here
    "ls": "list",
    "delete": "rm",
    "remove": "rm",
    "find": "search",
    "show": "get",
    "run": "serve",
    "start": "serve",
    "status": "stats",
    "validate": "check",
    "put": "add",
}


class LazyGroup(click.Group):
    """A group whose commands live in modules that are imported when one of them runs."""

    def __init__(self, *args: Any, lazy: Mapping[str, tuple[str, str]] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = dict(lazy or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *self.lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lazy:
            return super().get_command(ctx, cmd_name)
        module, attribute = self.lazy[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        command.epilog = command.epilog or EXIT_CODES
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not ctx.resilient_parsing and name[:1].isalnum() and self.get_command(ctx, name) is None:
            raise click.UsageError(f"No such command '{name}'.{self._meant(ctx, name)}", ctx)
        return super().resolve_command(ctx, args)

    def _meant(self, ctx: click.Context, name: str) -> str:
        from difflib import get_close_matches  # only somebody who mistyped waits for it

        names = self.list_commands(ctx)
        other = SAID_ELSEWHERE.get(name)
        near = [other] if other in names else get_close_matches(name, names, 2)
        return f" Did you mean {' or '.join(repr(word) for word in near)}?" if near else ""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, self._summary(ctx, name)) for name in self.list_commands(ctx)]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def _summary(self, ctx: click.Context, name: str) -> str:
        if name in self.lazy:
            return self.lazy[name][1]
        command = super().get_command(ctx, name)
        return command.get_short_help_str(80) if command else ""


class _ReaderLeft(Exception):
    """A broken pipe on its way past click, which would make a failure of it."""


ANYWHERE = ("--workspace", "--log-level")


class _Root(LazyGroup):
    """The command itself. Its options may also stand behind a command: `rolltop serve --workspace DIR`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _global_first(args))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _ReaderLeft from error


def _global_first(args: list[str]) -> list[str]:
    first: list[str] = []
    others: list[str] = []
    rest = iter(args)
    for arg in rest:
        if arg == "--":
            others += [arg, *rest]
        elif arg in ANYWHERE:
            value = next(rest, None)
            if value is None:
                raise click.BadOptionUsage(arg, f"Option '{arg}' requires an argument.")
            first += [arg, value]
        else:
            (first if arg.startswith(tuple(f"{name}=" for name in ANYWHERE)) else others).append(arg)
    return first + others


@dataclass(slots=True)
class Invocation:
    """What the global options said; commands ask it for the settings."""

    given: dict[str, Any] = field(default_factory=dict)
    only_settings: bool = False
    """Set by a caller that wants to know what `serve` would be told, and starts the server itself."""
    served: Settings | None = None

    def settings(self, **more: Any) -> Settings:
        from rolltop.settings import load  # most commands do not need it

        return load({**self.given, **{key: value for key, value in more.items() if value is not None}})


@click.group(cls=_Root, lazy=COMMANDS, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="rolltop")
@click.option("--workspace", metavar="DIR", help="Directory that holds the store, the journal and reports.")
@click.option("--log-level", metavar="LEVEL", help="TRACE, DEBUG, INFO, WARNING or ERROR.")
@click.pass_context
def cli(ctx: click.Context, workspace: str | None, log_level: str | None) -> None:
    """A desk for AI agents: keep documents, transform data, render reports, serve functions."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False
    given = {"workspace": workspace, "log_level": log_level}
    invocation = ctx.ensure_object(Invocation)
    invocation.given.update({key: value for key, value in given.items() if value is not None})


def main() -> None:
    """Run the command line and leave with the documented exit code."""
    invocation = Invocation()
    try:
        # Without its standalone mode click returns the code of a command that leaves early.
        code = cli.main(prog_name="rolltop", standalone_mode=False, obj=invocation)
        if sys.stdout is not None:
            sys.stdout.flush()  # while it can still be told that it failed
    except BaseException as error:
        leave_with(error, invocation)
    sys.exit(code if isinstance(code, int) else 0)


def leave_with(error: BaseException, invocation: Invocation | None = None) -> NoReturn:
    """End the process as an exception asks for: what was wrong on standard error, and the exit code."""
    if not isinstance(error, RolltopError | click.ClickException | BrokenPipeError):
        error = _in_our_words(error, invocation) or error
    match error:
        case click.exceptions.Exit():
            sys.exit(error.exit_code)
        case click.ClickException():
            error.show()
            sys.exit(error.exit_code)
        case click.exceptions.Abort() | KeyboardInterrupt():
            click.echo("interrupted", err=True)
            sys.exit(130)
        case RolltopError():
            report_error(error)
            sys.exit(error.exit_code)
        case BrokenPipeError() | _ReaderLeft():
            # The reader of our output left (`rolltop … | head`): not a failure, and nothing to say.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            sys.exit(0)
    raise error


def _in_our_words(error: BaseException, invocation: Invocation | None) -> RolltopError | None:
    """What the machine refused is no defect of ours, and nobody reads a traceback for it."""
    from rolltop.base.os_errors import explain_machine_error  # only somebody who failed waits for it

    if isinstance(error, click.exceptions.Abort) and error.__cause__ is not None:
        error = error.__cause__
    if explain_machine_error(error) is None:
        return None
    told = explain_machine_error(error, None if _is_about_output(error) else _workspace(invocation))
    if isinstance(told, DiskFull):
        # What is left to be written would only fail once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return told


def _is_about_output(error: BaseException) -> bool:
    """Whether standard output could not be written: something still waits to be, or it was just being printed."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is not None and str(trace.tb_frame.f_globals.get("__name__")).startswith("click."):
        return True
    try:
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError):
        return True
    return False


def _workspace(invocation: Invocation | None) -> Path | None:
    try:
        return invocation.settings().workspace if invocation is not None else None
    except (RolltopError, OSError):
        return None


def report_error(error: RolltopError) -> None:
    """One line that says what was wrong, one that says what to do."""
    from rolltop.cli.output import harmless

    click.echo(harmless(f"rolltop: {error}"), err=True)
    if error.hint:
        click.echo(harmless(f"  hint: {error.hint}"), err=True)
