"""`rolltop call`: one tool call without a client, through the same dispatcher as over MCP."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rolltop.cli.completion import complete_tools
from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.cli.output import is_terminal, note, shows_progress
from rolltop.cli.serve import make_settings
from rolltop.errors import InvalidInput, NotFound, PartMissing, RolltopError
from rolltop.settings import SECTIONS

if TYPE_CHECKING:
    from mcp_core import Call, ToolSet, UnknownTool
    from rolltop.server.application import Application
    from rolltop.settings import Settings

__all__ = ["EXIT_OF_ERROR", "call", "error_sentence", "is_pair", "read_document", "read_pairs"]


INDEPENDENT = ("store", "transform", "reports", "guide")
"""Tool sets whose tools use nothing of another set, so that one of them can be loaded alone."""
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
"""Exit codes by error type, for the codes of all tool sets; 1 for any other failure."""


@click.command(epilog=EXIT_CODES)
@click.argument("tool", shell_complete=complete_tools)
@click.argument("given", metavar="[JSON | KEY=VALUE...]", nargs=-1)
@click.option("--json", "document", metavar="JSON", help="The arguments as a JSON object; @FILE reads one, - stdin.")
@click.option("--yes", is_flag=True, help="Agree to what the tool asks consent for.")
@click.option("--raw", is_flag=True, help="Print the whole tool result: content, structuredContent, isError.")
@click.pass_obj
def call(
    invocation: Invocation, tool: str, given: tuple[str, ...], document: str | None, *, yes: bool, raw: bool
) -> None:
    """Call TOOL and print its answer as JSON.

    Arguments are KEY=VALUE, read by the tool's schema; KEY:=JSON gives JSON, KEY=@FILE the text of a file, KEY:=@FILE
    the JSON in a file. Repeat a KEY to give a list. Or give one JSON object, @FILE or - for standard input.

    \b
    rolltop call search_documents query='quarterly report' limit=5
    rolltop call search_documents '{"query": "quarterly report", "limit": 5}'
    """
    if given and document is not None:
        raise click.UsageError("the arguments are given twice: once behind the tool, once in --json")
    from mcp_core import CannotAsk, ClientInfo, ProtocolFault, Reply, UnknownTool
    from rolltop.server.runtime import start_logging

    if document is None and len(given) == 1 and not is_pair(given[0]):
        [document], given = given, ()
    values = {} if document is None else read_document(document)
    settings = make_settings(invocation, {})
    start_logging(settings)
    ended: list[Call] = []
    application = _application_with(tool, settings, ended.append)
    registered = application.registry.by_plain_name(tool)
    if registered is not None and given:
        values = read_pairs(given, registered.spec.input_schema)

    async def ask(key: str, message: str, schema: Any) -> Reply:
        if not yes and not sys.stdin.isatty():
            note("there is no terminal to ask on; --yes agrees", style="yellow")
            raise CannotAsk
        agreed = yes or click.confirm(message, err=True)
        return Reply("accept", {"agree": True}) if agreed else Reply("decline")

    context = application.context(ClientInfo("rolltop", transport="cli"), progress_sink=_progress, asker=ask)
    try:
        answer = asyncio.run(application.dispatcher.call(registered.name if registered else tool, values, context))
    except UnknownTool as error:
        raise _unknown(error, application) from None
    except ProtocolFault as fault:  # how some tool sets reject arguments
        raise InvalidInput(fault.message, hint=f"rolltop tools show {tool} describes them.") from None
    finally:
        application.close()
    _print(answer, raw)
    if answer.is_error:
        sys.exit(EXIT_OF_ERROR.get(ended[-1].error_type or "", 1))


def error_sentence(answer: Any) -> str:
    """What a failed answer says, in whichever envelope."""
    error = (answer.structured or {}).get("error", answer.text) if isinstance(answer.structured, dict) else answer.text
    return str(error.get("message", answer.text) if isinstance(error, dict) else error)


def _application_with(tool: str, settings: Settings, watcher: Callable[[Call], None]) -> Application:
    """An application with the one module that declares the tool; with all sets if no single one is known to."""
    from rolltop.server.application import Application
    from rolltop.server.toolsets import SEARCH, discover, select

    if settings.tool_mode != SEARCH and not (settings.exclude_tools or settings.tools):
        name = tool.removeprefix(f"{settings.tool_prefix}_") if settings.tool_prefix else tool
        independent = [each for each in select(discover()[0], settings) if each.name in INDEPENDENT]
        declaring = [part for each in independent if (part := _part_with(each, name)) is not None]
        if len(declaring) == 1:
            [found] = declaring
            other: dict[str, dict[str, Any]] = {key: {} for key in SECTIONS if key != found.name}
            only = replace(settings, toolsets=(found.name,), sections={**settings.sections, **other})
            application = Application(only, watcher=watcher, toolsets=[found])
            if application.registry.by_plain_name(tool) is not None:
                return application
            application.close()
    return Application(settings, watcher=watcher)


def _part_with(toolset: ToolSet, name: str) -> ToolSet | None:
    """The set with only the module that defines a function of this name. Reading sources loads nothing."""
    mark = f"def {name}(".encode()
    for module in toolset.modules if name.isidentifier() else ():
        spec = find_spec(module)
        if spec is not None and spec.origin is not None and mark in Path(spec.origin).read_bytes():
            return replace(toolset, modules=(module,), prompts=())
    return None


def _unknown(error: UnknownTool, application: Application) -> RolltopError:
    """The error for a tool that is not served; it may belong to a set that could not be loaded."""
    failed = [f"{each.toolset.name} ({each.error})" for each in application.loaded if each.error]
    if not failed or error.nearest:
        return NotFound(str(error), hint="rolltop tools list shows all tools.")
    return PartMissing(f"{error}. Not served: {', '.join(failed)}", hint="rolltop doctor says what is missing.")


async def _progress(done: float, total: float | None, message: str | None) -> None:
    if shows_progress():
        of = f"/{total:g}" if total else ""
        click.echo(f"\r{done:g}{of} {message or ''}\x1b[K", err=True, nl=False)


def _print(answer: Any, raw: bool) -> None:
    if raw:
        click.echo(json.dumps(answer.wire(), ensure_ascii=False))
    elif is_terminal():
        click.echo(json.dumps(answer.structured, ensure_ascii=False, indent=2))
    else:
        click.echo(json.dumps(answer.structured, ensure_ascii=False, separators=(",", ":")))


_PAIR = re.compile(r"([A-Za-z_][\w.-]*)(:?=)(.*)", re.DOTALL)
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def is_pair(text: str) -> bool:
    """True for KEY=VALUE and KEY:=JSON."""
    return _PAIR.fullmatch(text) is not None


def read_document(text: str) -> dict[str, Any]:
    """Arguments as one JSON object, from the text itself, from @FILE, or from standard input with -."""
    if text == "-" or text.startswith("@"):
        text = _read(text)
    value = _json(text, "the text of the arguments")
    if not isinstance(value, dict):
        raise InvalidInput("the arguments must be a JSON object")
    return value


def read_pairs(pairs: Sequence[str], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as KEY=VALUE pairs. A KEY that is repeated, or that the schema calls an array, becomes a list."""
    values: dict[str, Any] = {}
    properties = schema.get("properties", {})
    for pair in pairs:
        matched = _PAIR.fullmatch(pair)
        if matched is None:
            raise InvalidInput(f"{pair!r} is neither KEY=VALUE nor KEY:=JSON", hint="rolltop call --help shows both.")
        key, operator, text = matched.groups()
        if text.startswith("@"):
            text = _read(text)
        if operator == ":=":
            values[key] = _json(text, key)
            continue
        kinds = _kinds(properties.get(key, {}), schema)
        if "array" in kinds and not text.lstrip().startswith("["):
            items = _kinds(_array(properties[key], schema).get("items", {}), schema)
            values[key] = [*values.get(key, []), _typed(key, text, items)]
        else:
            values[key] = _typed(key, text, kinds)
    return values


