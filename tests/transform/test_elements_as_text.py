"""XML elements where a text or an array is wanted: a leaf is its text, one element an array of one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rolltop.transform import Document, compile_program
from rolltop.transform.check import check
from rolltop.transform.errors import TypeFailure

ORDER = (
    '<r><name lang="en">bob smith</name><tag id="1">b</tag><tag id="2">a</tag><price cur="EUR">12.5</price>'
    '<ok by="x">yes</ok><row k="7"><a>1</a></row></r>'
)


def outcome(text: str, data: str = ORDER, source: str = "xml") -> Any:
    """The result, which must be the same on the evaluator, on generated code and from bytes to bytes."""
    program = compile_program(text, inputs={"input": source}, output_format="json")
    found = [json.loads(program.run({"input": Document(data)}).text) for _ in range(12)]
    found.append(json.loads(program.apply(data.encode())))
    assert found == found[:1] * 13
    return found[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("upper($input.r.name)", "BOB SMITH"),
        ("trim($input.r.name)", "bob smith"),
        ('split($input.r.name, " ")', ["bob", "smith"]),
        ('replace($input.r.name, "[aeiou]", "")', "bb smth"),
        ('replace("abc", $input.r.tag[0], "-")', "a-c"),
        ('matches($input.r.name, "[a-z ]+")', True),
        ('startsWith($input.r.name, "bob")', True),
        ('pad($input.r.name, 11, "*")', "**bob smith"),
        ('concat($input.r.name, "!")', "bob smith!"),
        ('concat("!", $input.r.name)', "!bob smith"),
        ('"Dear " + $input.r.name', "Dear bob smith"),
        ("toString($input.r.name)", "bob smith"),
        ('stringOrDefault($input.r.name, "-")', "bob smith"),
        ('joinBy($input.r.tag, ",")', "b,a"),
        ("joinToString($input.r.tag)", "b,a"),
        ("groupBy($input.r.tag, t => t) |> keys", ["b", "a"]),
        ('lookupBy("a", $input.r.tag, t => t).@id', "2"),
        ("sortBy($input.r.tag, t => t) |> map(t => t.@id)", ["2", "1"]),
        ("map($input.r.tag, t => upper(t))", ["B", "A"]),
        ("toNumber($input.r.price)", 12.5),
        ("parseNumber($input.r.price)", 12.5),
        ("toBoolean($input.r.ok)", True),
        ("{ r: { @of: $input.r.name, x: 1 } }", {"r": {"@of": "bob smith", "x": 1}}),
        ('upper({ _text: "bob" })', "BOB"),
        # What has a meaning of its own for objects keeps it.
        ("keys($input.r.name)", ["_text"]),
        ("getType($input.r.name)", "object"),
        ("$input.r.name._text", "bob smith"),
    ],
)
def test_a_leaf_with_attributes_is_its_text_where_a_text_is_wanted(text: str, expected: Any) -> None:
    assert outcome(text) == expected


@pytest.mark.parametrize("value", ["$input.r.row", "$input.r", '{ _text: { _text: "a" } }', "{ _text: [1] }"])
def test_an_element_with_more_than_text_is_no_text(value: str) -> None:
    with pytest.raises(TypeFailure, match="requires a string for 's', got an object"):
        outcome(f"upper({value})")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("count($input.r.row)", 1),
        ("map($input.r.row, x => x.a)", [1]),
        ("first($input.r.row).@k", "7"),
        ("flatMap($input.r.row, x => [x.a, x.a])", [1, 1]),
        ("groupBy($input.r.row, x => x.@k) |> mapValues(g => count(g))", {"7": 1}),
        ("sumBy($input.r.row, x => x.a)", 1),
    ],
)
def test_one_element_is_an_array_of_one(text: str, expected: Any) -> None:
    assert outcome(text) == expected


@pytest.mark.parametrize("source", ["json", "yaml"])
@pytest.mark.parametrize(
    "text",
    [
        "count($input)", "size($input)", "first($input)", "last($input)", "reverse($input)", "all($input)",
        "map($input, x => x.a)", "flatMap($input, x => [x])", "groupBy($input, x => x.a) |> mapValues(g => count(g))",
        "sumBy($input, x => x.a)", "sortBy($input, x => x.a)", "take($input, 1)", "reduce($input, (s, x) => x, 0)",
    ],
)  # fmt: skip
def test_an_object_of_other_formats_is_no_array(text: str, source: str) -> None:
    with pytest.raises(TypeFailure, match="requires an array for 'array', got an object"):
        outcome(text, '{"a": 1, "b": 2}', source)
    program = compile_program(text, inputs={"input": source}, output_format="json")
    for _ in range(12):
        with pytest.raises(TypeFailure, match="requires an array"):
            program.run({"input": Document('{"a": 1, "b": 2}')})


def test_the_one_message_of_a_proto_file_is_an_array_of_one() -> None:
    text = 'syntax = "proto3"; message A { int32 x = 1; }'
    assert outcome("map($input.message, m => m.name)", text, "proto") == ["A"]
    assert outcome("$input.message.name", text, "proto") == "A"
    assert outcome("map($input.message, m => m.name)", text + " message B { }", "proto") == ["A", "B"]


def test_the_checker_knows_that_an_object_made_here_is_no_array() -> None:
    assert [found.code for found in check("count({ a: 1 })")] == ["E505"]
    assert check("let x = { a: 1 }\ncount([x])") == []
