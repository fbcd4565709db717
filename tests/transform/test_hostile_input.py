"""Input that is meant to hurt: refused quickly, with a clear error, by every reader."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import pytest

from rolltop.errors import RolltopError
from rolltop.transform import compile_program, formats

LAUGHS = (
    '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><a>&c;</a>'
)
ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)
)
HOSTILE = {
    "external entity": ("xml", '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'),
    "parameter entity": ("xml", '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:1/x">%x;]><a/>'),
    "billion laughs": ("xml", LAUGHS),
    "quadratic blowup": ("xml", f'<!DOCTYPE a [<!ENTITY x "{"A" * 100_000}">]><a>{"&x;" * 10_000}</a>'),
    "deep xml": ("xml", "<a>" * 1_000_000),
    "deep json": ("json", "[" * 1_000_000),
    "deep objects": ("json", '{"a":' * 1_000_000),
    "digits in json": ("json", "1" * 1_000_000),
    "endless exponent": ("json", "1e999999"),
    "alias bomb": ("yaml", ALIASES),
    "deep flow yaml": ("yaml", "[" * 1_000_000),
    "deep block yaml": ("yaml", "\n".join(" " * n + "-" for n in range(3000))),
    "digits in yaml": ("yaml", "a: " + "1" * 1_000_000),
    "own tags": ("yaml", "!!python/object/apply:os.system ['true']"),
    "deep odata": ("odata", '{"value":' * 100_000),
    "deep xsd": ("xsd", "<xs:schema>" * 1_000_000),
    "deep proto": ("proto", 'syntax = "proto3"; ' + "message A { " * 100_000),
    "deep avro": ("avro", '{"type":{"type":' * 100_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_is_refused_quickly(name: str) -> None:
    format_, text = HOSTILE[name]
    started = time.process_time()
    with pytest.raises(RolltopError):
        formats.read(format_, text)
    assert time.process_time() - started < 2


def test_a_document_type_without_entities_is_harmless() -> None:
    assert formats.read("xml", "<!DOCTYPE html><a>1</a>") == {"a": 1}


@pytest.mark.parametrize("format_", ["json", "xml", "yaml"])
def test_deep_results_are_written_or_refused(format_: str) -> None:
    value: Any = 1
    for _ in range(500):
        value = {"a": value}
    assert formats.read(format_, formats.write(format_, value).text) == value


PROGRAMS = [
    "10 ** 10 ** 10",
    "repeat('x', 10 ** 12)",
    "range(0, 10 ** 12)",
    "function F(x) { F(x) + 1 }\nF(1)",
    "let f = g => g(g)\nf(f)",
    "matches(repeat('a', 40), '(a+)+$b')",
    "padLeft('x', 10 ** 12, 'y')",
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_hostile_programs_end(text: str) -> None:
    started = time.process_time()
    with contextlib.suppress(RolltopError):
        compile_program(text).evaluate({"input": None})
    assert time.process_time() - started < 3
