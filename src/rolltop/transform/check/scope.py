"""Names while checking: what they are, where they were bound, whether anybody used them."""

from __future__ import annotations

from rolltop.transform.types import Type

__all__ = ["Binding", "Names"]


class Binding:
    __slots__ = ("at", "kind", "name", "type", "used")

    def __init__(self, name: str, type_: Type, at: int, kind: str) -> None:
        self.name = name
        self.type = type_
        self.at = at
        self.kind = kind
        """`input`, `let`, `function`, `parameter`, `pattern` or `error`."""
        self.used = False


class Names:
    """A scope. Every binding is also noted in one list, for the findings about unused ones."""

    __slots__ = ("every", "names", "outer")

    def __init__(self, outer: Names | None, every: list[Binding]) -> None:
        self.names: dict[str, Binding] = {}
        self.outer = outer
        self.every = every

    def inner(self) -> Names:
        return Names(self, self.every)

    def add(self, name: str, type_: Type, at: int, kind: str) -> Binding:
        """Bind a name; the same place bound again (a body inferred twice) keeps its first binding's mark."""
        binding = Binding(name, type_, at, kind)
        self.names[name] = binding
        self.every.append(binding)
        return binding

    def find(self, name: str) -> Binding | None:
        scope: Names | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.outer
        return None

    def visible(self) -> set[str]:
        return set(self.names) | (self.outer.visible() if self.outer else set())
