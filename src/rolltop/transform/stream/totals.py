"""Programs that make totals: what each piece contributes, and totals carried from piece to piece.

They equal to the last bit what the library makes of everything at once.
"""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from rolltop.transform.program import Program
from rolltop.transform.stdlib.array.totals import NUMBERS, numbers_of
from rolltop.transform.stream.code import PieceCode
from rolltop.transform.stream.streams import Obstacle, Stream, Streams, arguments_of
from rolltop.transform.syntax import tree
from rolltop.transform.values import fit

__all__ = ["Fold", "Total", "Totals", "Unfoldable", "accumulator", "fold_of"]

TOTALS = frozenset({"sum", "count", "size", "min", "max", "avg"})


class Total(NamedTuple):
    """One total: the function, and those inside it when it is a total by group."""

    name: str
    parts: tuple[Total, ...] = ()


class Fold(NamedTuple):
    """Totals over one array of the input."""

    path: tuple[str, ...]
    totals: tuple[Total, ...]
    pieces: tree.Program
    """Gives, for a piece of the array, an array of what each total needs of it."""
    rest: tree.Program
    """Gives the result from inputs named by `name_of`."""


def name_of(at: int) -> str:
    """A name that no program can have."""
    return f"total {at}"


def fold_of(program: tree.Program, streams: Streams) -> Fold:
    """The fold that a program is, or an `Obstacle`."""
    finder = _Finder(streams)
    body = program.body
    kept = [
        finder.replaced(item) if isinstance(item, tree.Let) else item
        for item in body.bindings
        if not (isinstance(item, tree.Let) and streams.names.get(item.name) is not None)
    ]
    items = [finder.replaced(item) for item in body.items]
    if not finder.totals:
        raise Obstacle("the result is not made of the records of an array")
    if len(finder.paths) != 1:
        raise Obstacle("it goes over several arrays of the input")
    pieces = tree.ArrayLiteral(0, [expr for _, expr in finder.totals])
    # Bindings that are totals themselves cannot be had while there are only pieces.
    early = [item for item in body.bindings if streams.names.get(item.name, _FREE) is not None]
    return Fold(
        finder.paths.pop(),
        tuple(total for total, _ in finder.totals),
        tree.Program(program.header, tree.Sequence(body.at, early, [pieces])),
        tree.Program(program.header, tree.Sequence(body.at, kept, items)),
    )


_FREE = Stream()


class _Finder:
    """Replaces totals by names and collects them."""

    def __init__(self, streams: Streams) -> None:
        self.streams = streams
        self.totals: list[tuple[Total, tree.Expr]] = []
        self.paths: set[tuple[str, ...]] = set()

    def replaced(self, node: tree.Expr) -> Any:
        made = self._total(node) or self._groups(node)
        if made is not None:
            return made
        if isinstance(node, tree.Name) and self.streams.names.get(node.name) is not None:
            raise Obstacle("all records are needed at once", node.at)
        called = arguments_of(node)
        if called is not None and any(self.streams.of(argument) is not None for argument in called[1]):
            raise Obstacle(f"{called[0]} needs all records at once", node.at)
        return _rebuilt(node, self.replaced)

    def _name(self, at: int, total: Total, piece: tree.Expr) -> tree.Expr:
        self.totals.append((total, piece))
        return tree.Name(at, name_of(len(self.totals) - 1))

    def _total(self, node: tree.Expr) -> tree.Expr | None:
        called = arguments_of(node)
        if called is None or called[0] not in TOTALS or len(called[1]) != 1:
            return None
        stream = self.streams.of(called[1][0])
        if stream is None:
            return None
        self.paths.add(stream.path)
        return self._name(node.at, Total(called[0]), _piece(called[0], called[1][0]))

    def _groups(self, node: tree.Expr) -> tree.Expr | None:
        """`groupBy(records, key) |> mapValues(g => …)` where the groups only go into totals."""
        outer = arguments_of(node)
        inner = arguments_of(outer[1][0]) if outer is not None and outer[0] == "mapValues" and outer[1] else None
        if outer is None or inner is None or inner[0] != "groupBy" or len(outer[1]) != 2 or len(inner[1]) != 2:
            return None
        stream, function = self.streams.of(inner[1][0]), outer[1][1]
        if stream is None or not isinstance(function, tree.Lambda) or len(function.params) != 1:
            return None
        if self.streams.mentioned(inner[1][1]):
            raise Obstacle("the key of the groups needs all records", inner[1][1].at)
        self.paths.add(stream.path)
        parts, body = self._parts(function)
        at = node.at
        piece = _call(at, "mapValues", outer[1][0], tree.Lambda(at, function.params, tree.ArrayLiteral(at, parts[1])))
        groups = self._name(at, Total("groupBy", tuple(parts[0])), piece)
        return _call(at, "mapValues", groups, tree.Lambda(at, function.params, body))

    def _parts(self, function: tree.Lambda) -> tuple[tuple[list[Total], list[tree.Expr]], tree.Expr]:
        """The totals of one group, and the function's body with each taken from the group's array of them."""
        name = function.params[0].name
        if name in self.streams.names or _binds(function.body, name):
            raise Obstacle(f"{name} means two things", function.at)
        group = Streams(name)
        group.names = {name: Stream()}
        finder = _Finder(group)
        body = finder.replaced(function.body)
        found = {name_of(at): at for at in range(len(finder.totals))}
        body = self.replaced(_indexed(body, name, found))
        return ([total for total, _ in finder.totals], [piece for _, piece in finder.totals]), body


