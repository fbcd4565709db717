"""`rolltop demo`: a real MCP client calls every tool set of a real server, and ends."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import sys
import tempfile
import textwrap
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

import rolltop
from rolltop.cli.groups import EXIT_CODES
from rolltop.cli.output import Size, counted, harmless
from rolltop.errors import ForeignFailure

__all__ = ["TOUR", "Step", "demo", "example_packages"]


def example_packages() -> list[str]:
    """The example packages of a checkout; an installation has none, and the tour skips their steps."""
    examples = Path(rolltop.__file__).parents[2] / "examples"
    return [str(examples / name) for name in ("orchard", "kitchen") if (examples / name / "inst").is_dir()]


@dataclass(frozen=True, slots=True)
class Step:
    """A call and what it demonstrates. `{demo}` in an argument is the demo's own directory."""

    says: str
    tool: str
    arguments: dict[str, Any]
    shows: Callable[[Any], object] = str
    """The part of the structured answer worth showing."""
    agrees: bool = True
    """The human's answer when the tool asks for consent."""


_NOTE = "# Orchard\n\nThe Topaz is ripe in week 38. Pick it before the frost.\n"
_REPORT = "Speed and stopping distance:\n\n```{r cars}\nplot(cars)\n```\n"
_TABLE = "name,weeks\nTopaz,20\nElstar,8\nBoskoop,24\n"
_PROGRAM = "$input |> filter(r => r.weeks >= 20) |> map(r => {name: upperCase(r.name), weeks: r.weeks})"


def _value(answer: Any) -> Any:
    value = answer["value"]
    return value if isinstance(value, str) else json.dumps(value)


def _result(answer: Any) -> Any:
    return json.dumps(answer["value"]["result"], ensure_ascii=False)


def _stored(answer: Any) -> str:
    return f"{answer['path']}: {counted(answer['bytes_stored'], 'new byte')}, sha256 {answer['hash'][:12]}…"


TOUR: dict[str, tuple[Step, ...]] = {
    "store": (
        Step("Keep a note.", "store_text", {"content": _NOTE, "name": "orchard.md", "tags": ["garden"]}, _stored),
        Step("The same text again costs nothing.", "store_text", {"content": _NOTE, "name": "copy.md"}, _stored),
        Step(
            "Find it by a word.",
            "search_documents",
            {"query": "frost", "limit": 1},
            lambda answer: "\n".join(f"{hit['path']}: {hit['snippet']}" for hit in answer["results"]),
        ),
        Step(
            "Find lines by a regular expression.",
            "grep_documents",
            {"pattern": "week [0-9]+", "line_numbers": True},
            lambda answer: "\n".join(
                f"{file['file']}:{match['line_number']}: {match['line']}"
                for file in answer["results"]
                for match in file["matches"]
            ),
        ),
        Step(
            "Deleting asks the human first; this one agrees.",
            "delete_by_name",
            {"name": "copy.md"},
            lambda answer: f"{counted(answer['count'], 'document')} deleted; undo for {answer['undo_days']:.0f} days",
        ),
        Step(
            "What is kept.",
            "list_documents",
            {"limit": 5},
            lambda answer: "\n".join(f"{each['path']} ({each['size']} bytes)" for each in answer["documents"]),
        ),
    ),
    "transform": (
        Step(
            "Turn a CSV table into JSON.",
            "execute_transformation",
            {"transformation": _PROGRAM, "inputData": _TABLE, "inputFormat": "csv", "outputFormat": "json"},
            lambda answer: json.dumps(json.loads(answer["data"]["output"])),
        ),
        Step(
            "A mistake is found before anything runs, and repaired.",
            "validate_utlx",
            {"transformation": "upperCse($input.name)"},
            lambda answer: "\n".join(
                [
                    *(f"{each['message']}. {each['suggestion']}" for each in answer["data"]["errors"]),
                    answer["data"]["repair"]["transformation"],
                ]
            ),
        ),
        Step(
            "The library is searched by what a function does.",
            "get_stdlib_functions",
            {"search": "remove duplicates", "limit": 1},
            lambda answer: answer["data"]["functions"][0]["signature"],
        ),
    ),
    "reports": (
        Step(
            "Write an R Markdown document.",
            "create_rmd",
            {"filename": "cars", "title": "Cars", "content": _REPORT},
        ),
        Step("Render it in a sandbox.", "render_rmd", {"filename": "cars", "format": "html"}),
        Step(
            "What there is.",
            "list_rmd",
            {},
            lambda answer: "\n".join(
                f"{each['filename']}: {', '.join(each['outputs'])}" for each in answer["documents"]
            ),
        ),
    ),
    "catalog": (
        Step(
            "A documented Python module becomes tools.",
            "mcptool_build",
            {"path": "{demo}/kitchen"},
            lambda answer: "\n".join(answer["value"]["written"]),
        ),
        Step(
            "Tools of an R package, served live.",
            "orchard-mcp_tool_variety_list",
            {"season": "late", "min_weeks": 20},
            _result,
        ),
        Step(
            "They keep a state …",
            "orchard-mcp_tool_harvest_add",
            {"variety": "Topaz", "kilos": 12.5, "day": "2026-10-03"},
            _result,
        ),
        Step("… from call to call.", "orchard-mcp_tool_harvest_summary", {}, _result),
        Step("A plot comes as an image.", "orchard-mcp_tool_harvest_plot", {"title": "This week"}, lambda answer: ""),
        Step("A tool that is marked dangerous asks the human.", "orchard-mcp_tool_harvest_clear", {}, _result),
        Step("And a tool in Python.", "kitchen-mcp_tool_recipe_scale", {"amounts": [200, 3], "servings": 6}, _result),
    ),
    "guide": (
        Step("Choose the project.", "set_project", {"project": "{demo}"}, lambda answer: answer["message"]),
        Step("A flag for every project …", "set_feature_flag", {"feature_name": "strict", "value": True}, _value),
        Step("… one that overrides it here …", "set_project_flag", {"feature_name": "strict", "value": False}, _value),
        Step(
            "… and the project's wins.",
            "get_project_flag",
            {"feature_name": "strict"},
            lambda answer: f"{_value(answer)}, from the {answer['data']['source']}",
        ),
        Step(
            "A category of documents.",
            "add_category",
            {"name": "docs", "patterns": ["*.md"]},
            lambda answer: answer["message"],
        ),
        Step("Content by expression.", "get_content", {"expression": "docs/orchard"}, _value),
    ),
    "example": (
        Step("Say something back.", "example_echo", {"text": "Good morning"}, lambda answer: answer["value"]["text"]),
        Step("Progress on the way.", "count_down", {"start": 3}, lambda answer: answer["value"]["numbers"]),
        Step(
            "The human refuses: nothing is done.",
            "forget_everything",
            {"what": "it"},
            lambda answer: answer["error"],
            agrees=False,
        ),
    ),
    "desk": (
        Step(
            "The documentation of a tool, as a resource.",
            "read_resource",
            {"uri": "tool://read_resource"},
            lambda answer: answer["value"]["contents"][0]["text"].split("## Description")[1].split("##")[0].strip(),
        ),
    ),
}

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
    click.secho(f"\nThat was {calls} calls. Next: rolltop connect", bold=True)


