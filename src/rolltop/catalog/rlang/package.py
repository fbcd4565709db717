"""The documented objects of R files, and how one topic takes documentation from another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rolltop.catalog.rlang.foreign import Help, block_of
from rolltop.catalog.rlang.markup import Markup, parse_markup
from rolltop.catalog.rlang.roxygen import Block, Tag, parse_block
from rolltop.catalog.rlang.source import Expression, Formal, expressions
from rolltop.catalog.rlang.templates import expanded
from rolltop.catalog.tree_files import read_inside

__all__ = ["Documented", "Sources", "read_description", "read_text"]

_INHERITABLE = {
    "params": "param",
    "return": "return",
    "title": "title",
    "description": "description",
    "examples": "examples",
}


@dataclass(frozen=True, slots=True)
class Documented:
    """One expression with its block: a function, or a `NULL` that only carries documentation."""

    file: Path
    expression: Expression
    block: Block
    markdown: bool

    @property
    def name(self) -> str:
        given = self.block.first("name")
        return (given.first_word if given else "") or self.expression.name or ""

    @property
    def topic(self) -> str:
        """The help page this block writes to."""
        target = self.block.first("rdname", "describeIn")
        return (target.first_word if target else "") or self.name

    def markup(self, text: str) -> Markup:
        return parse_markup(text, markdown=self.markdown)


class Sources:
    """The documented objects of a set of R files, by name and by topic; `help_of` finds those of other packages."""

    def __init__(self, package: str, markdown: bool = True, help_of: Help | None = None) -> None:
        self.package = package
        self.markdown = markdown
        self._help_of = help_of
        self._foreign: dict[str, Documented | None] = {}
        self.objects: list[Documented] = []
        self._formals: dict[str, Expression] = {}
        self._by_name: dict[str, Documented] = {}
        self._by_topic: dict[str, list[Documented]] = {}

    def add(self, file: Path, text: str) -> None:
        for expression in expressions(text):
            if expression.name and expression.value:
                self._formals[expression.name] = expression
            if expression.doc:
                self._remember(file, expression)

    def _remember(self, file: Path, expression: Expression) -> None:
        block = expanded(parse_block(expression.doc, expression.doc_line), file)
        markdown = (self.markdown or block.first("md") is not None) and block.first("noMd") is None
        documented = Documented(file, expression, block, markdown)
        self.objects.append(documented)
        self._by_name.setdefault(documented.name, documented)
        self._by_topic.setdefault(documented.topic, []).append(documented)

    def formals(self, documented: Documented) -> tuple[Formal, ...] | None:
        """The signature, through aliases (`f <- g`) within these files."""
        expression: Expression | None = documented.expression
        for _ in range(10):
            if expression is None or (formals := expression.formals) is not None:
                return None if expression is None else formals
            expression = self._formals.get(expression.alias_of or "")
        return None

    def signature(self, documented: Documented) -> tuple[Formal, ...] | None:
        """The parameters that a caller can name: also those that `...` hands to methods and to what is documented."""
        formals = self.formals(documented)
        if formals is None or not any(formal.name == "..." for formal in formals):
            return formals
        known = {formal.name: formal for formal in formals}
        for formal in (*self._of_methods(documented), *self._of_dots(documented)):
            known.setdefault(formal.name, formal)
        return tuple(known.values())

    def _of_methods(self, documented: Documented) -> Iterator[Formal]:
        """The parameters of S3 methods of a generic that its page documents; the default method's count first."""
        generic = documented.expression.name
        if not generic or "UseMethod(" not in documented.expression.body:
            return
        described = {
            name.strip("`")
            for donor in self.donors(documented, "params")
            for tag in donor.block.all("param")
            for name in tag.first_word.split(",")
        }
        methods = [name for name in self._formals if name.startswith(f"{generic}.")]
        for method in sorted(methods, key=lambda name: name != f"{generic}.default"):
            for formal in self._formals[method].formals or ():
                if formal.name in described and not formal.name.startswith("."):
                    # A method that is not called does not ask for it.
                    yield replace(formal, has_default=True)

    def _of_dots(self, documented: Documented) -> Iterator[Formal]:
        for tag in documented.block.all("inheritDotParams"):
            source = self._source(tag.first_word)
            own = {formal.name: formal for formal in (self.formals(source) if source else None) or ()}
            for name, _ in self.dot_texts(tag):
                yield replace(own.get(name, Formal(name)), has_default=True)

    def dot_texts(self, tag: Tag) -> Iterator[tuple[str, Markup]]:
        """The parameters that `@inheritDotParams` takes over: all, the ones it names, or all but those with a minus."""
        source = self._source(tag.first_word)
        listed = tag.after_first_word.split()
        wanted = {name for name in listed if not name.startswith("-")}
        unwanted = {name[1:] for name in listed if name.startswith("-")} | {"..."}
        for donor in self.donors(source, "params") if source else ():
            for each in donor.block.all("param"):
                for name in each.first_word.split(","):
                    if (not wanted or name in wanted) and name not in unwanted and not name.startswith("."):
                        yield name.strip("`"), donor.markup(each.after_first_word)

    def donors(self, documented: Documented, part: str) -> Iterator[Documented]:
        """The blocks that may document `part` (params, return, …) of this one: itself, its topic, what it inherits."""
        seen: set[int] = set()
        queue = [documented]
        while queue:
            current = queue.pop(0)
            if id(current) in seen:
                continue
            seen.add(id(current))
            yield current
            queue += [*self._by_topic.get(current.topic, ()), *self._inherited(current.block, part)]

    def _inherited(self, block: Block, part: str) -> Iterable[Documented]:
        names = [tag.first_word for tag in block.all("inheritParams")] if part == "params" else []
        for tag in block.all("inherit"):
            parts = tag.after_first_word.split()
            if not parts or part in parts:
                names.append(tag.first_word)
        return [found for name in names if (found := self._source(name))]

    def _source(self, written: str) -> Documented | None:
        """What a tag names: an object or a topic of these files, or `package::topic` of another package."""
        name = written.removeprefix(f"{self.package}::").removesuffix("()")
        return self._by_name.get(name) or self._topic_head(name) or self._from_elsewhere(name)

    def _topic_head(self, topic: str) -> Documented | None:
        return next(iter(self._by_topic.get(topic, ())), None)

    def _from_elsewhere(self, name: str) -> Documented | None:
        package, separator, topic = name.partition("::")
        if not separator or self._help_of is None:
            return None
        if name not in self._foreign:
            page = self._help_of(package, topic.removeprefix(":"))
            expression = Expression(0, name, (), ())
            self._foreign[name] = Documented(Path(name), expression, block_of(page), False) if page else None
        return self._foreign[name]

    def foreign_sources(self, documented: Documented) -> list[str]:
        """What a block inherits from that is neither in these files nor in the help of another package."""
        names = [tag.first_word for tag in documented.block.all("inheritParams", "inherit", "inheritDotParams")]
        return [name.removesuffix("()") for name in names if self._source(name) is None]


def read_text(path: Path, root: Path | None = None) -> str:
    """A source file as text: UTF-8, else Latin-1, with plain line ends.

    A link may lead to any place below `root`, by default to the same directory.
    """
    data = read_inside(path, root)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_description(path: Path) -> dict[str, str]:
    """The fields of a DESCRIPTION file, continuation lines joined."""
    fields: dict[str, str] = {}
    key = ""
    for line in read_text(path).splitlines():
        if line[:1].isspace() and key:
            fields[key] += "\n" + line.strip()
        elif found := re.match(r"([A-Za-z0-9@/_-]+):\s*(.*)$", line):
            key = found[1]
            fields[key] = found[2].strip()
    return fields