def _binds(node: tree.Expr, name: str) -> bool:
    return any(isinstance(inner, (tree.Param, tree.Let)) and inner.name == name for inner in tree.walk(node))


def _piece(name: str, array: tree.Expr) -> tree.Expr:
    return _call(array.at, name, array) if name in ("count", "size") else array


def _call(at: int, name: str, *arguments: tree.Expr) -> tree.Expr:
    return tree.Call(at, tree.Name(at, name), list(arguments))


def _indexed(node: tree.Expr, group: str, found: dict[str, int]) -> tree.Expr:
    """A total's name inside a group becomes its place in the group's array."""
    if isinstance(node, tree.Name) and node.name in found:
        return tree.Index(node.at, tree.Name(node.at, group), tree.Literal(node.at, found[node.name]))
    rebuilt: tree.Expr = _rebuilt(node, lambda inner: _indexed(inner, group, found))
    return rebuilt


def _rebuilt(node: Any, change: Any) -> Any:
    """A copy of a node whose parts went through a function."""
    made = copy.copy(node)
    for name, value in tree.parts(node):
        if isinstance(value, tree.Expr):
            setattr(made, name, change(value))
        elif isinstance(value, list):
            setattr(made, name, [change(inner) if isinstance(inner, tree.Expr) else inner for inner in value])
    return made


_COMPENSATED = sys.version_info >= (3, 12)


class Unfoldable(Exception):
    """Values that only the library's function, with all of them at hand, knows what to do with."""


class Sum:
    """The sum as Python's `sum` gives it: from 3.12 on with the lost low digits of doubles made good."""

    def __init__(self) -> None:
        self.total: int | float = 0
        self.count = 0
        self._lost = 0.0

    def add(self, values: list[Any]) -> None:
        if not NUMBERS.issuperset(map(type, values)):
            values = numbers_of("sum", values)
        self.count += len(values)
        if _COMPENSATED:
            self._add_compensated(values)
        else:
            self.total = sum(values, self.total)

    def _add_compensated(self, values: list[Any]) -> None:
        total = self.total
        for value in values:
            if type(total) is int:
                total = total + value
                continue
            number = float(value)
            raised = total + number
            larger, smaller = (total, number) if abs(total) >= abs(number) else (number, total)
            self._lost += (larger - raised) + smaller
            total = raised
        self.total = total

    def exact(self) -> int | float:
        if type(self.total) is float and self._lost and math.isfinite(self._lost):
            return self.total + self._lost
        return self.total

    def result(self) -> int | float:
        total = self.exact()
        return total if type(total) is float else fit(total)


class Average(Sum):
    def result(self) -> Any:
        return self.exact() / self.count if self.count else None


class Count:
    def __init__(self) -> None:
        self.count = 0

    def add(self, count: int) -> None:
        self.count += count

    def result(self) -> int:
        return self.count


class Extreme:
    """The first of the smallest, or of the largest."""

    def __init__(self, choose: Callable[..., Any]) -> None:
        self._choose = choose
        self._found: Any = None

    def add(self, values: list[Any]) -> None:
        if not NUMBERS.issuperset(map(type, values)):
            raise Unfoldable
        if values:
            best = self._choose(values)
            self._found = best if self._found is None else self._choose(self._found, best)

    def result(self) -> Any:
        return self._found


class Groups:
    """Totals for every key, in the order in which the keys first came."""

    def __init__(self, parts: tuple[Total, ...]) -> None:
        self._parts = parts
        self._groups: dict[str, list[Any]] = {}

    def add(self, groups: dict[str, list[Any]]) -> None:
        for key, contributions in groups.items():
            kept = self._groups.get(key)
            if kept is None:
                kept = self._groups[key] = [accumulator(part) for part in self._parts]
            for total, contribution in zip(kept, contributions, strict=True):
                total.add(contribution)

    def result(self) -> dict[str, list[Any]]:
        return {key: [total.result() for total in kept] for key, kept in self._groups.items()}


def accumulator(total: Total) -> Any:
    """An accumulator for one total."""
    if total.name == "groupBy":
        return Groups(total.parts)
    if total.name in ("min", "max"):
        return Extreme(min if total.name == "min" else max)
    return {"sum": Sum, "avg": Average, "count": Count, "size": Count}[total.name]()


class Totals:
    """One accumulator for each total of a fold."""

    def __init__(self, fold: Fold) -> None:
        self._fold = fold
        self._totals = [accumulator(total) for total in fold.totals]

    def add(self, pieces: Iterable[list[Any]]) -> None:
        """Take what each piece contributes to each total, in the order of the input."""
        for contributions in pieces:
            for total, contribution in zip(self._totals, contributions, strict=True):
                total.add(contribution)

    def results(self) -> dict[str, Any]:
        """The totals, under the names by which the rest of the program knows them."""
        return {name_of(at): total.result() for at, total in enumerate(self._totals)}

    def write(self, program: Program, write: Callable[[bytes], Any], options: Mapping[str, Any]) -> None:
        """Run the rest of the program on the totals and write the result."""
        value = PieceCode(self._fold.rest, program.source).evaluator.run(self.results())
        rendered = program.written(value, options).encode()
        write(rendered if not rendered or rendered.endswith(b"\n") else rendered + b"\n")
