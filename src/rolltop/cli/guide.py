"""`rolltop guide …`: content by expression, flags, categories, collections, projects."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.output import note, print_json, print_rows

if TYPE_CHECKING:
    from rolltop.guide import Content, Guide, Project
    from rolltop.guide.flagtables import FeatureFlags, ProjectFlags

__all__ = ["Desk", "guide", "json_option"]

json_option = click.option("--json", "want_json", is_flag=True, help="Print JSON.")


@dataclass(slots=True)
class Desk:
    """The guide and the project that a command works with."""

    guide: Guide
    named: str | None

    @property
    def project(self) -> Project:
        """`--project`, else the project that holds the working directory, else that directory."""
        from rolltop.guide import Clues

        project = self.guide.detect(Clues(explicit=self.named, started_in=os.getcwd()))
        if project is None:
            raise click.UsageError("the root directory is no project; name one with --project")
        return project


@click.group(epilog=EXIT_CODES)
@click.option("--project", metavar="NAME", help="Key, name or directory; else the one of the working directory.")
@click.option("--config-dir", metavar="DIR", help="Directory that holds the guide's config.yaml and docs.")
@click.pass_context
def guide(ctx: click.Context, project: str | None, config_dir: str | None) -> None:
    """Project content by expression, feature flags, categories and collections."""
    from rolltop.guide import Guide

    invocation: Invocation = ctx.obj
    settings = invocation.settings()
    section = dict(settings.section("guide"))
    if config_dir is not None:
        section["config_dir"] = config_dir
    named = os.path.abspath(project) if project and project.startswith(".") else project
    ctx.obj = Desk(Guide.from_section(section, settings.config.parent / "guide"), named)


@guide.command(epilog=EXIT_CODES)
@click.argument("expression")
@click.argument("pattern", required=False)
@click.option("--format", "how", metavar="FORMAT", help="none, plain or mime; else the flag content-format.")
@click.option("--offset", type=click.IntRange(min=0), default=0, help="Leave out that many documents.")
@json_option
@click.pass_obj
def content(desk: Desk, expression: str, pattern: str | None, how: str | None, offset: int, *, want_json: bool) -> None:
    """Print the documents that EXPRESSION stands for, such as lang/python+rust,docs/api,review."""
    found = desk.guide.content(desk.project, expression, pattern, offset=offset, how=how)
    if want_json:
        print_json(_manifest(found))
        return
    sys.stdout.write(found.text)
    sys.stdout.flush()
    for line in _remarks(found):
        note(line)


def _manifest(found: Content) -> dict[str, object]:
    return {
        "text": found.text,
        "documents": [
            {"category": each.category, "path": each.path, "size": each.size, "pattern": each.pattern}
            for each in found.documents
        ],
        "unmatched": list(found.unmatched),
        "unreadable": list(found.unreadable),
        "warnings": list(found.warnings),
        "truncated": found.truncated,
        "omitted": found.omitted,
        "next_offset": found.next_offset,
    }


def _remarks(found: Content) -> list[str]:
    remarks = [f"nothing matches {asked}" for asked in found.unmatched]
    remarks += [*found.unreadable, *found.warnings]
    if found.next_offset is not None:
        remarks.append(f"{found.omitted} more documents; go on with --offset {found.next_offset}")
    return remarks


@guide.group(epilog=EXIT_CODES)
def flags() -> None:
    """Flags of the project, over the global ones."""


global_option = click.option("--global", "everywhere", is_flag=True, help="The global flags (feature flags).")


@flags.command("list", epilog=EXIT_CODES)
@click.argument("pattern", required=False)
@global_option
@json_option
@click.pass_obj
def list_flags(desk: Desk, pattern: str | None, *, everywhere: bool, want_json: bool) -> None:
    """List flags: what holds in the project, or with --global the global ones alone."""
    from rolltop.guide.flagtables import matching, resolved_flags

    flags = matching(resolved_flags(desk.guide.config, None if everywhere else desk.project), pattern)
    if want_json:
        print_json({name: {"value": flag.value, "source": flag.source} for name, flag in flags.items()})
    else:
        print_rows(("flag", "value", "source"), [(name, _shown(f.value), str(f.source)) for name, f in flags.items()])


@flags.command("get", epilog=EXIT_CODES)
@click.argument("name")
@global_option
@json_option
@click.pass_obj
def get_flag(desk: Desk, name: str, *, everywhere: bool, want_json: bool) -> None:
    """Print the value that a flag has; nothing when it is not set."""
    from rolltop.guide import Flag
    from rolltop.guide.flagtables import resolved_flags
    from rolltop.guide.names import check_flag_name

    check_flag_name(name)
    flag = resolved_flags(desk.guide.config, None if everywhere else desk.project).get(name, Flag(None, None))
    if want_json:
        print_json({"value": flag.value, "source": flag.source})
    elif flag.value is not None:
        click.echo(_shown(flag.value))


@flags.command("set", epilog=EXIT_CODES)
@click.argument("name")
@click.argument("value", default="true")
@global_option
@click.pass_obj
def set_flag(desk: Desk, name: str, value: str, *, everywhere: bool) -> None:
    """Set a flag to VALUE, or to true."""
    stored = _flags(desk, everywhere=everywhere).set(name, value)
    note(f"{name} is {_shown(stored)}")


@flags.command("unset", epilog=EXIT_CODES)
@click.argument("name")
@global_option
@click.pass_obj
def unset_flag(desk: Desk, name: str, *, everywhere: bool) -> None:
    """Remove a flag; a project gets the global value back."""
    there = _flags(desk, everywhere=everywhere).remove(name)
    note(f"{name} is removed" if there else f"{name} was not set")


@flags.command("known", epilog=EXIT_CODES)
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
def known_flags(*, as_json: bool) -> None:
    """List the flags that mean something to the guide itself."""
    from rolltop.guide import KNOWN

    headings = ("flag", "scope", "meaning")
    rows = [(name, known.scope or "both", known.meaning) for name, known in KNOWN.items()]
    if as_json:
        print_json([dict(zip(headings, row, strict=True)) for row in rows])
    else:
        print_rows(headings, rows)


def _flags(desk: Desk, *, everywhere: bool) -> FeatureFlags | ProjectFlags:
    return desk.guide.feature_flags() if everywhere else desk.guide.project_flags(desk.project)


def _shown(value: object) -> str:
    """A flag's value as one writes it: true, false, a text, patterns with + between them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "+".join(value)
    return "" if value is None else str(value)
