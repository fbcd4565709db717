"""What code defines, calls and imports, by a parser for its language. Runs in a worker; the parsers are an extra."""

from __future__ import annotations

import contextlib
import json
import re
from functools import cache
from importlib import import_module
from typing import Any

from rolltop.store.extract.import_statements import LANGUAGES
from rolltop.store.extract.plain import decoded

__all__ = ["study"]

MOST_NAMES = 2000
_LAST_NAME = re.compile(r"([A-Za-z_]\w*)\W*$")

_MODULES = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "java": ("tree_sitter_java", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "bash": ("tree_sitter_bash", "language"),
}
_SCRIPT = """
    (function_declaration name: (_) @define) (class_declaration name: (_) @define)
    (method_definition name: (_) @define) (variable_declarator name: (identifier) @define value: (arrow_function))
    (call_expression function: (_) @call) (import_statement) @import (export_statement source: (_)) @import
    ((call_expression function: (identifier) @_name) @import (#eq? @_name "require"))
"""
_C = """
    (function_definition declarator: (_) @define) (struct_specifier name: (_) @define body: (_))
    (call_expression function: (_) @call) (preproc_include) @import
"""
_QUERIES = {
    "python": """
        (function_definition name: (_) @define) (class_definition name: (_) @define)
        (call function: (_) @call) (import_statement) @import (import_from_statement) @import
    """,
    "javascript": _SCRIPT,
    "typescript": _SCRIPT + "(interface_declaration name: (_) @define) (type_alias_declaration name: (_) @define)",
    "tsx": _SCRIPT + "(interface_declaration name: (_) @define) (type_alias_declaration name: (_) @define)",
    "java": """
        (class_declaration name: (_) @define) (interface_declaration name: (_) @define)
        (enum_declaration name: (_) @define) (method_declaration name: (_) @define)
        (method_invocation name: (_) @call) (object_creation_expression type: (_) @call) (import_declaration) @import
    """,
    "c": _C,
    "cpp": _C + "(class_specifier name: (_) @define body: (_))",
    "go": """
        (function_declaration name: (_) @define) (method_declaration name: (_) @define)
        (type_spec name: (_) @define) (call_expression function: (_) @call)
    """,
    "rust": """
        (function_item name: (_) @define) (struct_item name: (_) @define) (enum_item name: (_) @define)
        (trait_item name: (_) @define) (call_expression function: (_) @call)
        (use_declaration) @import (mod_item) @import
    """,
    "ruby": """
        (method name: (_) @define) (class name: (_) @define) (module name: (_) @define) (call method: (_) @call)
        ((call method: (identifier) @_name) @import (#match? @_name "^require"))
    """,
    "php": """
        (function_definition name: (_) @define) (class_declaration name: (_) @define)
        (method_declaration name: (_) @define) (function_call_expression function: (_) @call)
        (member_call_expression name: (_) @call) (require_once_expression) @import (require_expression) @import
        (include_expression) @import (include_once_expression) @import
    """,
    "csharp": """
        (class_declaration name: (_) @define) (interface_declaration name: (_) @define)
        (method_declaration name: (_) @define) (invocation_expression function: (_) @call)
    """,
    "bash": """
        (function_definition name: (_) @define) (command name: (_) @call)
        ((command name: (_) @_name) @import (#match? @_name "^(source|[.])$"))
    """,
}


def study(payload: bytes) -> bytes:
    """For each (language, code) of a list: what it defines (with lines), calls, imports; null where no parser is."""
    return json.dumps([_studied(language, code) for language, code in json.loads(payload)]).encode("utf-8", "replace")


def _studied(language: str, code: str) -> tuple[dict[str, int], list[str], list[str]] | None:
    tools = _tools(language)
    if tools is None:
        return None
    parser, query, cursor = tools
    found = cursor(query).captures(parser.parse(code.encode("utf-8", "replace")).root_node)
    defined = _names(found.get("define", ()), first=language in ("c", "cpp"))
    called = [name for name in _names(found.get("call", ())) if name not in defined]
    imports = [decoded(node.text or b"") for node in found.get("import", ())]
    return defined, called, imports[:MOST_NAMES]


def _names(nodes: Any, *, first: bool = False) -> dict[str, int]:
    """Each name, and the first line on which it stands so."""
    names: dict[str, int] = {}
    for node in sorted(nodes, key=lambda node: node.start_byte):
        text = decoded(node.text or b"")
        match = re.search(r"([A-Za-z_]\w*)\s*(?:\(|$)", text) if first else _LAST_NAME.search(text)
        if match:
            names.setdefault(match[1], node.start_point[0] + 1)
    return dict(sorted(names.items())[:MOST_NAMES])


@cache
def _tools(language: str) -> tuple[Any, Any, Any] | None:
    """The parser, the question and what asks it."""
    try:
        import tree_sitter  # noqa: PLC0415 - an extra

        module, function = _MODULES[language]
        grammar = tree_sitter.Language(getattr(import_module(module), function)())
    except (ImportError, KeyError):
        return None
    return tree_sitter.Parser(grammar), tree_sitter.Query(grammar, _QUERIES[language]), tree_sitter.QueryCursor


def _load_everything() -> None:
    """A worker cannot open files: every grammar is loaded before it starts."""
    for language in {*LANGUAGES.values()}:
        with contextlib.suppress(ImportError):
            _tools(language)


_load_everything()
