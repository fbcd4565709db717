"""`rolltop transform check` and `lint`: findings about programs, in compiler style or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rolltop.cli.transform_files import parse_input, read_program
from rolltop.errors import InvalidData

if TYPE_CHECKING:
    from rolltop.transform.diagnostics import Diagnostic
    from rolltop.transform.types import Type

__all__ = ["check", "lint"]


@click.command()
@click.argument("programs", nargs=-1, required=True, metavar="PROGRAM...")
@click.option(
    "--schema",
    "schemas",
    multiple=True,
    metavar="[NAME=]FILE",
    help="Schema of an input: JSON Schema, XSD, Avro, protobuf; makes the type findings sharper.",
)
@click.option(
    "--schema-format", metavar="FORMAT", help="Format of the schemas; else by file name: jsch, xsd, avro, proto, tsch."
)
@click.option("--strict", is_flag=True, help="Warnings fail too.")
@click.option("--json", "as_json", is_flag=True, help="Findings as JSON.")
def check(
    programs: tuple[str, ...], schemas: tuple[str, ...], schema_format: str | None, strict: bool, as_json: bool
) -> None:
    """Find errors without running: syntax, names, arities, types. Exit 4 when there are any."""
    types = _types_of(schemas, schema_format)
    found = {path: _findings(read_program(path), types) for path in programs}
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


def _findings(text: str, types: dict[str, Type]) -> list[Diagnostic]:
    from rolltop.transform.check import check_parsed
    from rolltop.transform.check.schema_sources import types_for
    from rolltop.transform.syntax.parser import parse

    parsed = parse(text)
    inputs = [port.name for port in parsed.program.header.inputs]
    return check_parsed(parsed, inputs=types_for(inputs, types) if types else {}).findings


def _types_of(schemas: tuple[str, ...], schema_format: str | None) -> dict[str, Type]:
    """The type that each schema describes, by the name of its input."""
    from rolltop.transform.check.schema_sources import format_of_schema, type_of_source

    given = [parse_input(text) for text in schemas]
    return {
        item.name: type_of_source(read_program(item.path), schema_format or format_of_schema(item.path))
        for item in given
    }
