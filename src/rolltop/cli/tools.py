"""`rolltop tools` and `rolltop toolsets`: what is served, in full, and what it costs an agent."""

from __future__ import annotations

import sys

import click

from rolltop.cli.completion import complete_tools
from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.cli.output import print_json, print_rows
from rolltop.cli.serve import make_settings, serving_options
from rolltop.errors import NotFound, SizeLimit

__all__ = ["tools", "toolsets"]


@click.group(epilog=EXIT_CODES)
def tools() -> None:
    """List, show and lint the tools."""


@tools.command("list", epilog=EXIT_CODES)
@click.option("--json", "as_json", is_flag=True, help="As tools/list gives them.")
@click.pass_obj
def list_tools(invocation: Invocation, as_json: bool) -> None:
    """One line a tool: name, set, what it may do, purpose."""
    from rolltop.server.application import Application

    application = Application(make_settings(invocation, {}))
    if as_json:
        print_json([registered.wire for registered in application.registry])
        return
    rows = [
        (registered.name, registered.spec.toolset, _safety(registered.spec.annotations), registered.spec.summary)
        for registered in application.registry
    ]
    print_rows(("TOOL", "SET", "EFFECT", "PURPOSE"), rows)


def _safety(annotations: object) -> str:
    if getattr(annotations, "read_only", False):
        return "reads"
    return "destroys" if getattr(annotations, "destructive", False) else "writes"


@tools.command(epilog=EXIT_CODES)
@click.argument("name", shell_complete=complete_tools)
@click.option("--json", "as_json", is_flag=True, help="The entry of tools/list.")
@click.pass_obj
def show(invocation: Invocation, name: str, as_json: bool) -> None:
    """The full documentation of the tool NAME: description, schema, usage, examples."""
    from mcp_core.description import describe
    from rolltop.server.application import Application

    application = Application(make_settings(invocation, {}))
    registered = application.registry.by_plain_name(name)
    if registered is None:
        near = application.registry.nearest(name)
        raise NotFound(f"there is no tool {name!r}", hint=f"Did you mean {near}?" if near else "rolltop tools list")
    if as_json:
        print_json(registered.wire)
    else:
        click.echo(f"# {registered.name}\n\n{describe(registered.spec, 'full', application.registry.name_of)}")


@tools.command(epilog=EXIT_CODES)
@click.pass_obj
def lint(invocation: Invocation) -> None:
    """Check every tool and prompt against the documentation rules; exit 1 if one breaks them."""
    from rolltop.server.toolsets import lint_all

    problems = lint_all(make_settings(invocation, {}))
    for problem in problems:
        click.echo(str(problem))
    if problems:
        sys.exit(1)
    click.echo("all tools and prompts are documented", err=True)


@click.command(epilog=EXIT_CODES)
@click.option("--cost", is_flag=True, help="Estimate the tokens that each set's list costs an agent.")
@click.option("--budget", type=int, metavar="N", help="With --cost: exit 6 when all sets together cost more.")
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
@serving_options
@click.pass_obj
def toolsets(invocation: Invocation, /, cost: bool, budget: int | None, as_json: bool, **given: object) -> None:
    """One line a tool set: name, tools, served or why not."""
    from mcp_core.tokens import cost_of
    from rolltop.server.application import Application

    application = Application(make_settings(invocation, dict(given)))
    rows = []
    for loaded in application.loaded:
        tools = [registered for registered in application.listed() if registered.spec.toolset == loaded.toolset.name]
        row: dict[str, object] = {
            "toolset": loaded.toolset.name,
            "tools": len(tools),
            "served": loaded.served,
            "note": loaded.error or loaded.toolset.summary,
        }
        if cost:
            row["tokens"] = sum(cost_of(registered.wire) for registered in tools)
        rows.append(row)
    if as_json:
        print_json(rows)
    else:
        headings = list(rows[0]) if rows else []
        print_rows([heading.upper() for heading in headings], [list(row.values()) for row in rows])
    if cost:
        total = sum(int(str(row["tokens"])) for row in rows)
        click.echo(f"all: {total} tokens", err=True)
        if budget is not None and total > budget:
            raise SizeLimit(f"the tool lists cost {total} tokens, {budget} are allowed")
