"""The typed tiers against the evaluator: the same value, or they leave the document to the next tier."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import HealthCheck, example, given, settings
from record_strategies import ARRAYS, PIPELINES, REGULAR
from test_compiled import exact

from rolltop.errors import RolltopError
from rolltop.transform import Document, Program, compile_program
from rolltop.transform.compile.runtime import Surprise
from rolltop.transform.compile.scopes import CannotCompile
from rolltop.transform.compile.tiers import Tiers
from rolltop.transform.errors import EvaluationFailure
from rolltop.transform.formats import json as formats

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck))
DATA = ARRAYS | REGULAR
GIVEN_UP = (CannotCompile, Surprise, msgspec.ValidationError, EvaluationFailure, AttributeError, TypeError)
"""How a tier may give up a document. A name without a value, say, is a mistake in the code."""


def outcome(work: Any) -> Any:
    try:
        return exact(work())
    except RolltopError as error:
        return "failure", type(error).__name__, error.message, str(error.position)


def tiers_agree(text: str, records: Any) -> None:
    """Each tier alone gives the evaluator's value or gives up, and the program as a whole always agrees."""
    program = compile_program(text)
    data = json.dumps(records).encode()
    expected = outcome(lambda: program.evaluator.run({"input": orjson.loads(data)}))
    tiers = Tiers(program.parsed.program)
    for tier in (tiers.typed, tiers.projected):
        try:
            found = None if tier is None else tier.run(tier.decode(data))
        except GIVEN_UP:  # what a tier is not made for is for the next one
            continue
        assert tier is None or exact(found) == expected, tier.source
    written_at_once_agrees(program, tiers, data)
    program.work = 10**6
    assert outcome(lambda: program.result({"input": Document(data)})) == expected


def written_at_once_agrees(program: Program, tiers: Tiers, data: bytes) -> None:
    """Code whose result needs no second look gives the same bytes, or gives up."""
    for tier in (tiers.typed, tiers.projected):
        try:
            found = None if tier is None or tier.ready is None else tier.ready(tier.decode(data))
        except GIVEN_UP:
            continue
        if found is not None:
            value = program.evaluator.run({"input": orjson.loads(data)})
            for options in ({}, {"compact": True}):
                assert formats.encode_ready(found, options) == formats.encode(value, options), tier


