"""Whether a program can run on pieces of its input, and how: found in its tree."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from rolltop.transform.stdlib.registry import find
from rolltop.transform.stream.blocks import can_recode
from rolltop.transform.stream.streams import Obstacle, Stream, Streams
from rolltop.transform.stream.totals import Fold, fold_of
from rolltop.transform.syntax import tree
from rolltop.transform.values import TEXT_KEY

__all__ = ["READ", "RECORDS", "WRITTEN", "Envelope", "Plan", "envelope_of", "plan_of"]

RECORDS = "records of the stream"
"""A name that no program can have."""


class Envelope(NamedTuple):
    """What is around the records."""

    rest: tree.Program
    """Gives the result from the records, an input named `RECORDS`, and from the totals."""
    path: tuple[str, ...]
    """Where in the result the records are."""
    totals: Fold | None = None
    """Totals that are needed around the records."""


class Found(NamedTuple):
    """A stream inside an object: the program that makes its records, and what is around them."""

    stream: Stream
    records: tree.Program
    envelope: Envelope


def envelope_of(program: tree.Program, streams: Streams) -> Found | None:
    """The only stream in the object that a program's result is; None when the result is nothing of the kind."""
    body = program.body
    found = list(_streams_in(body.items[0], streams, ()))
    if len(found) != 1:
        return None
    path, node, stream = found[0]
    around = tree.Program(program.header, tree.Sequence(body.at, body.bindings, [_without(body.items[0], node)]))
    early = [item for item in body.bindings if streams.names.get(item.name, stream) is not None]
    return Found(
        stream,
        tree.Program(program.header, tree.Sequence(body.at, early, [node])),
        _envelope(around, streams, path),
    )


def _envelope(around: tree.Program, streams: Streams, path: tuple[str, ...]) -> Envelope:
    body = around.body
    free = [item for item in body.bindings if streams.names.get(item.name, streams) is streams]
    if len(free) + _count_streams(body, streams) == len(body.bindings) and not streams.mentioned(body.items[0]):
        return Envelope(tree.Program(around.header, tree.Sequence(body.at, free, body.items)), path)
    totals = fold_of(around, streams)
    return Envelope(totals.rest, path, totals)


def _count_streams(body: tree.Sequence, streams: Streams) -> int:
    return sum(streams.names.get(item.name) is not None for item in body.bindings)


def _streams_in(
    node: tree.Expr, streams: Streams, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], tree.Expr, Stream]]:
    """Where in nested objects there are streams, whose place nothing else can take."""
    if isinstance(node, tree.ObjectLiteral):
        if not node.bindings and not any(entry.kind in ("spread", "computed") for entry in node.entries):
            names = Counter(entry.key for entry in node.entries)
            for entry in node.entries:
                if entry.kind == "property" and names[entry.key] == 1 and entry.key not in (TEXT_KEY, "#text"):
                    yield from _streams_in(entry.value, streams, (*path, entry.key))
        return
    stream = streams.of(node)
    if path and stream is not None and stream.stages:
        yield path, node, stream


def _without(node: tree.Expr, records: tree.Expr) -> tree.Expr:
    """A copy of nested objects in which the records are a name."""
    if node is records:
        return tree.Name(node.at, RECORDS)
    if not isinstance(node, tree.ObjectLiteral):
        return node
    made = copy.copy(node)
    made.entries = [copy.copy(entry) for entry in node.entries]
    for entry in made.entries:
        entry.value = _without(entry.value, records)
    return made


READ = frozenset({"json", "jsonl", "csv", "xml"})
WRITTEN = frozenset({"json", "jsonl", "csv"})
ENCLOSED = frozenset({"json", "xml"})


class Plan(NamedTuple):
    """How to run a program on pieces."""

    program: tree.Program
    """What runs on pieces: the program, without what is around its records."""
    path: tuple[str, ...] = ()
    """Where in the input the array of records is."""
    stages: tuple[tree.Expr, ...] = ()
    """The nodes of the chain, in the order in which they are evaluated."""
    fold: Fold | None = None
    envelope: Envelope | None = None
    """What is around the records in the result, when it is an object."""
    first: Plan | None = None
    """What to do before, in a reading of its own: the totals around the records."""
    obstacle: str | None = None
    """Why not, when it cannot."""
    at: int | None = None
    """The offset in the source of what stands in the way."""

    @property
    def possible(self) -> bool:
        return self.obstacle is None


def plan_of(program: tree.Program) -> Plan:
    """The plan, or one that says what is in the way."""
    try:
        return _plan(program)
    except Obstacle as obstacle:
        return Plan(program, obstacle=str(obstacle), at=obstacle.at)


