"""`rolltop transform check` and `lint`: findings about programs, in compiler style or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rolltop.cli.transform_files import read_bytes, read_program
from rolltop.errors import InvalidData

if TYPE_CHECKING:
    from rolltop.transform.diagnostics import Diagnostic
    from rolltop.transform.types import Type

__all__ = ["check", "lint"]


@click.command()
@click.argument("programs", nargs=-1, required=True, metavar="PROGRAM...")
@click.option("--schema", metavar="FILE", help="JSON Schema of the input; makes the type findings sharper.")
@click.option("--strict", is_flag=True, help="Warnings fail too.")
@click.option("--json", "as_json", is_flag=True, help="Findings as JSON.")
def check(programs: tuple[str, ...], schema: str | None, strict: bool, as_json: bool) -> None:
    """Find errors without running: syntax, names, arities, types. Exit 4 when there are any."""
    from rolltop.transform.check import check as findings_of

    types = {"input": _schema_type(schema)} if schema else {}
    found = {path: findings_of(read_program(path), inputs=types) for path in programs}
    _show(found, as_json)
    if any(item.severity == "error" or strict for items in found.values() for item in items):
        raise click.exceptions.Exit(InvalidData.exit_code)


@click.command()
@click.argument("programs", nargs=-1, required=True, metavar="PROGRAM...")
@click.option("--json", "as_json", is_flag=True, help="Findings as JSON.")
def lint(programs: tuple[str, ...], as_json: bool) -> None:
    """Find what works but reads badly: unused bindings, names, nesting. Fails on errors only."""
    from rolltop.transform.check import check as findings_of

    found = {path: findings_of(read_program(path), lint=True) for path in programs}
    _show(found, as_json)
    if any(item.severity == "error" for items in found.values() for item in items):
        raise click.exceptions.Exit(InvalidData.exit_code)


def _show(found: dict[str, list[Diagnostic]], as_json: bool) -> None:
    from rolltop.transform.diagnostics import render

    if as_json:
        from rolltop.cli.output import print_json

        print_json([{"program": path, **item.as_dict()} for path, items in found.items() for item in items])
        return
    for path, items in found.items():
        for item in items:
            click.echo(render(item, path), err=True)


def _schema_type(path: str) -> Type:
    from rolltop.transform import formats
    from rolltop.transform.check.schema_types import type_of_schema

    return type_of_schema(formats.read("json", read_bytes(path)))
