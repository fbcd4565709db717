"""Checking without running: right findings, and none where there is nothing wrong."""

from __future__ import annotations

from typing import Any

import pytest

from rolltop.errors import InvalidInput
from rolltop.transform.check import check, check_parsed
from rolltop.transform.check.schema_sources import type_of_source, types_for
from rolltop.transform.check.schema_types import type_of_schema
from rolltop.transform.service.infer import infer
from rolltop.transform.service.validate import validate
from rolltop.transform.structure import describe_source
from rolltop.transform.syntax.parser import parse

ORDER = type_of_schema(
    {
        "type": "object",
        "required": ["id", "items"],
        "properties": {
            "id": {"type": "integer"},
            "customer": {"type": "object", "properties": {"name": {"type": "string"}}},
            "items": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["sku"],
                    "properties": {"sku": {"type": "string"}, "price": {"type": "number"}},
                    "additionalProperties": False,
                },
            },
        },
    }
)


def codes(text: str, **options: object) -> list[str]:
    return [found.code for found in check(text, **options)]  # type: ignore[arg-type]


CLEAN = [
    "{ a: $input.x.y + 1, b: map($input.rows, r => r.name ?? 'none') }",
    "let xs = $input.items |> filter(i => i.ok)\n{ n: count(xs), first: xs[0]?.name }",
    "function Tax(x) { x * 0.2 }\n{ t: Tax($input.total) }",
    "match ($input.kind) { 'a' => 1, k if k == null => 2, _ => 3 }",
    "try { $input.a / $input.b } catch (e) { { error: e } }",
    "reduce([1, 2], (a, b) => a + b, 0)",
    "groupBy($input, x => x.kind) |> mapValues(g => count(g))",
    "function Fact(n) { if (n <= 1) 1 else n * Fact(n - 1) }\nFact(5)",
    'let price = "12"\nprice * 2',
    "{ ...$input, total: 1, [upper('x')]: 2 }.anything",
    "filter({ a: 1 }, (k, v) => k != 'b' && v > 0)",
    "filter($input, (k, v) => [k, v])",
    "map($input, (x, _i) => x)",
    "let map = (_xs, f) => f(1, 2)\nmap([], (x, i) => x + i)",
]


SPARE = [
    ("map($input, (x, i) => { i: i })", 17, "zipWithIndex"),
    ("map($input, (x, i) => x)", 17, "zipWithIndex"),
    ("$input |> map((x, i) => [x, i])", 19, "zipWithIndex"),
    ("try { map($input, (x, i) => i ?? x) } catch { 0 }", 23, "zipWithIndex"),
    ("reduce($input, (a, x, i) => [a, x, i], 0)", 23, "'i' is always null"),
    ("sortBy($input, (a, b) => [a, b])", 20, "x => x.price"),
    ("mapValues($input, (v, k) => [v, k])", 23, "mapEntries"),
    ("filter([1], (x, i) => x && i == 0)", 17, "zipWithIndex"),
    ("let f = (x, i) => [x, i]\nmap($input, f)", 13, "Its parameter 2 is always null"),
    ("function F(x, i) { [x, i] }\nmap($input, F)", 13, "Its parameter 2 is always null"),
]


@pytest.mark.parametrize(("text", "column", "hint"), SPARE)
def test_parameters_that_a_function_never_fills(text: str, column: int, hint: str) -> None:
    for lint in (False, True):
        [found] = [found for found in check(text, lint=lint) if found.code == "W703"]
        assert (found.column, found.severity) == (column, "warning")
        assert hint in str(found.hint)


@pytest.mark.parametrize("text", CLEAN)
def test_a_correct_program_has_no_findings(text: str) -> None:
    assert check(text, lint=True) == []


WRONG = [
    ("uper('a')", "E402"),
    ("foo + 1", "E401"),
    ("upper()", "E403"),
    ("(x => x)(1, 2)", "E403"),
    ("let a = 5\na(1)", "E404"),
    ("[1].name", "E503"),
    ("1 * null", "E502"),
    ("'abc' * 2", "E502"),
    ("true + 1", "E502"),
    ("[1]['a']", "E504"),
    ("map(5, x => x)", "E505"),
    ("let n: Number = 'x'\nn", "E501"),
    ("function F(x): String { 5 }\nF(1)", "E501"),
    ("let o = { name: 1 }\no.nme", "W501"),
    ("map([{ a: 1 }], r => r.b + 1)", "W501"),
]


