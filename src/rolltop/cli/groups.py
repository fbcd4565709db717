"""Command groups: commands are imported when they run, and a mistyped name is answered with the nearest."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rolltop.settings import Settings

__all__ = ["EXIT_CODES", "Invocation", "LazyGroup", "nearest"]

EXIT_CODES = (
    "Exit codes: 0 ok, 1 failure, 2 usage, 3 not found, 4 invalid program or data, "
    "5 a needed part is missing, 6 time or size limit, 7 consent missing."
)

SYNONYMS = {
    # the name in other programs: the name here
    "ls": "list",
    "delete": "rm",
    "remove": "rm",
    "find": "search",
    "show": "get",
    "run": "serve",
    "start": "serve",
    "status": "stats",
    "validate": "check",
    "put": "add",
}


@dataclass(slots=True)
class Invocation:
    """The global options; commands get their settings from here."""

    given: dict[str, Any] = field(default_factory=dict)
    only_settings: bool = False
    """Set by a caller that only asks which settings `serve` would use, and starts the server itself."""
    served: Settings | None = None
    _warned: bool = False

    def settings(self, **more: Any) -> Settings:
        from rolltop.settings import load  # most commands do not need it

        self.warn_about_variables()
        return load({**self.given, **{key: value for key, value in more.items() if value is not None}})

    def warn_about_variables(self) -> None:
        """Name variables that look like settings and are none, once."""
        from rolltop.settings import unknown_variables

        if not self._warned:
            self._warned = True
            for name, near in unknown_variables(os.environ).items():
                meant = f" Did you mean {near}?" if near else " `rolltop doctor --settings` lists them."
                click.secho(f"Warning: the variable {name} sets nothing.{meant}", err=True, fg="yellow")


class LazyGroup(click.Group):
    """A group whose commands live in modules that are imported when one of them runs."""

    def __init__(self, *args: Any, lazy: Mapping[str, tuple[str, str]] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = dict(lazy or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *self.lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lazy:
            return super().get_command(ctx, cmd_name)
        module, attribute = self.lazy[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        command.epilog = command.epilog or EXIT_CODES
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not ctx.resilient_parsing and name[:1].isalnum() and self.get_command(ctx, name) is None:
            raise unknown_command(self, ctx, name)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, self.summary(ctx, name)) for name in self.list_commands(ctx)]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def summary(self, ctx: click.Context, name: str) -> str:
        """One line about a command, without importing it."""
        if name in self.lazy:
            return self.lazy[name][1]
        command = super().get_command(ctx, name)
        return command.get_short_help_str(80) if command else ""


def unknown_command(group: click.Group, ctx: click.Context, name: str) -> click.UsageError:
    """The error for a name that `group` does not have, with the nearest that it has."""
    names = group.list_commands(ctx)
    synonym = SYNONYMS.get(name)
    near = [synonym] if synonym in names else nearest(name, names)
    meant = f" Did you mean {' or '.join(repr(word) for word in near)}?" if near else ""
    return click.UsageError(f"No such command '{name}'.{meant}", ctx)


def nearest(name: str, names: list[str]) -> list[str]:
    """At most two of `names` that are spelled nearly like `name`."""
    from difflib import get_close_matches  # only a mistyped command pays for it

    return get_close_matches(name, names, 2)
