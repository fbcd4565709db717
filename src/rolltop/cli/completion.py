"""Shell completion: the script for each shell, and the names of documents, tags and tools."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.errors import RolltopError

if TYPE_CHECKING:
    from rolltop.store import Library

__all__ = ["complete_documents", "complete_tags", "complete_tools", "completion"]

MOST = 200
"""Names offered at a time; more would fill the screen."""


@click.command(epilog=EXIT_CODES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes commands, documents, tags and tools in SHELL.

    \b
      bash  eval "$(rolltop completion bash)"      in ~/.bashrc
      zsh   eval "$(rolltop completion zsh)"       in ~/.zshrc, after compinit
      fish  rolltop completion fish > ~/.config/fish/completions/rolltop.fish
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(None, {}, "rolltop", "_ROLLTOP_COMPLETE").source())  # type: ignore[arg-type]


def complete_documents(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Paths of documents that begin with the text; without a slash in it, names too."""
    from rolltop.store import Listing

    def names(library: Library) -> list[str]:
        begun = library.documents.page(
            Listing(paths=(f"{incomplete}*", f"{incomplete}*/**"), limit=MOST, sort_by="path")
        )
        found = [document.path for document in begun.documents if document.path.startswith(incomplete)]
        if incomplete and "/" not in incomplete:
            named = library.documents.page(Listing(name=f"{incomplete}*", limit=MOST, sort_by="path"))
            found += [each.name for each in named.documents if each.name.startswith(incomplete)]
        return list(dict.fromkeys(found))

    return _from_store(ctx, names)


def complete_tags(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Tags that begin with the text."""
    return _from_store(
        ctx, lambda library: [tag for tag in library.catalog.tags.counts() if tag.startswith(incomplete)][:MOST]
    )


def complete_tools(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Tools that begin with the text."""
    from rolltop.cli.serve import make_settings
    from rolltop.server.application import Application

    with _silent():
        desk = Application(make_settings(Invocation(_given(ctx)), {}))
        return [tool.name for tool in desk.registry if tool.name.startswith(incomplete)]
    return []


def _from_store(ctx: click.Context, names: Callable[[Library], list[str]]) -> list[str]:
    """Names from the store, if there is one: completing a word must not create a workspace."""
    from rolltop.cli.store import opened

    with _silent():
        invocation = Invocation(_given(ctx))
        if (invocation.settings().workspace / "store").is_dir():
            with opened(invocation) as library:
                return names(library)
    return []


def _given(ctx: click.Context) -> dict[str, str]:
    """The global options before the word; the commands have not run yet."""
    chosen = ctx.find_root().params
    return {key: chosen[key] for key in ("workspace", "log_level") if chosen.get(key) is not None}


def _silent() -> suppress:
    """Completion offers nothing when something is wrong; running the command reports it."""
    return suppress(RolltopError, OSError)
