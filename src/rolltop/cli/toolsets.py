"""`rolltop toolsets`: the sets, whether they are served, and what their lists cost an agent."""

from __future__ import annotations

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.options import make_settings, serving_options
from rolltop.cli.output import print_json, print_rows
from rolltop.errors import SizeLimit

__all__ = ["toolsets"]


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

    desk = Application(make_settings(invocation, dict(given)))
    rows = []
    for loaded in desk.loaded:
        tools = [registered for registered in desk.listed() if registered.spec.toolset == loaded.toolset.name]
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
