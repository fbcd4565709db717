"""`rolltop reports packages`: the R packages that renders on this machine see."""

from __future__ import annotations

import os

import click

from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.cli.output import note, print_json, print_rows
from rolltop.cli.reports import open_reports
from rolltop.errors import PartMissing

__all__ = ["packages"]


@click.group(epilog=EXIT_CODES)
def packages() -> None:
    """List or install the R packages that renders on this machine see."""


@packages.command("list", epilog=EXIT_CODES)
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
@click.pass_obj
def list_packages(invocation: Invocation, as_json: bool) -> None:
    """List the packages with their versions and libraries; of two of one name R uses the first."""
    from rolltop.reports.installation.r_installation import find_r

    engine = open_reports(invocation)
    r = find_r(engine.root, engine.config.libraries, os.environ)
    if r is None:
        raise PartMissing("R is not installed", hint="On Debian: apt-get install r-base-core")
    for place in r.unreachable:
        note(f"{place} is left out: the user whom documents run as cannot read it")
    rows = [(each.name, each.version, str(each.library)) for each in r.packages()]
    if as_json:
        print_json([dict(zip(("package", "version", "library"), row, strict=True)) for row in rows])
    else:
        print_rows(("package", "version", "library"), rows)


@packages.command("install", epilog=EXIT_CODES)
@click.argument("names", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def install(invocation: Invocation, names: tuple[str, ...], yes: bool) -> None:
    """Install the packages NAMES into the workspace's library, from the mirror `cran` of the [reports] settings.

    Asks first: packages run code of their own while they are installed, without a sandbox.
    """
    from rolltop.reports.installation.package_install import install_packages

    engine = open_reports(invocation)
    if engine.config.cran and not yes:
        click.confirm(f"Install {', '.join(names)} from {engine.config.cran}?", abort=True, err=True)
    click.echo(install_packages(engine.root, engine.config, names))
