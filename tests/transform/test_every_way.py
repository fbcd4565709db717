"""One program, one document, every way to run it: the same text comes out, or the same failure."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from strategies import documents, programs

from rolltop.errors import RolltopError, SizeLimit
from rolltop.transform import Document, compile_program, formats
from rolltop.transform.check import unresolved
from rolltop.transform.run.recursion import DEEPEST
from rolltop.transform.service.execute import execute
from rolltop.transform.syntax.parser import parse

QUICK = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
KEYS = ["name", "price", "a"]
STAGES = [
    "filter(i => i.price > {n})",
    'filter(i => i.name != "{k}")',
    "map(i => {{ ...i, total: (i.price ?? 0) + {n} }})",
    "map(i => {{ {k}: i.{k}, more: i }})",
    "sortBy(i => toString(i.{k}))",
    "distinctBy(i => i.{k})",
    "take({n})",
    "drop({n})",
    "reverse",
    "flatMap(i => [i, {{ {k}: {n} }}])",
    "chunk({n} + 1) |> map(c => {{ {k}: count(c) }})",
    "zipWithIndex |> map(p => {{ {k}: p }})",
]
ENDS = [
    "count",
    "map(i => i.{k})",
    "groupBy(i => i.{k}) |> mapValues(g => count(g))",
    "groupBy(i => i.{k}) |> entries",
    "sumBy(i => i.price ?? 0)",
    "reduce((s, i) => s + (i.price ?? 1), {n})",
    "partition(i => i.{k} == null)",
    "maxBy(i => i.price ?? 0)",
    "map(i => try {{ upper(i.{k}) }} catch (e) {{ e }})",
]
stage = st.tuples(st.sampled_from(STAGES), st.sampled_from(KEYS), st.integers(0, 4)).map(
    lambda p: p[0].format(k=p[1], n=p[2])
)
end = st.tuples(st.sampled_from(ENDS), st.sampled_from(KEYS), st.integers(0, 4)).map(
    lambda p: p[0].format(k=p[1], n=p[2])
)
pipelines = st.tuples(st.lists(stage, max_size=4), end).map(lambda p: " |> ".join(["$input.items", *p[0], p[1]]))


def told(run: Any) -> Any:
    """The text of a run, or what its failure says."""
    try:
        return run()
    except RolltopError as error:
        return "failure", error.message


def by_the_evaluator(text: str, data: str) -> Any:
    program = compile_program(text)
    value = program.evaluator.run({"input": formats.read("json", data)})
    return formats.write("json", value).text


def agree(text: str, document: Any) -> None:
    data = json.dumps(document)
    expected = told(lambda: by_the_evaluator(text, data))
    program = compile_program(text)
    often = [told(lambda: program.run({"input": Document(data)}).text) for _ in range(12)]
    assert often == [expected] * 12
    assert program.work > 20_000  # the last runs were on generated code, where there is any
    assert told(lambda: execute(text, data, "json", "json")["output"]) == expected
    assert told(lambda: compile_program(text).run({"input": Document(data.encode())}).text) == expected


@QUICK
@given(pipelines, documents)
def test_pipelines_of_library_functions(text: str, document: Any) -> None:
    agree(text, document)


@QUICK
@given(programs, documents)
def test_programs_of_all_constructs(text: str, document: Any) -> None:
    assume(not unresolved(parse(text)))
    agree(text, document)


@pytest.mark.parametrize("text", ["let a = 1", "let a = $input.items", "let a = map($input.items, i => i.price)"])
def test_a_program_that_only_binds_gives_what_it_bound_last(text: str) -> None:
    agree(text, {"items": [{"price": 1.5}, {"price": 2}]})


SELF = "function F(n) { if (n == 0) 0 else 1 + F(n - 1) }\n"
TURNS = "function A(n) { if (n == 0) 0 else 1 + B(n - 1) }\nfunction B(n) { if (n == 0) 0 else 1 + A(n - 1) }\n"
INSIDE = "function F(n) { if (n == 0) 0 else 1 + sum(map([n], m => try { F(m - 1) } catch (e) { 0 })) }\n"
NESTED = "{ function G(n) { if (n == 0) 0 else 1 + G(n - 1) }, d: "


def often(text: str, document: Any = None) -> list[Any]:
    program = compile_program(text)
    data = json.dumps(document)
    return [told(lambda: program.run({"input": Document(data)}).text) for _ in range(12)]


@pytest.mark.parametrize("text", [SELF + "F({0})", TURNS + "A({0})", INSIDE + "F({0})", NESTED + "G({0}) }"])
def test_functions_call_themselves_as_deep_in_every_run(text: str) -> None:
    for depth in (500, DEEPEST - 1):
        found = often(text.replace("{0}", str(depth)))
        assert str(depth) in found[0]
        assert found == found[:1] * 12
    for depth in (DEEPEST, 5000):
        assert set(often(text.replace("{0}", str(depth)))) == {("failure", "the program calls itself too deeply")}


def test_calls_that_failed_are_over() -> None:
    text = (
        "function F(n) { if (n == 0) 1 / 0 else 1 + F(n - 1) }\nmap($input, n => try { F(n) } catch (e) { e }) |> count"
    )
    assert set(often(text, [400] * 6)) == {"6"}


@pytest.mark.parametrize(
    "text", ["let f = (g, n) => g(g, n)\nf(f, 1)", "function F(n) { sortBy([1], y => F(n)) }\nF(1)"]
)
def test_what_never_ends_is_told_with_its_place(text: str) -> None:
    program = compile_program(text)
    for _ in range(15):
        with pytest.raises(SizeLimit, match="too deeply") as raised:
            program.run({"input": Document("null")})
        assert raised.value.position is not None