@QUICK
@given(PIPELINES, DATA)
@example("map($input, o => o.n * o.s)", [{"n": 3, "s": "10"}])
@example("map($input, o => o.b + 1)", [{"b": True}])
@example("map($input, o => o.s % 2)", [{"s": "%d"}])
@example("map($input, o => o.xs + o.xs)", [{"xs": [1]}])
@example("map($input, o => o.b == 1)", [{"b": True}, {"b": 1}, {"b": 1.0}])
@example("map($input, o => o.n == 5)", [{"n": "5"}, {"n": 5.0}, {"n": [5]}])
@example("map($input, o => o.n * 2)", [{"n": 2**62}, {"n": 2**63 - 1}, {"n": 1.5}])
@example("map($input, o => o.n)", [{"n": 2**64}, {"n": 2**70}, {"n": -0.0}])
@example("map($input, o => { ...o, t: o.n })", [{"n": 1}])
@example("map($input, o => o.a.k ?? 'none')", [{"a": None}, {}, {"a": {"k": None}}, {"a": {"k": "x"}}])
@example("map($input, o => if (o.a) o.a.n else 0)", [{"a": {}}, {"a": None}, {}])
@example("map($input, o => map(o.xs ?? [], i => i.n))", [{}, {"xs": [{"n": 1}]}, {"xs": None}])
@example("map($input, o => o.xs |> groupBy(i => i.k) |> mapValues(g => sum(map(g, i => i.n))))", [
    {"xs": [{"k": "a", "n": 1}, {"k": "b", "n": 2.5}, {"k": "a", "n": 3}]}
])  # fmt: skip
@example("function F(x) { x.n }\nmap($input, o => F(o))", [{"n": 1}])
@example("let all = $input\nfunction F(x) { count(all) }\nmap($input, o => F(o))", [{"n": 1}])
@example("map($input, o => o.s._text)", [{"s": "t"}])
@example("map($input, o => { a: o.n * 1, b: o.n, c: o.xs, _text: o.s })", [{"n": 2.0, "s": "t", "xs": [1.0]}])
@example("map($input, o => [o.n * 1, o.n, -0.0, 1e16 * 1, 2.5 * 2])", [{"n": -0.0}, {"n": 1e17}, {"n": 1e-7}, {"n": 3}])
@example("map($input, o => o.xs |> groupBy(i => i.k) |> mapValues(g => sum(map(g, i => i.n))))", [
    {"xs": [{"k": "_text", "n": 1.5}, {"k": "b", "n": 2.5}, {"k": "b", "n": 2.5}]}
])  # fmt: skip
@example("map($input, o => o.xs |> groupBy(i => i.k) |> mapValues(g => sum(map(g, i => i.n))))", [
    {"xs": [{"k": "a", "n": 1.5}, {"k": "a", "n": 1.5}, {"k": "b", "n": 2**62}, {"k": "b", "n": 2**62}]}
])  # fmt: skip
@example("map($input, o => o.xs |> groupBy(i => i.k) |> mapValues(g => { c: count(g), n: map(g, i => i.n * 2) }))", [
    {"xs": [{"k": "_text", "n": 1.5}, {"k": "b", "n": 2.5}, {"k": "b", "n": 2.0}]}, {"xs": [{"k": 1, "n": 1.0}]}
])  # fmt: skip
@example("map($input, o => o.xs |> groupBy(i => i.k) |> mapValues(g => count(g)))", [
    {"xs": [{"k": "_text"}, {"k": "b"}, {"k": None}, {}]}, {"xs": [{"k": "b"}, {"k": "b"}]}
])  # fmt: skip
@example("map($input, o => { let xs = filter(o.xs, i => i.n > 1); a: map(xs, i => i.n + count(xs)), b: xs })", [
    {"xs": [{"n": 1}, {"n": 2}, {"n": 3}]}
])  # fmt: skip
@example("map($input, o => { let m = sum(map(o.xs, i => i.n)); a: map(o.xs, i => i.n / m), b: map(o.xs, i => i.n) })", [
    {"xs": [{"n": 1}, {"n": 2}]}, {"xs": [{"n": 4}]}
])  # fmt: skip
@example(
    "map($input, o => map(map(o.xs, i => i.n * 2), n => n + 1) |> filter(n => n > 3))", [{"xs": [{"n": 1}, {"n": 2}]}]
)
@example("$input |> sortBy(o => o.n) |> take(2) |> map(o => o.s)", [{"n": 3, "s": "c"}, {"n": 1, "s": "a"}, {"n": 2.0}])
@example("$input |> flatMap(o => o.xs)", [{"xs": [{"n": 1.0}]}, {"xs": 2.0}, {}])
@example("{ a: sumBy($input.xs, i => i.n), b: every($input.xs, i => i.n > 0) }", {"xs": [{"n": 0.1}, {"n": 0.2}]})
@example("{ a: sumBy($input.xs, i => i.n), b: flatMap($input.xs, i => i.n) }", {"xs": {"n": 0.1}})
@example(
    "function F(n) { n * rate }\nlet rate = sum(map($input, o => o.n))\nmap($input, o => F(o.n))", [{"n": 1}, {"n": 2}]
)
@example("function F(n) { if (n > 0) F(n - 1) else 0 }\nmap($input, o => F(o.n))", [{"n": 3}])
@example("function F(x) { y => x + y }\nmap($input, o => F(o.n)(1))", [{"n": 3}, {"n": 4}])
@example("function F(o) { o.n }\nmap($input, F)", [{"n": 3}, {"n": 4}])
@example(
    "let g = $input.g\n{ a: map(map($input.xs, x => x.n * sum(map(g, k => k.v))), y => map(g, k => k.v + y)) }",
    {"g": [{"v": 1}, {"v": 2}], "xs": [{"n": 1}, {"n": 10}, {"n": 100}]},
)
@example("map($input, o => o.@s)", [{"s": "t"}, {"@s": "u"}])
@example('map($input, o => match (o.s) { "a" => o.n * o.m + 1, _ => o.n * o.m + 2 })', [
    {"s": "b", "n": 1, "m": 1}, {"s": "a", "n": 5, "m": 5}, {"s": "a", "n": 6, "m": 6}
])  # fmt: skip
@example('map($input, o => match (o.s) { "a" if o.n * 2 > 10 => o.n * 2, _ => o.n * 2 + 2 })', [
    {"s": "b", "n": 1}, {"s": "a", "n": 6}, {"s": "a", "n": 3}
])  # fmt: skip
@example("map($input, o => try { { n: o.n * 2, xs: map(o.xs, i => i.n) } } catch (e) { [o.n * 2, o.n, e] })", [
    {"n": 2.0, "xs": [{"n": 2.0}]}, {"n": 1, "xs": []}, {"n": 1, "xs": 5}, {"n": 1, "xs": [1.0]}, {"n": "x"}
])  # fmt: skip
@example(
    "map($input, o => try { match (o.n) { 1 => [o.n] } } catch (e) { { e: e, n: o.n } })", [{"n": 1.0}, {"n": 2.0}]
)
@example('map($input, o => match (o.s) { "a" => { n: o.n * 1 }, 1 => [o.n], _ => { t: map(o.xs, i => i.n) } })', [
    {"s": "a", "n": 2.0}, {"s": True, "n": 1}, {"s": 1.0, "n": 3.0}, {"s": "x", "xs": [{"n": 2.0}]}
])  # fmt: skip
def test_typed_tiers_agree_with_the_evaluator(text: str, records: Any) -> None:
    tiers_agree(text, records)


