"""`rolltop reports`: R Markdown documents, their renderings, and the image that renders in containers."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rolltop.cli.groups import EXIT_CODES, Invocation, LazyGroup
from rolltop.cli.output import Size, harmless, note, print_json, print_rows, progress_line
from rolltop.errors import ForeignFailure, PartMissing

if TYPE_CHECKING:
    from rolltop.reports import Report, Reports

__all__ = ["image", "open_with_its_program", "packages", "reports"]


T = TypeVar("T")
EXAMPLE = "This is an R Markdown document.\n\n```{r}\nplot(cars)\n```\n"


@click.group(
    cls=LazyGroup,
    lazy={
        "image": ("rolltop.cli.reports:image", "Build, show or remove the image that renders."),
        "packages": ("rolltop.cli.reports:packages", "List or install the R packages that renders see."),
    },
    epilog=EXIT_CODES,
)
def reports() -> None:
    """Write R Markdown documents and render them to HTML, PDF and Word."""


def open_reports(invocation: Invocation) -> Reports:
    """Open the reports of the workspace without keeping a warm R process."""
    from rolltop.workspace import Workspace

    return Workspace(invocation.settings()).open_reports(warm=False)


@reports.command(epilog=EXIT_CODES)
@click.argument("name")
@click.option("--title", help="The title; the name when left out.")
@click.option(
    "--from",
    "source",
    type=click.File("r", encoding="utf-8"),
    help="Take the text from a file (R Markdown or a notebook), - for stdin.",
)
@click.option(
    "--template",
    type=click.Choice(["data_summary", "comparison", "dashboard", "slides", "paper"]),
    help="Begin with this complete example.",
)
@click.option("--overwrite", is_flag=True, help="Replace a document of that name.")
@click.pass_obj
def new(
    invocation: Invocation, /, name: str, title: str | None, source: Any, *, template: str | None, overwrite: bool
) -> None:
    """Create the document NAME, with an example in it unless --from gives the text or --template a kind of report."""
    from rolltop.reports.source.gallery import from_template

    engine = open_reports(invocation)
    title = title or Path(name).stem
    content = _text_of(source) if source else "" if template else EXAMPLE
    text = from_template(template, title, content) if template else content
    created = engine.documents.create(name, title, text, overwrite=overwrite)
    note(f"Created R Markdown file: {created}")
    click.echo(engine.root / created)


def _text_of(source: Any) -> str:
    from rolltop.errors import InvalidData

    try:
        return str(source.read())
    except UnicodeDecodeError as error:
        raise InvalidData(f"{source.name} is not UTF-8 (byte {error.start})", hint="Save it as UTF-8.") from None


@reports.command(epilog=EXIT_CODES)
@click.argument("name")
@click.option(
    "--format",
    "-f",
    "formats",
    multiple=True,
    type=click.Choice(["html", "pdf", "word", "pptx", "md", "ipynb"]),
    help="May be repeated.",
)
@click.option("--renderer", type=click.Choice(["auto", "local", "docker", "compose"]), help="Where R runs.")
@click.option("--engine", type=click.Choice(["rmarkdown", "fast"]), help="Full fidelity, or plain and quick.")
@click.option("--param", "-p", "params", multiple=True, metavar="NAME=VALUE", help="A param; VALUE is JSON or a text.")
@click.option("--timeout", type=float, metavar="SECONDS", help="How long it may take.")
@click.option("--fresh", is_flag=True, help="Render again even if nothing changed.")
@click.option("--json", "as_json", is_flag=True, help="Print what happened as JSON.")
@click.pass_obj
def render(
    invocation: Invocation,
    /,
    name: str,
    formats: tuple[Any, ...],
    params: tuple[str, ...],
    as_json: bool,
    **chosen: Any,
) -> None:
    """Render the document NAME and print the paths of the results."""
    from rolltop.reports import RenderOptions

    engine = open_reports(invocation)
    options = RenderOptions(formats=formats or ("html",), params=_params(params), **chosen)
    with progress_line() as show:
        report = run(engine, engine.render(name, options, show))
    if as_json:
        print_json(_as_json(engine, report))
        return
    how = "unchanged, from the cache" if report.cached else f"{report.renderer}, {report.engine}"
    note(f"{report.source}: {how}, {report.seconds:.2f} s")
    if report.kept:
        note(report.sentence)
    for each in report.notes:
        note(harmless(each))
    for output in report.outputs:
        click.echo(engine.outputs.root / output.name)


def run(engine: Reports, work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine and leave no process behind."""
    try:
        return asyncio.run(work)
    finally:
        engine.close()


