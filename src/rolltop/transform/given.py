"""Options that the caller gives beside those in a program's header."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.formats.options import checked_options
from rolltop.transform.syntax.parser import Parsed
from rolltop.transform.syntax.tree import Port

__all__ = ["complete_options"]

Options = Mapping[str, Any]


def complete_options(parsed: Parsed, inputs: Mapping[str, Options], output: Options) -> list[Diagnostic]:
    """Add the caller's options to the header's; what comes back are the contradictions between the two.

    Options of a single input are taken for it whatever it is called.
    """
    header = parsed.program.header
    given = dict(inputs)
    if len(header.inputs) == 1 and len(given) == 1:
        given = {header.inputs[0].name: next(iter(given.values()))}
    known = {port.name for port in header.inputs}
    for name in given:
        if name not in known:
            raise InvalidInput(f"the program declares no input {name[:60]!r}")
    problems: list[Diagnostic] = []
    for port in header.inputs:
        problems += _complete(parsed, port, given.get(port.name, {}), reading=True)
    return problems + _complete(parsed, header.outputs[0], output, reading=False)


def _complete(parsed: Parsed, port: Port, options: Options, *, reading: bool) -> list[Diagnostic]:
    # What an input of any format is shows when it is read; csv is the one that has options to speak of.
    format_ = "csv" if port.format == "auto" and reading else port.format
    options = checked_options(format_, options, reading=reading)
    problems = [
        parsed.source.diagnostic(
            "E303",
            f"the header says {name}: {port.options[name]!r}, the caller says {value!r}",
            port.at,
            hint="Change one of them, or leave it out of the header.",
        )
        for name, value in options.items()
        if name in port.options and port.options[name] != value
    ]
    port.options = {**port.options, **options}
    return problems
