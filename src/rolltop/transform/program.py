"""A compiled program: what callers hold and run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from rolltop.errors import InvalidInput, Position
from rolltop.transform import formats
from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.errors import ProgramInvalid, WriteFailure
from rolltop.transform.formats.options import checked_options
from rolltop.transform.formats.table import Rendered, canonical
from rolltop.transform.given import complete_options
from rolltop.transform.notes import keeps_notes
from rolltop.transform.run.evaluator import Evaluator, shown_at
from rolltop.transform.run.recursion import OutOfStack
from rolltop.transform.stdlib.xml.ancestry import reading
from rolltop.transform.syntax import tree
from rolltop.transform.syntax.parser import Parsed, parse

if TYPE_CHECKING:
    from rolltop.transform.compile import Compiled
    from rolltop.transform.compile.tiers import Tiers
    from rolltop.transform.shortcut import Shortcut
    from rolltop.transform.stream.documents import RecordProgram

__all__ = ["Document", "Program", "compile_program", "convert"]

_LARGE = 20_000
"""Characters of input from which generating code pays."""
_SOME_RECORDS, _MANY_RECORDS = 10_000, 100_000
"""Characters of an XML document, and of all so far, from which learning what its records look like pays."""
_TEXT_FORMATS = frozenset({"csv", "xml"})
_RUN = 2_000
"""What a run counts besides its input: a program that is run often pays for its code too."""


class Document(NamedTuple):
    """An input as it comes; the program's header says how it is read."""

    data: str | bytes