def _params(given: tuple[str, ...]) -> dict[str, Any] | None:
    import json

    values: dict[str, Any] = {}
    for item in given:
        name, separator, text = item.partition("=")
        if not separator:
            raise click.BadParameter(f"{item!r} is not NAME=VALUE", param_hint="--param")
        try:
            values[name] = json.loads(text)
        except ValueError:
            values[name] = text
    return values or None


def _as_json(engine: Reports, report: Report) -> dict[str, Any]:
    from dataclasses import asdict

    document = asdict(report)
    document["outputs"] = [str(engine.outputs.root / output.name) for output in report.outputs]
    document["figures"] = [figure.name for figure in report.figures]
    return document


@reports.command("list", epilog=EXIT_CODES)
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
@click.pass_obj
def list_documents(invocation: Invocation, as_json: bool) -> None:
    """List the documents and what was rendered from them."""
    from rolltop.reports.names import stem_of

    engine = open_reports(invocation)
    outputs = engine.outputs.all()
    rows = [
        (each.name, each.title, [o.name for o in outputs if o.name.rpartition(".")[0] == stem_of(each.name)])
        for each in engine.documents.all()
    ]
    if as_json:
        print_json([{"name": name, "title": title, "outputs": rendered} for name, title, rendered in rows])
    else:
        print_rows(("document", "title", "rendered"), [(n, t, ", ".join(rendered)) for n, t, rendered in rows])


@reports.command("open", epilog=EXIT_CODES)
@click.argument("name")
@click.option("--print", "only_print", is_flag=True, help="Print the path instead.")
@click.pass_obj
def open_output(invocation: Invocation, name: str, only_print: bool) -> None:
    """Open a rendered document (NAME.html, or NAME for the latest) with the program for it."""
    from rolltop.errors import NotFound

    engine = open_reports(invocation)
    found = [each for each in engine.outputs.all() if name in (each.name, each.name.rpartition(".")[0])]
    if not found:
        raise NotFound(f"nothing was rendered from {name}", hint=f"rolltop reports render {name}")
    path = engine.outputs.root / max(found, key=lambda each: each.modified).name
    if only_print:
        click.echo(path)
    else:
        open_with_its_program(path)


@reports.command("versions", epilog=EXIT_CODES)
@click.argument("name")
@click.option("--file", "side", metavar="FILE", help="Of this side file instead of the document.")
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
@click.pass_obj
def list_versions(invocation: Invocation, name: str, side: str | None, as_json: bool) -> None:
    """List the earlier versions of the document NAME, the newest first; also of a deleted one."""
    from datetime import UTC, datetime

    rows = [
        (each.number, Size(each.size), datetime.fromtimestamp(each.modified, UTC).isoformat(timespec="seconds"))
        for each in open_reports(invocation).documents.versions(name, side)
    ]
    if as_json:
        print_json([dict(zip(("version", "size", "modified"), row, strict=True)) for row in rows])
    else:
        print_rows(("version", "size", "modified"), rows)


@reports.command("restore", epilog=EXIT_CODES)
@click.argument("name")
@click.argument("number", type=int)
@click.option("--file", "side", metavar="FILE", help="This side file instead of the document.")
@click.pass_obj
def restore_version(invocation: Invocation, name: str, number: int, side: str | None) -> None:
    """Make the earlier version NUMBER of the document NAME the current one; the current one becomes a version."""
    engine = open_reports(invocation)
    restored = engine.documents.restore(name, number, side)
    note(f"Restored {restored} from version {number}")
    click.echo(engine.root / restored)


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
    with progress_line() as show:
        tag = run(engine, ensure_image(containers, recipe, show, again=again))
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
        click.echo(f"{recipe.tag}\t{Size(found['Size'])}")


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


PATIENCE = 3.0
"""Seconds to wait for the starter; some stay until the window is closed."""


def open_with_its_program(path: Path) -> None:
    starter = "open" if sys.platform == "darwin" else "xdg-open"
    yourself = f"Open {path} yourself; --print prints the path."
    try:
        process = subprocess.Popen([starter, str(path)])
    except OSError:
        raise PartMissing(f"{starter} is not there", hint=yourself) from None
    try:
        code = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        return
    if code:
        raise ForeignFailure(f"{starter} could not open {path.name} (exit {code})", hint=yourself)


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
