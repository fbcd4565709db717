"""`rolltop journal` and `rolltop cost`: the tool calls of all server processes, and what they cost an agent."""

from __future__ import annotations

import time

import click

from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.cli.output import print_json, print_rows

__all__ = ["cost", "journal"]


@click.command(epilog=EXIT_CODES)
@click.option("-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many.")
@click.option("--outcome", type=click.Choice(["ok", "failed", "rejected", "cancelled", "asked"]), help="Only these.")
@click.option("--json", "as_json", is_flag=True, help="All fields, as JSON.")
@click.pass_obj
def journal(invocation: Invocation, limit: int, outcome: str | None, as_json: bool) -> None:
    """Time, tool, client, outcome and duration, the newest first."""
    from rolltop.workspace import Workspace

    workspace = Workspace(invocation.settings())
    rows = workspace.journal.recent(limit, outcome=outcome)
    if as_json:
        print_json(rows)
        return
    print_rows(
        ("TIME", "TOOL", "CLIENT", "OUTCOME", "MS"),
        [
            (
                time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(row["time"])),
                row["tool"],
                row["client"],
                row["outcome"],
                f"{row['seconds'] * 1000:.1f}",
            )
            for row in rows
        ],
    )


@click.command(epilog=EXIT_CODES)
def cost() -> None:
    """Show what tool calls cost an agent, by tool."""
