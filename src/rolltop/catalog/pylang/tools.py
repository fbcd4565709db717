"""Documented Python functions as definitions."""

from __future__ import annotations

import ast
import base64
import re
from collections.abc import Iterable, Iterator
from typing import Any

from rolltop.catalog.definition import Definition
from rolltop.catalog.found import MARKER, Found, Remark, flags_of, name_given_in
from rolltop.catalog.inference import Schema, array_of, fits, infer_type, inferred, leading_type
from rolltop.catalog.prose import described, prose_of
from rolltop.catalog.pylang.annotations import ABSENT, Annotations, anything, is_vague, without_null
from rolltop.catalog.pylang.default_types import type_of_default
from rolltop.catalog.pylang.docstring_types import documented_type
from rolltop.catalog.pylang.docstrings import DocumentedValue, read_docstring
from rolltop.catalog.pylang.marks import marks_of
from rolltop.catalog.pylang.modules import Function, Module, Modules
from rolltop.catalog.rlang.markup import parse_markup
from rolltop.catalog.rlang.parameters import finished
from rolltop.catalog.rlang.plain import to_text
from rolltop.catalog.sources import SourceTree
from rolltop.errors import Position

__all__ = ["python_tools"]

_PREFIX = "mcp_tool_"
STATE = "_state_env"
"""The hidden parameter that the server fills in."""


def python_tools(tree: SourceTree) -> Iterator[Found]:
    """Every tool of the Python files of a tree, in the order of files and lines."""
    modules = Modules(tree)
    annotations = Annotations(modules)
    for module in modules:
        for function in module.functions:
            if found := _tool(tree, module, function, annotations):
                yield found


def _tool(tree: SourceTree, module: Module, function: Function, annotations: Annotations) -> Found | None:
    documentation = ast.get_docstring(function, clean=False)
    marks = marks_of(function, module)
    is_marked = function.name.startswith(_PREFIX) or bool(marks)
    if not is_marked and (not documentation or MARKER not in documentation):
        return None
    docstring = read_docstring(documentation)
    keywords = (*docstring.keywords, *marks)
    if not is_marked and MARKER not in keywords:
        return None
    given = name_given_in(keywords)
    name = f"{tree.package}-{given or function.name}"
    properties, required = _parameters(function, module, annotations, docstring.parameters)
    definition = Definition(
        name=name,
        calls=function.name if given and given != function.name else None,
        description=to_text(parse_markup(docstring.description)),
        parameters={"type": "object", "properties": properties, "required": required},
        **flags_of(keywords),
        language="python",
        implementation_example=docstring.example.shown,
        returns=_returns(function, module, annotations, docstring.results),
    )
    position = Position(function.lineno, 1, str(module.path))
    remarks = tuple(Remark(name, message, position) for message in _misdocumented(function, docstring.parameters))
    return Found(definition, docstring.example, module.path, function.lineno, remarks)


def _misdocumented(function: Function, documented: Iterable[str]) -> Iterator[str]:
    """What is documented as a parameter and is none that a definition can have."""
    known = {item.arg for item in _all_arguments(function)}
    given = function.args
    open_ended = {item.arg: stars for item, stars in ((given.vararg, "*"), (given.kwarg, "**")) if item}
    defaults = dict(_defaults(function))
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    if open_ended and not named:
        yield "takes nothing but * or ** arguments, so nobody can call it with anything: name its parameters"
    for item in named:
        if item.arg.startswith("_") and item.arg != STATE and item.arg not in defaults:
            yield f"has the hidden parameter {item.arg} without a default, so nobody can call it: give it one"
    for parameter in documented:
        if parameter not in known:
            yield f"documents the parameter {parameter}, which the function does not have"
        elif stars := open_ended.get(parameter):
            yield f"documents {stars}{parameter}, which no definition can have: name the parameters, or take a list"


def _all_arguments(function: Function) -> list[ast.arg]:
    given = function.args
    extra = [item for item in (given.vararg, given.kwarg) if item]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *extra]


