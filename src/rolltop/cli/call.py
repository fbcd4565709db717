"""`rolltop call`: one tool call without a client, through the same dispatcher as over MCP."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.options import make_settings
from rolltop.cli.output import is_terminal, note
from rolltop.errors import InvalidInput, NotFound, PartMissing, RolltopError

if TYPE_CHECKING:
    from mcp_core import UnknownTool
    from rolltop.server.application import Application

__all__ = ["EXIT_OF_ERROR", "call"]

EXIT_OF_ERROR = {
    "validation_error": 2,
    "INVALID_INPUT": 2,
    "invalid_arguments": 2,
    "invalid_expression": 2,
    "invalid_name": 2,
    "invalid_request": 2,
    "not_found": 3,
    "no_project": 3,
    "document_not_found": 3,
    "invalid_data": 4,
    "invalid_program": 4,
    "unreadable_input": 4,
    "PARSE_ERROR": 4,
    "VALIDATION_ERROR": 4,
    "config_read_error": 4,
    "file_read_error": 4,
    "part_missing": 5,
    "DAEMON_CONNECTION_ERROR": 5,
    "package_missing": 5,
    "container_engine_missing": 5,
    "timeout": 6,
    "TIMEOUT": 6,
    "memory_limit": 6,
    "size_limit": 6,
    "limit_exceeded": 6,
    "rate_limited": 6,
    "queue_full": 6,
    "consent_required": 7,
}
"""Exit codes by the type of the error, in any tool set's words; 1 for any other failure."""


def _tool_names(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from rolltop.server.application import Application
    from rolltop.settings import load

    return [tool.name for tool in Application(load()).registry if tool.name.startswith(incomplete)]


@click.command(epilog=EXIT_CODES)
@click.argument("tool", shell_complete=_tool_names)
@click.argument("given", metavar="[JSON]", required=False)
@click.option("--json", "arguments", metavar="JSON", help="The arguments as a JSON object; @FILE reads one, - stdin.")
@click.option("--yes", is_flag=True, help="Agree to what the tool asks consent for.")
@click.option("--raw", is_flag=True, help="Print the whole tool result: content, structuredContent, isError.")
@click.pass_obj
def call(invocation: Invocation, tool: str, given: str | None, arguments: str | None, *, yes: bool, raw: bool) -> None:
    """Call TOOL and print its answer as JSON. The arguments may stand behind it or in --json.

    \b
    rolltop call search_documents '{"query": "quarterly report"}'
    """
    if given is not None and arguments is not None:
        raise click.UsageError("the arguments are given twice: once behind the tool, once in --json")
    from mcp_core import Call, CannotAsk, ClientInfo, ProtocolFault, Reply, UnknownTool
    from rolltop.server.application import Application
    from rolltop.server.environment import start_logging

    values = _arguments(arguments if given is None else given)
    settings = make_settings(invocation, {})
    start_logging(settings)
    ended: list[Call] = []
    desk = Application(settings, watcher=ended.append)
    registered = desk.registry.by_plain_name(tool)
    name = registered.name if registered else tool

    async def ask(key: str, message: str, schema: Any) -> Reply:
        if not yes and not sys.stdin.isatty():
            note("there is no terminal to ask on; --yes agrees")
            raise CannotAsk
        agreed = yes or click.confirm(message, err=True)
        return Reply("accept", {"agree": True}) if agreed else Reply("decline")

    context = desk.context(ClientInfo("rolltop", transport="cli"), progress_sink=_progress, asker=ask)
    try:
        answer = asyncio.run(desk.dispatcher.call(name, values, context))
    except UnknownTool as error:
        raise _unknown(error, desk) from None
    except ProtocolFault as fault:  # how some tool sets reject arguments
        raise InvalidInput(fault.message, hint=f"rolltop tools show {tool} describes them.") from None
    finally:
        desk.close()
    _print(answer, raw)
    if answer.is_error:
        sys.exit(EXIT_OF_ERROR.get(ended[-1].error_type or "", 1))


def _unknown(error: UnknownTool, desk: Application) -> RolltopError:
    """Not there, unless it may be among those that could not be loaded."""
    failed = [f"{each.toolset.name} ({each.error})" for each in desk.loaded if each.error]
    if not failed or error.nearest:
        return NotFound(str(error), hint="rolltop tools list shows all tools.")
    return PartMissing(f"{error}. Not served: {', '.join(failed)}", hint="rolltop doctor says what is missing.")


def _arguments(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    if text == "-" or text.startswith("@"):
        text = _read(text)
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InvalidInput(
            f"the arguments are not JSON: {error}", hint='Quote them: --json \'{"query": "x"}\''
        ) from None
    if not isinstance(value, dict):
        raise InvalidInput("the arguments must be a JSON object")
    return value


def _read(place: str) -> str:
    source = "standard input" if place == "-" else place[1:]
    try:
        return sys.stdin.read() if place == "-" else Path(source).read_text("utf-8")
    except FileNotFoundError:
        raise NotFound(f"the file of arguments {source} is not there") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"the arguments in {source} are not UTF-8 text") from None
    except OSError as error:
        raise InvalidInput(f"the arguments in {source} cannot be read: {error.strerror}") from None


async def _progress(done: float, total: float | None, message: str | None) -> None:
    if sys.stderr.isatty():
        of = f"/{total:g}" if total else ""
        click.echo(f"\r{done:g}{of} {message or ''}\x1b[K", err=True, nl=False)


def _print(answer: Any, raw: bool) -> None:
    if raw:
        click.echo(json.dumps(answer.wire(), ensure_ascii=False))
    elif is_terminal():
        click.echo(json.dumps(answer.structured, ensure_ascii=False, indent=2))
    else:
        click.echo(json.dumps(answer.structured, ensure_ascii=False, separators=(",", ":")))
