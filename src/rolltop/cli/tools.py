"""`rolltop tools`: what there is, in full, and whether it is documented as it should be."""

from __future__ import annotations

import sys

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.options import make_settings
from rolltop.cli.output import print_json, print_rows
from rolltop.errors import NotFound

__all__ = ["tools"]


@click.group(epilog=EXIT_CODES)
def tools() -> None:
    """List, show and lint the tools."""


@tools.command("list", epilog=EXIT_CODES)
@click.option("--json", "as_json", is_flag=True, help="As tools/list gives them.")
@click.pass_obj
def list_tools(invocation: Invocation, as_json: bool) -> None:
    """One line a tool: name, set, what it may do, purpose."""
    from rolltop.server.application import Application

    desk = Application(make_settings(invocation, {}))
    if as_json:
        print_json([registered.wire for registered in desk.registry])
        return
    rows = [
        (registered.name, registered.spec.toolset, _safety(registered.spec.annotations), registered.spec.summary)
        for registered in desk.registry
    ]
    print_rows(("TOOL", "SET", "EFFECT", "PURPOSE"), rows)


def _safety(annotations: object) -> str:
    if getattr(annotations, "read_only", False):
        return "reads"
    return "destroys" if getattr(annotations, "destructive", False) else "writes"


@tools.command(epilog=EXIT_CODES)
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="The entry of tools/list.")
@click.pass_obj
def show(invocation: Invocation, name: str, as_json: bool) -> None:
    """The full documentation of the tool NAME: description, schema, usage, examples."""
    from mcp_core.description import describe
    from rolltop.server.application import Application

    desk = Application(make_settings(invocation, {}))
    registered = desk.registry.by_plain_name(name)
    if registered is None:
        near = desk.registry.nearest(name)
        raise NotFound(f"there is no tool {name!r}", hint=f"Did you mean {near}?" if near else "rolltop tools list")
    if as_json:
        print_json(registered.wire)
    else:
        click.echo(f"# {registered.name}\n\n{describe(registered.spec, 'full', desk.registry.name_of)}")


@tools.command(epilog=EXIT_CODES)
@click.pass_obj
def lint(invocation: Invocation) -> None:
    """Check every tool and prompt against the documentation rules; exit 1 if one breaks them."""
    from rolltop.server.lint import lint_all

    problems = lint_all(make_settings(invocation, {}))
    for problem in problems:
        click.echo(str(problem))
    if problems:
        sys.exit(1)
    click.echo("all tools and prompts are documented", err=True)
