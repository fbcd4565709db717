"""How many real calls the schemas of a catalog accept, and how many wrong ones they refuse.

R: functions of installed packages, from their help and signatures, with calls that the examples of their pages make.
Python: functions of the standard library, from signatures and docstrings, with the calls that installed code makes.
Only constants count. The examples are not shown to the reader: they are what is measured. A wrong call is a real
one with a nested value where the schema has none.
    .venv/bin/python bench/catalog_calls.py [--show] [PACKAGE ...]

With packages only those of R are looked at; `--show` lists what is refused.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator

from _measure import save, table
from rolltop.catalog import Definition, find_tools, source_tree
from rolltop.catalog.arguments import served_schema
from rolltop.catalog.rlang.foreign import HelpPage, block_of

R_PACKAGES = [
    "stringr",
    "purrr",
    "tibble",
    "scales",
    "glue",
    "fs",
    "withr",
    "knitr",
    "MASS",
    "utils",
    "stats",
    "tools",
    "cli",
]
MODULES = [
    "textwrap", "shutil", "difflib", "statistics", "json", "fnmatch", "random", "html", "base64", "calendar",
    "heapq", "locale", "mimetypes", "operator", "posixpath", "pprint", "re", "shlex", "stat", "string",
    "struct", "subprocess", "tempfile", "time", "tokenize", "traceback", "types", "typing", "urllib.parse",
    "warnings", "zipfile", "ast", "inspect", "functools", "glob", "importlib", "logging", "os", "contextlib",
    "codecs", "gettext", "hashlib", "bisect",
]  # fmt: skip
Call = dict[str, Any]


def r_functions(packages: list[str]) -> Iterator[tuple[Definition, list[Call]]]:
    script = Path(__file__).with_name("_r_calls.R")
    done = subprocess.run(["Rscript", str(script), *packages], capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        told = json.loads(line)
        with tempfile.TemporaryDirectory() as folder:
            if definition := r_definition(told, Path(folder)):
                yield definition, told["calls"]


def r_definition(told: dict[str, Any], folder: Path) -> Definition | None:
    page = HelpPage(tuple((each["names"], each["text"]) for each in told["arguments"]))
    lines = ["#' T", *(line for tag in block_of(page).tags for line in _roxygen(tag.text)), "#' @keywords mcp-tool"]
    signature = told["signature"].rstrip().removesuffix("NULL")
    (folder / "f.R").write_text("\n".join(lines) + f"\nf <- {signature}{told['body']}\n")
    return next((found.definition for found in find_tools(source_tree(folder / "f.R"))), None)


def _roxygen(text: str) -> list[str]:
    first, *rest = text.replace("@", "@@").split("\n")
    return [f"#' @param {first}", *(f"#' {' ' if line.startswith('@') else ''}{line}" for line in rest)]


def python_functions() -> Iterator[tuple[Definition, list[Call]]]:
    standard = Path(sysconfig.get_path("stdlib"))
    calls: dict[str, list[tuple[list[Any], Call]]] = {}
    for root in (standard, Path(sysconfig.get_path("purelib"))):
        for file in root.rglob("*.py"):
            if root == standard and "site-packages" in file.parts:
                continue
            try:
                collect(ast.parse(file.read_bytes()), calls)
            except (SyntaxError, ValueError, RecursionError):
                continue
    for module in MODULES:
        path = standard.joinpath(*module.split(".")).with_suffix(".py")
        path = path if path.exists() else path.with_suffix("") / "__init__.py"
        if path.exists():
            yield from python_module(module, path.read_text(encoding="utf-8"), calls)


def python_module(module: str, text: str, calls: dict[str, Any]) -> Iterator[tuple[Definition, list[Call]]]:
    for node in ast.parse(text).body:
        if not isinstance(node, ast.FunctionDef) or f"{module}.{node.name}" not in calls:
            continue
        made = calls[f"{module}.{node.name}"]
        documentation = (ast.get_docstring(node, clean=False) or "T.") + "\n\n    Keywords: mcp-tool\n    "
        is_documented = ast.get_docstring(node) is not None
        node.body = [ast.Expr(ast.Constant(documentation)), *node.body[1 if is_documented else 0 :]]
        node.decorator_list = []
        names = [item.arg for item in (*node.args.posonlyargs, *node.args.args)]
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "m.py").write_text(ast.unparse(node))
            for found in find_tools(source_tree(Path(folder) / "m.py")):
                known = found.definition.parameters["properties"]
                given = [{**dict(zip(names, values, strict=False)), **named} for values, named in made]
                yield (
                    found.definition,
                    [{k: v for k, v in call.items() if v is not SKIP and k in known} for call in given],
                )


SKIP = object()


def collect(tree: ast.Module, calls: dict[str, list[tuple[list[Any], Call]]]) -> None:
    """The calls of `module.function` with constants among their arguments."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = ast.unparse(node.func)
            if name.rpartition(".")[0] in MODULES and not any(isinstance(each, ast.Starred) for each in node.args):
                values = [constant(each) for each in node.args]
                named = {each.arg: constant(each.value) for each in node.keywords if each.arg}
                calls.setdefault(name, []).append((values, named))


