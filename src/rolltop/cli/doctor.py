"""`rolltop doctor`: one line a part, present or missing, with the command that fixes it."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from rolltop import __version__
from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.cli.output import print_json
from rolltop.cli.serve import make_settings
from rolltop.errors import InvalidInput, RolltopError

if TYPE_CHECKING:
    from rolltop.confine.sandbox_backends import RungState

__all__ = ["doctor"]


@click.command(epilog=EXIT_CODES)
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
@click.option("--settings", "show_settings", is_flag=True, help="Show every setting and where it came from.")
@click.pass_obj
def doctor(invocation: Invocation, as_json: bool, show_settings: bool) -> None:
    """Say what works here, what is missing, and how to fix it.

    Exit 1 when the workspace cannot be used, 2 when a setting is wrong, 5 when a tool set cannot be served.
    """
    import apsw

    from rolltop.confine import survey
    from rolltop.server.application import Application

    settings = make_settings(invocation, {})
    desk = Application(settings, lenient=True)
    problems = [error for check in (desk.workspace.try_out, desk.workspace.check_sections) if (error := _try(check))]
    report: dict[str, Any] = {
        "rolltop": __version__,
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "workspace": str(settings.workspace),
        "problems": [{"problem": str(error), "fix": error.hint or ""} for error in problems],
        "roots": [str(root) for root in settings.roots],
        "confinement": [asdict(state) for state in _surveyed(survey)],
        "toolsets": [
            {
                "name": loaded.toolset.name,
                "served": loaded.served,
                "tools": sum(1 for each in desk.registry if each.spec.toolset == loaded.toolset.name),
                "error": loaded.error,
                "needs": [asdict(need) for need in loaded.needs],
            }
            for loaded in desk.loaded
        ],
    }
    if show_settings:
        report["settings"] = _settings(settings)
    if as_json:
        print_json(report)
    else:
        _print(report)
    if problems:
        sys.exit(problems[0].exit_code)
    if not all(loaded.served for loaded in desk.loaded):
        sys.exit(5)


def _try(check: Callable[[], object]) -> RolltopError | None:
    """The error that a check raises, as one finding among others."""
    try:
        check()
    except RolltopError as error:
        return error
    return None


def _surveyed(survey: Callable[[], Iterable[RungState]]) -> Iterable[RungState]:
    """The sandbox backends; none if the configured user does not exist, which is reported as a problem."""
    try:
        return survey()
    except InvalidInput:
        return ()


def _settings(settings: object) -> list[dict[str, str]]:
    from rolltop.settings import OPTIONS

    sources: dict[str, str] = dict(getattr(settings, "sources", {}))
    if getattr(settings, "prefix_is_default", False):
        del sources["tool_prefix"]  # the variable is there because we set it
    return [
        {
            "name": option.name,
            "value": "***" if option.secret and getattr(settings, option.name) else str(getattr(settings, option.name)),
            "from": sources.get(option.name, "default"),
            "variable": option.env[0],
            "meaning": option.meaning,
        }
        for option in OPTIONS
    ]


def _print(report: dict[str, Any]) -> None:
    for key in ("rolltop", "python", "sqlite", "workspace"):
        click.echo(f"{key:<10} {report[key]}")
    click.echo(f"{'roots':<10} {', '.join(report['roots'])}")
    for found in report["problems"]:
        click.echo(f"✘ {found['problem']}" + (f"\n    {found['fix']}" if found["fix"] else ""))
    for state in report["confinement"]:
        click.echo(_confinement(state))
    for toolset in report["toolsets"]:
        mark = "✔" if toolset["served"] else "✘"
        click.echo(f"{mark} {toolset['name']:<10} {toolset['error'] or str(toolset['tools']) + ' tools'}")
        for need in toolset["needs"]:
            fix = f" — {need['fix']}" if need["fix"] and not need["present"] else ""
            click.echo(f"    {'✔' if need['present'] else '✘'} {need['name']}: {need['detail']}{fix}")
    for row in report.get("settings", []):
        click.echo(f"{row['name']:<22} {row['value']:<40} {row['from']:<16} {row['meaning']}")


def _confinement(state: dict[str, Any]) -> str:
    if state["usable"]:
        return f"✔ foreign code can be confined by {state['rung']}: {', '.join(state['features'])}"
    fix = f"\n    {state['fix']}" if state["fix"] else ""
    return f"✘ foreign code cannot be confined by {state['rung']}: {state['reason']}{fix}"