def _plan(program: tree.Program) -> Plan:
    header, body = program.header, program.body
    if len(header.inputs) != 1:
        raise Obstacle("the program has several inputs")
    source, target = header.inputs[0], header.outputs[0]
    if source.format not in READ:
        raise Obstacle(f"{source.format} input is read as a whole")
    if len(body.items) != 1:
        raise Obstacle("the body is not one expression")
    streams = Streams(source.name)
    _bind(streams, body.bindings)
    plan = _records(program, streams) or _enclosed(program, streams)
    if plan is None and _has_decimals(program):
        raise Obstacle("totals of decimals are made of the whole input")
    if plan is None:
        fold = fold_of(program, streams)
        plan = Plan(program, fold.path, fold=fold)
    else:
        _check_options(target.options, _OPTIONS[target.format])
    for each in (plan, plan.first):
        if each is not None:
            _check_source(source, each.path)
    return plan


def _records(program: tree.Program, streams: Streams) -> Plan | None:
    """The result is the array of records."""
    found, format_ = streams.of(program.body.items[0]), program.header.outputs[0].format
    if found is None:
        return None
    if not found.stages:
        raise Obstacle("the program gives its input back as it is")
    if format_ not in WRITTEN:
        raise Obstacle(_ROOTED if format_ == "xml" else f"{format_} output is written as a whole")
    return Plan(program, found.path, found.stages)


def _enclosed(program: tree.Program, streams: Streams) -> Plan | None:
    """The result is an object that has the array of records in it."""
    found, format_ = envelope_of(program, streams), program.header.outputs[0].format
    if found is None:
        return None
    if format_ not in ENCLOSED:
        raise Obstacle(f"{format_} output is written as a whole")
    if format_ == "xml" and len(found.envelope.path) < 2 and _is_alone(program.body.items[0]):
        raise Obstacle(_ROOTED)
    totals = found.envelope.totals
    if totals is not None and _has_decimals(program):
        raise Obstacle("totals of decimals are made of the whole input")
    first = Plan(program, totals.path, fold=totals) if totals is not None else None
    return Plan(found.records, found.stream.path, found.stream.stages, envelope=found.envelope, first=first)


def _is_alone(node: tree.Expr) -> bool:
    """Whether an object's only property names the root element, and is not one inside it."""
    return isinstance(node, tree.ObjectLiteral) and sum(entry.kind == "property" for entry in node.entries) == 1


_ROOTED = "XML output is streamed inside a root element: { Root: { Element: … } }"
_OPTIONS: dict[str, frozenset[str]] = {
    "json": frozenset({"compact", "writeAttributes"}),
    "jsonl": frozenset({"compact", "writeAttributes"}),
    "xml": frozenset(),
    "csv": frozenset({"delimiter", "headers", "bom", "quote", "regionalFormat", "decimals", "useThousands"}),
}
"""What a stream can be told about its output; other options are for writing as a whole."""
_READING = {
    "csv": frozenset({"delimiter", "headers", "quote", "regionalFormat", "encoding", "extraCells"}),
    "xml": frozenset({"arrays"}),
}


def _check_source(port: tree.Port, path: tuple[str, ...]) -> None:
    format_, options = port.format, port.options
    if format_ in ("jsonl", "csv") and path:
        raise Obstacle(f"{format_} input has no property {path[0]!r}")
    if format_ == "xml" and len(path) < 2:
        raise Obstacle("an XML stream goes over the elements inside the root: $input.Root.Element")
    _check_options(options, _READING.get(format_, frozenset()))
    if format_ == "csv" and "encoding" in options and not can_recode(options["encoding"]):
        raise Obstacle(f"text in {options['encoding']} is read as a whole")


def _check_options(options: Mapping[str, object], known: frozenset[str]) -> None:
    for name in options:
        if name not in known:
            raise Obstacle(f"the option {name} is for reading and writing as a whole")


def _bind(streams: Streams, bindings: list[tree.Let | tree.FunctionDef]) -> None:
    """What each binding is: a stream, free of the input, or made of totals."""
    functions = [item for item in bindings if isinstance(item, tree.FunctionDef)]
    for function in functions:
        streams.hide(function.name)
    for binding in bindings:
        if isinstance(binding, tree.Let):
            _bind_let(streams, binding)
    for function in functions:
        if streams.mentioned(function.body):
            raise Obstacle(f"the function {function.name} reads the input", function.at)


def _bind_let(streams: Streams, binding: tree.Let) -> None:
    found: Stream | None = streams.of(binding.value)
    if found is not None:
        streams.bind(binding.name, found)
    elif streams.mentioned(binding.value):
        streams.taint(binding.name)
    elif _impure(binding.value):
        raise Obstacle(f"{binding.name} asks the host, and would do so for every piece", binding.at)
    else:
        streams.hide(binding.name)


def _has_decimals(program: tree.Program) -> bool:
    return any(
        (isinstance(node, tree.Name) and node.name == "decimal")
        or (isinstance(node, tree.Literal) and isinstance(node.value, Decimal))
        for node in tree.walk(program.body)
    )


def _impure(node: tree.Expr) -> bool:
    for inner in tree.walk(node):
        declared = find(inner.name) if isinstance(inner, tree.Name) else None
        if declared is not None and not declared.pure:
            return True
    return False
