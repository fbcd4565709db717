"""`rolltop demo`: a real MCP client calls every tool set of a real server, and ends."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import tempfile
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

import rolltop
from rolltop.cli.groups import EXIT_CODES
from rolltop.errors import ForeignFailure

__all__ = ["TOUR", "Step", "demo", "example_packages"]


def example_packages() -> list[str]:
    """The example packages of a checkout; an installation has none, and the tour passes them by."""
    examples = Path(rolltop.__file__).parents[2] / "examples"
    return [str(examples / name) for name in ("orchard", "kitchen") if (examples / name / "inst").is_dir()]


@dataclass(frozen=True, slots=True)
class Step:
    """A call, and what it shows. `{demo}` in a text is the demo's own directory."""

    says: str
    tool: str
    arguments: dict[str, Any]
    agrees: bool = True
    """What the human answers when the tool asks for consent."""


_NOTE = "# Orchard\n\nThe Topaz is ripe in week 38. Pick it before the frost.\n"
_REPORT = "Speed and stopping distance:\n\n```{r cars}\nplot(cars)\n```\n"
TOUR: dict[str, tuple[Step, ...]] = {
    "store": (
        Step("Keep a note.", "store_text", {"content": _NOTE, "name": "orchard.md", "tags": ["garden"]}),
        Step("The same text again costs nothing.", "store_text", {"content": _NOTE, "name": "copy.md"}),
        Step("Find it by a word.", "search_documents", {"query": "frost"}),
        Step("Find lines by a regular expression.", "grep_documents", {"pattern": "week [0-9]+", "line_numbers": True}),
        Step("What is kept.", "list_documents", {"limit": 5}),
        Step("Removing asks the human first; this one agrees.", "delete_by_name", {"name": "copy.md"}),
        Step("How much is kept.", "get_stats", {}),
    ),
    "reports": (
        Step(
            "Write an R Markdown document.",
            "create_rmd",
            {"filename": "cars", "title": "Cars", "content": _REPORT},
        ),
        Step("Render it in a sandbox.", "render_rmd", {"filename": "cars", "format": "html"}),
        Step("What there is.", "list_rmd", {}),
    ),
    "catalog": (
        Step("A documented Python module becomes tools.", "mcptool_build", {"path": "{demo}/kitchen"}),
        Step("The definitions.", "mcptool_list", {"pkg": "{demo}/kitchen"}),
        Step(
            "Tools of an R package, served live.", "orchard-mcp_tool_variety_list", {"season": "late", "min_weeks": 20}
        ),
        Step(
            "They keep a state …",
            "orchard-mcp_tool_harvest_add",
            {"variety": "Topaz", "kilos": 12.5, "day": "2026-10-03"},
        ),
        Step("… from call to call.", "orchard-mcp_tool_harvest_summary", {}),
        Step("A plot comes as an image.", "orchard-mcp_tool_harvest_plot", {"title": "This week"}),
        Step("What is marked dangerous asks the human.", "orchard-mcp_tool_harvest_clear", {}),
        Step("And a tool in Python.", "kitchen-mcp_tool_recipe_scale", {"amounts": [200, 3], "servings": 6}),
    ),
    "guide": (
        Step("Say which project this is.", "set_project", {"project": "{demo}"}),
        Step("A flag for every project …", "set_feature_flag", {"feature_name": "strict", "value": True}),
        Step("… and one that overrides it here.", "set_project_flag", {"feature_name": "strict", "value": False}),
        Step("The project's wins.", "get_project_flag", {"feature_name": "strict"}),
        Step("A category of documents.", "add_category", {"name": "docs", "patterns": ["*.md"]}),
        Step("Content by expression.", "get_content", {"expression": "docs/orchard"}),
    ),
    "example": (
        Step("Say something back.", "example_echo", {"text": "Good morning"}),
        Step("Progress on the way.", "count_down", {"start": 3}),
        Step("Consent, refused by the human: nothing is done.", "forget_everything", {"what": "it"}, agrees=False),
    ),
    "desk": (Step("The full documentation of a tool.", "read_resource", {"uri": "tool://read_resource"}),),
}
T = TypeVar("T")
_KITCHEN = '''"""A kitchen."""


def mcp_tool_kitchen_scale(grams: float, people: int = 4) -> float:
    """Scale an amount from four people to another number.

    Args:
        grams: The amount for four, in grams.
        people: How many there are.

    Returns:
        The amount in grams.
    """
    return grams * people / 4
'''


