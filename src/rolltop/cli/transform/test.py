"""`rolltop transform test`: run the cases beside programs."""

from __future__ import annotations

import click

__all__ = ["test"]


@click.command()
@click.argument("paths", nargs=-1, metavar="[FILE|FOLDER]...")
@click.option("--json", "as_json", is_flag=True, help="Results as JSON.")
def test(paths: tuple[str, ...], as_json: bool) -> None:
    """Run test cases: YAML files with input, transformation and expected. Exit 1 when one fails.

    A folder (the current one by default) is searched for *.test.yaml. A case without transformation tests the program
    beside it: invoice.test.yaml tests invoice.utlx.
    """
    from rolltop.cli.output import print_json
    from rolltop.transform.cases import case_files, cases_in, run_case

    outcomes = [run_case(case) for file in case_files(list(paths) or ["."]) for case in cases_in(file)]
    failed = [outcome for outcome in outcomes if outcome.problem is not None]
    if as_json:
        rows = [
            {
                "file": str(found.case.file),
                "name": found.case.name,
                "passed": found.problem is None,
                "problem": found.problem,
            }
            for found in outcomes
        ]
        print_json(rows)
    else:
        for outcome in failed:
            click.echo(f"FAILED {outcome.case.file} {outcome.case.name}\n     {outcome.problem}", err=True)
        click.echo(f"{len(outcomes) - len(failed)} of {len(outcomes)} cases pass")
    if failed:
        raise click.exceptions.Exit(1)