class Program:
    """A program that parsed. `run` takes texts to text, `evaluate` values to a value.

    The first small runs are done by the simple evaluator; code is generated when there is more to do.
    """

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.header = parsed.program.header
        self.source = parsed.source
        self.evaluator = Evaluator(parsed.program, parsed.source)
        self.work = 0
        """What was run so far, in characters of input."""
        self._shortcut: Shortcut | None = None
        self._looked_for_shortcut = False
        # `parent` and `elementPath` look elements up in the inputs; other programs need not be told of those.
        self.asks_for_places = "parent" in parsed.source.text or "elementPath" in parsed.source.text
        self.keeps_notes = keeps_notes(parsed.program, parsed.source.text)
        self.runs_whole = self.asks_for_places or self.keeps_notes
        """Whether every run has something of its own around it, so that no part is tried or done apart."""

    @cached_property
    def compiled(self) -> Compiled | None:
        """Generated code for inputs of any kind."""
        return self._compile(plain=False)

    @cached_property
    def compiled_for_documents(self) -> Compiled | None:
        """Generated code for inputs that our readers made of the declared formats."""
        return self._compile(plain=None)

    @cached_property
    def is_pure(self) -> bool:
        """Whether equal inputs give equal outputs: nothing it names asks the clock, randomness or the machine."""
        from rolltop.transform.stdlib.registry import find  # noqa: PLC0415 - as below

        named = {node.name for node in tree.walk(self.parsed.program.body) if isinstance(node, tree.Name)}
        return all(declared is None or declared.pure for declared in map(find, named))

    @cached_property
    def is_json_alone(self) -> bool:
        """Whether the one input is JSON, read without options."""
        ports = self.header.inputs
        return len(ports) == 1 and ports[0].format == "json" and not ports[0].options

    @cached_property
    def tiers(self) -> Tiers:
        """Code for JSON text that is decoded into what the program needs."""
        from rolltop.transform.compile.tiers import Tiers  # noqa: PLC0415 - as below

        return Tiers(self.parsed.program)

    @cached_property
    def _records(self) -> RecordProgram:
        """The program as one over the records of an XML document."""
        from rolltop.transform.stream.documents import RecordProgram  # noqa: PLC0415 - as below

        return RecordProgram(self.parsed.program, self.source)

    @property
    def _goes_over_records(self) -> bool:
        ports = self.header.inputs
        return len(ports) == 1 and ports[0].format == "xml" and not self.runs_whole and self._records.possible

    @property
    def result_place(self) -> Position:
        """Where the expression begins whose value is the result."""
        body = self.parsed.program.body
        last = (body.items or body.bindings or [body])[-1]
        return Position(*self.source.place(shown_at(last)))

    def place_of(self, failure: WriteFailure) -> Position | None:
        """Where the program makes what cannot be written: its key, if that is there, else the result."""
        body = self.parsed.program.body
        if not self.header.written and not body.bindings and [type(item) for item in body.items] == [tree.Name]:
            return None  # a mere conversion makes nothing
        for node in tree.walk(body):
            if failure.key is not None and isinstance(node, tree.Entry) and node.key == failure.key:
                return Position(*self.source.place(node.at))
        return self.result_place

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Around what writes a result: failures get their place in the program."""
        try:
            yield
        except WriteFailure as failure:
            failure.position = failure.position or self.place_of(failure)
            raise

    def _pays(self, size: int) -> bool:
        """Whether to run generated code on an input of this size, after what was run before."""
        self.work += size + _RUN
        return self.work > _LARGE

    def _compile(self, *, plain: bool | None) -> Compiled | None:
        # Imported here: most programs of a command line run once, and its start counts.
        from rolltop.transform.compile import compile_tree  # noqa: PLC0415

        return compile_tree(self.parsed.program, self.evaluator, plain=plain)

    def evaluate(self, inputs: Mapping[str, Any], size: int = 0, *, as_read: bool = False) -> Any:
        """The body's value for inputs that are values already; their size as text helps to choose the engine.

        `as_read` promises that they are what our readers make of the declared formats.
        """
        engine = (self.compiled_for_documents if as_read else self.compiled) if self._pays(size) else None
        return self._run(engine or self.evaluator, self._with_default(inputs))

    def _run(self, engine: Compiled | Evaluator, inputs: Mapping[str, Any]) -> Any:
        try:
            if not self.runs_whole:
                return engine.run(inputs)
            from rolltop.transform.stdlib.host import of_one_run  # noqa: PLC0415 - as above

            with reading(inputs), of_one_run():
                return engine.run(inputs)
        except OutOfStack:
            # Generated code has room for deeper recursion. What a program gives does not depend on which one runs it.
            if engine is not self.evaluator or self.compiled is None:
                raise
        self.work += _LARGE
        return self._run(self.compiled, inputs)

    def _with_default(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The first input is also called `input`."""
        names = dict(inputs)
        if "input" not in names and names:
            first = self.header.inputs[0].name
            names["input"] = names.get(first, next(iter(names.values())))
        return names

    def result(self, documents: Mapping[str, Document]) -> Any:
        """The body's value for inputs that are still text."""
        size = sum(len(document.data) for document in documents.values())
        pays = self._pays(size)
        if pays and len(documents) == 1 and self.is_json_alone and not self.runs_whole:
            [document] = documents.values()
            taken, value = self.tiers.value(document.data)
            if taken:
                return value
        if size > _SOME_RECORDS and self.work > _MANY_RECORDS and len(documents) == 1 and self._goes_over_records:
            [document] = documents.values()
            taken, value = self._records.value(document.data)
            if taken:
                return value
        inputs = self._with_default(self.read_inputs(documents))
        return self._run((self.compiled_for_documents if pays else None) or self.evaluator, inputs)

    def at_once(self, data: str | bytes) -> bytes | None:
        """The written result for one JSON document, when there is code that makes it in one go; else None."""
        if self._shortcut is not None:
            return self._shortcut(data)
        if self._looked_for_shortcut or self.work <= _LARGE:
            return None
        from rolltop.transform.shortcut import shortcut_of  # noqa: PLC0415 - as above

        self._looked_for_shortcut = True
        self._shortcut = shortcut_of(self)
        return self._shortcut(data) if self._shortcut is not None else None

    def apply(self, data: str | bytes) -> bytes:
        """The written result for the one document that the program wants, in the encoding that it declares."""
        made = self._shortcut(data) if self._shortcut is not None else self.at_once(data)
        return made if made is not None else self.run({self.header.inputs[0].name: Document(data)}).encode()

    def run(self, documents: Mapping[str, Document]) -> Rendered:
        """Read the inputs, evaluate, write the first declared output."""
        if len(documents) == 1:
            for document in documents.values():
                made = self.at_once(document.data)
                if made is not None:
                    return Rendered(made.decode())
        value = self.result(documents)
        if callable(value):
            raise WriteFailure(
                "the result is a function", hint="Call it with its arguments.", position=self.result_place
            )
        return self.written(value)

    def written(self, value: Any, options: Mapping[str, Any] | None = None) -> Rendered:
        """A result as the first declared output has it; options given take the place of its own."""
        output = self.header.outputs[0]
        with self.writing():
            return formats.write(output.format, value, output.options if options is None else options)

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
    input_options: Mapping[str, Mapping[str, Any]] | None = None,
    output_options: Mapping[str, Any] | None = None,
    shorthand: bool = False,
    strict: bool = False,
) -> Program:
    """A program ready to run, or `ProgramInvalid` with every syntax error.

    `inputs` (name to format) and `output_format` fill in for a missing header; a header that says
    otherwise is an error. So do `input_options` (name to options) and `output_options` for options. `strict` refuses
    what UTL-X does not have.
    """
    wanted = {port: canonical(format_) for port, format_ in (inputs or {}).items()}
    wanted_out = canonical(output_format) if output_format else None
    parsed = parse(text, name=name, inputs=wanted, output_format=wanted_out, shorthand=shorthand, strict=strict)
    problems = [*parsed.problems, *_contradictions(parsed, wanted, wanted_out)]
    if input_options or output_options:
        problems += complete_options(parsed, input_options or {}, output_options or {})
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


def convert(
    data: str | bytes,
    source: str,
    target: str,
    options: Mapping[str, Any] | None = None,
    *,
    source_options: Mapping[str, Any] | None = None,
) -> Rendered:
    """From one format to another, without a program; `options` are those of the target.

    Between formats that are all text (csv and xml) values keep their spelling: nothing is calculated with them.
    """
    given = checked_options(canonical(source), source_options or {}, reading=True)
    if {canonical(source), canonical(target)} <= _TEXT_FORMATS:
        given.setdefault("inferTypes", False)
    wanted = checked_options(canonical(target), options or {}, reading=False)
    return formats.write(target, formats.read(source, data, given), wanted)
