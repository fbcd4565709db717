"""A compiled program: what callers hold and run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.transform import formats
from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.errors import ProgramInvalid, WriteFailure
from rolltop.transform.formats.table import Rendered, canonical
from rolltop.transform.run.evaluator import Evaluator
from rolltop.transform.stdlib._ancestry import reading
from rolltop.transform.syntax.parser import Parsed, parse

__all__ = ["Document", "Program", "compile_program", "convert"]


@dataclass(frozen=True, slots=True)
class Document:
    """An input as it comes: text or bytes, and what its owner says its format is."""

    data: str | bytes
    format: str | None = None


class Program:
    """A program that parsed. `run` takes texts to text, `evaluate` values to a value."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.header = parsed.program.header
        self.source = parsed.source
        self.evaluator = Evaluator(parsed.program, parsed.source)

    def evaluate(self, inputs: Mapping[str, Any]) -> Any:
        """The body's value for inputs that are values already."""
        names = dict(inputs)
        if "input" not in names and names:
            first = self.header.inputs[0].name
            names["input"] = names.get(first, next(iter(names.values())))
        with reading(names):
            return self.evaluator.run(names)

    def run(self, documents: Mapping[str, Document]) -> Rendered:
        """Read the inputs, evaluate, write the first declared output."""
        value = self.evaluate(self.read_inputs(documents))
        if callable(value):
            raise WriteFailure("the result is a function", hint="Call it with its arguments.")
        output = self.header.outputs[0]
        return formats.write(output.format, value, output.options)

    def read_inputs(self, documents: Mapping[str, Document]) -> dict[str, Any]:
        """A value for every declared input; one document alone serves one declared input whatever its name."""
        ports = self.header.inputs
        given = dict(documents)
        if len(ports) == 1 and len(given) == 1:
            given = {ports[0].name: next(iter(given.values()))}
        missing = [port.name for port in ports if port.name not in given]
        if missing:
            raise InvalidInput(f"no data for the input {missing[0]!r}", hint=f"Give it as {missing[0]}=FILE.")
        known = {port.name for port in ports}
        extra = [name for name in given if name not in known]
        if extra:
            raise InvalidInput(f"the program declares no input {extra[0]!r}")
        return {port.name: formats.read(port.format, given[port.name].data, port.options) for port in ports}


def compile_program(
    text: str, *, name: str = "program", input_format: str | None = None, output_format: str | None = None
) -> Program:
    """A program ready to run, or `ProgramInvalid` with every syntax error.

    Formats given here fill in for a missing header; a header that says otherwise is an error.
    """
    wanted_in = canonical(input_format) if input_format else None
    wanted_out = canonical(output_format) if output_format else None
    parsed = parse(text, name=name, input_format=wanted_in, output_format=wanted_out)
    problems = [*parsed.problems, *_contradictions(parsed, wanted_in, wanted_out)]
    if problems:
        raise ProgramInvalid(problems)
    return Program(parsed)


def _contradictions(parsed: Parsed, wanted_in: str | None, wanted_out: str | None) -> list[Diagnostic]:
    header = parsed.program.header
    found: list[Diagnostic] = []
    pairs = [("input", wanted_in, header.inputs), ("output", wanted_out, header.outputs)]
    for what, wanted, ports in pairs:
        if wanted is None or not header.written or len(ports) != 1:
            continue
        if ports[0].format not in (wanted, "auto") and wanted != "auto":
            found.append(
                parsed.source.diagnostic(
                    "E302",
                    f"the header says {what} {ports[0].format}, the caller says {wanted}",
                    ports[0].at,
                    hint="Change one of them, or leave the header out.",
                )
            )
    return found


def convert(data: str | bytes, source: str, target: str, options: Mapping[str, Any] | None = None) -> Rendered:
    """From one format to another, without a program."""
    return formats.write(target, formats.read(source, data), options or {})