def _refuse_unknown_sets(toolsets: str | None) -> None:
    from rolltop.server.toolsets import discover, select
    from rolltop.settings import load

    select(discover()[0], load({"toolsets": toolsets or ""}))


T = TypeVar("T")


class _Ending:
    """Let SIGTERM and SIGHUP end the tour like Ctrl-C, so that it leaves nothing behind."""

    def __init__(self) -> None:
        self._signal: int | None = None
        self._task: asyncio.Task[Any] | None = None

    async def around(self, tour: Coroutine[Any, Any, T]) -> T:
        """Run the tour so that a signal cancels it: an exception raised in a handler could end up anywhere."""
        self._task = asyncio.current_task()
        try:
            return await tour
        finally:
            self._task = None

    def _tell(self, number: int, frame: object) -> None:
        self._signal = number
        if self._task is None:
            raise click.exceptions.Exit(128 + number)
        self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    @contextmanager
    def heeded(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._tell) for number in (signal.SIGTERM, signal.SIGHUP)}
        try:
            yield
        except asyncio.CancelledError:
            if self._signal is None:
                raise
            raise click.exceptions.Exit(128 + self._signal) from None
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

        _paragraph(f"{params.message} {'yes' if answers['agree'] else 'no'}", mark="? ", fg="yellow")
        return ElicitResult(action="accept", content={"agree": answers["agree"]})

    async with _client(place, toolsets, ask) as client:
        served = {tool.name for tool in (await client.list_tools()).tools}
        _paragraph(f"rolltop serves {len(served)} tools to a client over stdio.", bold=True, space=True)
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
    """Make a call and show it; True if it went as expected."""
    arguments = json.loads(json.dumps(step.arguments).replace("{demo}", str(place)))
    _paragraph(step.says, bold=True, space=True)
    given = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in arguments.items())
    _paragraph(f"{step.tool}({given})", mark="> ", fg="green", most=None if full else 3)
    answer = await client.call_tool(step.tool, arguments)
    if answer.is_error and "part_missing" in json.dumps(answer.structured_content):
        _paragraph("This part is not on this machine; rolltop doctor says how to get it.", mark="! ", fg="yellow")
        return True
    as_expected = bool(answer.is_error) is not step.agrees
    _paragraph(_text(step, answer, full or not as_expected), most=None if full else 4)
    for item in answer.content:
        if item.type == "image":
            size = Size(len(item.data) * 3 // 4).scaled
            _paragraph(f"[{item.mime_type} image, {size}]", fg="magenta")
    return as_expected


def _text(step: Step, answer: Any, full: bool) -> str:
    structured = answer.structured_content
    if not full and step.shows is not str and structured is not None:
        return str(step.shows(structured))
    return "\n".join(item.text for item in answer.content if item.type == "text")


def _paragraph(text: str, *, mark: str = "", most: int | None = None, space: bool = False, **style: Any) -> None:
    """Print a text indented and wrapped to the terminal, at most so many lines of it."""
    width = max(30, min(100, shutil.get_terminal_size().columns - 2))
    indent = "" if space else " " * 4
    lines = [
        line
        for paragraph in harmless(text).replace("\n  ", "\n").strip().split("\n")
        for line in textwrap.wrap(paragraph, width - len(indent) - len(mark), break_on_hyphens=False) or [""]
    ]
    if most is not None and len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1][: width - len(indent) - len(mark) - 2]} …"]
    if not any(lines):
        return
    if space:
        click.echo()
    for number, line in enumerate(lines):
        click.secho(f"{indent}{mark if not number else ' ' * len(mark)}{line}", **style)


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
