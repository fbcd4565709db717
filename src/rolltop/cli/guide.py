"""`rolltop guide`: content by expression, flags, categories, collections and projects."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.cli.output import note, print_json, print_rows

if TYPE_CHECKING:
    from rolltop.guide import Category, Content, Flag, Guide, Project
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
    from rolltop.guide.flagtables import matching

    flags = matching(_resolved(desk, everywhere), pattern)
    if want_json:
        print_json({name: {"value": flag.value, "source": flag.source} for name, flag in flags.items()})
    else:
        print_rows(("flag", "value", "source"), [(name, _shown(f.value), str(f.source)) for name, f in flags.items()])


def _resolved(desk: Desk, everywhere: bool) -> dict[str, Flag]:
    from rolltop.guide.flagtables import resolved_flags

    project = None if everywhere else desk.project
    return resolved_flags(desk.guide.config, project, desk.guide.team(project) if project else None)


@flags.command("get", epilog=EXIT_CODES)
@click.argument("name")
@global_option
@json_option
@click.pass_obj
def get_flag(desk: Desk, name: str, *, everywhere: bool, want_json: bool) -> None:
    """Print the value that a flag has; nothing when it is not set."""
    from rolltop.guide import Flag
    from rolltop.guide.names import check_flag_name

    check_flag_name(name)
    flag = _resolved(desk, everywhere).get(name, Flag(None, None))
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
    """A flag's value as a user writes it: true, false, a text, or patterns joined by +."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "+".join(value)
    return "" if value is None else str(value)


pattern_option = click.option("--pattern", "patterns", multiple=True, help="What it gives by default; repeatable.")
dir_option = click.option("--dir", "directory", help="Directory below the document root; else the name.")
description_option = click.option("--description", help="What it is for.")


@guide.group(epilog=EXIT_CODES)
def categories() -> None:
    """Directories of documents."""


@categories.command("list", epilog=EXIT_CODES)
@json_option
@click.pass_obj
def list_categories(desk: Desk, *, want_json: bool) -> None:
    """List the project's categories."""
    found = desk.guide.effective(desk.project).categories.values()
    if want_json:
        print_json([_category(each) for each in found])
        return
    print_rows(
        ("category", "dir", "patterns", "description"),
        [(c.name, _category(c)["dir"], " ".join(c.patterns), c.description) for c in found],
    )


def _category(category: Category) -> dict[str, Any]:
    """A category as plain data; the directory of a team's category is absolute."""
    place = f"{category.root / category.dir}/" if category.root else category.dir
    return {key: value for key, value in asdict(category).items() if key != "root"} | {"dir": place}


@categories.command("add", epilog=EXIT_CODES)
@click.argument("name")
@dir_option
@pattern_option
@description_option
@click.pass_obj
def add_category(
    desk: Desk, name: str, directory: str | None, patterns: tuple[str, ...], description: str | None
) -> None:
    """Add a category."""
    from rolltop.guide import Category, arrange

    category = Category(name, directory or name, patterns, description or "")
    added = arrange.add_category(desk.guide.config, desk.project, category)
    note(f"category {added.name} gives documents of {desk.guide.config.docroot() / added.dir}")


@categories.command("change", epilog=EXIT_CODES)
@click.argument("name")
@dir_option
@pattern_option
@description_option
@click.pass_obj
def change_category(
    desk: Desk, name: str, directory: str | None, patterns: tuple[str, ...], description: str | None
) -> None:
    """Change a category; what is not given stays."""
    from rolltop.guide import arrange

    arrange.change_category(
        desk.guide.config, desk.project, name, directory=directory, patterns=patterns or None, description=description
    )


@categories.command("remove", epilog=EXIT_CODES)
@click.argument("name")
@click.pass_obj
def remove_category(desk: Desk, name: str) -> None:
    """Remove a category, and what collections say about it; its documents stay."""
    from rolltop.guide import arrange

    for changed in arrange.remove_category(desk.guide.config, desk.project, name):
        note(f"collection {changed} no longer names {name}")


@guide.group(epilog=EXIT_CODES)
def collections() -> None:
    """Expressions under one name."""


@collections.command("list", epilog=EXIT_CODES)
@json_option
@click.pass_obj
def list_collections(desk: Desk, *, want_json: bool) -> None:
    """List the project's collections."""
    found = desk.guide.effective(desk.project).collections.values()
    if want_json:
        print_json([asdict(collection) for collection in found])
        return
    print_rows(("collection", "members", "description"), [(c.name, " ".join(c.members), c.description) for c in found])


@collections.command("add", epilog=EXIT_CODES)
@click.argument("name")
@click.argument("members", nargs=-1, required=True)
@description_option
@click.pass_obj
def add_collection(desk: Desk, name: str, members: tuple[str, ...], description: str | None) -> None:
    """Add a collection of expressions, in order."""
    from rolltop.guide import Collection, arrange

    arrange.add_collection(desk.guide.config, desk.project, Collection(name, members, description or ""))


@collections.command("change", epilog=EXIT_CODES)
@click.argument("name")
@click.argument("members", nargs=-1)
@description_option
@click.pass_obj
def change_collection(desk: Desk, name: str, members: tuple[str, ...], description: str | None) -> None:
    """Change a collection; what is not given stays."""
    from rolltop.guide import arrange

    arrange.change_collection(desk.guide.config, desk.project, name, members=members or None, description=description)


@collections.command("remove", epilog=EXIT_CODES)
@click.argument("name")
@click.pass_obj
def remove_collection(desk: Desk, name: str) -> None:
    """Remove a collection, and what other collections say about it."""
    from rolltop.guide import arrange

    for changed in arrange.remove_collection(desk.guide.config, desk.project, name):
        note(f"collection {changed} no longer names {name}")


@guide.group(epilog=EXIT_CODES)
def project() -> None:
    """The current project, and the others."""


@project.command("show", epilog=EXIT_CODES)
@json_option
@click.pass_obj
def show_project(desk: Desk, *, want_json: bool) -> None:
    """Say which project the working directory or --project means."""
    from rolltop.guide.team import TEAM_FILE

    current = desk.project
    rows = {"key": current.key, "name": current.name, "path": str(current.path)}
    rows["docroot"] = str(desk.guide.config.docroot())
    rows["config"] = str(desk.guide.config.file.path)
    rows["team"] = str(current.path / TEAM_FILE) if (current.path / TEAM_FILE).is_file() else ""
    print_json(rows) if want_json else print_rows(("", ""), list(rows.items()))


@project.command("list", epilog=EXIT_CODES)
@json_option
@click.pass_obj
def list_projects(desk: Desk, *, want_json: bool) -> None:
    """List the projects that are set up."""
    found = [{"key": p.key, "name": p.name, "path": str(p.path)} for p in desk.guide.config.projects()]
    if want_json:
        print_json(found)
    else:
        print_rows(("project", "name", "path"), [tuple(row.values()) for row in found])


@project.command("forget", epilog=EXIT_CODES)
@click.argument("key")
@click.pass_obj
def forget_project(desk: Desk, key: str) -> None:
    """Remove a project's flags, categories and collections; its documents stay."""
    desk.guide.config.remove_project(desk.guide.config.project_named(key).key)


@guide.command(epilog=EXIT_CODES)
@click.argument("directory", required=False)
@click.pass_obj
def docroot(desk: Desk, directory: str | None) -> None:
    """Print the document root, or make DIRECTORY the document root."""
    if directory is not None:
        desk.guide.config.set_docroot(Path(os.path.abspath(os.path.expanduser(directory))))
    click.echo(str(desk.guide.config.docroot()))
