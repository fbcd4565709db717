"""Look at programs without running them: `rolltop transform check`, `lint`, `explain` and `format`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rolltop.cli.output import print_json, print_rows
from rolltop.cli.transform.job import parse_input, read_program, showing_errors
from rolltop.errors import InvalidData

if TYPE_CHECKING:
    from rolltop.transform.diagnostics import Diagnostic
    from rolltop.transform.explain import Explanation
    from rolltop.transform.types import Type

__all__ = ["check", "explain", "format_", "lint"]


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
@click.option("--standard", is_flag=True, help="Refuse extensions: accept only what UTL-X has.")
@click.option("--json", "as_json", is_flag=True, help="Findings as JSON.")
def check(
    *,
    programs: tuple[str, ...],
    schemas: tuple[str, ...],
    schema_format: str | None,
    strict: bool,
    standard: bool,
    as_json: bool,
) -> None:
    """Find errors without running: syntax, names, arities, types. Exit 4 when there are any."""
    types = _types_of(schemas, schema_format)
    found = {path: _findings(read_program(path), types, standard=standard) for path in programs}
    _show(found, as_json)
    if any(item.severity == "error" or strict for items in found.values() for item in items):
        raise click.exceptions.Exit(InvalidData.exit_code)


@click.command()
@click.argument("programs", nargs=-1, required=True, metavar="PROGRAM...")
@click.option("--json", "as_json", is_flag=True, help="Findings as JSON.")
def lint(programs: tuple[str, ...], as_json: bool) -> None:
    """Find style problems: unused bindings, names, nesting. Fails on errors only."""
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


def _findings(text: str, types: dict[str, Type], *, standard: bool) -> list[Diagnostic]:
    from rolltop.transform.check import check_parsed
    from rolltop.transform.check.schema_sources import types_for
    from rolltop.transform.syntax.parser import parse

    parsed = parse(text, strict=standard)
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


_TIERS = {
    "columnar": "columnar: only the columns below are cut out of the table, conditions come first, a column at a time",
    "typed": "typed: only the fields below are decoded, their types are proved by the decoder",
    "general": "general: everything is decoded, generated code tests what it works with",
    "evaluator": "evaluator: the program has something that no code is generated for",
}


@click.command()
@click.argument("program", required=False)
@click.option("-e", "--expression", metavar="EXPR", help="Explain this instead of a file.")
@click.option("--from", "source", metavar="FORMAT", help="Format of the input of a program without header.")
@click.option("--to", "target", metavar="FORMAT", help="Format of the result of a program without header.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def explain(program: str | None, expression: str | None, source: str | None, target: str | None, as_json: bool) -> None:
    """Explain how a program will run: its tier, the fields it reads, whether it streams (or why not), its output."""
    from rolltop.transform import compile_program
    from rolltop.transform.explain import explain as explanation_of
    from rolltop.transform.syntax.source import Source

    if (program is None) == (expression is None):
        raise click.UsageError("give a PROGRAM or an expression with -e")
    text = expression if expression is not None else read_program(program or "")
    name = program or "expression"
    with showing_errors(Source(text, name)):
        compiled = compile_program(
            text,
            name=name,
            inputs={"input": source} if source else None,
            output_format=target,
            shorthand=expression is not None,
        )
    found = explanation_of(compiled)
    if as_json:
        print_json(found.as_dict())
    else:
        print_rows(("what", "answer"), _rows(found))


def _rows(found: Explanation) -> list[tuple[str, str]]:
    rows = [("tier", _TIERS[found.tier])]
    if found.untyped_because:
        rows.append(("not typed because", found.untyped_because))
    if found.not_columnar_because:
        rows.append(("not columnar because", found.not_columnar_because))
    rows += [("reads", f"{item['path']}: {item['type']}{'' if item['required'] else '?'}") for item in found.fields]
    if found.streams is None:
        place = f" (at {found.place[0]}:{found.place[1]})" if found.place else ""
        rows.append(("streams", f"no: {found.not_streamed_because}{place}"))
    else:
        rows.append(("streams", f"yes: {found.streams} of {found.array}"))
    return [*rows, ("output", found.output_type)]


@click.command("format")
@click.argument("programs", nargs=-1, metavar="PROGRAM...")
@click.option("-w", "--write", is_flag=True, help="Change the files instead of printing.")
@click.option("--check", "only_check", is_flag=True, help="Say which files would change; exit 1 when one would.")
def format_(programs: tuple[str, ...], write: bool, only_check: bool) -> None:
    """Rewrite programs in canonical form; without a file, standard input to standard output."""
    from rolltop.transform.syntax.formatter import format_program
    from rolltop.transform.syntax.source import Source

    changed = False
    for path in programs or ("-",):
        text = read_program(path)
        with showing_errors(Source(text, path)):
            formatted = format_program(text)
        if only_check:
            if formatted != text:
                changed = True
                click.echo(path)
        elif write and path != "-":
            if formatted != text:
                Path(path).write_text(formatted, "utf-8")
        else:
            click.echo(formatted, nl=False)
    if changed:
        raise click.exceptions.Exit(1)