@pytest.mark.parametrize(("text", "code"), WRONG)
def test_a_wrong_program_is_found_out(text: str, code: str) -> None:
    assert code in codes(text)


def test_a_near_name_is_suggested() -> None:
    assert check("uper('a')")[0].hint == "Did you mean `upper`?"
    assert check("let total = 1\ntotl")[0].hint == "Did you mean `total`?"


def test_an_optional_field_used_as_a_number_is_warned_about() -> None:
    program = (
        "%utlx 1.0\ninput json\noutput json\n---\n{\n  name: $input.customer.name,\n"
        "  total: sum($input.items |> map(i => i.price))\n}"
    )
    found = check(program, inputs={"input": ORDER})
    assert [(f.line, f.column, f.message, f.hint, f.severity) for f in found] == [
        (
            7,
            40,
            "Consider adding null check for optional field 'price'",
            "Use i.price ?? 0 to provide default value",
            "warning",
        )
    ]


def test_a_default_or_a_test_settles_it() -> None:
    assert codes("sum($input.items |> map(i => i.price ?? 0))", inputs={"input": ORDER}) == []
    assert (
        codes("map($input.items, i => { let p = i.price; if (p != null) p * 2 else 0 })", inputs={"input": ORDER}) == []
    )


def test_a_field_that_the_schema_does_not_have_is_found() -> None:
    found = check("map($input.items, i => i.prize)", inputs={"input": ORDER})
    assert [(f.code, f.hint) for f in found] == [("W501", "Did you mean `price`?")]


TYPES = [
    ("1 + 2", "Integer"),
    ("1 / 2", "Number"),
    ("'a' + 1", "String"),
    ("[1, 'a']", "Array<Integer | String>"),
    ("{ a: 1, b: $input.id }", "{ a: Integer, b: Integer }"),
    ("if ($input.id > 1) 'a' else 2", "String | Integer"),
    ("let x = 'a' in { x: x }", "{ x: String }"),
    ("$input.items |> map(i => i.sku)", "Array<String>"),
    ("map($input.items, i => { s: i.sku, p: i.price ?? 0 })", "Array<{ s: String, p: Number }>"),
    ("match ($input.id) { 1 => 'a', _ => null }", "String?"),
    ("try { $input.id / 0 } catch (e) { e }", "Number | String"),
    ("function Twice(x) { x * 2 }\nTwice($input.id)", "Integer"),
    ("{ @id: 5, ...{ b: true } }", "{ @id: String, b: Boolean }"),
    ("$input.customer?.name ?? 'x'", "String"),
    ("upper($input.customer.name)", "String"),
    ("first($input.items).sku", "String"),
]


@pytest.mark.parametrize(("text", "expected"), TYPES)
def test_type_of_the_result(text: str, expected: str) -> None:
    assert str(check_parsed(parse(text), inputs={"input": ORDER}).result) == expected


STYLE = [
    ("let a = 1\n2", "W601"),
    ("reduce([1], (x, i) => x, 0)", "W601"),
    ("let Total = 1\nTotal", "W602"),
    ("let my_total = 1\nmy_total", "W602"),
    ("{a: {a: {a: {a: {a: {a: 1}}}}}}", "W603"),
    ("(if (1 == 1) " * 6 + "1" + " else 0)" * 6, "W603"),
]


@pytest.mark.parametrize(("text", "code"), STYLE)
def test_style(text: str, code: str) -> None:
    assert codes(text, lint=True) == [code]
    assert codes(text) == []


def test_a_chain_of_conditions_is_not_nested() -> None:
    chain = " else ".join(f"if ($input.x == {number}) {number}" for number in range(9))
    assert codes(f"{chain} else {{ a: [[$input.y]] }}", lint=True) == []


def test_a_name_used_only_in_a_branch_is_used() -> None:
    for use in (
        "x |> (v => v)",
        "true ? x : 0",
        "{}?.[x]",
        "match (1) { 1 => x }",
        "try { x } catch { 0 }",
        "!x",
        "-x",
    ):
        assert codes(f"let x = 1;\n{use}", lint=True) == []


