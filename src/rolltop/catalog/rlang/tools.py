"""Documented R functions marked `mcp-tool` as definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rolltop.base.interruption import checkpoint
from rolltop.catalog.definition import Definition
from rolltop.catalog.found import MARKER, ExampleCode, Found, Remark, flags_of, name_given_in
from rolltop.catalog.inference import Schema
from rolltop.catalog.rlang.evidence import checked_types, observed_values, omissible
from rolltop.catalog.rlang.examples import example_code
from rolltop.catalog.rlang.markup import Markup
from rolltop.catalog.rlang.package import Documented, Sources
from rolltop.catalog.rlang.parameters import parameter_schema
from rolltop.catalog.rlang.plain import to_text
from rolltop.catalog.rlang.returns import returns_schema
from rolltop.catalog.rlang.source import Formal
from rolltop.catalog.tree_files import read_inside
from rolltop.errors import Position

__all__ = ["tools_in"]

STATE = ".state_env"
"""The hidden parameter that the server fills in."""


def tools_in(sources: Sources, files: set[Path] | None = None) -> Iterator[Found]:
    """Every tool of these sources, in source order; `files` limits which files' tools are wanted."""
    for documented in sources.objects:
        checkpoint()
        if MARKER in documented.block.keywords and (files is None or documented.file in files):
            yield _Tool(sources, documented).found()


class _Tool:
    """Gathers the parts of one definition; a helper that lives for one tool."""

    def __init__(self, sources: Sources, documented: Documented) -> None:
        self.sources = sources
        self.documented = documented
        self.formals = sources.signature(documented)
        function = documented.expression.name or documented.name
        given = name_given_in(documented.block.keywords)
        self.calls = function if given and given != function else None
        self.function = function
        self.name = f"{sources.package}-{given or function}"
        self.untyped: list[str] = []
        self.remarks: list[Remark] = []

    def found(self) -> Found:
        example = self._example()
        definition = Definition(
            name=self.name,
            calls=self.calls,
            description=self._description(),
            parameters=self._parameters(example),
            untyped=tuple(self.untyped),
            **flags_of(self.documented.block.keywords),
            implementation_example=example.shown,
            returns=self._returns(),
        )
        self._remark_on_origin()
        expression = self.documented.expression
        return Found(definition, example, self.documented.file, expression.line, tuple(self.remarks))

    def _description(self) -> str:
        own = self.documented.block.first("describeIn")
        if own and own.after_first_word.strip():
            return to_text(self.documented.markup(own.after_first_word))
        for part in ("description", "title"):
            for donor in self.sources.donors(self.documented, part):
                if text := donor.block.text(part):
                    return to_text(donor.markup(text))
        return ""

    def _parameters(self, example: ExampleCode) -> Schema:
        documented = self._documented_parameters()
        formals = {formal.name: formal for formal in self.formals or ()}
        names = [name for name in documented if self.formals is None or name in formals]
        names += [name for name in formals if name not in documented]
        visible = [name for name in names if not name.startswith(".")]
        properties = {}
        seen = observed_values(example.shown, self.function, list(formals))
        body = self.documented.expression.body
        checked = checked_types(body)
        optional = {name for name, formal in formals.items() if formal.has_default} | omissible(body)
        for name in visible:
            properties[name], is_certain = parameter_schema(
                name, documented.get(name, Markup()), formals.get(name), seen.get(name, ()), checked.get(name)
            )
            if not is_certain:
                self.untyped.append(name)
        required = [name for name in visible if name not in formals or name not in optional]
        self._remark_on_parameters(documented, formals)
        return {"type": "object", "properties": properties, "required": required}

    def _documented_parameters(self) -> dict[str, Markup]:
        """Names in documentation order; inherited ones only where the signature has them."""
        wanted = None if self.formals is None else {formal.name for formal in self.formals}
        texts: dict[str, Markup] = {}
        for donor in self.sources.donors(self.documented, "params"):
            is_own = donor is self.documented
            for tag in donor.block.all("param"):
                for name in _parameter_names(tag.first_word):
                    if name not in texts and (is_own or wanted is None or name in wanted):
                        texts[name] = donor.markup(tag.after_first_word)
        for tag in self.documented.block.all("inheritDotParams"):
            texts |= {name: text for name, text in self.sources.dot_texts(tag) if wanted is None or name in wanted}
        return texts

    def _returns(self) -> Schema | None:
        for donor in self.sources.donors(self.documented, "return"):
            if text := donor.block.text("return", "returns"):
                return returns_schema(donor.markup(text))
        return None

    def _example(self) -> ExampleCode:
        for donor in self.sources.donors(self.documented, "examples"):
            if (code := example_code(donor.block)).shown:
                return code
            if included := _included_example(donor):
                return included
        return ExampleCode()

    def _remark(self, message: str) -> None:
        position = Position(self.documented.expression.line, 1, str(self.documented.file))
        self.remarks.append(Remark(self.name, message, position))

    def _remark_on_parameters(self, documented: dict[str, Markup], formals: dict[str, Formal]) -> None:
        if self.formals is None:
            self._remark("is not a plain function, so its signature is unknown: every documented parameter is required")
            return
        for name in documented:
            if name not in formals and name != "...":
                self._remark(f"documents the parameter {name}, which the function does not have")

        if list(formals) == ["..."]:
            self._remark("takes nothing but `...`, so nobody can call it with anything: name its parameters")
        for name, formal in formals.items():
            if name.startswith(".") and name not in ("...", STATE) and not formal.has_default:
                self._remark(f"has the hidden parameter {name} without a default, so nobody can call it: give it one")

    def _remark_on_origin(self) -> None:
        for tag in self.documented.block.all("eval", "evalRd"):
            code = " ".join(tag.text.split())[:60]
            self._remark(f"has @{tag.name} {code}, which only R can tell: what it gives is not in the definition")
        for name in self.sources.foreign_sources(self.documented):
            self._remark(f"inherits documentation from {name}, which is not in these sources")


def _parameter_names(word: str) -> list[str]:
    return [name for part in word.split(",") if (name := part.strip().strip("`"))]


def _included_example(donor: Documented) -> ExampleCode | None:
    """The file that `@example` names, if it lies inside the package."""
    tag = donor.block.first("example")
    if tag is None:
        return None
    root = donor.file.parent.parent if donor.file.parent.name == "R" else donor.file.parent
    path = (root / tag.text.strip()).resolve()
    if not path.is_relative_to(root.resolve()) or not path.is_file():
        return None
    code = re.sub(r"\s+\Z", "", read_inside(path, root).decode("utf-8", errors="replace"))
    return ExampleCode(code, code)
