"""What this language has besides UTL-X: it works on every tier, the formatter keeps it, and strict mode refuses it."""

import json

import pytest

from rolltop.transform import compile_program
from rolltop.transform.errors import ProgramInvalid
from rolltop.transform.program import Document
from rolltop.transform.syntax.formatter import format_program
from rolltop.transform.syntax.parser import parse

DATA = {"name": "Ann", "tags": ["x", "y", "z"], "a": {"id": 1, "b": [{"id": 2}, {"c": {"id": 3}}]}, "n": 3}
SHAPES = """match ($input.a) {
  { id: 2 } => "two"
  { id, b: [{ id: first }, ...rest] } if id < first => `${id} ${first} ${count(rest)}`
  _ => "else"
}"""
EXTENSIONS = [
    ("`Hello ${$input.name}!`", "Hello Ann!"),
    ("`${1 + 1}${$input.missing}\\${x}`", "2${x}"),
    ('`${ {a: "}"}.a }`', "}"),
    ("``", ""),
    ("$input.tags[-1]", "z"),
    ("$input.tags[1:]", ["y", "z"]),
    ("$input.tags[:-1]", ["x", "y"]),
    ("$input.name[0:2]", "An"),
    ("1 .. $input.n", [1, 2, 3]),
    ("map(1..3, i => i * 2)", [2, 4, 6]),
    ("sum(1 .. 2 + 2)", 10),
    ("$input..id", [1, 2, 3]),
    ("$input.a.b..id |> sum", 5),
    (SHAPES, "1 2 1"),
    ("match ([1, 2]) { [] => 0, [a] => a, [a, b] => a + b }", 3),
    ("match ([]) { [a, ..._] => 1, [] => 2 }", 2),
    ("0.1m + 0.2m", 0.3),
    ("at($input.tags, -2)", "y"),
]


@pytest.mark.parametrize(("program", "result"), EXTENSIONS)
def test_an_extension_gives_the_same_on_every_tier(program: str, result: object) -> None:
    document, ready = {"input": Document(json.dumps(DATA))}, compile_program(program)
    assert json.loads(ready.run(document).text) == result
    ready.work = 10**9  # as after many runs: generated code takes over
    assert json.loads(ready.run(document).text) == result


@pytest.mark.parametrize("program", [program for program, _ in EXTENSIONS])
def test_the_formatter_keeps_an_extension(program: str) -> None:
    formatted = format_program(program)
    assert format_program(formatted) == formatted
    document = {"input": Document(json.dumps(DATA))}
    assert compile_program(formatted).run(document).text == compile_program(program).run(document).text
    assert "toString(" not in formatted
    assert "span(" not in formatted


@pytest.mark.parametrize("program", [program for program, _ in EXTENSIONS])
def test_strict_mode_refuses_an_extension(program: str) -> None:
    with pytest.raises(ProgramInvalid) as refused:
        compile_program(program, strict=True)
    assert {found.code for found in refused.value.diagnostics} == {"E205"}
    header = "%utlx 1.0 strict\ninput json\noutput json\n---\n"
    assert {found.code for found in parse(header + program).problems} == {"E205"}


def test_strict_mode_accepts_what_utlx_has() -> None:
    assert not parse('map($input.xs, x => x[0] ?? "none")', strict=True).problems


@pytest.mark.parametrize(
    ("program", "words"), [("`${1 +}`", "Expected expression"), ("`abc", "Unterminated"), ("`${a b}`", "Expected '}'")]
)
def test_a_broken_template_is_told_with_its_place(program: str, words: str) -> None:
    assert words in parse(program).problems[0].message
