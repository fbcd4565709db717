"""The verbs of `rolltop guide` that set a project up."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import click

from rolltop.cli.guide import Desk, guide, json_option
from rolltop.cli.main import EXIT_CODES
from rolltop.cli.output import note, print_json, print_rows

__all__ = ["guide"]

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
    found = desk.project.categories.values()
    if want_json:
        print_json([asdict(category) for category in found])
        return
    print_rows(
        ("category", "dir", "patterns", "description"),
        [(c.name, c.dir, " ".join(c.patterns), c.description) for c in found],
    )


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
    found = desk.project.collections.values()
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
    current = desk.project
    rows = {"key": current.key, "name": current.name, "path": str(current.path)}
    rows["docroot"] = str(desk.guide.config.docroot())
    rows["config"] = str(desk.guide.config.file.path)
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
