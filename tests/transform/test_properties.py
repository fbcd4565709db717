"""Properties: formatting is stable, formats give back what they got, nothing but our errors comes out."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from strategies import documents, json_values, programs, texts

from rolltop.errors import RolltopError
from rolltop.transform import compile_program, formats
from rolltop.transform.check import check_parsed
from rolltop.transform.syntax.formatter import format_program
from rolltop.transform.syntax.parser import parse
from rolltop.transform.syntax.tree import Expr, parts
from rolltop.transform.values import Node, equal

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=3000, deadline=None, suppress_health_check=list(HealthCheck))


def shape(node: Any) -> Any:
    """A tree without its places and spellings."""
    if isinstance(node, Expr):
        kept = [shape(value) for name, value in parts(node) if name not in ("at", "sigil", "style")]
        return type(node).__name__, kept
    return [shape(item) for item in node] if isinstance(node, list) else repr(node)


def check_formatting(text: str) -> None:
    parsed = parse(text)
    assert not parsed.problems
    formatted = format_program(text)
    assert shape(parse(formatted).program.body) == shape(parsed.program.body)
    assert format_program(formatted) == formatted


@QUICK
@given(programs)
@example("let a = 1;\n-a")
@example("{ let x = 1; -x }")
@example("(if (a) (if (b) 1) else 2)")
@example("(x => x)(1).y[2]?.z")
@example("(-2) ** 2 - -3")
@example("match (1) {\n -1 => 2\n n if n => 3\n}")
@example("(a |> b) |> c(d) ?? (e if f else g)")
@example('{ "a b": 1, \'@x\': 2, "%y": 3, %z: 4, if: 5 }')
@example(f"('{'a' * 60}' if $input.price > 100000 else ('{'b' * 60}' if $input.price > 1000 else 'c'))")
def test_formatting_keeps_the_tree_and_is_stable(text: str) -> None:
    check_formatting(text)


def test_formatting_keeps_comments() -> None:
    text = "// head\nlet a = 1 // one\n{\n  // first\n  x: a, // ex\n  y: [1, /* two */ 2]\n  // last\n}\n// end\n"
    formatted = format_program(text)
    for comment in ("// head", "// one", "// first", "// ex", "/* two */", "// last", "// end"):
        assert comment in formatted
    assert format_program(formatted) == formatted


@QUICK
@given(json_values)
def test_json_gives_back_what_it_got(value: Any) -> None:
    assert equal(formats.read("json", formats.write("json", value).text), value)


@QUICK
@given(json_values)
def test_yaml_gives_back_what_it_got(value: Any) -> None:
    assert equal(formats.read("yaml", formats.write("yaml", value).text), value)


@QUICK
@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**63), 2**63 - 1) | st.text("019.eE+-_:x"))
def test_numbers_and_what_looks_like_them_are_the_same_in_json_and_yaml(value: Any) -> None:
    assert equal(formats.read("yaml", json.dumps([value])), [value])
    assert equal(formats.read("yaml", formats.write("yaml", value).text), value)


element_names = st.sampled_from(["a", "b-c", "x:y", "é", "D_1"])
trimmed = texts.map(lambda text: f"x{text}".strip())  # what spells a number is read as one
elements = st.recursive(
    trimmed,
    lambda inner: st.builds(
        lambda children, attributes: Node(
            {name: items if len(items) > 1 else items[0] for name, items in children.items()}, attributes, "read"
        ),
        st.dictionaries(element_names, st.lists(inner, min_size=1, max_size=3), max_size=3),
        st.dictionaries(element_names, texts, max_size=2),
    ),
    max_leaves=8,
)


@QUICK
@given(elements)
def test_xml_gives_back_what_it_got(value: Any) -> None:
    read = formats.read("xml", formats.write("xml", {"root": value}).text)["root"]
    assert comparable(read) == comparable(value)


def comparable(value: Any) -> Any:
    """Elements without names and metadata; the text of leaves as text."""
    if isinstance(value, dict):
        attributes = getattr(value, "attributes", {})
        if set(value) == {"_text"} and not attributes:
            return comparable(value["_text"])
        return ("element", attributes, {key: comparable(item) for key, item in value.items()})
    if isinstance(value, list):
        return [comparable(item) for item in value]
    return str(value) if not isinstance(value, float) else str(int(value) if value.is_integer() else value)


cells = st.one_of(st.booleans(), st.integers(-(10**9), 10**9), texts.map(lambda text: f"x{text}".strip()))
rows = st.lists(st.fixed_dictionaries({"a": cells, "b": cells, "c d": cells}), min_size=1, max_size=5)


@QUICK
@given(rows, st.sampled_from([",", ";", "\t", "|"]))
def test_csv_gives_back_what_it_got(table: list[dict[str, Any]], delimiter: str) -> None:
    options = {"delimiter": delimiter}
    read = formats.read("csv", formats.write("csv", table, options).text, options)
    assert equal(read, table)


def check_program(text: str, document: Any) -> None:
    """Parsing, checking and running end in a value or in one of our errors."""
    parsed = parse(text)
    checked = check_parsed(parsed, lint=True)
    try:
        value = compile_program(text).evaluate({"input": document})
        formats.write("json", value)
    except RolltopError:
        return
    assert not [found for found in checked.errors if found.code in ("E401", "E402")]


@QUICK
@given(programs, documents)
def test_programs_end_in_a_value_or_our_error(text: str, document: Any) -> None:
    check_program(text, document)


@pytest.mark.soak
@LONG
@given(programs, documents)
def test_many_programs(text: str, document: Any) -> None:
    check_formatting(text)
    check_program(text, document)


SEEDS = {
    "program": "%utlx 1.0\ninput: a json { x: [1] }, b-c xml\noutput json\n---\nlet x: Array<Number>? = [1, ...y]\n"
    'function F(p: String): Any { try { p.q?.r[0] } catch (e) { match (e) { 1 if z => -2 ** 3, _ => "s\\n" } } }\n'
    "{ ...x, @a: 1 |> f(2), [k]: a ?? b ? c : d, %t: if (x) y else z } // end",
    "json": '{"a": [1, -2.5e3, "x\\u00e9\\n", null, true], "b": {}}',
    "xml": '<?xml version="1.0"?><a x="1"><b>t &amp; <![CDATA[<]]></b><!-- c --><n:c xmlns:n="u"/>m</a>',
    "csv": 'a,b\n1,"x ""y"""\ntrue,n/a\n',
    "yaml": "a: &x [1, 2.5, ~, yes]\nb: {c: *x, d: |\n  t\n}\n<<: {e: 2024-05-01}\n",
    "odata": '{"@odata.context": "c", "value": [{"P@odata.t": 1, "P": {}}]}',
    "xsd": '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:complexType name="T"><xs:sequence>'
    '<xs:element name="e" type="xs:int" minOccurs="0"/></xs:sequence></xs:complexType></xs:schema>',
    "jsch": '{"$defs": {"A": {"type": "object", "properties": {"x": {"type": ["string", "null"]}}}}, "enum": [1]}',
    "avro": '{"type": "record", "name": "R", "fields": '
    '[{"name": "f", "type": ["null", {"type": "map", "values": "int"}]}]}',
    "proto": 'syntax = "proto3"; package p; message M { reserved 2, 4 to 6; map<string, int32> m = 1; '
    "oneof o { int64 x = 3; } }",
    "osch": '<edmx:Edmx Version="4.0" xmlns:edmx="x"><edmx:DataServices><Schema Namespace="N"><EntityType Name="E"/>'
    "</Schema></edmx:DataServices></edmx:Edmx>",
    "tsch": '{"fields": [{"name": "a", "type": "year"}], "primaryKey": "a"}',
}


def mutated(seed: str, chance: random.Random) -> str:
    """A text that was hit a few times: cut, doubled, swapped, sprinkled."""
    text = seed
    for _ in range(chance.randint(1, 6)):
        at, size = chance.randrange(len(text) + 1), chance.randint(0, 8)
        piece = chance.choice(
            ["", text[at : at + size] * 2, chance.choice("{}[]()<>\"'&,:;%@$^*-=\\\n\t\0é\ud800 "), "9" * 30]
        )
        text = text[:at] + piece + text[at + size :]
    return text


def fuzz(rounds: int) -> None:
    for kind, seed in SEEDS.items():
        chance = random.Random(kind)
        for _ in range(rounds):
            text = mutated(seed, chance)
            try:
                if kind == "program":
                    check_program(text, {"a": 1})
                else:
                    value = formats.read(kind, text)
                    formats.write("json", value)
                    formats.write(kind, value)
            except RolltopError:
                continue


def test_bounded_fuzz_finds_only_our_errors() -> None:
    fuzz(60)


@pytest.mark.soak
def test_long_fuzz() -> None:
    fuzz(20_000)
