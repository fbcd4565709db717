"""Prompts that a project brings: `.rolltop/prompts/NAME.md`, a template with arguments."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp_core import Prompt, PromptArgument, ToolContext
from rolltop.errors import RolltopError
from rolltop.files import Files
from rolltop.guide.frontmatter import split_front_matter
from rolltop.prompts.guide import session_of
from rolltop.workspace import Workspace

__all__ = ["FOLDER", "project_prompts"]

logger = logging.getLogger("rolltop.prompts")

FOLDER = ".rolltop/prompts"
MOST, LARGEST = 100, 64 * 1024
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
_ARGUMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]{0,39})(\?)?")
_PLACE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


async def project_prompts(ctx: ToolContext[Workspace]) -> dict[str, Prompt]:
    """The prompts of the current project by name; none without a project."""
    project = (await session_of(ctx, None)).project
    return {} if project is None else await ctx.run(_read_all, ctx.workspace.files, project.path / FOLDER)


def _read_all(files: Files, folder: Path) -> dict[str, Prompt]:
    found: dict[str, Prompt] = {}
    try:
        places = sorted(info.path for info in files.walk(folder, most=MOST * 10) if info.path.suffix == ".md")
        for place in places[:MOST]:
            if place.parent == folder.resolve() and _NAME.fullmatch(place.stem):
                found[place.stem] = _prompt(place.stem, files.read_bytes(place, largest=LARGEST).decode("utf-8-sig"))
    except (RolltopError, UnicodeDecodeError) as error:
        if folder.exists():
            logger.warning("prompts of %s are left out: %s", folder, error)
    return found


def _prompt(name: str, text: str) -> Prompt:
    """`description` and `arguments` (`topic, files?`) are in the front matter; `{{topic}}` is replaced in the text."""
    head, body = split_front_matter(text)
    said = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in head.splitlines())}
    named = [_ARGUMENT.fullmatch(each.strip()) for each in said.get("arguments", "").split(",")]
    arguments = [PromptArgument(each[1], f"Replaces {{{{{each[1]}}}}}.", each[2] is None) for each in named if each]
    known = {each.name for each in arguments}
    arguments += [
        PromptArgument(each, f"Replaces {{{{{each}}}}}.", True)
        for each in dict.fromkeys(_PLACE.findall(body))
        if each not in known
    ]

    async def render(given: Mapping[str, str], ctx: ToolContext[Any]) -> str:
        return _PLACE.sub(lambda place: given.get(place[1], ""), body).strip()

    render.__doc__ = said.get("description") or f"The project's prompt {name}."
    return Prompt(name, render, tuple(arguments), title=said.get("title"), module=__name__)
