"""Definitions as tools of the server."""

from __future__ import annotations

import asyncio
import base64
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from mcp_core import (
    FROM_DOCUMENTS,
    RUNS,
    Consent,
    Effect,
    Image,
    InvalidArguments,
    Problem,
    Result,
    ToolContext,
    ToolSpec,
)
from mcp_core.consent import FIELD
from mcp_core.display import cleaned, cleaned_schema, escaped
from mcp_core.envelope import invalid_arguments_result
from rolltop.catalog.arguments import check_arguments, served_schema
from rolltop.catalog.definition import Definition
from rolltop.catalog.library import FileStamp, file_stamp
from rolltop.catalog.outputs import keeps_promise, promised_result
from rolltop.errors import InvalidInput
from rolltop.references import is_reference, read_reference
from rolltop.tools.catalog.given import accepting_references, with_documents
from rolltop.workspace import Workspace

if TYPE_CHECKING:  # the engine's running part is loaded when a catalog is served or a tool is called
    from rolltop.catalog.live import Answer, Catalog
    from rolltop.catalog.live.catalog import Served

__all__ = [
    "CallAnswer",
    "agree_to_call",
    "call_served",
    "checked",
    "consent_for",
    "result_of_answer",
    "served_tools",
    "session_of",
]


class CallAnswer(BaseModel):
    result: Any = Field(description="The result as data; as text what is none, such as a fitted model.")
    unexpected: Any = Field(default=None, description="A result that is not as documented.")
    text: str = Field(description="The result as R or Python describes it.")
    printed: str | None = Field(default=None, description="What the function printed.")
    warnings: list[str] | None = Field(default=None, description="Warnings that it gave.")
    messages: list[str] | None = Field(default=None, description="Messages that it gave.")
    kept: dict[str, str] | None = Field(default=None, description="What was stored: uri and hash.")


# Without descriptions: it is repeated for every tool, and there may be a thousand.
_OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "result": {},
        "unexpected": {},
        "text": {"type": "string"},
        "printed": {"type": ["string", "null"]},
        "warnings": {"type": ["array", "null"]},
        "messages": {"type": ["array", "null"]},
    },
    "required": ["result", "text"],
}


def output_of(definition: Definition) -> dict[str, Any]:
    """The schema of the value of an answer: what `returns` says of the result is part of it."""
    promise = promised_result(definition)
    return {**_OUTPUT, "properties": {**_OUTPUT["properties"], "result": cleaned_schema(promise)}}


def result_of_answer(answer: Answer, definition: Definition) -> Result[CallAnswer]:
    """The answer of a function as a tool's result; plots become images.

    A result that is not what the documentation says comes beside `result`, which always is.
    """
    is_as_promised = keeps_promise(answer.value, promised_result(definition))
    warnings = [*answer.warnings, *([] if is_as_promised else [_UNEXPECTED])]
    value = CallAnswer(
        result=answer.value if is_as_promised else None,
        unexpected=None if is_as_promised else answer.value,
        text=answer.text,
        printed=answer.printed or None,
        warnings=warnings or None,
        messages=list(answer.messages) or None,
    )
    return Result.ok(value, content=[Image(base64.b64decode(image)) for image in answer.images])


_UNEXPECTED = "the result is not of the type that the documentation of its return value says; it is in `unexpected`"


def session_of(ctx: ToolContext[Workspace], handle: str | None = None) -> str | None:
    """Whose state a call sees: a handle's, the process's over stdio, the principal's over HTTP, else nobody's."""
    if handle is not None:
        return f"handle:{handle}"
    if ctx.client.transport != "http":
        return "process"
    return f"principal:{ctx.principal}" if ctx.principal else None


def consent_for(definition: Definition) -> Consent | None:
    """What a human has to agree to before this tool runs, if anything."""
    if not (definition.dangerous or definition.requires_approval):
        return None
    why = "its author marked as dangerous" if definition.dangerous else "needs approval each time"
    taken = served_schema(definition)["properties"]
    field = next(name for name in _consent_fields() if name not in taken)
    effect = f"runs {escaped(definition.name)}, which {why}"
    return Consent(f"RUN_{definition.function.upper()}", effect, always=False, field=field)


async def agree_to_call(
    served: Served, arguments: Mapping[str, Any], ctx: ToolContext[Workspace], given: str | None
) -> None:
    """Go on only if the human agrees to this call of a tool that asks; `given` is the literal, if it was passed.

    The agreement is bound to the arguments, the definition and the code behind it.
    """
    consent = consent_for(served.definition)
    if consent is None:
        return
    effect = await ctx.run(_call_effect, served, consent, arguments)
    agreement = await ctx.require_consent(
        consent.literal, effect, given=given == consent.literal, field=consent.field, tool=served.definition.name
    )
    now = ctx.workspace.catalog.find(served.definition.name)
    agreement.check(await ctx.run(_call_effect, now, consent, arguments))


