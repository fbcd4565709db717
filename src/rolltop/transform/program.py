"""A compiled program: what callers hold and run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rolltop.errors import InvalidInput
from rolltop.transform import formats
from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.errors import ProgramInvalid, WriteFailure
from rolltop.transform.formats.table import Rendered, canonical
from rolltop.transform.run.evaluator import Evaluator
from rolltop.transform.stdlib._ancestry import reading
from rolltop.transform.syntax.parser import Parsed, parse

if TYPE_CHECKING:
    from rolltop.transform.compile import Compiled
    from rolltop.transform.compile.tiers import Tiers

__all__ = ["Document", "Program", "compile_program", "convert"]

_LARGE = 20_000
"""Characters of input from which generating code pays within one run."""


@dataclass(frozen=True, slots=True)
class Document:
    """An input as it comes; the program's header says how it is read."""

    data: str | bytes


class Program:
    """A program that parsed. `run` takes texts to text, `evaluate` values to a value.

    The first small run is done by the simple evaluator; code is generated when there is more to do.
    """

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.header = parsed.program.header
        self.source = parsed.source
        self.evaluator = Evaluator(parsed.program, parsed.source)
        self.runs = 0
        # `parent` and `elementPath` look elements up in the inputs; other programs need not be told of those.
        self.asks_for_places = "parent" in parsed.source.text or "elementPath" in parsed.source.text

    @cached_property
    def compiled(self) -> Compiled | None:
        """Generated code for inputs of any kind."""
        return self._compile(plain=False)

    @cached_property
    def compiled_for_documents(self) -> Compiled | None:
        """Generated code for inputs that our readers made of the declared formats."""
        return self._compile(plain=None)

    @cached_property
    def tiers(self) -> Tiers:
        """Code for JSON text that is decoded into what the program needs."""
        from rolltop.transform.compile.tiers import Tiers  # noqa: PLC0415 - as above

        return Tiers(self.parsed.program)

    def _compile(self, *, plain: bool | None) -> Compiled | None:
        # Imported here: most programs of a command line run once, and its start counts.
        from rolltop.transform.compile import compile_tree  # noqa: PLC0415

        return compile_tree(self.parsed.program, self.evaluator, plain=plain)

    def evaluate(self, inputs: Mapping[str, Any]) -> Any:
        """The body's value for inputs that are values already."""
        self.runs += 1
        engine = self.compiled if self.runs > 1 else None
        return self._run(engine or self.evaluator, self._with_default(inputs))

    def _run(self, engine: Compiled | Evaluator, inputs: Mapping[str, Any]) -> Any:
        if not self.asks_for_places:
            return engine.run(inputs)
        with reading(inputs):
            return engine.run(inputs)

    def _with_default(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The first input is also called `input`."""
        names = dict(inputs)
        if "input" not in names and names:
            first = self.header.inputs[0].name
            names["input"] = names.get(first, next(iter(names.values())))
        return names

    def result(self, documents: Mapping[str, Document]) -> Any:
        """The body's value for inputs that are still text."""
        self.runs += 1
        pays = self.runs > 1 or any(len(document.data) > _LARGE for document in documents.values())
        if pays and len(documents) == 1 and self.header.inputs[0].format == "json" and not self.asks_for_places:
            [document] = documents.values()
            taken, value = self.tiers.value(document.data)
            if taken:
                return value
        inputs = self._with_default(self.read_inputs(documents))
        return self._run((self.compiled_for_documents if pays else None) or self.evaluator, inputs)

    def run(self, documents: Mapping[str, Document]) -> Rendered:
        """Read the inputs, evaluate, write the first declared output."""
        value = self.result(documents)
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
    text: str,
    *,
    name: str = "program",
    inputs: Mapping[str, str] | None = None,
    output_format: str | None = None,
    shorthand: bool = False,
) -> Program:
    """A program ready to run, or `ProgramInvalid` with every syntax error.

    `inputs` (name to format) and `output_format` fill in for a missing header; a header that says
    otherwise is an error.
    """
    wanted = {port: canonical(format_) for port, format_ in (inputs or {}).items()}
    wanted_out = canonical(output_format) if output_format else None
    parsed = parse(text, name=name, inputs=wanted, output_format=wanted_out, shorthand=shorthand)
    problems = [*parsed.problems, *_contradictions(parsed, wanted, wanted_out)]
    if problems:
        raise ProgramInvalid(problems)
    return Program(parsed)


def _contradictions(parsed: Parsed, wanted: Mapping[str, str], wanted_out: str | None) -> list[Diagnostic]:
    """Where the header and the caller disagree about a format."""
    header = parsed.program.header
    if not header.written:
        return []
    given = dict(wanted)
    if len(header.inputs) == 1 and len(given) == 1:
        given = {header.inputs[0].name: next(iter(given.values()))}
    pairs = [("input", port, given.get(port.name)) for port in header.inputs]
    pairs.append(("output", header.outputs[0], wanted_out))
    return [
        parsed.source.diagnostic(
            "E302",
            f"the header says {what} {port.format}, the caller says {format_}",
            port.at,
            hint="Change one of them, or leave the header out.",
        )
        for what, port, format_ in pairs
        if format_ is not None and "auto" not in (format_, port.format) and port.format != format_
    ]


def convert(data: str | bytes, source: str, target: str, options: Mapping[str, Any] | None = None) -> Rendered:
    """From one format to another, without a program."""
    return formats.write(target, formats.read(source, data), options or {})
