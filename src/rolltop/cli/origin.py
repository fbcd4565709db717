"""`rolltop made`, `rolltop stale` and `rolltop remake`: where things come from, and making them again."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.cli.output import counted, note, print_json, print_rows
from rolltop.cli.serve import make_settings

if TYPE_CHECKING:
    from mcp_core import ToolContext
    from rolltop.remake import Call, Remade
    from rolltop.workspace import Workspace

__all__ = ["made", "remake", "stale"]

T = TypeVar("T")


@click.command(epilog=EXIT_CODES)
@click.argument("name", required=False)
@click.option("--dot", "form", flag_value="dot", help="As a graph for Graphviz.")
@click.option("--prov", "form", flag_value="prov", help="As W3C PROV-JSON.")
@click.option("--json", "form", flag_value="json", help="All facts, as JSON.")
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Without NAME: how many."
)
@click.pass_obj
def made(invocation: Invocation, name: str | None, *, form: str | None, limit: int) -> None:
    """Show how NAME was made: the call, its inputs, and theirs. Without NAME, list what was made, the newest first.

    NAME is a document, a hash, or a URI such as rmd-output:///report.pdf.
    """
    from rolltop.origin import as_dot, as_prov, as_tree, lineage
    from rolltop.recorder import lineage_dict, thing_named
    from rolltop.workspace import Workspace

    with contextlib.closing(Workspace(invocation.settings())) as workspace:
        if name is None:
            _list(workspace, limit, form)
            return
        found = lineage(workspace.origins, thing_named(workspace, name))
    if form == "json":
        print_json(lineage_dict(found))
    elif form == "prov":
        print_json(as_prov(found))
    else:
        click.echo(as_dot(found) if form == "dot" else "\n".join(as_tree(found)))


def _list(workspace: Workspace, limit: int, form: str | None) -> None:
    if form in ("dot", "prov"):
        raise click.UsageError(f"--{form} needs a NAME")
    rows = workspace.origins.recent(limit)
    if form == "json":
        print_json([each.as_dict() for each in rows])
        return
    print_rows(
        ("TIME", "MADE", "BY", "FROM", "CLIENT"),
        [
            (
                time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(each.time)),
                each.name,
                each.tool,
                ", ".join(part.label for part in each.inputs),
                each.client,
            )
            for each in rows
        ],
    )


@click.command(epilog=EXIT_CODES)
@click.option("--remake", "again", is_flag=True, help="Make it again, in the right order.")
@click.option("--yes", is_flag=True, help="With --remake: agree to what tools ask consent for.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def stale(invocation: Invocation, *, again: bool, yes: bool, as_json: bool) -> None:
    """List what was made from inputs that have changed since."""
    from rolltop.remake import find_stale, remake_stale

    if again:
        _report(_run(invocation, yes, remake_stale), as_json)
        return
    found = _run(invocation, yes, lambda ctx, _: find_stale(ctx))
    if as_json:
        print_json(
            [
                {"name": each.making.name, "tool": each.making.tool, "is_copy": each.making.is_copy}
                | {"changed": each.changed, "missing": each.missing, "after": each.after}
                for each in found
            ]
        )
        return
    print_rows(("STALE", "BY", "WHY"), [(each.making.name, each.making.tool, each.reason) for each in found])
    note(
        f"{counted(len(found), 'thing')} out of date" + ("; `rolltop stale --remake` makes them again" if found else "")
    )


@click.command(epilog=EXIT_CODES)
@click.argument("name")
@click.option("--yes", is_flag=True, help="Agree to what the tool asks consent for.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def remake(invocation: Invocation, name: str, *, yes: bool, as_json: bool) -> None:
    """Make NAME again by the call that made it, and say whether the bytes are equal and what changed if not."""
    from rolltop.remake import making_named
    from rolltop.remake import remake as make_again

    async def work(ctx: ToolContext[Workspace], call: Call) -> list[Remade]:
        return [await make_again(ctx, await ctx.run(making_named, ctx.workspace, name), call)]

    _report(_run(invocation, yes, work), as_json)


def _report(done: list[Remade], as_json: bool) -> None:
    if as_json:
        print_json([each.as_dict() for each in done])
    else:
        print_rows(("MADE AGAIN", "BY", "BYTES", "BECAUSE"), [_row(each) for each in done])
    if any(each.error is not None for each in done):
        sys.exit(1)


def _row(each: Remade) -> tuple[str, str, str, str]:
    if each.error is not None:
        return each.name, each.tool, "failed", each.error
    return each.name, each.tool, "equal" if each.is_equal else "changed", "; ".join(each.changes)


def _run(invocation: Invocation, yes: bool, work: Callable[[ToolContext[Workspace], Call], Awaitable[T]]) -> T:
    """Run `work` with a context and a way to call tools, through the same dispatcher as over MCP."""

    async def run() -> T:
        async with _desk(invocation, yes) as (ctx, call):
            return await work(ctx, call)

    return asyncio.run(run())


@contextlib.asynccontextmanager
async def _desk(invocation: Invocation, yes: bool) -> AsyncIterator[tuple[ToolContext[Workspace], Call]]:
    from mcp_core import CannotAsk, ClientInfo, Reply
    from rolltop.cli.call import error_sentence
    from rolltop.server.application import Application
    from rolltop.server.connection import local_principal
    from rolltop.server.runtime import start_logging

    async def ask(key: str, message: str, schema: Any) -> Reply:
        if not yes and not sys.stdin.isatty():
            raise CannotAsk
        agreed = yes or click.confirm(message, err=True)
        return Reply("accept", {"agree": True}) if agreed else Reply("decline")

    settings = make_settings(invocation, {})
    start_logging(settings)
    desk = Application(settings)

    def context() -> ToolContext[Workspace]:
        return desk.context(ClientInfo("rolltop", transport="cli"), principal=local_principal(), asker=ask)

    async def call(tool: str, arguments: dict[str, Any]) -> str | None:
        answer = await desk.dispatcher.call(desk.registry.name_of(tool), arguments, context())
        return error_sentence(answer) if answer.is_error else None

    try:
        yield context(), call
    finally:
        desk.close()
