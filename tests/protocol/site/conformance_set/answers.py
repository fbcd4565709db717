"""Fixtures that answer: kinds of content, errors, progress, log lines, news of changes."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

import asyncio

from conformance_set.fixture import PIXEL, SILENCE, fixture
from mcp_core import Audio, EmbeddedResource, Image, ProtocolFault, Result, ToolContext
from rolltop.workspace import Workspace

MISSING_CAPABILITY = -32021
PAUSE = 0.05
"""Seconds between two messages, so that a client sees them apart."""


@fixture("The text.")
async def test_simple_text() -> Result[str]:
    """Answer with a text.

    Text content.
    """
    return Result.ok("This is a simple text response for testing.")


@fixture("An image block.")
async def test_image_content() -> Result[str]:
    """Answer with an image.

    Image content: one red dot.
    """
    return Result.ok("An image.", content=[Image(PIXEL)])


@fixture("An audio block.")
async def test_audio_content() -> Result[str]:
    """Answer with a sound.

    Audio content: silence.
    """
    return Result.ok("A sound.", content=[Audio(SILENCE)])


@fixture("A resource block.")
async def test_embedded_resource() -> Result[str]:
    """Answer with an embedded resource.

    Resource content that needs no reading.
    """
    held = EmbeddedResource("test://embedded-resource", "This is an embedded resource content.", "text/plain")
    return Result.ok("A resource.", content=[held])


@fixture("Text, image and resource blocks.")
async def test_multiple_content_types() -> Result[str]:
    """Answer with several kinds of content.

    Text, an image and a resource in one answer.
    """
    held = EmbeddedResource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json")
    return Result.ok("Multiple content types test:", content=[Image(PIXEL), held])


@fixture("isError is true.", fails="intended")
async def test_error_handling() -> Result[str]:
    """Fail on purpose.

    A failure that the caller can read.
    """
    return Result.failure("This tool intentionally returns an error for testing", "intended")


@fixture("Progress 0, 50 and 100 of 100.")
async def test_tool_with_progress(ctx: ToolContext[Workspace]) -> Result[str]:
    """Report progress.

    Three progress notifications, a little apart.
    """
    for done in (0, 50, 100):
        await ctx.progress(done, 100, f"Completed step {done} of 100")
        await asyncio.sleep(PAUSE)
    return Result.ok("Tool with progress executed successfully")


@fixture("Three log lines of level info.")
async def test_tool_with_logging(ctx: ToolContext[Workspace]) -> Result[str]:
    """Write to the client's log.

    Three lines of level info, a little apart.
    """
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.log(line)
        await asyncio.sleep(PAUSE)
    return Result.ok("Tool with logging executed successfully")


@fixture("No log line unless the request asks for some.")
async def test_logging_tool(ctx: ToolContext[Workspace]) -> Result[str]:
    """Write one line to the client's log.

    The line arrives only where the client wants lines.
    """
    await ctx.log("Logging tool was called")
    return Result.ok("Logged")


@fixture("Listeners hear that the list of tools changed.")
async def test_trigger_tool_change(ctx: ToolContext[Workspace]) -> Result[str]:
    """Tell that the tools changed.

    News for whoever listens; the list itself stays.
    """
    ctx.changes.publish("tools")
    return Result.ok("Told")


@fixture("Listeners hear that the list of prompts changed.")
async def test_trigger_prompt_change(ctx: ToolContext[Workspace]) -> Result[str]:
    """Tell that the prompts changed.

    News for whoever listens; the list itself stays.
    """
    ctx.changes.publish("prompts")
    return Result.ok("Told")


@fixture("Error -32021 unless the client declares sampling.")
async def test_missing_capability(ctx: ToolContext[Workspace]) -> Result[str]:
    """Need a client that can sample.

    Refuses clients that do not declare the capability.
    """
    if "sampling" not in ctx.client.capabilities:
        needed: dict[str, dict[str, dict[str, str]]] = {"requiredCapabilities": {"sampling": {}}}
        raise ProtocolFault(MISSING_CAPABILITY, "this call needs a client that declares sampling", needed)
    return Result.ok("The client can sample")