XSD = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="order"><xs:complexType><xs:sequence>
<xs:element name="item" maxOccurs="unbounded"><xs:complexType><xs:sequence><xs:element name="price" type="xs:decimal"/>
<xs:element name="note" type="xs:string" minOccurs="0"/></xs:sequence><xs:attribute name="id" type="xs:int"/>
</xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element></xs:schema>"""
AVRO = '{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}'
PROTO = 'syntax = "proto3"; message R { int32 a = 1; }'
TABLE = '{"fields": [{"name": "a", "type": "integer"}]}'
YAML = "type: object\nproperties:\n  a: {type: integer}\nadditionalProperties: false\n"


@pytest.mark.parametrize(
    ("format_", "schema", "good", "bad"),
    [
        ("xsd", XSD, "$input.order.item |> map(i => i.price * 2)", "$input.order.item |> map(i => i.prize)"),
        ("avro", AVRO, "$input.a", "$input.b"),
        ("proto", PROTO, "$input.a", "$input.b"),
        ("protobuf", PROTO, "$input.a", "$input.b"),
        ("tsch", TABLE, "map($input, r => r.a)", "map($input, r => r.b)"),
        ("jsch", YAML, "$input.a", "$input.b"),
    ],
)
def test_schemas_of_any_format_say_which_fields_there_are(format_: str, schema: str, good: str, bad: str) -> None:
    types = {"input": type_of_source(schema, format_)}
    assert check(good, inputs=types) == []
    assert [found.code for found in check(bad, inputs=types)] == ["W501"]


def test_a_schema_of_the_wrong_kind_is_refused() -> None:
    with pytest.raises(InvalidInput, match="csv"):
        type_of_source("a,b", "csv")


def test_the_schema_of_a_single_input_is_meant_whatever_its_name() -> None:
    assert types_for(["orders"], {"input": ORDER}) == {"orders": ORDER}
    with pytest.raises(InvalidInput, match="declares no input"):
        types_for(["a", "b"], {"c": ORDER})


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("x => x", "E506"),
        ("{ f: upper }", "E506"),
        ("{ a: { b: x => x } }", "E506"),
        ("if ($input.a) upper else lower", "E506"),
        ("function F(x) { x }\nF", "E506"),
        ("$input.a / 0", "E502"),
        ("$input.a % 0", "E502"),
        ("[1, 2]?.[-1]", "E504"),
        ("map($input.a, x => x)?.[-2]", "E504"),
    ],
)
def test_what_always_fails_is_an_error(program: str, code: str) -> None:
    assert [(found.code, found.severity) for found in check(program, formats={"input": "json"})] == [(code, "error")]


@pytest.mark.parametrize(
    "program",
    [
        "try { $input.a / 0 } catch (e) { 0 }",
        "if ($input.a) upper else 1",
        "map($input.a, upper)",
        "function F(x) { x }",
        "let f = x => x\nf(1)",
        "[x => x][0](1)",
        "$input.a / 0.5",
        "$input.a[0]",
    ],
)
def test_what_may_work_is_no_error(program: str) -> None:
    assert not [found for found in check(program, formats={"input": "json"}) if found.severity == "error"]


def test_a_negative_index_of_what_may_be_an_array_is_a_warning() -> None:
    assert [found.code for found in check("$input?.[-1]", formats={"input": "json"})] == ["W504"]


XML_ORDER = {
    "type": "object",
    "required": ["o"],
    "properties": {
        "o": {
            "type": "object",
            "attributes": {"v": {"type": "number"}},
            "required": ["paid", "tag", "nil"],
            "properties": {
                "paid": {"type": "boolean"},
                "tag": {"type": "array", "items": {"type": "string"}, "cardinality": "1..*"},
                "nil": {"type": "integer", "nullable": True},
            },
        }
    },
}


def as_xml(body: str, options: str = "") -> str:
    return f"%utlx 1.0\ninput xml {options}\noutput json\n---\n{body}"


@pytest.mark.parametrize(
    ("body", "schema"),
    [
        ("$input.o.@v", {"type": ["string", "null"]}),
        ("$input.o.paid", {"type": ["string", "integer"]}),
        ("$input.o.nil", {}),
    ],
)
def test_a_schema_of_xml_is_read_as_its_reader_reads_documents(body: str, schema: dict[str, Any]) -> None:
    assert infer(as_xml(body), XML_ORDER)["outputSchema"] == schema
    assert infer(as_xml(body).replace("xml", "json", 1), XML_ORDER)["outputSchema"] != schema


def test_what_xml_makes_a_trap_is_a_warning() -> None:
    assert [each["code"] for each in validate(as_xml("$input.o.paid == true"), XML_ORDER)["warnings"]] == ["W506"]
    assert not validate(as_xml("map($input.o.tag, t => upper(t))"), XML_ORDER)["warnings"]
    assert not validate(as_xml('$input.o.paid == "true"'), XML_ORDER)["warnings"]


TREE = {
    "$ref": "#/$defs/Node",
    "$defs": {
        "Node": {
            "type": "object",
            "required": ["left", "right", "v"],
            "properties": {
                "left": {"$ref": "#/$defs/Node"},
                "right": {"$ref": "#/$defs/Node"},
                "v": {"type": "integer"},
            },
            "additionalProperties": False,
        }
    },
}


@pytest.mark.parametrize("text", ["$input.left.right.left.w", "map([$input], n => n.right.right.w)"])
def test_a_definition_that_holds_itself_is_known_at_every_depth(text: str) -> None:
    types = {"input": type_of_schema(TREE)}
    assert [found.code for found in check(text, inputs=types)] == ["W501"]
    assert check(text.replace(".w", ".v"), inputs=types) == []


@pytest.mark.parametrize(
    "text",
    ["treeMap($input, x => x)", "treeFlatten($input)", "deepMerge($input, $input.left)", "flattenDeep([$input])"],
)
def test_rules_that_go_down_into_values_end_on_a_definition_that_holds_itself(text: str) -> None:
    assert [found for found in check(text, inputs={"input": type_of_schema(TREE)}) if found.severity == "error"] == []


ANIMAL = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
TAGGED = {"properties": {"tag": {"type": "string"}}, "additionalProperties": False}
TOGETHER: list[dict[str, Any]] = [
    {"allOf": [ANIMAL, TAGGED]},
    {"allOf": [{"$ref": "#/$defs/Animal"}], "$defs": {"Animal": ANIMAL}, **TAGGED},
    {"$ref": "#/$defs/Animal", "$defs": {"Animal": ANIMAL}, **TAGGED},
    {**ANIMAL, "anyOf": [TAGGED, {"properties": {"tag": {"type": "string"}}, "additionalProperties": False}]},
]


@pytest.mark.parametrize("schema", TOGETHER)
def test_schemas_that_all_hold_are_put_together(schema: dict[str, Any]) -> None:
    types = {"input": type_of_schema(schema)}
    assert check("upper($input.name)", inputs=types) == []
    assert [found.code for found in check("$input.name / 2 - [$input.tag]", inputs=types)] == ["E502"]
    parsed = parse("[$input.name, $input.tag]")
    assert str(check_parsed(parsed, inputs=types).result) == "Array<String?>"


def test_of_what_is_said_twice_both_hold() -> None:
    schema = {
        "allOf": [
            {"type": ["object", "null"], "properties": {"n": {"type": "number"}}},
            {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
        ]
    }
    assert str(type_of_schema(schema)) == "{ n: Integer, ... }"
    assert str(type_of_schema({"allOf": [{"type": "string"}, {"type": "object"}]})) == "Never"


def test_schemas_that_refer_to_themselves_in_every_way_have_an_end() -> None:
    several = {f"D{n}": {"properties": {f"p{m}": {"$ref": f"#/$defs/D{m}"} for m in range(9)}} for n in range(9)}
    schemas: list[dict[str, Any]] = [
        {"$ref": "#"},
        {"type": "array", "items": {"$ref": "#"}},
        {"anyOf": [{"$ref": "#"}, {"$ref": "#"}], "properties": {"a": {"$ref": "#"}}},
        {"allOf": [{"$ref": "#"}], "properties": {"a": {"allOf": [{"$ref": "#"}]}, "b": {"allOf": [{"$ref": "#"}]}}},
        {"$ref": "#/$defs/D0", "$defs": several},
    ]
    for schema in schemas:
        assert (
            check("treeFlatten($input.a.b) + count($input.p1.p2.p3)", inputs={"input": type_of_schema(schema)})
            is not None
        )


WRONG_SCHEMAS: list[tuple[dict[str, Any], str]] = [
    ({"type": "foo"}, "at #/type"),
    ({"properties": {"a": {"type": ["string", 1]}}}, "at #/properties/a/type"),
    ({"type": "record", "fields": []}, "at #/type"),
    ({"$ref": "#/x"}, "nothing is at #/x"),
    ({"$ref": 1}, "at #/\\$ref"),
    ({"type": "object", "properties": []}, "at #/properties"),
    ({"items": 3}, "at #/items"),
    ({"anyOf": {}}, "at #/anyOf"),
    ({"required": True}, "at #/required"),
    ({"required": [1]}, "at #/required"),
    ({"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"enum": "b"}}}, "at #/\\$defs/a/enum"),
]


@pytest.mark.parametrize(("schema", "place"), WRONG_SCHEMAS)
def test_what_is_no_schema_is_refused_with_its_place(schema: dict[str, Any], place: str) -> None:
    with pytest.raises(InvalidInput, match=place):
        type_of_schema(schema)


def test_references_to_other_documents_are_told_of() -> None:
    unfollowed: list[str] = []
    schema = {"properties": {"a": {"$ref": "other.json#/x"}, "b": {"$ref": "other.json#/x"}}}
    assert str(type_of_schema(schema, unfollowed=unfollowed)) == "{ a?: Any, b?: Any, ... }"
    assert unfollowed == ["other.json#/x"]


# ---- mistakes that are seen before a run --------------------------------------------------------


def structure_of(text: str, format_: str = "json") -> dict[str, Any]:
    return dict(describe_source(text, format_)["structure"])


SAMPLE = '{"customer": {"name": "a"}, "items": [{"price": 1}], "tags": ["a", "b"]}'
XML = '<Order id="1"><Item n="2">x</Item><Item n="3">y</Item></Order>'


@pytest.mark.parametrize(
    ("program", "format_", "hint"),
    [
        ("$input.custmer.name", "json", "customer"),
        ("$input.items |> map(i => i.prise)", "json", "price"),
        ("$input.items[0].prise", "json", "price"),
        ('$input["custmer"]', "json", "customer"),
        ('$input.custmer ?? "none"', "json", "customer"),
        ("$input.Order.@idd", "xml", "@id"),
        ("$input.Order.id", "xml", ".@id"),
        ("$input.Item", "xml", ".Order.Item"),
    ],
)
def test_a_misspelled_field_is_a_warning(program: str, format_: str, hint: str) -> None:
    warned = validate(program, structure_of(XML if format_ == "xml" else SAMPLE, format_))["warnings"]
    assert [each["code"] for each in warned] == ["W507"]
    assert hint in warned[0]["suggestion"]


@pytest.mark.parametrize(
    "program", ["map($input.tags, t => upper(t))", "$input.customer.name", "$input.items[0].price"]
)
def test_fields_that_are_there_are_no_warning(program: str) -> None:
    assert validate(program, structure_of(SAMPLE))["warnings"] == []


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("if (true) 1 else [1] |> count()", "W706"),
        ("$input//Item", "W707"),
        ('replace($input.s, ".", "")', "W708"),
        ('"Hi ${name}"', "W709"),
        ("groupBy($input, x => x.k).key", "W509"),
        ("sum([{ a: 1 }])", "W508"),
    ],
)
def test_what_is_hardly_meant_is_remarked_on(program: str, code: str) -> None:
    assert code in [each["code"] for each in validate(program)["warnings"]]


@pytest.mark.parametrize(
    "program",
    ["(if (true) 1 else 2) |> toString()", "if (true) [1] |> count() else 0", 'replaceRegex("a", "(?<n>a)", "${n}")'],
)
def test_what_is_meant_is_not(program: str) -> None:
    assert validate(program)["warnings"] == []
