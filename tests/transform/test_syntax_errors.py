"""Errors in programs: all of them, in the right place, with a way out."""

from __future__ import annotations

import pytest

from rolltop.transform.diagnostics import render
from rolltop.transform.syntax.parser import parse


def findings(text: str) -> list[tuple[int, int, str]]:
    return [(found.line, found.column, found.message) for found in parse(text).problems]


def test_an_open_brace_says_where_it_was_opened() -> None:
    assert findings("{\n  a: 1\n") == [(3, 1, "expected '}' to close '{' opened at 1:1, found the end of the program")]


def test_all_errors_are_reported() -> None:
    lines = [line for line, _, _ in findings("{\n  a: ,\n  b: 1 +,\n  c: [1, , 2],\n  d: 4\n}")]
    assert lines == [2, 3, 4]


def test_one_error_does_not_cause_others() -> None:
    assert len(findings("let a = (1 + \nlet b = 2\n{ x: a }")) == 1


SINGLE = [
    ("{ name }", "Expected ':' after property name", "write name: name"),
    ("{ 1: 2 }", "Expected property name", "Quote a key"),
    ("if x { 1 }", "Expected '(' after 'if'", "parentheses"),
    ("let 5 = 1", "Expected variable name", None),
    ("let match = 1", "Expected variable name", "reserved word"),
    ('"abc', "Unterminated string", 'Close it with "'),
    ("'a\\q'", "Invalid escape sequence: \\q", "\\\\"),
    ("a & b", "Unexpected character: &", "&&"),
    ("/* open", "this comment is never closed", "*/"),
    ("x = 1", "Expected expression", "=="),
    ("match (x) { > 1 => 2 }", "Expected a pattern", None),
    ("try { 1 }", "Expected 'catch'", None),
    ("let x: Strin = 1", "Unknown type: Strin", "String"),
    ("%utlx 1.0\noutput json\n---\n1", "Expected 'input' declaration", "input json"),
    ("%utlx 1.0\ninput jsn\noutput json\n---\n1", "Expected format type", None),
    ("input json\noutput json\n---\n1", "Expected UTL-X directive", "%utlx 1.0"),
    ("%utlx 1.0\ninput json\noutput json\n1", "Expected '---' separator", None),
    ("%utlx 1.0\ninput: a json b json\noutput json\n---\n1", "Expected 'output' declaration", "Commas separate inputs"),
    ("%utlx 1.0\ninput json, xml\noutput json\n---\n1", "Expected 'output' declaration", "inputs have names"),
    ("$input.a | upper", "Expected expression", "`|>`"),
    ("{ a: 1 | 2 }", "expected '}' to close '{'", "`|>`"),
    ("match (1) { 1 | 2 => 3 }", "Expected '=>' after the pattern", "n if n == 1"),
    ("fn(x) => x", "Expected expression", "no word before it"),
    ("{ a: 1_000 }", "Invalid number: 1_000", "digits only"),
    ("let x = 0x1F", "Invalid number: 0x1F", "digits only"),
    ("5px", "Invalid number: 5px", "digits only"),
    ("if (true) { 1 }", "Expected property name", "Braces make objects"),
    ("x => { x.price }", "Expected ':' after property name", "Braces make objects"),
]


@pytest.mark.parametrize(("text", "message", "hint"), SINGLE)
def test_message_and_hint(text: str, message: str, hint: str | None) -> None:
    found = parse(text).problems[0]
    assert message in found.message
    if hint is not None:
        assert hint in (found.hint or "")


def test_nesting_is_bounded() -> None:
    for text in ("[" * 20_000, "(" * 20_000 + "1" + ")" * 20_000, "!" * 20_000 + "1", "{a:" * 10_000):
        assert any("levels of nesting" in found.message for found in parse(text).problems)


def test_findings_are_shown_in_compiler_style() -> None:
    found = parse("{ a: 1\n  b: 2 3 }").problems[0]
    assert render(found, "p.utlx").splitlines() == [
        "p.utlx:2:8: error[E201]: expected '}' to close '{' opened at 1:1, found '3'",
        "    2 |   b: 2 3 }",
        "      |        ^",
        "      = hint: Separate properties by commas or line breaks.",
    ]
