"""`rolltop reports image`: the image that the container renderers use."""

from __future__ import annotations

from dataclasses import replace

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.output import note, print_json
from rolltop.cli.reports import clear_line, open_reports, progress_line, run

__all__ = ["image"]


@click.group(epilog=EXIT_CODES)
def image() -> None:
    """Build, show or remove the image that renders."""


@image.command(epilog=EXIT_CODES)
@click.option("--base", metavar="REFERENCE", help="Base image; debian: bootstrap from packages; auto: what can be had.")
@click.option("--package", "packages", multiple=True, help="An R package to add; may be repeated.")
@click.option("--again", is_flag=True, help="Build even if the image is there.")
@click.pass_obj
def build(invocation: Invocation, base: str | None, packages: tuple[str, ...], again: bool) -> None:
    """Build the image if it is not there or its recipe changed, and print its name.

    With --package, put the same packages into `packages` of the [reports] settings, so that renders use this image.
    """
    from rolltop.reports.containers import ContainerEngine, Recipe, ensure_image

    engine = open_reports(invocation)
    recipe = Recipe.of(engine.config)
    recipe = replace(recipe, base=base or recipe.base, packages=tuple(sorted({*recipe.packages, *packages})))
    containers = ContainerEngine(engine.renderers.engine_host)
    try:
        tag = run(engine, ensure_image(containers, recipe, progress_line(), again=again))
    finally:
        clear_line()
    if recipe != Recipe.of(engine.config):
        note("Renders use this image once [reports] in the settings says the same image_base and packages.")
    click.echo(tag)


@image.command(epilog=EXIT_CODES)
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
@click.pass_obj
def status(invocation: Invocation, as_json: bool) -> None:
    """Say which image renders use and whether it is built. Exit 5 when it is not."""
    from rolltop.errors import PartMissing
    from rolltop.reports.containers import ContainerEngine, Recipe

    engine = open_reports(invocation)
    recipe = Recipe.of(engine.config)
    found = run(engine, ContainerEngine(engine.renderers.engine_host).image(recipe.tag))
    if as_json:
        print_json({"image": recipe.tag, "built": found is not None, "size": found["Size"] if found else None})
    if found is None:
        raise PartMissing(f"the image {recipe.tag} is not built", hint="rolltop reports image build")
    if not as_json:
        click.echo(f"{recipe.tag}\t{found['Size'] >> 20} MiB")


@image.command(epilog=EXIT_CODES)
@click.pass_obj
def remove(invocation: Invocation) -> None:
    """Remove the image."""
    from rolltop.errors import NotFound
    from rolltop.reports.containers import ContainerEngine, Recipe

    engine = open_reports(invocation)
    recipe = Recipe.of(engine.config)
    if not run(engine, ContainerEngine(engine.renderers.engine_host).remove_image(recipe.tag)):
        raise NotFound(f"there is no image {recipe.tag}")
    note(f"removed {recipe.tag}")
