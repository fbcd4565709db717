"""Programs written with the habits of other languages: the repair is valid, and does what was meant."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.transform import Document, compile_program
from rolltop.transform.examples import Example, load_corpus
from rolltop.transform.repair import suspicions
from rolltop.transform.service.validate import validate
from rolltop.transform.syntax.parser import parse

DATA = {
    "name": "Ann",
    "a": 1,
    "b": 0,
    "items": [{"name": "tea", "price": 12, "city": "Oslo"}, {"name": "cup", "price": 5, "city": "Rome"}],
    "tags": ["x", "y"],
}
TEA_AND_CUP, PRICES = ["tea", "cup"], [12, 5]
JQ = [
    (".items[] | select(.price > 10)", [DATA["items"][0]]),
    (".items[] | select(.price > 10) | .name", ["tea"]),
    (".items[].name", TEA_AND_CUP),
    ("[.items[] | {name: .name, total: .price}]", [{"name": "tea", "total": 12}, {"name": "cup", "total": 5}]),
    (".items | length", 2),
    (".items | map(.price) | add", 17),
    (".items | map(select(.price > 5) | .name)", ["tea"]),
    (".items | sort_by(.price) | map(.name)", ["cup", "tea"]),
    (".name", "Ann"),
    ("$input.items |> map(.price)", PRICES),
    ("$input.items | map(.price)", PRICES),
    ("map($input.items, .price)", PRICES),
    ("{ who: .name, count: length(.items) }", {"who": "Ann", "count": 2}),
]
JSON_PATH = [
    ("$.name", "Ann"),
    ("$.items[0].name", "tea"),
    ("$.items[*].price", PRICES),
    ("$input.items[*].price", PRICES),
    ("$.items[?(@.price > 10)].name", ["tea"]),
    ("sum($.items[*].price)", 17),
    ("sum($input.items.*.price)", 17),
    ("$input->name", "Ann"),
]
DATA_WEAVE = [
    ("payload.name", "Ann"),
    ("payload.items map ((item, index) -> { n: item.name })", [{"n": "tea"}, {"n": "cup"}]),
    ("payload.items map (item) -> item.name", TEA_AND_CUP),
    ("payload.items map $.name", TEA_AND_CUP),
    ("payload.items filter ($.price > 10) map $.name", ["tea"]),
    ("payload.items groupBy $.city", {"Oslo": [DATA["items"][0]], "Rome": [DATA["items"][1]]}),
    ("%dw 2.0\noutput application/json\n---\n{ who: payload.name }", {"who": "Ann"}),
    ("%dw 2.0\noutput application/json\nvar rate = 2\n---\npayload.a * rate", 2),
    ('{ a: payload.missing default "none" }', {"a": "none"}),
    ('payload.name ++ "!"', "Ann!"),
    ("{ a: payload.a as String }", {"a": "1"}),
    ("sizeOf(payload.items)", 2),
]
JAVASCRIPT = [
    ("$input.a === 1", True),
    ("$input.a !== 1", False),
    ("const x = 1;\nx + 1", 2),
    ("var x = 1;\n{ a: x };", {"a": 1}),
    ("const x = 1\nreturn x + 1;", 2),
    ("$input.items.map(i => i.price)", PRICES),
    ("$input.items.filter(i => i.price > 10).map(i => i.name)", ["tea"]),
    ("$input.items\n  .filter(i => i.price > 10)\n  .map(i => i.name)", ["tea"]),
    ("{ total: $input.items.map(i => i.price).reduce((x, y) => x + y, 0) }", {"total": 17}),
    ("1 + $input.items.map(i => i.price).length()", 3),
    ("$input.items.map(i => { return i.price })", PRICES),
    ("$input.items.map(function(i) { return i.price; })", PRICES),
    ("$input.name.toUpperCase()", "ANN"),
    ('$input.tags.join(", ")', "x, y"),
    ("Object.keys($input.items[0])", ["name", "price", "city"]),
    ("JSON.stringify($input.tags)", '["x","y"]'),
    ("Math.round(2.4)", 2),
    ('if ($input.a > 0) { "yes" } else { "no" }', "yes"),
    ('if ($input.a > 0) { return "yes"; } else { return "no"; }', "yes"),
    ("{ a: $input.missing != undefined }", {"a": False}),
    ("let name = $input.name\n{ name, a: 1 }", {"name": "Ann", "a": 1}),
    ("const { name, a } = $input;\nname + a", "Ann1"),
    ("function total(items) { return sum(items) }\ntotal($input.items |> map(i => i.price))", 17),
    ('switch ($input.a) { case 1: "one"; break; default: "many" }', "one"),
    ("for (const i of $input.items) { i.price }", PRICES),
    ("typeof $input.name", "string"),
]
PYTHON = [
    ('f"Hello {$input.name}"', "Hello Ann"),
    ("[i.price for i in $input.items]", PRICES),
    ("[i.name for i in $input.items if i.price > 10]", ["tea"]),
    ("$input.items |> map(lambda i: i.price)", PRICES),
    ("len($input.items)", 2),
    ("str($input.a)", "1"),
    ("$input.a == 1 and not $input.b", True),
    ("$input.b or $input.a", True),
    ("$input.missing is None", True),
    ("{ a: None, b: True }", {"a": None, "b": True}),
    ('if $input.a > 5 then "x" elif $input.a > 0 then "y" else "z"', "y"),
    ("# the name\n$input.name", "Ann"),
]
OTHERS = [
    ("$input.items |> where(i => i.price > 10) |> select(i => i.name)", None),
    ("$input.items |> orderBy(i => i.price) |> map(i => i.name)", ["cup", "tea"]),
    ("$input.items |> sort_by(i => i.price) |> map(i => i.name)", ["cup", "tea"]),
    ("{ total: sum($input.items |> map(i => i.price)", {"total": 17}),
    ("{ a: 1 }}", {"a": 1}),
    ("{ name = $input.name }", {"name": "Ann"}),
    ("{ who: name }", {"who": "Ann"}),
    ("let total = 4\ntotl + 1", 5),
    ("uper($input.name)", "ANN"),
    ("{ who: \u201cAnn\u201d }", {"who": "Ann"}),
    ('match $input.a { 1 -> "one", else -> "many" }', "one"),
    ("input json\noutput json\n---\n$input.name", "Ann"),
    ("%utlx 1.0\noutput json\n---\n$input.name", "Ann"),
    ("%utlx 1.0\ninput application/json\noutput application/json\n---\n$input.name", "Ann"),
]
TABLE = [*JQ, *JSON_PATH, *DATA_WEAVE, *JAVASCRIPT, *PYTHON, *OTHERS]


def repaired(text: str) -> str:
    """The program that `validate` proposes; it is really valid, and the edits lead to it."""
    answer = validate(text)
    repair = answer["repair"]
    assert applied(text, repair["edits"]) == repair["transformation"]
    again = validate(repair["transformation"])
    assert again["valid"]
    assert "repair" not in again
    return str(repair["transformation"])


def applied(text: str, edits: list[dict[str, object]]) -> str:
    lines = text.splitlines(keepends=True) or [""]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for edit in reversed(edits):
        start = starts[int(str(edit["line"])) - 1] + int(str(edit["column"])) - 1
        end = starts[int(str(edit["endLine"])) - 1] + int(str(edit["endColumn"])) - 1
        assert text[start:end] == edit["old"]
        text = text[:start] + str(edit["new"]) + text[end:]
    return text


def result_of(program: str) -> object:
    return json.loads(compile_program(program).run({"input": Document(json.dumps(DATA))}).text)


@pytest.mark.parametrize(("text", "meant"), TABLE, ids=[text for text, _ in TABLE])
def test_the_repair_is_valid_and_does_what_was_meant(text: str, meant: object) -> None:
    result = result_of(repaired(text))
    if meant is not None:
        assert result == meant


def test_the_repair_is_small_and_says_why() -> None:
    repair = validate("{\n  a: $input.a === 1,\n  b: $input.b\n}")["repair"]
    assert repair["edits"] == [{"line": 2, "column": 15, "endLine": 2, "endColumn": 18, "old": "===", "new": "=="}]
    assert repair["reasons"] == ["Equality is ==, inequality is !=."]


def test_only_what_is_wrong_is_changed() -> None:
    program = '{\n  // keep "payload" here\n  payload: "return None",\n  none: payload.x  \n}'
    assert repaired(program) == program.replace("payload.x", "$input.x")


def test_the_schema_decides_about_length() -> None:
    tags = {"type": "array", "items": {"type": "string"}}
    schema = {"type": "object", "properties": {"tags": tags}, "required": ["tags"]}
    assert validate("$input.tags.length", schema)["repair"]["transformation"] == "length($input.tags)"
    box = {"type": "object", "properties": {"length": {"type": "number"}}}
    assert "repair" not in validate("$input.length", box)


@pytest.mark.parametrize(
    "text",
    ["i += 1", "<Order>{$input.id}</Order>", "{ a: ,,, }", "%%%", "\x00", "", "((((", "let let let"],
)
def test_no_repair_is_better_than_a_wrong_one(text: str) -> None:
    assert "repair" not in validate(text)


def test_valid_programs_are_left_alone() -> None:
    for text in ("$input.items |> map(i => i.price)", "{ a: 1 }", '"payload === `x`"', "let f = { g: x => x }\nf.g(1)"):
        assert "repair" not in validate(text)


def test_methods_of_data_are_a_warning_even_without_a_schema() -> None:
    answer = validate("$input.items.map(i => i.price)")
    assert answer["valid"]
    [warning] = answer["warnings"]
    assert (warning["code"], warning["line"], warning["column"]) == ("W701", 1, 13)
    assert "map(x, …)" in warning["suggestion"]


def test_values_that_nobody_uses_and_parameters_that_nobody_fills() -> None:
    assert [found["code"] for found in validate("1\n2")["warnings"]] == ["W702"]
    assert [found["code"] for found in validate("map($input, (x, i) => [x, i])")["warnings"]] == ["W703"]
    assert validate('log("seen")\n2')["warnings"] == []


CORPUS = load_corpus()


def documents_of(example: Example) -> dict[str, Document]:
    return {name: Document(data) for name, data in example.documents().items()}


def test_no_example_is_suspicious() -> None:
    assert [example.name for example in CORPUS if suspicions(parse(example.transformation))] == []


SLIPS: dict[str, Callable[[str], str]] = {
    "===": lambda body: body.replace(" == ", " === ").replace(" != ", " !== "),
    "const": lambda body: re.sub(r"\blet\b", "const", body),
    "payload": lambda body: body.replace("$input", "payload"),
    "$": lambda body: body.replace("$input", "$"),
    "method": lambda body: re.sub(r"(\$input[\w.]*) \|> (map|filter)\(", r"\1.\2(", body),
    "and": lambda body: body.replace(" && ", " and ").replace(" || ", " or "),
    "cut off": lambda body: body.rstrip()[:-1] if body.rstrip()[-1:] in (")", "}") else body,
    "capitals": lambda body: re.sub(
        r'(?<![\w"])null(?![\w"])', "None", re.sub(r'(?<![\w"])true(?![\w"])', "True", body)
    ),
}
"""Ways to get a program wrong. What they do inside texts and names makes some programs mean something else."""


def slipped(example: Example, slip: Callable[[str], str]) -> str:
    header, rule, body = example.transformation.partition("---\n")
    return header + rule + slip(body)


@pytest.mark.parametrize("kind", SLIPS)
def test_examples_with_a_slip_are_repaired_to_the_same_output(kind: str) -> None:
    are_repaired(CORPUS[::4] if kind in ("payload", "$", "cut off") else CORPUS, kind)


@pytest.mark.soak
@pytest.mark.parametrize("kind", SLIPS)
def test_all_examples_with_a_slip_are_repaired_to_the_same_output(kind: str) -> None:
    are_repaired(CORPUS, kind)


def are_repaired(examples: list[Example], kind: str) -> None:
    texts = [(example, slipped(example, SLIPS[kind])) for example in examples]
    answers = [(example, validate(text)) for example, text in texts if text != example.transformation]
    wrong = [(example, answer) for example, answer in answers if is_wrong(answer)]
    assert wrong
    failed = [example.name for example, answer in wrong if not gives(example, answer.get("repair"))]
    assert len(failed) <= len(wrong) * 0.05, failed


def is_wrong(answer: dict[str, Any]) -> bool:
    return not answer["valid"] or any(warning["code"].startswith("W7") for warning in answer["warnings"])


def gives(example: Example, repair: dict[str, str] | None) -> bool:
    if repair is None:
        return False
    output = compile_program(repair["transformation"]).run(documents_of(example)).text
    return output.rstrip() == example.output.rstrip()


WORDS = [
    ".", "|", "|>", "[]", "(", ")", "{", "}", "[", "]", "map", "select", "x", "=>", "->", "===", "return", "const",
    "`${x}`", "$", "payload", "if", "else", "then", "for", "in", "lambda", ":", ",", ";", "and", "not", "as", "Number",
    "\n", '"s"', "1",
]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_whatever_is_written_a_repair_is_valid_or_there_is_none(text: str) -> None:
    answer = validate(text)
    if "repair" in answer:
        again = validate(answer["repair"]["transformation"])
        assert again["valid"] or not answer["repair"].get("complete", True)
        assert applied(text, answer["repair"]["edits"]) == answer["repair"]["transformation"]


@pytest.mark.parametrize(
    "text", ["(" * 7990, "{" + "a," * 3900, "x" + ".map(y)" * 1100, "and " * 2000, "x as Number " * 600]
)
def test_looking_for_a_repair_ends(text: str) -> None:
    started = time.thread_time()
    validate(text)
    assert time.thread_time() - started < 10


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("$input.items[?price > 3]", "$input.items |> filter(item => item.price > 3)"),
        ("$input.items[price > 3].name", "$input.items |> filter(item => item.price > 3) |> map(item => item.name)"),
        ("$input.items |> map($.price)", "$input.items |> map(item => item.price)"),
        ("{ a: 1 } ++ { b: 2 }", "concat({ a: 1 }, { b: 2 })"),
        ('join($input.names, ",")', 'joinToString($input.names, ",")'),
        ("reduce($input, 0, (a, x) => a + x)", "reduce($input, (a, x) => a + x, 0)"),
        ("$input |> reduce(0, (a, x) => a + x)", "$input |> reduce((a, x) => a + x, 0)"),
        ("map(x => x + 1, $input)", "map($input, x => x + 1)"),
        ("sum($input, i => i.price)", "sumBy($input, i => i.price)"),
        ("groupBy($input, i => i.k) |> map(g => g.key)", "mapGroups($input, i => i.k, g => g.key)"),
    ],
)
def test_a_repair_keeps_the_meaning(written: str, meant: str) -> None:
    assert validate(written)["repair"]["transformation"] == meant


def test_a_place_that_nobody_understands_leaves_the_other_repairs() -> None:
    repair = validate('{ a: frobnicate($input), b: upperr("x") }')["repair"]
    assert repair["transformation"] == '{ a: frobnicate($input), b: upper("x") }'
    assert repair["complete"] is False
