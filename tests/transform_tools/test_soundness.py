"""What comes out of a program fits the schema that was inferred for it."""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rolltop.errors import RolltopError
from rolltop.transform import formats
from rolltop.transform.examples import Example, load_corpus
from rolltop.transform.service.execute import execute
from rolltop.transform.service.infer import infer
from rolltop.transform.stdlib.declare import Function
from rolltop.transform.stdlib.registry import functions
from rolltop.transform.structure import describe_source
from rolltop.transform.types import FunctionType, UnionType

DATA_FORMATS = ("xml", "json", "csv", "yaml")
TO_JSON = [
    example
    for example in load_corpus()
    if example.output_format == "json" and example.input_format in DATA_FORMATS and len(example.documents()) == 1
]


@pytest.mark.parametrize("example", TO_JSON, ids=lambda example: example.name)
def test_examples(example: Example) -> None:
    structure = describe_source(example.input, example.input_format, "instance")
    inferred = infer(example.transformation, structure)
    jsonschema.validate(json.loads(example.output), inferred["outputSchema"])


item = st.fixed_dictionaries(
    {"price": st.integers(-9, 9) | st.floats(-9, 9), "name": st.text("abc", max_size=3)},
    optional={"qty": st.integers(0, 9) | st.none(), "tags": st.lists(st.sampled_from(["x", "y"]), max_size=2)},
)
documents = st.lists(item, min_size=1, max_size=4)
leaf = st.sampled_from(["i.price", "i.qty", "i.name", "i.tags", "1", '"t"', "null", "i.missing"])
expression = st.recursive(
    leaf,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: f"({p[0]} ?? {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]} + {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]} == {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"(if (i.price > 0) {p[0]} else {p[1]})"),
        inner.map(lambda e: f"{{ a: {e}, ...i }}"),
        inner.map(lambda e: f"[{e}]"),
        inner.map(lambda e: f"toString({e})"),
        inner.map(lambda e: f"map([1, 2], n => {e})"),
        inner.map(lambda e: f"(try {{ {e} }} catch (why) {{ why }})"),
        inner.map(lambda e: f"(if (i.qty != null) {e})"),
        inner.map(lambda e: f"toArray({e})"),
        inner.map(lambda e: f"(let k = {e} in [k, k])"),
        inner.map(lambda e: f"Twice({e})"),
        inner.map(lambda e: f"entries({{ a: {e}, b: 1 }})"),
        inner.map(lambda e: f"reduce([1, 2], (acc, n) => [acc, {e}], null)"),
        inner.map(lambda e: f"first(distinct([{e}, {e}]))"),
        inner.map(lambda e: f"zip([1], [{e}])"),
        inner.map(lambda e: f"deepMerge(i, {{ price: {e} }})"),
        inner.map(lambda e: f'omit({{ a: {e}, b: 2 }}, ["b"])'),
        inner.map(lambda e: f"{{ [i.name]: {e}, a: 1 }}"),
        st.tuples(inner, inner).map(lambda p: f"(match (i.price) {{ 1 => {p[0]}, n if n > 2 => {p[1]}, _ => n1(i) }})"),
        st.tuples(inner, inner).map(lambda p: f"[{p[0]}, ...toArray({p[1]})]"),
        st.tuples(inner, inner).map(lambda p: f"mapValues({{ a: {p[0]}, b: {p[1]} }}, v => v)"),
    ),
    max_leaves=5,
)
shape = st.sampled_from(
    [
        "$input |> map(i => {e})",
        "groupBy($input, i => i.name) |> mapValues(g => g |> map(i => {e}))",
        "{{ first: find($input, i => ({e}) == 1), all: filter($input, i => ({e}) != null) }}",
        "sortBy($input, i => i.price) |> map(i => {{ value: {e} }})",
        "reduce($input, (acc, i) => acc + i.price, 0)",
        "reduce($input, (acc, i) => {{ last: acc, now: {e} }}, null)",
        "$input |> flatMap(i => [{e}]) |> take(2)",
        "partition($input, i => ({e}) == null) |> mapValues(g => count(g))",
        "$input |> filter(i => i.tags != null) |> map(i => i.tags |> map(t => {e}))",
        'unnest($input |> map(i => {{ value: {e}, tags: i.tags ?? [] }}), "tags")',
        "fromEntries($input |> map(i => [i.name, {e}]))",
        "windowed($input |> map(i => {e}), 2)",
        "{{ let all = $input |> map(i => {e}), first: all[0], rest: drop(all, 1), last: last(all) }}",
    ]
)
PREFIX = "function Twice(x) { [x, x] }\nlet n1 = x => { one: x.price }\n"


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(documents, shape, expression)
def test_generated_programs(items: list[Any], outer: str, inner: str) -> None:
    fits(PREFIX + outer.format(e=inner), json.dumps(items))


def fits(program: str, text: str, format_: str = "json") -> bool:
    """Whether the program ran; what it gave has to fit the inferred schema."""
    try:
        inferred = infer(program, describe_source(text, format_, "instance"))
        output = execute(program, text, format_, "json")["output"]
    except RolltopError:
        return False  # a program that fails has no output to compare
    jsonschema.validate(json.loads(output), inferred["outputSchema"])
    return True


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=50)
@given(documents, expression)
def test_generated_programs_on_xml(items: list[Any], inner: str) -> None:
    rows = formats.write("xml", {"rows": {"row": items}}, {}).text
    fits(PREFIX + f"$input.rows.row |> map(i => {inner})", rows, "xml")


# ---- every function of the library --------------------------------------------------------------