@pytest.mark.soak
@LONG
@given(PIPELINES, DATA)
def test_typed_tiers_agree_at_length(text: str, records: Any) -> None:
    tiers_agree(text, records)


@pytest.mark.parametrize(
    "text",
    [
        "map($input, o => { n: o.n * 2, s: upper(o.s), k: o.a.k })",
        'filter($input, o => o.s != "x" && o.n > 1) |> map(o => { n: o.n, s: o.s })',
        "{ total: sum(map($input, o => o.n * 2)), n: count($input), big: count(filter($input, o => o.n > 3)) }",
        "$input |> flatMap(o => map(o.xs, i => { s: o.s, n: i.n + 1 }))",
        "groupBy($input, o => o.s) |> mapValues(g => sum(map(g, o => o.n)))",
        "map($input, o => { n: sum(map(o.xs, i => i.n)), ks: map(filter(o.xs, i => i.n > 2), i => i.k) })",
        "$input |> sortBy(o => o.n) |> take(3) |> map(o => { s: o.s, t: o.n * 1 })",
        'map($input, o => if (o.n > 3) { big: o.n * 1 } else { small: o.s + "!" })',
        'map($input, o => match (o.s) { "a" => o.n * 2, _ => o.n * 3 })',
        "function Twice(x) { x * 2 }\nmap($input, o => { t: Twice(o.n) })",
        "let m = sum(map($input, o => o.n))\nmap($input, o => { share: o.n * m, s: o.s })",
    ],
)
@settings(QUICK, max_examples=5)
@given(REGULAR)
def test_the_typed_tier_itself_runs_programs_that_are_made_for_it(text: str, records: Any) -> None:
    program = compile_program(text)
    tiers = Tiers(program.parsed.program)
    data = json.dumps(records).encode()
    value = program.evaluator.run({"input": orjson.loads(data)})
    expected = exact(value)
    assert tiers.typed is not None, tiers.obstacle
    assert tiers.projected is not None, tiers.obstacle
    for tier in (tiers.typed, tiers.projected):
        assert exact(tier.run(tier.decode(data))) == expected
        assert exact(tier.run(tier.reader.decode(data))) == expected
    assert tiers.typed.ready is not None
    found = tiers.typed.ready(tiers.typed.ready_reader.decode(data))
    assert formats.encode_ready(found, {}) == formats.encode(value, {})


