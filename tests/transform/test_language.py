"""What programs mean: expressions, bindings, functions, choice, construction."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rolltop.errors import RolltopError, SizeLimit
from rolltop.transform import Document, EvaluationFailure, ProgramInvalid, compile_program
from rolltop.transform.syntax.formatter import format_program

ORDER = {
    "id": 7,
    "customer": {"name": "Ann", "vip": True},
    "items": [{"sku": "a", "price": 2.5, "qty": 2}, {"sku": "b", "price": 1, "qty": 1}],
    "note": None,
    "map": {"json": 1},
    "marked": {"@a": 1, "a": 2, "b": 3},
}


def evaluate(text: str, value: Any = None) -> Any:
    return compile_program(text).evaluate({"input": value})


EXPRESSIONS: list[tuple[str, Any]] = [
    ("1 + 2 * 3", 7),
    ("2 ** 3 ** 2", 512.0),
    ('"=" + 2 ** 3 ** 2', "=512.0"),
    ("-2 ** 2", 4.0),
    ("7 % 3 - -1", 2),
    ("-7 % 3", -1),
    ("10 / 4", 2.5),
    ("10 / 5", 2),
    ("10 ** 10 ** 10", float("inf")),
    ("9223372036854775807", 9223372036854775807),
    ("9223372036854775807 + 1", 9223372036854775808.0),
    ('"n" + 5', "n5"),
    ('"n" + 2.0 * 4', "n8.0"),
    ('"a" + null + true', "anulltrue"),
    ('"3" * "4"', 12),
    ("1 == 1.0", True),
    ('1 == "1"', False),
    ("true == 1", False),
    ("[1, { a: 2 }] == [1.0, { a: 2 }]", True),
    ("null == null", True),
    ('"a" < "b"', True),
    ('"10" > 9', True),
    ("false && (1 / 0 == 1)", False),
    ("true || (1 / 0 == 1)", True),
    ('!""', True),
    ("![]", False),
    ('null ?? "x"', "x"),
    ('"" ?? "x"', ""),
    ("true ? 1 : false ? 2 : 3", 1),
    ('"yes" if 1 > 0 else "no"', "yes"),
    ("1 if false", None),
    ("if (0) 1", None),
    ('if (1 > 2) "a" else if (2 > 1) "b" else "c"', "b"),
    ("[1, ...[2, 3], ...null]", [1, 2, 3]),
    ("{ a: 1, ...{ b: 2, a: 3 } }", {"a": 3, "b": 2}),
    ('{ ["k" + 1]: 1, [2.0]: 2 }', {"k1": 1, "2": 2}),
    ("{ let x = 2; let y = x * 2, sum: x + y }", {"sum": 6}),
    ("{ let x = 2; x + 1 }", 3),
    ("{ { a: 1 } }", {"a": 1}),
    ("{ let x = 1 in x + 1 }", 2),
    ("let x = 1 in let y = 2 in x + y", 3),
    ("(let x = 4) + x", 8),
    ("(x => x + 1)(2)", 3),
    ("((a, b) => a - b)(5, 3)", 2),
    ("[3, 1] |> map(x => x * 2) |> sum", 8),
    ("3 |> (x => x + 1)", 4),
    ('map(["a"], upper)', ["A"]),
    ('"x" |> upper', "X"),
    ('match (3) { 1 => "one", n if n > 2 => "many", _ => "few" }', "many"),
    ("match (-1) {\n 0 => 0\n -1 => 1\n}", 1),
    ("try { 1 / 0 } catch (e) { e }", "Division by zero"),
    ("try { null - 1 } catch (e) { e }", "Left operand must be number"),
    ("try { 1 } catch { 2 }", 1),
    ("[1, 2,]", [1, 2]),
    ("{ a: 1, }", {"a": 1}),
    ("'it\\u0027s \\/'", "it's /"),
]


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS)
def test_expression(text: str, expected: Any) -> None:
    result = evaluate(text)
    assert result == expected
    assert type(result) is type(expected)


PATHS: list[tuple[str, Any]] = [
    ("$input.customer.name", "Ann"),
    ("@input.id", 7),
    ("input.id -1", 6),
    ("$input.id-1", 6),
    ("$input.missing.deeper", None),
    ("$input.note.x", None),
    ("$input.note == null", True),
    ("$input?.customer?.name", "Ann"),
    ("$input.id?.x", None),
    ('$input["customer"]["name"]', "Ann"),
    ("$input.items[1].sku", "b"),
    ("$input.items[1.9].sku", "b"),
    ("$input.note[0]", None),
    ("$input.map.json", 1),
    ("$input.customer.*", ["Ann", True]),
    ("$input.customer.@name", "Ann"),
    ("{ ...$input.marked }.@a", 1),
    ("$input.marked.@b", 3),
    ('$input.marked["@a"]', 1),
    ("{ @c: 4, ...$input.marked }.@a", 1),
    ("$input.items |> filter(i => i.qty > 1) |> map(i => i.sku)", ["a"]),
    ("sum(map($input.items, i => i.price * i.qty))", 6.0),
]


@pytest.mark.parametrize(("text", "expected"), PATHS)
def test_path(text: str, expected: Any) -> None:
    assert evaluate(text, ORDER) == expected


NULLS: list[tuple[str, str]] = [
    ("map([5], (x, i) => { no: i + 1 })", "zipWithIndex"),
    ("[5] |> map((x, i) => map([1], y => y * i))", "zipWithIndex"),
    ("map([5], (x, i) => -i)", "zipWithIndex"),
    ("filter([5], (x, i, n) => n > 0)", "zipWithIndex"),
    ("sortBy([5, 6], (a, b) => a - b)", "x => x.price"),
    ("mapValues({ a: 1 }, (v, k) => k * 2)", "mapEntries"),
    ("map([5], (x, i) => map([null], i => i + x))", "give a default"),
    ("let map = (xs, f) => f(1, null)\nmap([5], (x, i) => x + i)", "give a default"),
    ("map([null], x => x + 1)", "give a default"),
]


@pytest.mark.parametrize(("text", "hint"), NULLS)
def test_a_null_operand_has_a_hint_that_leads_on(text: str, hint: str) -> None:
    with pytest.raises(EvaluationFailure) as caught:
        evaluate(text)
    assert hint in str(caught.value.hint)


HYPHENS = [
    ("$data-1.x", 1),
    ("$data-1.x-1", 0),
    ("$data-2.x - $data-1.x", 1),
    ("[$data-1,$data-2] |> map(d => d.x-1)", [0, 1]),
    ("$xml-2-1", 8),
    ("$n-1", 6),
    ("$n -1", 6),
    ("n-1", 6),
    ("$n-1.5", 5.5),
    ("$n-10", -3),
    ("$v-2024-05-a", "v"),
    ("{ let x = 3; $xml-2-x }", 6),
    ("input.x", 1),
]


@pytest.mark.parametrize(("text", "expected"), HYPHENS)
def test_inputs_whose_names_have_a_hyphen_before_a_digit(text: str, expected: Any) -> None:
    names = ["data-1", "data-2", "xml-2", "n", "v-2024-05-a"]
    values: list[Any] = [{"x": 1}, {"x": 2}, 9, 7, "v"]
    header = "%utlx 1.0\ninput: " + ", ".join(f"{name} json" for name in names) + "\noutput json\n---\n"
    documents = {name: Document(json.dumps(value)) for name, value in zip(names, values, strict=True)}
    program = compile_program(header + text)
    for _ in range(12):  # the last runs are those of generated code
        assert json.loads(program.run(documents).text) == expected
    again = compile_program(format_program(header + text))
    assert json.loads(again.run(documents).text) == expected
    given = compile_program(text, inputs=dict.fromkeys(names, "json"))
    assert json.loads(given.run(documents).text) == expected


FAILURES: list[tuple[str, str]] = [
    ("[1][5]", "Array index out of bounds: index 5, size 1"),
    ("[1][0 - 1]", "Array index out of bounds: negative index -1"),
    ("[{ a: 1 }].a", "Cannot access property 'a' of an array"),
    ("5 % 0", "Division by zero"),
    ('"x" * 2', "Left operand must be number"),
    ("[1] + 1", "Invalid operands for +"),
    ("null < 1", "Cannot compare these types"),
    ("nope", "Undefined variable: nope"),
    ("uper(1)", "unknown function `uper`"),
    ("(x => x)(1, 2)", "Function expects 1 arguments, got 2"),
    ("(5)(1)", "Cannot call non-function value"),
    ('match (3) { 1 => "one" }', "No matching case in match expression"),
    ("{ [null]: 1 }", "A computed key must be a string or a number"),
    ("map(5, x => x)", "map requires an array"),
]


@pytest.mark.parametrize(("text", "message"), FAILURES)
def test_failure_says_what_and_where(text: str, message: str) -> None:
    with pytest.raises(EvaluationFailure) as caught:
        evaluate(text)
    assert message in caught.value.message
    assert caught.value.position is not None


def test_the_innermost_place_is_reported() -> None:
    with pytest.raises(EvaluationFailure) as caught:
        evaluate("let f = x =>\n  x / 0\nmap([1], v => f(v))")
    assert str(caught.value.position) == "2:5"


def test_functions_may_follow_and_call_each_other() -> None:
    program = """
      let five = Odd(5)
      { five: five, four: Odd(4) }
      function Odd(n) { if (n == 0) false else Even(n - 1) }
      function Even(n) { if (n == 0) true else Odd(n - 1) }
    """
    assert evaluate(program) == {"five": True, "four": False}


def test_a_line_break_before_if_or_a_parenthesis_separates() -> None:
    assert evaluate('let x = 5\nif (x > 3) "a" else "b"') == "a"
    assert evaluate("let f = x => x\n(f(3))") == 3


def test_a_bracket_on_a_new_line_is_an_array() -> None:
    assert evaluate("let x = $input\n[x]", [1]) == [[1]]


def test_user_functions_start_with_a_capital() -> None:
    with pytest.raises(ProgramInvalid, match="User-defined functions must start with uppercase letter"):
        compile_program("function sum(x) { x }\nsum(1)")


def test_endless_recursion_is_a_limit_that_try_does_not_catch() -> None:
    with pytest.raises(SizeLimit):
        evaluate("function F(x) { try { F(x + 1) } catch { 0 } }\nF(1)")


def test_deep_recursion_works() -> None:
    assert evaluate("function F(n) { if (n == 0) 0 else 1 + F(n - 1) }\nF(400)") == 400


def test_several_named_inputs() -> None:
    program = compile_program(
        "%utlx 1.0\ninput: orders json, rate-table csv\noutput json\n---\n"
        "{ n: count($orders), first: $rate-table[0].rate, same: $input == $orders }"
    )
    result = program.run({"orders": Document("[1, 2]"), "rate-table": Document("code,rate\nEUR,1.5\n")})
    assert result.text == '{\n  "n": 2,\n  "first": 1.5,\n  "same": true\n}'


def test_one_document_serves_the_one_declared_input() -> None:
    program = compile_program("%utlx 1.0\ninput orders json\noutput json\n---\n$orders.a + $input.a")
    assert program.run({"input": Document('{"a": 2}')}).text == "4"


def test_a_missing_header_takes_the_callers_formats() -> None:
    program = compile_program("$input.a", inputs={"input": "xml"}, output_format="yaml")
    assert program.run({"input": Document("<a>x</a>")}).text == "x\n"


def test_a_header_that_contradicts_the_caller_is_refused() -> None:
    with pytest.raises(ProgramInvalid, match="the header says input json, the caller says xml"):
        compile_program("%utlx 1.0\ninput json\noutput json\n---\n1", inputs={"input": "xml"})


def test_one_program_serves_xml_and_json() -> None:
    program = compile_program("map($input.order.item, i => i.@sku + i.@qty * 2)", inputs={"input": "auto"})
    xml = '<order><item sku="a" qty="2"/><item sku="b" qty="3"/></order>'
    json = '{"order": {"item": [{"sku": "a", "qty": 2}, {"sku": "b", "qty": 3}]}}'
    assert program.run({"input": Document(xml)}).text == program.run({"input": Document(json)}).text


def test_a_single_xml_child_counts_as_an_array_of_one() -> None:
    program = compile_program("{ n: map($input.o.i, x => x.@k), first: $input.o.i[0].@k }", inputs={"input": "xml"})
    assert program.evaluate(program.read_inputs({"input": Document('<o><i k="1"/></o>')})) == {"n": ["1"], "first": "1"}


ONE = "<o><i k='a'><n>5</n></i></o>"
TWO = "<o><i k='a'><n>5</n></i><i k='b'><n>50</n></i></o>"


@pytest.mark.parametrize(
    ("program", "one", "two"),
    [
        ("filter($input.o.i, x => x.n > 3) |> map(x => x.@k)", ["a"], ["a", "b"]),
        ("count(filter($input.o.i, x => x.n > 7))", 0, 1),
        ("map([...$input.o.i, { n: 1 }], x => x.n)", [5, 1], [5, 50, 1]),
        ("count(concat($input.o.i, [1]))", 2, 3),
        ("count(concat([1], $input.o.i))", 2, 3),
        ("keys(filter($input.o, (k, v) => k == 'i'))", ["i"], ["i"]),
    ],
)
def test_where_either_could_be_meant_one_xml_element_is_an_array(program: str, one: Any, two: Any) -> None:
    compiled = compile_program(program, inputs={"input": "xml"})
    for document, expected in ((ONE, one), (TWO, two)):
        for _ in range(12):  # the last runs are on generated code
            assert json.loads(compiled.run({"input": Document(document)}).text) == expected


def test_what_is_no_element_is_filtered_as_before() -> None:
    program = compile_program("{ o: filter({ a: 1, b: 5 }, v => v > 2), s: [...{ a: 1 }, 1] }")
    assert json.loads(program.run({"input": Document("{}")}).text) == {"o": {"b": 5}, "s": [1]}


@pytest.mark.parametrize(
    ("body", "made"),
    [
        ("map($input.o.t, t => upper(t))", ["A"]),
        ("count($input.o.t)", 1),
        ("$input.o.t[0]", "a"),
        ("sum($input.o.n)", 5),
    ],
)
def test_an_element_of_text_that_occurs_once_is_an_array_of_one(body: str, made: Any) -> None:
    program = compile_program(body, inputs={"input": "xml"})
    assert json.loads(program.run({"input": Document("<o><t>a</t><n>5</n></o>")}).text) == made


def test_a_text_of_json_is_no_array() -> None:
    program = compile_program("map($input.t, t => t)")
    with pytest.raises(RolltopError, match="requires an array") as caught:
        program.run({"input": Document('{"t": "a"}')})
    assert "toArray" in (caught.value.hint or "")


def test_an_empty_element_is_an_empty_text_where_a_text_is_wanted() -> None:
    body = '[upper($input.o.t), $input.o.t + "x", $input.o.t == "", toString($input.o.t), $input.o.t != ""]'
    program = compile_program(body, inputs={"input": "xml"})
    for repeated in range(30):  # generated code takes over after some runs
        made = json.loads(program.run({"input": Document("<o><t/></o>")}).text)
        assert made == ["", "x", True, "", False], repeated


@pytest.mark.parametrize(
    "condition",
    [
        'parseDate("2024-01-02", "yyyy-MM-dd") < now()',
        'now() > "2020-01-01"',
        '"2020-01-01T00:00:00Z" < parseDate("2020-01-01", "yyyy-MM-dd") == false',
        'parseDate("2024-01-02", "yyyy-MM-dd") >= "2024-01-02T00:00:00Z"',
        "$input.d < now()",
    ],
)
def test_dates_points_in_time_and_their_texts_have_one_order(condition: str) -> None:
    program = compile_program(condition, inputs={"input": "yaml"})
    assert [program.run({"input": Document("d: 2001-02-03")}).text for _ in range(12)] == ["true"] * 12


@pytest.mark.parametrize("condition", ['now() < "soon"', "now() > 5", "now() < [1]"])
def test_a_date_has_no_order_with_what_is_none(condition: str) -> None:
    with pytest.raises(EvaluationFailure, match="Cannot compare these types"):
        compile_program(condition).run({"input": Document("{}")})
