"""What comes out of a program fits the schema that was inferred for it."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rolltop.errors import RolltopError
from rolltop.transform.examples import Example, load_corpus
from rolltop.transform.service.execute import execute
from rolltop.transform.service.infer import infer
from rolltop.transform.structure import describe_source

TO_JSON = [example for example in load_corpus() if example.output_format == "json"]


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
    ]
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(documents, shape, expression)
def test_generated_programs(items: list[Any], outer: str, inner: str) -> None:
    program = outer.format(e=inner)
    text = json.dumps(items)
    try:
        inferred = infer(program, describe_source(text, "json", "instance"))
        output = execute(program, text, "json", "json")["output"]
    except RolltopError:
        return  # a program that fails has no output to compare
    jsonschema.validate(json.loads(output), inferred["outputSchema"])
