"""Results that hold the records of a stream inside an object: `{ Orders: { Order: map($input, …) } }`.

Everything around the records is free of the input. It is evaluated once, before the first piece, and written around
them: what comes before the records at once, what comes after them at the end.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

from rolltop.transform.stream.streams import Stream, Streams
from rolltop.transform.syntax import tree
from rolltop.transform.values import TEXT_KEY

__all__ = ["RECORDS", "Envelope", "envelope_of"]

RECORDS = "records of the stream"
"""A name that no program can have."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """What is around the records."""

    rest: tree.Program
    """Gives the result from the records, an input named `RECORDS`."""
    path: tuple[str, ...]
    """Where in the result the records are."""


@dataclass(frozen=True, slots=True)
class Found:
    """A stream inside an object: the program that makes its records, and what is around them."""

    stream: Stream
    records: tree.Program
    envelope: Envelope


def envelope_of(program: tree.Program, streams: Streams) -> Found | None:
    """The stream in the object that a program's result is; None when the result is nothing of the kind."""
    body = program.body
    keys: list[str] = []
    node: tree.Expr = body.items[0]
    while isinstance(node, tree.ObjectLiteral):
        entry = _entry_of_input(node, streams)
        if entry is None or entry.key in (TEXT_KEY, "#text"):
            return None
        keys.append(entry.key)
        node = entry.value
    stream = streams.of(node) if keys else None
    if stream is None or not stream.stages or _has_totals(body, streams):
        return None
    around = _without(body.items[0], node)
    free = [item for item in body.bindings if isinstance(item, tree.FunctionDef) or item.name not in streams.names]
    return Found(
        stream,
        tree.Program(program.header, tree.Sequence(body.at, body.bindings, [node])),
        Envelope(tree.Program(program.header, tree.Sequence(body.at, free, [around])), tuple(keys)),
    )


def _has_totals(body: tree.Sequence, streams: Streams) -> bool:
    return any(streams.names.get(item.name, streams) is None for item in body.bindings)


def _entry_of_input(node: tree.ObjectLiteral, streams: Streams) -> tree.Entry | None:
    """The only property of an object that looks at the input; None when something else does, or may replace it."""
    looking = [entry for entry in node.entries if streams.mentioned(entry)]
    if node.bindings or len(looking) != 1 or looking[0].kind != "property":
        return None
    others = [entry for entry in node.entries if entry is not looking[0]]
    if any(entry.kind in ("spread", "computed") or entry.key == looking[0].key for entry in others):
        return None
    return looking[0]


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