def _typed(key: str, text: str, kinds: set[str]) -> Any:
    """The value of a text for a property of these JSON types; the tool itself checks it."""
    if "string" in kinds or not kinds:
        return text
    if text == "null" and "null" in kinds:
        return None
    if "boolean" in kinds and text.lower() in _BOOLEANS and not kinds & {"integer", "number"}:
        return _BOOLEANS[text.lower()]
    try:
        return json.loads(text)
    except ValueError:
        wanted = " or ".join(sorted(kinds - {"null"}))
        raise InvalidInput(f"{key}: expected {wanted}, got text", hint=f"{key}:=JSON gives any JSON value.") from None


def _kinds(schema: Any, root: Mapping[str, Any]) -> set[str]:
    """The JSON types that a schema allows; none for one that allows any."""
    if not isinstance(schema, Mapping):
        return set()
    if "$ref" in schema:
        return _kinds(_resolved(schema["$ref"], root), root)
    kinds: set[str] = set()
    for name in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(name, ()):
            kinds |= _kinds(each, root)
    given = schema.get("type", ())
    kinds |= {given} if isinstance(given, str) else set(given)
    choices = schema.get("enum", [schema["const"]] if "const" in schema else [])
    return kinds or ({"string"} if choices and all(isinstance(each, str) for each in choices) else set())


def _array(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part of a schema that describes an array."""
    if "$ref" in schema:
        return _array(_resolved(schema["$ref"], root), root)
    for name in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(name, ()):
            if "array" in _kinds(each, root):
                return _array(each, root)
    return schema


def _resolved(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = root
    for part in reference.removeprefix("#/").split("/"):
        found = found.get(part, {})
    return found if isinstance(found, Mapping) else {}


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        hint = 'Quote it for the shell: \'{"query": "x"}\', or write query=x'
        raise InvalidInput(f"{what} is not JSON: {error}", hint=hint) from None


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