def constant(node: ast.expr) -> Any:
    try:
        value = ast.literal_eval(node)
        return json.loads(json.dumps(value, allow_nan=False))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return SKIP


def forms(value: Any) -> list[Any]:
    """A single value is a vector of one in R, and a caller writes what the schema asks for."""
    return [value] if isinstance(value, dict) else [value, [value]] if not isinstance(value, list) else [value]


def accepts(schema: dict[str, Any], value: Any, language: str) -> bool:
    candidates = forms(value) if language == "r" else [value]
    # R completes the beginning of a choice; who reads the schema writes all of it.
    choices = [each for each in schema.get("enum", ()) if isinstance(value, str) and str(each).startswith(value)]
    candidates += choices if language == "r" and len(choices) == 1 else []
    if value is None and schema.get("default", 0) is None:
        return True
    return any(Draft7Validator(schema).is_valid(each) for each in candidates)


def wrong_for(schema: dict[str, Any]) -> Any:
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else kinds or []
    return next((value for kind, value in (("object", {"no": {}}), ("array", [[{}]])) if kind not in kinds), SKIP)


def measure(functions: Iterator[tuple[Definition, list[Call]]]) -> list[float]:
    counts: Counter[str] = Counter()
    refused: list[str] = []
    for definition, calls in functions:
        properties = served_schema(definition)["properties"]
        counts["functions"] += 1
        for call in calls:
            given = {name: value for name, value in call.items() if name in properties}
            if not given:
                continue
            counts["calls"] += 1
            bad = [name for name, value in given.items() if not accepts(properties[name], value, definition.language)]
            counts["accepted"] += not bad
            refused += [f"{name}={given[name]!r} against {properties[name]}" for name in bad]
            for name in given:
                if (wrong := wrong_for(properties[name])) is not SKIP:
                    counts["wrong"] += 1
                    counts["wrong refused"] += not Draft7Validator(properties[name]).is_valid(wrong)
    share = counts["accepted"] / max(counts["calls"], 1)
    if "--show" in sys.argv:
        print("\n".join(refused))
    wrong = 100 * counts["wrong refused"] / max(counts["wrong"], 1)
    return [counts["functions"], counts["calls"], 100 * share, counts["wrong"], wrong]


def main() -> None:
    packages = [each for each in sys.argv[1:] if not each.startswith("-")]
    rows = [["R", *measure(r_functions(packages or R_PACKAGES))]]
    if not packages:
        rows.append(["Python", *measure(python_functions())])
    table(["", "functions", "calls", "accepted %", "wrong calls", "refused %"], rows)
    save("catalog_calls", rows)


if __name__ == "__main__":
    main()
