"""Python files as syntax trees, and names followed from one file to another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rolltop.catalog.pylang.functional import class_of_call
from rolltop.catalog.sources import SourceTree
from rolltop.catalog.tree_files import read_inside
from rolltop.errors import InvalidData, Position

__all__ = ["Function", "Module", "Modules", "read_module"]

Function = ast.FunctionDef | ast.AsyncFunctionDef
_MOST_NAMES = 20
"""Of a dotted name."""
_MOST_STEPS = 100
"""From one module to another."""


@dataclass(slots=True)
class Module:
    """One file: what it defines at its top level, and what it imports."""

    path: Path
    name: str
    functions: list[Function] = field(default_factory=list)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    aliases: dict[str, ast.expr] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    """The modules of which everything is imported."""


Meaning = tuple[Module, ast.ClassDef | ast.expr]
"""What a name stands for, and the file that says so."""


def read_module(path: Path, name: str, root: Path | None = None) -> Module:
    """Parse one file; nothing of it runs."""
    try:
        tree = ast.parse(read_inside(path, root), filename=str(path))
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None) or 1
        raise InvalidData(
            f"not valid Python: {getattr(error, 'msg', error)}", position=Position(line, 1, str(path))
        ) from None
    module = Module(path, name)
    for statement in _top_level(tree.body):
        _remember(module, statement)
    return module


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, also those under `if TYPE_CHECKING:` and `try:`."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try):
            yield from _top_level(statement.body)


def _remember(module: Module, statement: ast.stmt) -> None:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            if not any(_is_overload(decorator, module) for decorator in statement.decorator_list):
                module.functions.append(statement)
        case ast.ClassDef():
            module.classes[statement.name] = statement
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            if made := class_of_call(name, value):
                module.classes[name] = made
            else:
                module.aliases[name] = value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            module.aliases[name] = value
        case ast.stmt() if type(statement).__name__ == "TypeAlias":  # `type X = ...`, which Python 3.11 does not have
            module.aliases[statement.name.id] = statement.value  # type: ignore[attr-defined]
        case ast.ImportFrom():
            source = _absolute(module.name, statement)
            if statement.names[0].name == "*":
                module.stars.append(source)
            else:
                module.imports.update({item.asname or item.name: (source, item.name) for item in statement.names})
        case ast.Import():
            module.imports.update({item.asname or item.name.split(".")[0]: (item.name, "") for item in statement.names})


def _is_overload(decorator: ast.expr, module: Module) -> bool:
    """Whether it is `typing.overload`: what it decorates only tells type checkers of the definition that follows."""
    match decorator:
        case ast.Name(id=name):
            source, member = module.imports.get(name, ("", ""))
        case ast.Attribute(value=ast.Name(id=base), attr=member):
            source, _ = module.imports.get(base, ("", ""))
        case _:
            return False
    return source in ("typing", "typing_extensions") and member == "overload"


def _absolute(module: str, statement: ast.ImportFrom) -> str:
    if not statement.level:
        return statement.module or ""
    parents = module.split(".")
    base = parents[: len(parents) - statement.level]
    return ".".join([*base, *([statement.module] if statement.module else [])])


class Modules:
    """All files of a tree, so that an Enum or alias from a neighbouring file is understood."""

    def __init__(self, tree: SourceTree) -> None:
        self.by_name = {
            name: read_module(path, name, tree.root)
            for path in tree.py_files
            for name in [_module_name(path, tree.root)]
        }
        self._package = tree.root.name

    def __iter__(self) -> Iterator[Module]:
        return iter(self.by_name.values())

    def resolve(self, node: ast.expr, module: Module) -> Meaning | None:
        """What a name stands for: a class or an alias of this tree; None for anything from outside."""
        names = _dotted(node)
        match names:
            case [name]:
                return self._lookup(name, module)
            case [*outer, name]:
                return self._in_class(outer, name, module) or self._in_module(outer, name, module)
        return None

    def _in_class(self, outer: list[str], name: str, module: Module) -> Meaning | None:
        """A class that is defined inside of another one."""
        match self._lookup(outer[0], module) if len(outer) == 1 else None:
            case (home, ast.ClassDef(body=body)):
                inner = (item for item in body if isinstance(item, ast.ClassDef) and item.name == name)
                return next(((home, item) for item in inner), None)
        return None

    def _in_module(self, outer: list[str], name: str, module: Module) -> Meaning | None:
        first, *rest = outer
        if first not in module.imports:
            return None
        source, member = module.imports[first]
        # `import a.b` binds a, of which a.b is written; `import a.b as c` and `from a import b` bind a.b itself.
        imported = ".".join(part for part in (source, member, *rest) if part)
        for place in dict.fromkeys((imported, ".".join(outer), source)):
            if (target := self._module(place)) and (found := self._lookup(name, target)):
                return found
        return None

    def _lookup(self, name: str, module: Module, seen: set[tuple[str, str]] | None = None) -> Meaning | None:
        seen = set() if seen is None else seen  # modules may import each other in circles
        if (module.name, name) in seen or len(seen) > _MOST_STEPS:
            return None
        seen.add((module.name, name))
        if name in module.classes:
            return module, module.classes[name]
        if name in module.aliases:
            return module, module.aliases[name]
        if name in module.imports:
            source, member = module.imports[name]
            target = self._module(source)
            return self._lookup(member, target, seen) if target and member else None
        sources = (self._module(source) for source in module.stars)
        return next((found for target in sources if target and (found := self._lookup(name, target, seen))), None)

    def _module(self, name: str) -> Module | None:
        """A module or package by its dotted name, also when the tree was read from inside its package."""
        parts = name.split(".")
        for start in range(len(parts)):
            tail = ".".join(parts[start:])
            if found := self.by_name.get(tail) or self.by_name.get(f"{tail}.__init__"):
                return found
        return self.by_name.get("__init__") if name in ("", self._package) else None


def _dotted(node: ast.expr) -> list[str]:
    """The names of `a.b.c`; none for anything else, nor for absurdly many."""
    names: list[str] = []
    while isinstance(node, ast.Attribute) and len(names) < _MOST_NAMES:
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def _module_name(path: Path, root: Path) -> str:
    parts = list(path.relative_to(root).with_suffix("").parts)
    if parts[0] == "src" and len(parts) > 1:
        parts = parts[1:]
    return ".".join(parts)
