"""Example tools: an echo, work with progress, and one that needs the user's consent."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

import asyncio
from typing import Literal

from pydantic import BaseModel, Field

from mcp_core import DESTROYS, READS, RUNS, Consent, Example, Result, ToolArguments, ToolContext
from rolltop.workspace import Workspace

__all__ = [
    "CountDown",
    "Counted",
    "Echo",
    "Echoed",
    "ForgetEverything",
    "count_down",
    "example_echo",
    "forget_everything",
]


class Echo(ToolArguments):
    text: str = Field(description="What to say back.", max_length=1_000_000)
    mode: Literal["plain", "upper", "reversed"] = Field(default="plain", description="How to say it.")


class Echoed(BaseModel):
    text: str = Field(description="What was said.")
    length: int = Field(description="How many characters it has.")


@ToolArguments.declare(
    toolset="example",
    annotations=READS,
    sections_in_list=True,
    examples=[
        Example({"text": "Good morning"}, why="Say something back.", expect="The same text and its length, 12."),
        Example({"text": "noon", "mode": "upper"}, why="Say it louder.", expect="NOON"),
    ],
    usage="Give a text; choose a mode if it should come back changed.",
)
def example_echo(args: Echo) -> Result[Echoed]:
    """Say a text back.

    Use it to see that calls arrive and answers come back; it changes nothing.
    """
    said = {"plain": args.text, "upper": args.text.upper(), "reversed": args.text[::-1]}[args.mode]
    return Result.ok(Echoed(text=said, length=len(said)), instruction="Show the text to the user as it is.")


class CountDown(ToolArguments):
    start: int = Field(description="Where to begin.", ge=1, le=1000)
    pause: float = Field(default=0.01, description="Seconds between two numbers.", ge=0, le=10)


class Counted(BaseModel):
    numbers: int = Field(description="How many numbers were counted.")


@ToolArguments.declare(
    toolset="example",
    annotations=RUNS,
    sections_in_list=True,
    examples=[Example({"start": 3}, why="Watch progress arrive.", expect="Three progress messages, then the count 3.")],
    usage="Choose where to begin; progress is reported for each number, and the call can be cancelled.",
)
async def count_down(args: CountDown, ctx: ToolContext[Workspace]) -> Result[Counted]:
    """Count down, reporting progress.

    Use it to see progress and cancellation work; it changes nothing.
    """
    for number in range(args.start, 0, -1):
        await ctx.progress(args.start - number + 1, args.start, f"{number} …")
        await asyncio.sleep(args.pause)
    return Result.ok(Counted(numbers=args.start))


class ForgetEverything(ToolArguments):
    what: str = Field(description="What to forget; nothing is really removed.", min_length=1, max_length=200)


@ToolArguments.declare(
    toolset="example",
    annotations=DESTROYS,
    sections_in_list=True,
    consent=Consent("FORGET_EVERYTHING", "forgets what it is told to forget", required=False),
    examples=[
        Example(
            {"what": "yesterday", "confirm": "FORGET_EVERYTHING"},
            why="The user said explicitly that it should be forgotten.",
            expect="A message that it is forgotten.",
        ),
        Example(
            {"what": "yesterday"},
            why="Without consent, in a client that cannot ask the user.",
            expect="A failure of type consent_required; nothing was done.",
            fails="consent_required",
        ),
    ],
    usage="Let the client ask the user, or pass confirm when the user has said so.",
)
async def forget_everything(args: ForgetEverything, ctx: ToolContext[Workspace]) -> Result[str]:
    """Forget something, with the user's consent.

    Use it to see how consent works; nothing is really removed.
    """
    return Result.ok(f"{args.what} is forgotten")
