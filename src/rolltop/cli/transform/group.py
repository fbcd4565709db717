"""The command group `rolltop transform`."""

from __future__ import annotations

import click

from rolltop.cli.groups import LazyGroup

__all__ = ["transform"]

_VERBS: dict[str, tuple[str, str]] = {
    "run": ("rolltop.cli.transform.run:run", "Run a program, an expression, or a plain conversion."),
    "check": ("rolltop.cli.transform.check:check", "Find errors without running: syntax, names, arities, types."),
    "lint": ("rolltop.cli.transform.check:lint", "Find what works but reads badly."),
    "explain": ("rolltop.cli.transform.check:explain", "Say how a program will run: tier, fields read, streaming."),
    "format": ("rolltop.cli.transform.check:format_", "Rewrite programs in canonical form."),
    "test": ("rolltop.cli.transform.test:test", "Run the test cases beside programs."),
    "lsp": (
        "rolltop.cli.transform.lsp:lsp",
        "Serve editors by the language server protocol.",
    ),
    "functions": ("rolltop.cli.transform.repl:functions", "List or search the standard library."),
    "repl": ("rolltop.cli.transform.repl:repl", "Try expressions one after the other."),
    "engine": ("rolltop.cli.transform.repl:engine", "Answer requests in JSON lines."),
}


class _Verbs(LazyGroup):
    """`run` is the verb when none is named: `rolltop transform -e '.name' data.json`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.lazy and args[0] not in ctx.help_option_names:
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Verbs, lazy=_VERBS, context_settings={"help_option_names": ["-h", "--help"]})
@click.pass_context
def transform(ctx: click.Context) -> None:
    """Transform data: run and check UTL-X programs, convert between formats.

    \b
      rolltop transform run invoice.utlx -i order.xml -o invoice.json
      rolltop transform -e '.customer.name' -r < order.json
      rolltop transform --from csv --to yaml < table.csv
    """
    if ctx.invoked_subcommand in ("run", "repl"):
        from rolltop.transform.stdlib.trust import trusted

        # A user's own program in their own shell may read the environment.
        ctx.with_resource(trusted())