def _call_effect(served: Served, consent: Consent, arguments: Mapping[str, Any]) -> Effect:
    from rolltop.catalog.live.code_stamp import code_stamp  # noqa: PLC0415 - what runs code is loaded when it is to run

    facts = [served.definition.to_dict(), str(served.path), repr(code_stamp(served.origin)), arguments]
    return Effect(consent.effect, consent.details_of(arguments), facts=facts, summary=consent.effect)


def _consent_fields() -> Iterator[str]:
    """Names for the argument that carries the consent: a function may have one called `confirm` of its own."""
    yield FIELD
    yield "user_consent"
    yield from map("user_consent_{}".format, count(2))


def served_tools(workspace: Workspace) -> ServedTools:
    return ServedTools(workspace)


class ServedTools:
    """The `LiveTools` of the catalog: one tool per definition that is served."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        settings = workspace.settings
        attached = (workspace.root / "catalogs.json").exists()
        # Without a catalog nothing of the engine is loaded.
        self._used = bool(settings.catalogs or settings.section("catalog").get("serve") or attached)

    def specs(self) -> Iterator[ToolSpec]:
        if self._used:
            catalog = self._workspace.catalog
            never = self._workspace.settings.consent == "never"
            for served in catalog.tools():
                if not (never and consent_for(served.definition)):
                    yield spec_of(served.definition, catalog)

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        if not self._used:
            return lambda: None
        return _Watcher(self._workspace, changed).stop


class _Watcher:
    """Looks at the files of definitions now and then, and reads them again when one changed.

    The places are those of the start: what is attached later is a tool of its own after the next one.
    """

    def __init__(self, workspace: Workspace, changed: Callable[[], None]) -> None:
        self._catalog = workspace.catalog
        self._changed = changed
        self._stopped = threading.Event()
        self._places = self._catalog.places
        self._seen = self._look()
        threading.Thread(target=self._run, name="rolltop-catalog-watch", daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(self._catalog.settings.watch_seconds):
            before, self._seen = self._seen, self._look()
            changed = [file for file in {**before, **self._seen} if before.get(file) != self._seen.get(file)]
            # What a tool call wrote does not change the list, as the protocol wants it; calls follow it all the same.
            if any(self._catalog.is_news(file, self._seen.get(file)) for file in changed):
                self._catalog.reload()
                self._changed()

    def _look(self) -> dict[Path, FileStamp]:
        files = (file for folder in self._catalog.folders(self._places) for file in folder.glob("*.yaml"))
        return {file: stamp for file in files if (stamp := file_stamp(file)) is not None}


def spec_of(listed: Definition, catalog: Catalog) -> ToolSpec:
    """A tool of the server from a definition.

    The list shows `listed` until something other than a call changes it; calls follow the definition as it is then.
    """
    consent = consent_for(listed)

    def validate(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        now = catalog.find(listed.name).definition
        schema = accepting_references(served_schema(now), arguments)
        for each in (consent_for(now), consent):
            if each is not None and each.field not in schema["properties"]:
                schema = _with_consent(schema, each)
        try:
            return checked(schema, arguments)
        except InvalidArguments as error:
            if now.parameters == listed.parameters:
                raise
            raise InvalidArguments([*error.problems, _OUTDATED]) from None

    async def call(args: Mapping[str, Any], ctx: ToolContext[Workspace]) -> Result[CallAnswer]:
        served = catalog.find(listed.name)
        now = consent_for(served.definition)
        properties = served.definition.parameters["properties"]
        given = {name: value for name, value in args.items() if name in properties}
        literals = {args.get(each.field) for each in (now, consent) if each is not None}
        read = await with_documents(served_schema(served.definition), given, partial(read_reference, ctx))
        try:
            checked(served_schema(served.definition), read)
        except InvalidArguments as error:
            return invalid_arguments_result(error)
        await agree_to_call(served, given, ctx, now.literal if now and now.literal in literals else None)
        return await call_served(listed.name, read, ctx)

    schema = cleaned_schema(served_schema(listed))
    return ToolSpec(
        name=listed.name,
        func=call,
        toolset="catalog",
        annotations=replace(RUNS, destructive=listed.dangerous),
        consent=consent,
        schema=_with_consent(schema, consent) if consent else schema,
        validate=validate,
        output=output_of(listed),
        documentation=documentation_of(listed),
        brief=brief_of(listed),
        tags=frozenset({"live", FROM_DOCUMENTS, *([listed.category] if listed.category else [])}),
    )


_OUTDATED = Problem(
    "", "the tool was built anew, and the list of tools shows it as it was: mcptool_load has its definition", "outdated"
)


def checked(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments to call with; raises `InvalidArguments` with everything that is wrong."""
    given, problems = check_arguments(schema, arguments)
    if problems:
        raise InvalidArguments([Problem(each.path, each.message, each.rule) for each in problems])
    return given


