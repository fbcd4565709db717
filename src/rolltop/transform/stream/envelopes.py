"""Results that hold the records of a stream inside an object: `{ Orders: { Order: map($input, …) } }`.

What is around the records is evaluated once, before the first piece, and written around them: what comes before the
records at once, what comes after them at the end. Where it has totals in it (`{ n: count($input), all: map(…) }`), the
input is read twice, first for the totals.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from rolltop.transform.stream.folds import Fold, fold_of
from rolltop.transform.stream.streams import Stream, Streams
from rolltop.transform.syntax import tree
from rolltop.transform.values import TEXT_KEY

__all__ = ["RECORDS", "Envelope", "envelope_of"]

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