INVOICE = """
$input |> filter(o => o.status == "shipped") |> map(o => {
  let items = o.items |> filter(i => i.qty > 0)
  id: "INV-" + o.id,
  name: upper(o.customer.name),
  city: o.customer.address.city ?? "n/a",
  lines: items |> map(i => { sku: i.sku, total: i.price * i.qty }),
  total: sum(items |> map(i => i.price * i.qty)),
  tax: sum(items |> map(i => i.price * i.qty)) * 0.2,
  by: items |> groupBy(i => i.kind) |> mapValues(g => sum(g |> map(i => i.price * i.qty)))
})"""


def order(**changes: Any) -> dict[str, Any]:
    item = {"sku": "a", "price": 2.5, "qty": 2, "kind": "toy", "unread": [1, 2]}
    base = {"id": "1", "status": "shipped", "customer": {"name": "Ann", "address": {"city": "Bern"}}, "items": [item]}
    return base | changes


def test_an_invoice_is_typed_reads_only_what_it_needs_and_computes_sums_once() -> None:
    tier = Tiers(compile_program(INVOICE).parsed.program).typed
    assert tier is not None
    read = {path for path, _ in tier.root.walk()}
    assert "[].items[].price" in read
    assert "[].items[].unread" not in read
    assert tier.source.count(" * ") == 2, "one product for the lines and all the sums, one for the tax"


def test_a_document_that_does_not_fit_goes_to_the_next_tier_and_hopeless_tiers_are_dropped() -> None:
    program = compile_program(INVOICE)
    odd = json.dumps([order(items=[{"price": "2", "qty": 3, "kind": None, "sku": 1}])]).encode()
    program.work = 10**6
    first = program.result({"input": Document(odd)})
    assert first[0]["total"] == 6
    tiers = program.tiers
    for _ in range(40):
        assert program.result({"input": Document(odd)}) == first
    assert tiers.typed is not None
    assert tiers.typed.hopeless
    assert tiers.typed.runs < 20
    assert tiers.projected is not None
    assert tiers.projected.failures == 0


def test_a_text_that_is_skipped_must_still_be_utf8() -> None:
    program = compile_program("map($input, o => o.n + 1)")
    program.work = 10**6
    data = b'[{"n": 1, "unread": "\xff"}]'
    with pytest.raises(RolltopError, match="not UTF-8"):
        program.result({"input": Document(data)})


def test_broken_json_is_reported_as_the_reader_does() -> None:
    program = compile_program("map($input, o => o.n + 1)")
    program.work = 10**6
    with pytest.raises(RolltopError, match=r"JSON parse error at 1:10"):
        program.result({"input": Document(b'[{"n": 1},]')})


