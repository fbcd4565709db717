"""`rolltop demo`: a real MCP client walks through everything the server can do, and ends."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from rolltop.cli.catalog_tour import catalog_places, catalog_steps
from rolltop.cli.main import EXIT_CODES
from rolltop.errors import ForeignFailure

__all__ = ["demo"]

Step = tuple[str, str, dict[str, Any], bool]
"""Tool set, tool, arguments, and whether the call is meant to fail."""


@click.command(epilog=EXIT_CODES)
@click.option("--toolsets", metavar="A,B", help="Only these sets.")
@click.option("--full", is_flag=True, help="Show answers in full instead of their first lines.")
def demo(toolsets: str | None, full: bool) -> None:
    """Start a server in a workspace of its own, call it as a client would, show what comes back."""
    asyncio.run(_tour(toolsets, full))


async def _tour(toolsets: str | None, full: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="rolltop-demo-") as directory:
        steps = _collect(toolsets, Path(directory))
        async with _client(Path(directory), toolsets) as client:
            await _walk(client, steps, full)


def _collect(toolsets: str | None, directory: Path) -> list[Step]:
    """The first examples of every tool of every set that is served, in order."""
    from rolltop.server.desk import Desk
    from rolltop.settings import load

    env = {"ROLLTOP_WORKSPACE": str(directory / "listing"), "MCP_INCLUDE_EXAMPLE_TOOLS": "true"}
    desk = Desk(load({"toolsets": toolsets} if toolsets else None, env=env))
    steps: list[Step] = []
    for registered in desk.registry:
        for example in registered.spec.examples[:2]:
            for tool, arguments in example.before:
                steps.append((registered.spec.toolset, tool, dict(arguments), False))
            steps.append((registered.spec.toolset, registered.name, dict(example.arguments), example.fails is not None))
    return [*steps, *catalog_steps(toolsets)]


def _client(directory: Path, toolsets: str | None) -> Any:
    from mcp import Client, StdioServerParameters

    chosen = ["--toolsets", toolsets] if toolsets else []
    chosen += [argument for place in catalog_places() for argument in ("--catalog", place)]
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "rolltop", "--workspace", str(directory / "workspace"), "serve", *chosen],
        env={
            "MCP_INCLUDE_EXAMPLE_TOOLS": "true",
            "MCP_TOOL_PREFIX": "",
            "ROLLTOP_LOG_FILE": str(directory / "server.log"),
        },
        cwd=str(directory),
    )
    return Client(server)


async def _walk(client: Any, steps: list[Step], full: bool) -> None:
    tools = (await client.list_tools()).tools
    click.secho(f"rolltop serves {len(tools)} tools to a client that speaks MCP over stdio.", bold=True)
    shown_set, failures = "", []
    for toolset, tool, arguments, may_fail in steps:
        if toolset != shown_set:
            shown_set = toolset
            click.secho(f"\n── {toolset} ──", fg="cyan", bold=True)
        answer = await client.call_tool(tool, arguments)
        click.secho(f"> {tool} {_short(json.dumps(arguments, ensure_ascii=False), full)}", fg="green")
        click.echo(f"  {_short(answer.content[0].text, full)}")
        if answer.is_error and not may_fail:
            failures.append(tool)
    if failures:
        raise ForeignFailure(f"these calls failed: {', '.join(failures)}")
    click.secho(f"\nThat was {len(steps)} calls. Next: rolltop connect claude-code", bold=True)


def _short(text: str, full: bool) -> str:
    return text if full or len(text) <= 160 else f"{text[:157]}…"
