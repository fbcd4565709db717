"""Generated code against the simple evaluator: the same value, or the same failure at the same place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from strategies import documents, programs

from rolltop.errors import RolltopError
from rolltop.transform.compile import compile_tree
from rolltop.transform.run.evaluator import Evaluator
from rolltop.transform.syntax.parser import parse

QUICK = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))


def outcome(run: Any, document: Any) -> Any:
    """A value with its types, or what the failure says and where."""
    try:
        return exact(run({"input": document}))
    except RolltopError as error:
        return "failure", error.message, str(error.position)


def exact(value: Any) -> Any:
    if isinstance(value, list):
        return [exact(item) for item in value]
    if isinstance(value, dict):
        properties = [(key, exact(item)) for key, item in value.items()]
        return type(value).__name__, properties, getattr(value, "attributes", None)
    return "function" if callable(value) else (type(value).__name__, repr(value))


def agree(text: str, document: Any, *, plain: bool | None = None) -> None:
    parsed = parse(text)
    assert not parsed.problems
    evaluator = Evaluator(parsed.program, parsed.source)
    compiled = compile_tree(parsed.program, evaluator, plain=plain)
    if compiled is not None:
        assert outcome(compiled.run, document) == outcome(evaluator.run, document)


@QUICK
@given(programs, documents)
@example("[{ p: '10', q: 3 }] |> map(i => i.p * i.q)", None)
@example("map([true], x => x * 2.5)", None)
@example("map([1, 2], x => (y => x + y)) |> map(f => f(10))", None)
@example("let x = 1\n{ let x = x + 1; v: x }", None)
@example("[9223372036854775807 + 1, 9223372036854775807 * 2]", None)
@example("[true == 1, 0 == false, 'a' < 'b', null ?? 1]", None)
@example("filter({ a: 1, b: null }, v => v)", None)
@example("map($input.a, i => { let t = i.n; total: t, twice: map([t], u => u + t) })", {"a": [{"n": 1}, {"n": 2}]})
@example("function F(n) { if (n < 2) n else F(n - 1) + F(n - 2) }\nF(12)", None)
@example("try { map([1, 0], x => 1 / x) } catch (e) { e + '!' }", None)
@example("match ([1]) { 1 => 2, n if count(n) == 1 => n[0] }", None)
@example("let a = 1", None)
@example("let a = $input.a\nlet b = map(a, i => i.n)", {"a": [{"n": 1}, {"n": 2}]})
@example("let a = 3\nfunction F(n) { let b = n * a }\n{ x: F(2), y: map([1], m => F(m)) }", None)
@example("let a = 1\nfunction F(n) { n }", None)
@example("function F(n) { if (n < 1) 1 / 0 else F(n - 1) }\nmap([9, 9], n => try { F(n) } catch (e) { e })", None)
def test_generated_code_agrees_with_the_evaluator(text: str, document: Any) -> None:
    agree(text, document)
    agree(text, document, plain=False)


@pytest.mark.soak
@LONG
@given(programs, documents)
def test_generated_code_agrees_at_length(text: str, document: Any) -> None:
    agree(text, document)
    agree(text, document, plain=False)


def test_ordinary_programs_are_compiled_and_do_not_fall_back() -> None:
    parsed = parse("""
      let shipped = $input |> filter(o => o.status == "shipped")
      function Total(items) { sum(map(items, i => i.price * i.qty)) }
      map(shipped, o => { let t = Total(o.items); id: o.id, n: upper(o.name), sum: t, big: t > 10 && o.id != 3 })
    """)
    evaluator = Evaluator(parsed.program, parsed.source)
    compiled = compile_tree(parsed.program, evaluator)
    assert compiled is not None
    orders = [{"status": "shipped", "id": n, "name": "x", "items": [{"price": 2.5, "qty": n}]} for n in range(9)]
    assert exact(compiled.run({"input": orders})) == exact(evaluator.run({"input": orders}))
    assert compiled.fallbacks == 0


def test_code_that_keeps_falling_back_is_given_up() -> None:
    parsed = parse("filter($input, v => v)")
    evaluator = Evaluator(parsed.program, parsed.source)
    compiled = compile_tree(parsed.program, evaluator)
    assert compiled is not None
    for _ in range(100):
        assert compiled.run({"input": {"a": 1, "b": None}}) == {"a": 1}
    assert compiled.runs < 30