VALUES: list[Any] = [
    None, True, False, 0, 3, 2.5, 1, "", "abc", "a,b", "2026-01-02", "12", [], [1, 2], [3, None], ["a", "b"],
    [[1], [2, 3]], [{"k": 1, "n": "x"}, {"k": 2, "n": "y"}], [{"k": 1}, {"n": "z"}], {}, {"a": 1, "b": "x"},
    {"a": {"b": [1]}}, {"k": 5, "n": None}, [["a", 1], ["b", 2]], ["k"], "k", "a",
]  # fmt: skip
ONE = ["x => x", "x => x.k", "x => 1", "x => null", "x => [x]", "x => x == 1", 'x => "t"', "x => { v: x }"]
TWO = ["(a, b) => a", "(a, b) => b", "(a, b) => [a, b]", "(a, b) => 1", "(a, b) => { key: a, value: b }"]
FUNCTIONS = [
    function
    for function in functions()
    if function.family not in ("type.logs", "type.timers", "type.runtime", "crypto.ciphers")
]
NAMED = ("nestBy",)
"""What the result has depends on the text of an argument; a name that is there already changes its type."""


def call_of(function: Function, chance: random.Random) -> tuple[str, list[dict[str, Any]]]:
    """A call with arguments out of two rows of data that are like each other or not."""
    rows: list[dict[str, Any]] = [{}, {}]
    arguments = []
    for at, parameter in enumerate(function.signature.parameters):
        if (parameter.optional or parameter.repeated) and chance.random() < 0.4:
            break
        options = parameter.type.members if isinstance(parameter.type, UnionType) else (parameter.type,)
        called = [option for option in options if isinstance(option, FunctionType)]
        if called and (len(options) == 1 or chance.random() < 0.6):
            arguments.append(chance.choice(TWO if len(called[0].params) == 2 else ONE))
            continue
        for row in rows:
            if chance.random() < 0.9:
                row[f"v{at}"] = chance.choice(VALUES)
        if chance.random() < 0.5:
            rows[1] = {**rows[1], **rows[0]}
        arguments.append(f"d.v{at}")
    return f"{function.name}({', '.join(arguments)})", rows


def try_calls(function: Function, count: int) -> None:
    chance = random.Random(function.name)
    for _ in range(count):
        call, rows = call_of(function, chance)
        for data in (rows, rows[:1], rows[1:]):
            if fits(f"$input |> map(d => {call})", json.dumps(data)):
                break


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_every_function_gives_what_its_type_rule_says(function: Function) -> None:
    for call, result in function.examples[:2]:
        if not result.startswith("error"):
            fits(call, "{}")
    try_calls(function, 1)


@pytest.mark.soak
@pytest.mark.parametrize(
    "function", [each for each in FUNCTIONS if each.name not in NAMED], ids=lambda function: function.name
)
def test_every_function_gives_what_its_type_rule_says_for_many_arguments(function: Function) -> None:
    try_calls(function, 150)


NODE = {
    "type": "object",
    "properties": {
        "left": {"$ref": "#/$defs/Node"},
        "right": {"$ref": "#/$defs/Node"},
        "v": {"type": "integer"},
    },
    "additionalProperties": False,
}
TREE = {"$defs": {"Node": NODE}, "$ref": "#/$defs/Node"}
OF_A_TREE = ["$input", "{ a: $input.left, b: [$input.right] }", "[$input, $input.left.left]", "{ v: $input.v }"]


@pytest.mark.parametrize("program", OF_A_TREE)
def test_a_schema_that_refers_to_itself_gives_one_that_does(program: str) -> None:
    inferred = infer(program, TREE)
    schema = inferred["outputSchema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    data = {"v": 1, "left": {"left": {"left": {"v": 3}}}, "right": {"v": 2}}
    jsonschema.validate(json.loads(execute(program, json.dumps(data), "json", "json")["output"]), schema)
    assert len(json.dumps(inferred)) < 1500
    assert "uncertainFields" not in inferred
    if program != "{ v: $input.v }":
        wrong = json.loads(execute(program, '{"left": {"left": {"left": {"v": "x"}}}}', "json", "json")["output"])
        assert not jsonschema.Draft202012Validator(schema).is_valid(wrong)


def test_definitions_that_are_used_again_and_again_are_written_once() -> None:
    levels = {
        f"L{n}": {"type": "object", "properties": {key: {"$ref": f"#/$defs/L{n + 1}"} for key in "abc"}}
        for n in range(12)
    }
    inferred = infer("$input", {"$ref": "#/$defs/L0", "$defs": {**levels, "L12": {"type": "string"}}})
    jsonschema.Draft202012Validator.check_schema(inferred["outputSchema"])
    assert len(json.dumps(inferred)) < 200_000


@pytest.mark.parametrize(
    "program", ["if ($input.flag) $input.list else []", "try { sort($input.list) } catch (e) { [] }", "$input.list"]
)
def test_an_empty_array_is_no_other_kind_of_array(program: str) -> None:
    schema = {"properties": {"flag": {"type": "boolean"}, "list": {"type": "array"}}, "required": ["flag", "list"]}
    assert infer(program, schema) == {
        "outputSchema": {"type": "array"},
        "confidence": "low",
        "uncertainFields": ["[]"],
        "summary": "Array of any",
    }


def test_kinds_that_are_written_alike_are_one() -> None:
    program = "if ($input.a) parseDate('10:00', 'HH:mm') else if ($input.b) 'x' else 'y'"
    schema = infer("{ t: " + program + " }", {"properties": {"a": {"type": "boolean"}, "b": {"type": "boolean"}}})
    jsonschema.Draft202012Validator.check_schema(schema["outputSchema"])
