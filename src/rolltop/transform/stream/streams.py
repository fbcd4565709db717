"""Which expressions are streams: the input's records, and what `map`, `filter` and `flatMap` make of them."""

from __future__ import annotations

from typing import NamedTuple

from rolltop.transform.syntax import tree

__all__ = ["Obstacle", "Stream", "Streams", "arguments_of"]

_STAGES = frozenset({"map", "filter", "flatMap"})


class Obstacle(Exception):
    """Why a program cannot run on pieces of its input, and where in the source that is."""

    def __init__(self, reason: str, at: int | None = None) -> None:
        super().__init__(reason)
        self.at = at


class Stream(NamedTuple):
    """An array at a path of the input, and the stages that it went through."""

    path: tuple[str, ...] = ()
    stages: tuple[tree.Expr, ...] = ()


class Streams:
    """The names that hold streams, or values made from all records, at the top of a program."""

    def __init__(self, source: str) -> None:
        self.names: dict[str, Stream | None] = {source: Stream(), "input": Stream()}
        """None: a value for which all records are needed."""
        self._hidden: set[str] = set()

    def bind(self, name: str, stream: Stream) -> None:
        self.names[name] = stream

    def taint(self, name: str) -> None:
        self.names[name] = None

    def hide(self, name: str) -> None:
        """The name now means something that has nothing to do with the input."""
        self.names.pop(name, None)
        self._hidden.add(name)

    def of(self, node: tree.Expr) -> Stream | None:
        """The stream that an expression is."""
        if isinstance(node, tree.Name):
            return self.names.get(node.name)
        if isinstance(node, tree.Member):
            target = self.of(node.target) if node.kind == "property" and not node.safe else None
            return Stream((*target.path, node.name)) if target is not None and not target.stages else None
        if isinstance(node, tree.Index):
            return self._of_index(node)
        called = arguments_of(node)
        if called is None or called[0] not in _STAGES or called[0] in self._hidden or len(called[1]) != 2:
            return None
        stream = self.of(called[1][0])
        if stream is None or not self._is_stage(called[1][1]):
            return None
        return Stream(stream.path, (*stream.stages, node))

    def _of_index(self, node: tree.Index) -> Stream | None:
        """`$input["p:Orders"]`: a property whose name is no word."""
        name = node.index.value if isinstance(node.index, tree.Literal) and not node.safe else None
        if not isinstance(name, str) or name[:1] in ("@", "^", "_", "#"):
            return None
        target = self.of(node.target)
        return Stream((*target.path, name)) if target is not None and not target.stages else None

    def _is_stage(self, function: tree.Expr) -> bool:
        one = isinstance(function, tree.Name) or (isinstance(function, tree.Lambda) and len(function.params) == 1)
        return one and not self.mentioned(function)

    def mentioned(self, node: tree.Expr) -> bool:
        """Whether an expression may look at the input; a parameter of the same name counts too."""
        return any(isinstance(inner, tree.Name) and inner.name in self.names for inner in tree.walk(node))


def arguments_of(node: tree.Expr) -> tuple[str, list[tree.Expr]] | None:
    """The name and the arguments of a call by name, piped or not."""
    call = node.target if isinstance(node, tree.Pipe) else node
    if isinstance(node, tree.Pipe) and isinstance(call, tree.Name):
        return call.name, [node.value]
    if not isinstance(call, tree.Call) or not isinstance(call.function, tree.Name):
        return None
    arguments = [node.value, *call.arguments] if isinstance(node, tree.Pipe) else call.arguments
    return call.function.name, arguments
