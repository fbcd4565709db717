"""Generated functions: what was documented is what the definition says, and what the YAML file says."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.catalog import mcptool_build, mcptool_load
from rolltop.catalog.rlang.parameters import is_plural

from .helpers import r_package

TYPES = {
    "Character string,": {"type": "string"},
    "Numeric.": {"type": "number"},
    "Integer:": {"type": "integer"},
    "Logical,": {"type": "boolean"},
    "List,": {"type": "object"},
    "Character[],": {"type": "array", "items": {"type": "string"}},
    "Integer vector.": {"type": "array", "items": {"type": "integer"}},
}
DEFAULTS: dict[str, list[tuple[str, Any]]] = {
    "string": [('"a b"', "a b"), ("'#) {'", "#) {"), ('r"(x\\y)"', "x\\y")],
    "number": [("0.5", 0.5), ("-3", -3), ("1e3", 1000)],
    "integer": [("5L", 5), ("7", 7)],
    "boolean": [("TRUE", True), ("FALSE", False)],
    "object": [("list()", {}), ("list(a = 1L)", {"a": 1})],
    "array": [],
}
names = st.from_regex(r"[a-z][a-z0-9_]{0,10}", fullmatch=True).filter(
    lambda name: name not in {"if", "in", "for", "while", "next", "break", "else", "function", "repeat"}
)
sentences = st.lists(st.sampled_from(["of", "the", "grey", "cat", "near", "house"]), min_size=2, max_size=6).map(
    " ".join
)
words = st.from_regex(r"[a-z][a-z-]{0,6}", fullmatch=True)


@st.composite
def parameters(draw: st.DrawFn) -> tuple[str, str, str, dict[str, Any], bool]:
    """Name, documentation, signature, expected schema, whether it is required."""
    name, text = draw(names), draw(sentences)
    if draw(st.integers(0, 4)) == 0:
        choices = draw(st.lists(words, min_size=2, max_size=4, unique=True))
        signature = f"{name} = c({', '.join(repr(choice) for choice in choices)})"
        if is_plural(name):
            schema: dict[str, Any] = {
                "type": "array",
                "items": {"type": "string", "enum": choices},
                "description": text,
            }
        else:
            schema = {"type": "string", "description": text, "enum": choices, "default": choices[0]}
        return name, f"Character. {text}.", signature, schema, False
    prefix = draw(st.sampled_from(sorted(TYPES)))
    schema = {**TYPES[prefix], "description": text}
    known = DEFAULTS[schema["type"]]
    if draw(st.booleans()) or not known:
        return name, f"{prefix} {text}.", name, schema, True
    source, value = draw(st.sampled_from(known))
    return name, f"{prefix} {text}.", f"{name} = {source}", {**schema, "default": value}, False


@settings(max_examples=60, deadline=None)
@given(st.lists(parameters(), max_size=6, unique_by=lambda each: each[0]), sentences)
def test_what_is_documented_is_what_is_defined(found: list[Any], description: str) -> None:
    block = "".join(f"#' @param {name} {text}\n" for name, text, *_ in found)
    signature = ", # note ) {\n  ".join(each[2] for each in reversed(found))
    source = (
        f"#' Title\n#'\n#' {description}\n{block}#' @keywords mcp-tool\nmcp_tool_f <- function({signature}\n) NULL\n"
    )
    with tempfile.TemporaryDirectory() as directory:
        (file,) = mcptool_build(r_package(Path(directory), source)).written
        document = yaml.safe_load(file.read_text())
        assert document["description"] == description
        assert document["parameters"]["properties"] == {name: schema for name, _, _, schema, _ in found}
        assert list(document["parameters"]["properties"]) == [each[0] for each in found]
        assert document["parameters"]["required"] == [each[0] for each in found if each[4]]
        assert mcptool_load(file).to_dict() == document
