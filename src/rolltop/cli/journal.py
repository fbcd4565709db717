"""`rolltop journal` and `rolltop cost`: the tool calls of all server processes, and what they cost an agent."""

from __future__ import annotations

import time

import click

from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.cli.output import Ratio, Size, counted, note, print_json, print_rows

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
@click.argument("client", required=False)
@click.option(
    "--by",
    type=click.Choice(["tool", "toolset", "client", "session", "principal"]),
    default="tool",
    show_default=True,
    help="What each line is about.",
)
@click.option("--session", metavar="ID", help="Only this session; `--by session` lists them.")
@click.option("--since", metavar="TIME", help="Only calls since: 2h, 7d, yesterday, 2026-11-15.")
@click.option("--json", "as_json", is_flag=True, help="All figures, as JSON.")
@click.pass_obj
def cost(
    invocation: Invocation, client: str | None, *, by: str, session: str | None, since: str | None, as_json: bool
) -> None:
    """Show what tool calls cost CLIENT (or all clients): calls, estimated tokens of arguments and answers, seconds."""
    from rolltop.store import parse_time
    from rolltop.workspace import Workspace

    after = parse_time(since) / 1e9 if since else None
    rows = Workspace(invocation.settings()).journal.totals(by, client=client, session=session, after=after)
    if as_json:
        print_json(rows)
        return
    figures = ("calls", "failures", "tokens_in", "tokens_out")
    print_rows(
        (by.upper(), "CALLS", "FAILED", "TOKENS IN", "TOKENS OUT", "SECONDS", "BYTES OUT"),
        [(row[by], *(row[name] for name in figures), _rounded(row["seconds"]), Size(row["size_out"])) for row in rows],
    )
    calls, tokens = sum(row["calls"] for row in rows), sum(row["tokens_in"] + row["tokens_out"] for row in rows)
    note(f"{counted(calls, 'call')}, about {counted(tokens, 'token')}; `rolltop toolsets --cost` shows what lists cost")


def _rounded(seconds: float) -> Ratio:
    return Ratio(round(seconds, 6))
