"""`rolltop catalog`: build, list, show, check, diff and serve definitions of tools."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

import click

from rolltop.cli.groups import EXIT_CODES
from rolltop.cli.output import counted, note, print_json, print_rows
from rolltop.cli.serve import serving_options, transport_options

__all__ = ["catalog"]

_json_option = click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
_group_option = click.option(
    "--group", "-g", "groups", multiple=True, metavar="REGEX", help="Only tools of this group."
)


@click.group(epilog=EXIT_CODES)
def catalog() -> None:
    """Documented R and Python functions as tools.

    PLACE is an installed package, or a path: a package's sources, a folder, a file.
    """


@catalog.command(epilog=EXIT_CODES)
@click.argument("path", default=".", metavar="PATH")
@click.option("--output", "-o", type=click.Path(file_okay=False), help="Directory for the definitions.")
@click.option("--examples/--no-examples", default=True, help="Run the examples in the sandbox, or do not.")
@click.option("--seconds", type=click.FloatRange(min=0.1), default=20.0, help="Longest run of one example (20).")
@_json_option
def build(path: str, output: str | None, examples: bool, seconds: float, as_json: bool) -> None:
    """Write a definition for every tool in the sources at PATH."""
    from rolltop.catalog import mcptool_build
    from rolltop.catalog.live import ExampleRuns

    built = mcptool_build(path, output=output, run_examples=ExampleRuns(seconds) if examples else None)
    if as_json:
        remarks = [str(remark) for remark in built.remarks]
        files = {name: [str(p) for p in getattr(built, name)] for name in ("written", "unchanged", "removed")}
        print_json({"directory": str(built.directory), "tools": list(built.definitions), **files, "remarks": remarks})
        return
    rows = [(action, file.stem) for action in ("written", "unchanged", "removed") for file in getattr(built, action)]
    print_rows(["FILE", "TOOL"], rows)
    for remark in built.remarks:
        note(str(remark), style="yellow")
    if not built.definitions:
        note("no function is marked as a tool: `@keywords mcp-tool` in R, a name mcp_tool_* in Python", style="yellow")


@catalog.command("list", epilog=EXIT_CODES)
@click.argument("place", metavar="PLACE")
@_group_option
@_json_option
def list_(place: str, groups: tuple[str, ...], as_json: bool) -> None:
    """List the tools that PLACE defines."""
    from rolltop.catalog import mcptool_load_all

    found = mcptool_load_all(place, list(groups) or None)
    if as_json:
        print_json([_summary(each) for each in found.values()])
        return
    rows = [(name, each.category, _flags(each), each.description.split("\n")[0]) for name, each in found.items()]
    print_rows(["TOOL", "CATEGORY", "FLAGS", "DESCRIPTION"], rows)


def _summary(definition: Any) -> dict[str, Any]:
    names = ("name", "category", "language", "dangerous", "requires_approval", "description")
    return {name: getattr(definition, name) for name in names}


def _flags(definition: Any) -> str:
    flags = {"dangerous": definition.dangerous, "approval": definition.requires_approval}
    return " ".join(name for name, is_set in flags.items() if is_set)


@catalog.command(epilog=EXIT_CODES)
@click.argument("place", metavar="PLACE")
@click.argument("name", required=False)
@_json_option
def show(place: str, name: str | None, as_json: bool) -> None:
    """Show one definition: NAME of PLACE, or the YAML file PLACE."""
    from rolltop.catalog import mcptool_load
    from rolltop.catalog.yaml_text import dump
    from rolltop.errors import InvalidInput

    if name is None and not place.endswith((".yaml", ".yml")):
        raise InvalidInput("name the tool to show", hint=f"`rolltop catalog list {place}` lists them.")
    document = mcptool_load(place, name).to_dict()
    if as_json:
        print_json(document)
    else:
        click.echo(dump(document), nl=False)


@catalog.command(epilog=EXIT_CODES)
@click.argument("place", default=".", metavar="PLACE")
@_json_option
def check(place: str, as_json: bool) -> None:
    """Say what is stale, invalid, undescribed or violates its own types; exit 4 if something serious is."""
    from rolltop.catalog import check as check_definitions
    from rolltop.errors import InvalidData

    problems = check_definitions(place)
    if as_json:
        fields = ("kind", "tool", "message", "is_serious")
        print_json([{field: getattr(problem, field) for field in fields} for problem in problems])
    else:
        print_rows(["PROBLEM", "TOOL", "WHAT"], [(p.kind, p.tool, p.message) for p in problems])
        note(counted(len(problems), "problem") if problems else "everything is in order")
    if any(problem.is_serious for problem in problems):
        sys.exit(InvalidData.exit_code)


@catalog.command(epilog=EXIT_CODES)
@click.argument("path", default=".", metavar="PATH")
@click.option("--exit-code", is_flag=True, help="Exit with 1 if a rebuild would change something.")
@_json_option
def diff(path: str, exit_code: bool, as_json: bool) -> None:
    """Show what a rebuild would change."""
    from rolltop.catalog import diff as diff_definitions

    changes = diff_definitions(path)
    if as_json:
        print_json([{"action": c.action, "tool": c.tool, "path": str(c.path), "diff": c.diff} for c in changes])
    else:
        for change in changes:
            click.echo(change.diff, nl=not change.diff.endswith("\n"))
        note(f"{counted(len(changes), 'file')} would change" if changes else "a rebuild would change nothing")
    if exit_code and changes:
        sys.exit(1)


@catalog.command(epilog=EXIT_CODES)
@click.argument("path", default=".", metavar="PATH")
@click.option("--examples/--no-examples", default=True, help="Run the examples in the sandbox, or do not.")
@click.option("--interval", type=click.FloatRange(min=0.05), default=0.5, help="Seconds between looks (0.5).")
def watch(path: str, examples: bool, interval: float) -> None:
    """Build at once, and again whenever a source at PATH is saved; servers of PATH tell their clients.

    Ends with Ctrl-C.
    """
    from rolltop.catalog.live import ExampleRuns
    from rolltop.catalog.watch import rebuilds
    from rolltop.errors import RolltopError

    with contextlib.suppress(KeyboardInterrupt):
        for built in rebuilds(path, ExampleRuns() if examples else None, interval):
            if isinstance(built, RolltopError):
                note(str(built), style="red")
                continue
            for action in ("written", "removed"):
                for file in getattr(built, action):
                    click.echo(f"{action}\t{file.stem}")
            for remark in built.remarks:
                note(str(remark), style="yellow")


@catalog.command(epilog=EXIT_CODES)
@click.argument("place", default=".", metavar="PLACE")
@_group_option
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="File to write; standard output without it.")
def page(place: str, groups: tuple[str, ...], output: str | None) -> None:
    """Write a reference of the tools of PLACE, as markdown."""
    from pathlib import Path

    from rolltop.base.atomic_files import write_file
    from rolltop.catalog import mcptool_load_all
    from rolltop.catalog.reference import reference_page

    text = reference_page(mcptool_load_all(place, list(groups) or None).values())
    if output is None:
        click.echo(text, nl=False)
    else:
        write_file(Path(output).absolute(), text.encode("utf-8"), mode=0o644)


@catalog.command(epilog=EXIT_CODES)
@click.argument("place", metavar="PLACE")
@transport_options
@serving_options
@click.pass_context
def serve(ctx: click.Context, /, place: str, **given: Any) -> None:
    """Serve the tools of PLACE, and nothing else unless --toolsets says so."""
    from rolltop.catalog import locate, mcptool_list
    from rolltop.cli.serve import serve as serve_command
    from rolltop.errors import NotFound

    if not mcptool_list(place, list(given["catalog_groups"] or ()) or None):
        raise NotFound(f"{place} has no definitions to serve", hint=f"Build them: rolltop catalog build {place}")
    location = locate(place)
    given["catalogs"] = (*(given["catalogs"] or ()), place if location.is_installed else str(location.origin))
    given["toolsets"] = given["toolsets"] or "catalog,desk"
    ctx.invoke(serve_command, **given)