@settings(QUICK, max_examples=60)
@given(PIPELINES, DATA)
def test_sums_that_python_makes_itself_agree_too(text: str, records: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rolltop.transform.compile.totals.SUMS_RUN", False)  # as on Python 3.12 and later
        tiers_agree(text, records)


def test_sums_are_those_of_the_library_to_the_last_digit() -> None:
    groups = "$input.xs |> groupBy(x => x.k) |> mapValues(g => sum(map(g, x => x.n)))"
    program = f"{{ all: sum(map($input.xs, x => x.n)), by: {groups} }}"
    for numbers in ([0.1] * 10, [2**62, 2**62, 0.5], [-0.0], [1e308, 1e308], [2**63 - 1, 1], [0.1, 3, 0.2], []):
        tiers_agree(program, {"xs": [{"n": n, "k": "a"} for n in numbers]})


def busy(text: str, **options: Any) -> Program:
    """A program that was run often enough for generated code."""
    program = compile_program(text, **options)
    program.work = 10**6
    return program


def test_a_document_goes_to_its_written_result_in_one_go() -> None:
    program = busy("{ id: $input.id, total: sum(map($input.items, i => i.n * 2.5)) }")
    data = b'{"id": "a", "items": [{"n": 2}, {"n": 1}], "unread": 1}'
    assert program.at_once(data) == program.apply(data) == b'{\n  "id": "a",\n  "total": 7.5\n}'
    assert program.run({"input": Document(data)}).text.encode() == program.apply(data)


@pytest.mark.parametrize(
    "data",
    [b'{"id": [1.0], "items": []}', b'{"id": "a", "items": [{"n": "2"}]}', b'{"id": {"b": 2.0}, "items": [{"n": 1}]}'],
)
def test_what_is_not_for_one_go_goes_the_long_way(data: bytes) -> None:
    program = busy("{ id: $input.id, total: sum(map($input.items, i => i.n * 2.5)) }")
    value = program.evaluator.run({"input": orjson.loads(data)})
    assert program.at_once(data) is None
    assert program.apply(data) == formats.encode(value, {})


def test_one_go_is_not_tried_again_when_it_mostly_fails_and_still_when_it_mostly_works() -> None:
    program = busy("{ n: $input.n * 2 }")
    for _ in range(30):
        assert program.apply(b'{"n": "2"}') == b'{\n  "n": 4\n}'
    assert program.at_once(b'{"n": 2}') is None
    program = busy("{ n: $input.n * 2 }")
    for _ in range(30):
        assert program.at_once(b'{"n": 2}') is not None
        assert program.at_once(b'{"n": 2}') is not None
        assert program.at_once(b'{"n": "2"}') is None
    assert program.at_once(b'{"n": 2}') is not None


def test_bytes_that_are_no_text_are_found_also_where_they_are_skipped() -> None:
    program = busy("{ n: $input.n * 2 }")
    with pytest.raises(RolltopError, match="not UTF-8"):
        program.apply(b'{"n": 2, "unread": "\xff"}')
    assert program.apply('{"n": 2, "unread": "é"}'.encode()) == b'{\n  "n": 4\n}'


def test_programs_with_other_formats_apply_too() -> None:
    assert busy("$input |> map(r => r.n)", inputs={"input": "csv"}).apply(b"n\n1\n2\n") == b"[\n  1,\n  2\n]"
    assert busy("{ a: $input.n }", output_format="xml").apply(b'{"n": 1}').endswith(b"<a>1</a>")


MUST_BE_TYPED = [
    "map($input, o => { id: o.id, total: o.n * 2 })",
    "filter($input, o => o.n > 1) |> map(o => o.s)",
    "sum(map($input, o => o.n))",
    "$input |> groupBy(o => o.s) |> mapValues(g => sum(map(g, o => o.n)))",
    "map($input, o => { c: count(o.xs), m: sum(map(o.xs, i => i.k)) })",
    'map($input, o => if (o.n > 1) "many" else "one")',
    "map($input, o => `${o.s}: ${o.n}`)",
    "let rate = 1.5\nmap($input, o => o.n * rate)",
]


@pytest.mark.parametrize("text", MUST_BE_TYPED)
def test_the_typed_tier_itself_runs_these_programs(text: str) -> None:
    """Nothing falls back here: a tier that gives up, or is not made, fails."""
    records = [{"id": at, "n": at, "s": f"s{at % 3}", "xs": [{"k": at}, {"k": 1.5}]} for at in range(10)]
    data = json.dumps(records).encode()
    program = compile_program(text)
    tier = Tiers(program.parsed.program).typed
    assert tier is not None
    found = tier.run(tier.decode(data))
    assert exact(found) == exact(program.evaluator.run({"input": orjson.loads(data)})), tier.source