async def call_served(
    name: str, arguments: Mapping[str, Any], ctx: ToolContext[Workspace], handle: str | None = None
) -> Result[CallAnswer]:
    """Call a tool in the caller's session; a call that is given up ends the process it ran in."""
    catalog = ctx.workspace.catalog
    session = session_of(ctx, handle) or catalog.new_call()
    try:
        answer = await _call_with_documents(name, arguments, ctx, session)
    except asyncio.CancelledError:
        catalog.end_session(session)
        raise
    except InvalidInput as error:
        if not (problems := error.details.get("problems")):
            raise
        # What only the function's own types tell is answered as what the schema tells.
        return invalid_arguments_result(
            InvalidArguments([Problem(each["path"], each["message"], "conversion") for each in problems])
        )
    return result_of_answer(answer, catalog.find(name).definition)


async def _call_with_documents(
    name: str, arguments: Mapping[str, Any], ctx: ToolContext[Workspace], session: str
) -> Answer:
    """Call with the paths of files in place of `doc://NAME`: the tool reads documents as it reads any file."""
    catalog = ctx.workspace.catalog
    named = dict.fromkeys(
        each
        for value in arguments.values()
        for each in (value if isinstance(value, list) else [value])
        if isinstance(each, str) and each.startswith("doc://") and is_reference(each)
    )
    if not named or catalog.find(name).definition.language == "openapi":
        return await ctx.run(catalog.call, name, arguments, session=session)
    documents = {uri: (await read_reference(ctx, uri)).data for uri in named}

    def call() -> Answer:
        with catalog.inputs.held(documents) as paths:
            return catalog.call(name, {key: _placed(each, paths) for key, each in arguments.items()}, session=session)

    return await ctx.run(call)


def _placed(value: Any, paths: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_placed(each, paths) for each in value]
    return paths.get(value, value) if isinstance(value, str) else value


def _with_consent(schema: dict[str, Any], consent: Consent) -> dict[str, Any]:
    confirm = {
        "type": "string",
        "enum": [consent.literal],
        "description": f'The user\'s explicit consent, exactly "{consent.literal}".',
    }
    return schema | {"properties": {**schema["properties"], consent.field: confirm}}


def documentation_of(definition: Definition) -> str:
    """What an agent reads: the description, what comes back, an example with its output."""
    parts = [definition.description or f"Calls {definition.function}."]
    if definition.returns:
        parts.append(f"Returns: {_returns_text(definition.returns)}")
    if definition.category:
        parts.append(f"Category: {definition.category}")
    if example := _example_text(definition):
        parts.append(example)
    return _authors("\n\n".join(parts))


_BRIEF = 4000
"""Characters of a description in `tools/list` beyond which an example is left to `mcptool_load`."""


def brief_of(definition: Definition) -> str:
    """What `tools/list` shows: the author's description whole, then the example if there is room for it."""
    description = definition.description or f"Calls {definition.function}."
    example = _example_text(definition)
    if example and len(description) + len(example) > _BRIEF:
        example = f"An example with its output is in the definition: {{tool:mcptool_load}} {definition.name}."
        return "\n\n".join([_authors(description), example])
    return _authors("\n\n".join(part for part in (description, example) if part))


def _example_text(definition: Definition) -> str:
    if not definition.implementation_example.strip():
        return ""
    fence = "python" if definition.language == "python" else "r"
    return f"```{fence}\n{definition.implementation_example.rstrip()}\n```"


def _authors(text: str) -> str:
    """Text of a package; braces in it are no references to tools."""
    return cleaned(text).replace("{tool:", "{ tool:")


def _returns_text(schema: Mapping[str, Any]) -> str:
    text = str(schema.get("description") or schema.get("type"))
    fields = [
        f"{name} ({each.get('type')}): {each.get('description', '')}"
        for name, each in schema.get("properties", {}).items()
    ]
    return "; ".join([text, *fields])
