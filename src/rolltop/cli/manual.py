"""`rolltop help`, `man` and `version`, generated from the declarations of the commands."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from rolltop import __version__
from rolltop.cli.groups import EXIT_CODES, unknown_command
from rolltop.cli.output import is_terminal

__all__ = ["help_", "man", "manual_page", "manual_pages", "version"]


@click.command(epilog=EXIT_CODES)
def version() -> None:
    """Print the version."""
    click.echo(f"rolltop, version {__version__}")


@click.command("help", epilog=EXIT_CODES)
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def help_(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Show the help of a command: `rolltop help store search`."""
    click.echo(_find(ctx, names).get_help(), color=ctx.color)


@click.command(epilog=EXIT_CODES)
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@click.option("--dir", "directory", type=click.Path(file_okay=False), help="Write all pages into this directory.")
@click.pass_context
def man(ctx: click.Context, names: tuple[str, ...], directory: str | None) -> None:
    """Show the manual page of a command, or print its source when the output is no terminal."""
    if directory is not None:
        Path(directory).mkdir(parents=True, exist_ok=True)
        for name, page in manual_pages(ctx.find_root().command).items():
            (Path(directory) / name).write_text(page, "utf-8")
        return
    page = manual_page(_find(ctx, names))
    viewer = shutil.which("man")
    if is_terminal() and viewer is not None:
        sys.exit(subprocess.run([viewer, "-l", "-"], input=page.encode(), check=False).returncode)
    click.echo(page, nl=False)


def _find(ctx: click.Context, names: tuple[str, ...]) -> click.Context:
    """The context of the command with this path, as if it had been called."""
    found = ctx.find_root()
    for name in names:
        command = found.command
        below = command.get_command(found, name) if isinstance(command, click.Group) else None
        if below is None:
            if isinstance(command, click.Group):
                raise unknown_command(command, found, name)
            raise click.UsageError(f"'{found.command_path}' has no commands.", found)
        found = click.Context(below, info_name=name, parent=found)
    return found


def manual_pages(root: click.Command) -> dict[str, str]:
    """The pages of the whole command line by file name: one for `rolltop`, one for each of its commands."""
    top = click.Context(root, info_name="rolltop", **root.context_settings)
    pages = {"rolltop.1": manual_page(top)}
    for child in _children(top):
        pages[f"{child.command_path.replace(' ', '-')}.1"] = manual_page(child)
    return pages


def _children(ctx: click.Context) -> Iterator[click.Context]:
    if isinstance(ctx.command, click.Group):
        for name in ctx.command.list_commands(ctx):
            command = ctx.command.get_command(ctx, name)
            if command is not None and not command.hidden:
                yield click.Context(command, info_name=name, parent=ctx)


def manual_page(ctx: click.Context) -> str:
    """A page in troff. The page of a group describes its commands too; that of `rolltop` refers to theirs."""
    name = ctx.command_path.replace(" ", "-")
    lines = [
        f'.TH "{name.upper()}" "1" "" "rolltop {__version__}" "rolltop manual"',
        ".SH NAME",
        f"{_escape(name)} \\- {_escape(ctx.command.get_short_help_str(200))}",
        ".SH SYNOPSIS",
        *_synopsis(ctx),
        ".SH DESCRIPTION",
        *_paragraphs(ctx.command.help or ""),
        *_options(ctx, ".SH OPTIONS"),
    ]
    children = list(_children(ctx))
    if children:
        lines.append(".SH COMMANDS")
    for child in children:
        lines += _described(child) if ctx.parent else _listed(child)
    lines += [".SH EXIT STATUS", *_paragraphs(EXIT_CODES.removeprefix("Exit codes: "))]
    if ctx.parent is not None:
        lines += [".SH SEE ALSO", ".BR rolltop (1)"]
    return "\n".join(lines) + "\n"


def _listed(ctx: click.Context) -> list[str]:
    name = _escape(ctx.command_path.replace(" ", "-"))
    return [".TP", f".BR {name} (1)", _escape(ctx.command.get_short_help_str(200))]


def _described(ctx: click.Context) -> list[str]:
    lines = [f".SS {_escape(ctx.command_path)}", *_synopsis(ctx), ".PP", *_paragraphs(ctx.command.help or "")]
    lines += _options(ctx, None)
    for child in _children(ctx):
        lines += _described(child)
    return lines


def _synopsis(ctx: click.Context) -> list[str]:
    return [f".B {_escape(ctx.command_path)}", _escape(" ".join(ctx.command.collect_usage_pieces(ctx)))]


def _options(ctx: click.Context, heading: str | None) -> list[str]:
    records = [record for each in ctx.command.get_params(ctx) if (record := each.get_help_record(ctx)) and record[1]]
    lines = [heading] if heading and records else []
    for names, text in records:
        lines += [".TP", f".B {_escape(names)}", _escape(text)]
    return lines


def _paragraphs(text: str) -> list[str]:
    """Paragraphs of a docstring; one that begins with \\b keeps its lines."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        if lines:
            lines.append(".PP")
        if paragraph.lstrip("\n").startswith("\b"):
            body = paragraph.replace("\b", "").strip("\n").split("\n")
            lines += [".nf", *map(_escape, body), ".fi"]
        else:
            lines.append(_escape(" ".join(paragraph.split())))
    return lines


def _escape(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