def _parameters(
    function: Function, module: Module, annotations: Annotations, documented: dict[str, DocumentedValue]
) -> tuple[dict[str, Schema], list[str]]:
    defaults = dict(_defaults(function))
    arguments = {item.arg: item for item in _all_arguments(function)}
    variable = {item.arg for item in (function.args.vararg, function.args.kwarg) if item}
    order = [
        *(name for name in documented if name in arguments),
        *(name for name in arguments if name not in documented),
    ]
    visible = [name for name in order if not name.startswith("_") and name not in variable]
    properties = {
        name: _parameter(
            documented.get(name, DocumentedValue()), arguments[name], defaults.get(name), module, annotations
        )
        for name in visible
    }
    return properties, [name for name in visible if name not in defaults]


def _defaults(function: Function) -> Iterator[tuple[str, ast.expr]]:
    positional = [*function.args.posonlyargs, *function.args.args]
    given = function.args.defaults
    yield from zip((item.arg for item in positional[len(positional) - len(given) :]), given, strict=True)
    for item, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if default is not None:
            yield item.arg, default


def _parameter(
    documented: DocumentedValue, argument: ast.arg, default: ast.expr | None, module: Module, annotations: Annotations
) -> Schema:
    prose = prose_of(parse_markup(documented.text))
    value = annotations.value(default, module)
    schema = _stated_type(annotations.schema(argument.annotation, module), documented.kind, module, annotations)
    if schema and argument.annotation is None:  # what a docstring alone says is not what the call converts to
        schema = {key: schema[key] for key in schema if key != "contentEncoding"}
    if schema is None:
        known = type_of_default(default) if value is ABSENT else None if value is None else _type_of(value)
        schema, is_certain = inferred(prose.text, known, 1 if value is ABSENT else value)
        if not is_certain:  # what nothing says for certain may be anything
            schema = anything()
        elif value is not ABSENT and known == {"type": "integer"} and leading_type(prose.text) is None:
            schema = {"type": "number"}  # a default of 0 says that fractions are numbers too
    if value is None:
        schema = without_null(schema)  # null says the same as leaving the argument out
    if value is None or (value is not ABSENT and fits(value, schema)):
        schema = schema | {"default": value}
    return finished(schema, prose, _candidates)


def _stated_type(annotated: Schema | None, kind: str, module: Module, annotations: Annotations) -> Schema | None:
    """The annotation's type; the docstring's where there is none, or one that leaves more open."""
    if annotated is not None and not is_vague(annotated):
        return annotated
    documented = documented_type(kind, module, annotations)
    if annotated is None or annotated == anything() or (documented and documented["type"] == annotated["type"]):
        return documented or annotated
    return annotated


def _type_of(value: Any) -> Schema:
    for kind in ("boolean", "integer", "number", "string", "object"):
        if fits(value, {"type": kind}):
            return {"type": kind}
    return next(
        (array_of(kind) for kind in ("string", "integer", "number") if fits(value, array_of(kind))), array_of("object")
    )


def _candidates(code: str) -> list[Any]:
    """What a piece of Python code in a description may stand for: its value, then the code as text."""
    try:
        value = ast.literal_eval(code)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return [code]
    if value is None:
        return []
    if isinstance(value, bytes):
        return [base64.b64encode(value).decode()]
    if isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?", value):
        return [value, ast.literal_eval(value)]
    return [list(value) if isinstance(value, tuple | set) else value, code]


def _returns(
    function: Function, module: Module, annotations: Annotations, results: tuple[DocumentedValue, ...]
) -> Schema | None:
    annotated = annotations.schema(function.returns, module)
    if annotated == {"type": "null"} and not results:
        return None
    if len(results) > 1 and all(item.name for item in results):
        fields = {item.name: _result(item, None, module, annotations) for item in results}
        return {"type": "object", "properties": fields}
    if results:
        return _result(results[0], annotated, module, annotations)
    return annotated


def _result(item: DocumentedValue, annotated: Schema | None, module: Module, annotations: Annotations) -> Schema:
    text = to_text(parse_markup(item.text))
    schema = annotated or documented_type(item.kind, module, annotations) or infer_type(text)
    if item.is_yielded and not annotated:  # what is documented is one of them, and all of them come back
        schema = {"type": "array", "items": schema}
    kept: Schema = {key: schema[key] for key in ("type", "items") if key in schema}
    kept["description"] = described(text) or schema.get("description", "")
    return kept | {key: schema[key] for key in schema if key not in kept}