@click.command(epilog=EXIT_CODES)
@click.option("--toolsets", metavar="A,B", help="Only these sets.")
@click.option("--full", is_flag=True, help="Show answers in full instead of their first lines.")
def demo(toolsets: str | None, full: bool) -> None:
    """Start a server in a workspace of its own, call it as a client would, show what comes back."""
    _refuse_unknown_sets(toolsets)
    ending = _Ending()
    with ending.heeded(), tempfile.TemporaryDirectory(prefix="rolltop-demo-") as directory:
        place = Path(directory)
        _prepare(place)
        failed, calls = asyncio.run(ending.around(_tour(place, toolsets, full)))
    if failed:
        raise ForeignFailure(f"these calls failed: {', '.join(failed)}", hint="rolltop doctor says what is missing.")
    click.secho(f"\nThat was {calls} calls. Next: rolltop connect claude-code", bold=True)


def _refuse_unknown_sets(toolsets: str | None) -> None:
    from rolltop.server.toolsets import discover, select
    from rolltop.settings import load

    select(discover()[0], load({"toolsets": toolsets or ""}))


class _Ending:
    """Lets SIGTERM and SIGHUP end the tour as Ctrl-C does, so that nothing of it is left behind."""

    def __init__(self) -> None:
        self._told: int | None = None
        self._task: asyncio.Task[Any] | None = None

    async def around(self, tour: Coroutine[Any, Any, T]) -> T:
        """The tour, which a signal cancels: what is raised in the middle of it may end up anywhere."""
        self._task = asyncio.current_task()
        try:
            return await tour
        finally:
            self._task = None

    def _tell(self, number: int, frame: object) -> None:
        self._told = number
        if self._task is None:
            raise click.exceptions.Exit(128 + number)
        self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    @contextmanager
    def heeded(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._tell) for number in (signal.SIGTERM, signal.SIGHUP)}
        try:
            yield
        except asyncio.CancelledError:
            if self._told is None:
                raise
            raise click.exceptions.Exit(128 + self._told) from None
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _prepare(place: Path) -> None:
    (place / "kitchen").mkdir()
    (place / "kitchen" / "kitchen.py").write_text(_KITCHEN, "utf-8")
    docs = place / "config" / "guide" / "docs" / "docs"
    docs.mkdir(parents=True)
    (docs / "orchard.md").write_text("Prune in winter.\n", "utf-8")
    (place / "config" / "config.toml").write_text("", "utf-8")


async def _tour(place: Path, toolsets: str | None, full: bool) -> tuple[list[str], int]:
    wanted = [name for name in TOUR if not toolsets or name in toolsets.split(",")]
    failed: list[str] = []
    calls = 0
    answers = {"agree": True}

    async def ask(context: Any, params: Any) -> Any:
        from mcp_types import ElicitResult

        click.secho(f"  ? {params.message}  {'yes' if answers['agree'] else 'no'}", fg="yellow")
        return ElicitResult(action="accept", content={"agree": answers["agree"]})

    async with _client(place, toolsets, ask) as client:
        served = {tool.name for tool in (await client.list_tools()).tools}
        click.secho(f"rolltop serves {len(served)} tools to a client that speaks MCP over stdio.", bold=True)
        for name in wanted:
            steps = [step for step in TOUR[name] if step.tool in served]
            if steps:
                click.secho(f"\n── {name} ──", fg="cyan", bold=True)
            for step in steps:
                answers["agree"] = step.agrees
                calls += 1
                if not await _show(client, step, place, full):
                    failed.append(step.tool)
    return failed, calls


async def _show(client: Any, step: Step, place: Path, full: bool) -> bool:
    """Make a call and show it; says whether it went as the story tells."""
    arguments = json.loads(json.dumps(step.arguments).replace("{demo}", str(place)))
    click.echo(f"\n{step.says}")
    click.secho(f"> {step.tool} {_short(json.dumps(arguments, ensure_ascii=False), full)}", fg="green")
    answer = await client.call_tool(step.tool, arguments)
    click.echo(f"  {_short(answer.content[0].text, full)}")
    if answer.is_error and "part_missing" in json.dumps(answer.structured_content):
        click.secho("  (this part is not on this machine; rolltop doctor says how to get it)", fg="yellow")
        return True
    return bool(answer.is_error) is not step.agrees


def _client(place: Path, toolsets: str | None, ask: Any) -> Any:
    from mcp import Client, StdioServerParameters

    chosen = ["--toolsets", toolsets] if toolsets else []
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "rolltop", "--workspace", str(place / "workspace"), "serve", *chosen],
        env={
            "MCP_INCLUDE_EXAMPLE_TOOLS": "true",
            "MCP_TOOL_PREFIX": "",
            "ROLLTOP_CONFIG": str(place / "config" / "config.toml"),
            "ROLLTOP_ROOTS": str(place),
            "ROLLTOP_CATALOGS": ",".join(example_packages()),
            "ROLLTOP_LOG_FILE": str(place / "server.log"),
            "XDG_CACHE_HOME": str(place / "cache"),
        },
        cwd=str(place),
    )
    return Client(server, elicitation_callback=ask)


def _short(text: str, full: bool) -> str:
    line = text if full else " ".join(text.split())
    return line if full or len(line) <= 220 else f"{line[:217]}…"
