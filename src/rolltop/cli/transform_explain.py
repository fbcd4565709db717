"""`rolltop transform explain`: how a program will run, without running it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rolltop.cli.output import print_json, print_rows
from rolltop.cli.transform_files import read_program, showing_errors

if TYPE_CHECKING:
    from rolltop.transform.explain import Explanation

__all__ = ["explain"]

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
    """Say how a program will run: which tier, which fields are read, whether it streams and why not, what comes out."""
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
