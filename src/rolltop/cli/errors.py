"""How a command fails: one line that says what is wrong, one that says what to do, and the exit code."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

import click

from rolltop.cli.groups import Invocation, nearest
from rolltop.errors import DiskFull, RolltopError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["OutputClosed", "leave_with", "report_error"]


class OutputClosed(Exception):
    """A broken pipe on its way past click, which would turn it into exit code 1."""


def leave_with(error: BaseException, invocation: Invocation | None = None) -> NoReturn:
    """End the process as an exception asks for: what was wrong on standard error, and the exit code."""
    if not isinstance(error, RolltopError | click.ClickException | BrokenPipeError):
        error = _machine_error(error, invocation) or error
    match error:
        case click.exceptions.Exit():
            sys.exit(error.exit_code)
        case click.ClickException():
            _print_error(*_usage_error(error))
            sys.exit(error.exit_code)
        case click.exceptions.Abort() | KeyboardInterrupt():
            click.echo("interrupted", err=True)
            sys.exit(130)
        case RolltopError():
            report_error(error)
            sys.exit(error.exit_code)
        case BrokenPipeError() | OutputClosed():
            # The reader of our output left (`rolltop … | head`): no failure.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            sys.exit(0)
    raise error


def report_error(error: RolltopError) -> None:
    """Print an error and its hint on standard error."""
    _print_error(str(error), error.hint)


def _print_error(message: str, hint: str | None) -> None:
    from rolltop.cli.output import harmless

    color = False if os.environ.get("NO_COLOR") else None
    click.echo(click.style("Error: ", fg="red", bold=True) + harmless(message), err=True, color=color)
    if hint:
        click.echo(click.style("hint: ", bold=True) + harmless(hint), err=True, color=color)


def _usage_error(error: click.ClickException) -> tuple[str, str | None]:
    """The message and the hint of an error that click raised."""
    message, ctx = error.format_message(), getattr(error, "ctx", None)
    hint = f"`{ctx.command_path} --help` describes the command." if ctx is not None else None
    if isinstance(error, click.NoSuchOption):
        names = [name for parameter in ctx.command.params for name in parameter.opts] if ctx is not None else []
        near = nearest(error.option_name, names)
        message = f"No such option '{error.option_name}'."
        if near:
            message += f" Did you mean {' or '.join(near)}?"
    return message, hint


def _machine_error(error: BaseException, invocation: Invocation | None) -> RolltopError | None:
    """Translate what the machine refused (disk, memory, threads); None for anything else."""
    from rolltop.base.os_errors import explain_machine_error  # only a failure pays for it

    if isinstance(error, click.exceptions.Abort) and error.__cause__ is not None:
        error = error.__cause__
    if explain_machine_error(error) is None:
        return None
    explained = explain_machine_error(error, None if _is_about_output(error) else _workspace(invocation))
    if isinstance(explained, DiskFull):
        # What is left in the buffer would only fail once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return explained


def _is_about_output(error: BaseException) -> bool:
    """True if standard output could not be written."""
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
