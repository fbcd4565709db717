"""The prompt that puts a project's content into a conversation."""

# Documentation of prompts follows src/rolltop/prompts/README.md.

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp_core import PromptArgument, ToolContext, declare_prompt
from rolltop.guide import Clues, Session
from rolltop.guide.errors import ArgumentInvalid
from rolltop.workspace import Workspace

__all__ = ["guide", "session_of"]

# MCP's prompt arguments are named strings: fifteen of them stand for one list of words.
NAMES = tuple(f"arg{digit}" for digit in "123456789ABCDEF")
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth",
)  # fmt: skip
OPTIONS = ("project", "offset")


@dataclass(slots=True)
class _Words:
    expressions: list[str] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)

    def of_project(self) -> dict[str, str]:
        return {name: value for name, value in self.options.items() if name == "project"}


async def _complete(argument: str, value: str, ctx: ToolContext[Workspace]) -> Sequence[str]:
    """The argument with its last word completed, quoted where the word has spaces."""
    if _canonical(argument) not in NAMES:
        return []
    head, word = _last_word(value)
    others = {name: text for name, text in ctx.beside.items() if _canonical(name) in NAMES}
    project = _read({**others, argument: head}).options.get("project")
    found = await (await session_of(ctx, project)).complete(word)
    return [f"{head}{quoted}" for each in found if (quoted := _quoted(each)) is not None]


@declare_prompt(
    arguments=[
        PromptArgument(name, f"The {ordinal} expression, such as lang/python.")
        for name, ordinal in zip(NAMES, ORDINALS, strict=True)
    ],
    complete=_complete,
    title="Project guide",
)
async def guide(arguments: Mapping[str, str], ctx: ToolContext[Workspace]) -> str:
    """Put documents of the project here.

    ## Description

    Gives the documents that the expressions stand for, in order, each once. Without expressions it gives what the
    project's flag content-default says, or else tells which categories and collections there are.

    ## Conceptual Schema

    ```text
    guide(*args)
    args: up to 15 words. A word is an expression: category or collection, /pattern, + between patterns.
          A word that begins with - is an option: --project=NAME, --offset=N to go on where an answer stopped.
    ```

    ## Usage Instructions

    ```text
    @guide EXPRESSION...
    @guide --project=NAME EXPRESSION...
    ```

    ## Concrete Examples

    ```text
    @guide lang/python
    ```

    Gives the rules for Python.

    ```text
    @guide lang/python+rust docs/api review
    ```

    Gives two documents of lang, one of docs, and everything in the collection review.

    ```text
    @guide --project=my-app docs
    ```

    Gives the documents of another project.
    """
    words = _read(arguments)
    if not words.expressions:
        words.expressions = await _default(words, ctx)
    if not words.expressions:
        return await _help(words, ctx)
    result = await ctx.call(
        "get_content",
        {"expression": ",".join(words.expressions), **words.options, "offset": int(words.options.get("offset", 0))},
    )
    if result.is_failure:
        return " ".join(
            part for part in (f"The content could not be given: {result.error}.", result.instruction) if part
        )
    missing = _missing(result.data or {}, arguments)
    return "\n\n".join([result.value or f"{result.message} There is no text in it.", *missing])


def _missing(data: Mapping[str, Any], arguments: Mapping[str, str]) -> list[str]:
    """What was asked for and is not in the text, in words."""
    told = []
    if data.get("unmatched"):
        told.append(f"Nothing matches {', '.join(data['unmatched'])}.")
    if data.get("unreadable"):
        told.append(f"Not given: {'; '.join(data['unreadable'])}.")
    if data.get("next_offset") is not None:
        words = _given(arguments)
        again = shlex.join([f"--offset={data['next_offset']}", *(w for w in words if not w.startswith("--offset"))])
        told.append(f"{data['omitted']} more documents match; this gives the next ones: @guide {again}")
    return [f"({' '.join(told)})"] if told else []


def _read(arguments: Mapping[str, str]) -> _Words:
    """The words in order; gaps do not matter, and one argument may hold several words."""
    words = _Words()
    for word in _given(arguments):
        if word.startswith("-"):
            _add_option(words, word)
        else:
            words.expressions.append(word)
    return words


def _given(arguments: Mapping[str, str]) -> list[str]:
    given = {_canonical(name): value for name, value in arguments.items()}
    unknown = [name for name in given if name not in NAMES]
    if unknown:
        raise ArgumentInvalid(f"the prompt has no argument {unknown[0]!r}", hint="Write @guide and then expressions.")
    return [word for name in NAMES if (text := given.get(name)) for word in _split(text)]


def _canonical(name: str) -> str:
    return f"arg{name[3:].upper()}" if name.lower().startswith("arg") else name


def _split(text: str) -> list[str]:
    """Words as a shell would see them, except that a backslash belongs to the expression."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    try:
        return list(lexer)
    except ValueError:
        raise ArgumentInvalid("a quotation mark is not closed", hint="Close it, or leave it out.") from None


def _last_word(text: str) -> tuple[str, str]:
    """What stands before the last word of a text that is being written, and that word without its quotation mark."""
    mark, start = "", 0
    for at, char in enumerate(text):
        if mark:
            mark = "" if char == mark else mark
        elif char in "\"'":
            mark = char
        elif char.isspace():
            start = at + 1
    word = text[start:]
    return text[:start], word[1:].removesuffix(word[0]) if word[:1] in ("'", '"') else word


def _quoted(word: str) -> str | None:
    """A word as it has to be written; None where no quotation marks are left for it."""
    if not any(char.isspace() or char in "\"'" for char in word):
        return word
    return next((f"{mark}{word}{mark}" for mark in "\"'" if mark not in word), None)


def _add_option(words: _Words, word: str) -> None:
    name, _, value = word.lstrip("-").partition("=")
    if name not in OPTIONS or not value or (name == "offset" and not value.isdecimal()):
        raise ArgumentInvalid(
            f"there is no option {word[:60]!r}", hint="The options are --project=NAME and --offset=NUMBER."
        )
    words.options[name] = value


async def session_of(ctx: ToolContext[Workspace], project: str | None) -> Session:
    """The guide's session for a prompt."""
    desk = ctx.workspace
    clues = Clues(explicit=project)
    if project is None:
        shared = ctx.client.transport == "http"
        clues = desk.guide.clues(
            shared=shared,
            roots=await ctx.roots(),
            started_in=desk.settings.started_in,
            session=ctx.client.session,
        )
    return desk.guide.session(await ctx.run(desk.guide.detect, clues))


async def _default(words: _Words, ctx: ToolContext[Workspace]) -> list[str]:
    flag = await ctx.call("get_project_flag", {"feature_name": "content-default", **words.of_project()})
    return [flag.value] if flag.is_ok and isinstance(flag.value, str) else []


async def _help(words: _Words, ctx: ToolContext[Workspace]) -> str:
    result = await ctx.call("get_project", words.of_project())
    if result.is_failure:
        return f"Nothing can be given: {result.error}. {result.instruction or ''}".strip()
    project = result.value
    names = [
        f"- {name}: {description}" if description else f"- {name}"
        for name, description in {**project.categories, **project.collections}.items()
    ]
    if not names:
        return f"The project {project.name} has no categories yet; {ctx.name_of('add_category')} adds one."
    return "\n".join(["Say what to give, as in @guide EXPRESSION. There are:", *names])
