"""Records that a program drops are skipped by the decoder: what comes out is what the evaluator gives."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rolltop.errors import RolltopError
from rolltop.transform import compile_program
from rolltop.transform.compile.record_sieve import kept_by
from rolltop.transform.stream.blocks import Lines
from rolltop.transform.stream.code import PieceCode
from rolltop.transform.stream.sinks import sink_for

PROGRAMS = [
    '$input |> filter(o => o.s == "a") |> map(o => { n: o.n, twice: o.n * 2, s: o.s })',
    '$input |> filter(o => o.s == "a") |> map(o => o.n * 2)',
    '$input |> filter(o => o.s == "a" && o.n > 1) |> map(o => o.n + 1)',
    '$input |> filter(o => (o.s == "a" && o.n > 1) || o.n > 5) |> map(o => o.n + 1)',
    '$input |> filter(o => o.s == "a") |> filter(o => o.n > 2) |> map(o => upper(o.t))',
    '$input |> filter(o => o.s != "a") |> map(o => o.n + 1)',
    '[sum(map(filter($input, o => o.s == "a"), o => o.n * 2)), count($input)]',
    '[sum(map(filter($input, o => o.s == "a"), o => o.n * 2))]',
    '[filter($input, o => o.s == "a") |> groupBy(o => o.t) |> mapValues(g => sum(map(g, o => o.n)))]',
    'let kept = filter($input, o => o.s == "a")\n[map(kept, o => o.n), map(kept, o => o.t)]',
]
FIELDS = st.sampled_from(
    [
        *['"s":"a"', '"s":"a"', '"s":"b"', '"s":"b"', '"s":"c"', '"s":"\\u0061"', '"\\u0073":"a"', '"s":"\\u00e9"'],
        *['"n":1', '"n":2', '"n":7.5', '"n":3.0', '"t":"x"', '"t":"y"', '"z":{"s":"a","n":[1]}'],
        *['"s":null', '"s":1', '"n":"3"', '"n":null', '"t":null', '"n":18446744073709551615'],
    ]
)
USUAL = st.sampled_from(
    [
        *['{"s":"a","n":1,"t":"x"}', '{"n":2,"t":"y","s":"b"}', '{"t":"y","n":4.0,"s":"a"}'],
        '{"s":"c","n":"no number","t":4}',
    ]
)
ODD = st.lists(FIELDS, max_size=5).map(lambda fields: "{" + ",".join(fields) + "}")


@st.composite
def pieces(draw: st.DrawFn) -> list[list[str]]:
    """Pieces of which the first ones teach what there is, and later ones may be different."""
    usual = st.lists(USUAL, min_size=32, max_size=40)
    odd = st.tuples(usual, st.lists(ODD, max_size=3)).map(lambda both: both[1] + both[0])
    return draw(st.lists(usual | odd, min_size=1, max_size=6))


def outcome(work: Any) -> Any:
    try:
        return work()
    except RolltopError as error:
        return type(error).__name__, str(error)


def agree(text: str, given: list[list[str]]) -> None:
    program = compile_program(text, inputs={"input": "json"}, output_format="json")
    sink = sink_for("json", lambda data: None, {})
    codes = [PieceCode(program.parsed.program, program.source, chosen) for chosen in (sink, None)]
    by_line = PieceCode(program.parsed.program, program.source, sink)
    for records in given:
        whole = f"[{','.join(records)}]".encode()
        value = outcome(lambda: program.evaluator.run({"input": orjson.loads(whole)}))  # noqa: B023 - called at once
        expected = sink.encode(value) if isinstance(value, list) else value
        assert outcome(lambda: codes[0].of_json(whole)) == expected  # noqa: B023
        assert outcome(lambda: codes[1].of_json(whole)) == value  # noqa: B023
        assert outcome(lambda: by_line.of_lines(Lines("\n".join(records).encode(), 1))) == expected  # noqa: B023


QUICK = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@QUICK
@given(st.sampled_from(PROGRAMS), pieces())
@example(PROGRAMS[0], [['{"s":"a","n":1}', '{"s":"b","n":"x"}'] * 20, ['{"s":"b","n":1,"s":"a"}'] * 40])
@example(PROGRAMS[0], [['{"s":"a","n":1}', '{"s":"b"}'] * 20, ['{"s":"a","n":1,"s":"b"}'] * 40, ['{"s":"b"}'] * 40])
def test_sifted_records_give_what_the_evaluator_gives(text: str, given: list[list[str]]) -> None:
    agree(text, given)


@pytest.mark.soak
@settings(QUICK, max_examples=5000)
@given(st.sampled_from(PROGRAMS), pieces())
def test_sifted_records_at_length(text: str, given: list[list[str]]) -> None:
    agree(text, given)


@pytest.mark.parametrize(("at", "sifts"), list(enumerate([1, 1, 1, 0, 1, 0, 1, 1, 1, 1])))
def test_only_code_that_looks_at_nothing_else_of_dropped_records_sifts(at: int, sifts: int) -> None:
    program = compile_program(PROGRAMS[at], inputs={"input": "json"}, output_format="json")
    tier = program.tiers.typed
    assert tier is not None
    kept = kept_by(tier.routine_of(written=False)[0])
    assert (kept is not None) == bool(sifts), tier.source
    assert kept is None or kept.value == "a"


@pytest.mark.parametrize(
    ("program", "kept"),
    [
        ('filter($input, o => o.s == "a") |> map(o => o.n * 2)', "a"),
        ('filter($input, o => o.s == "a" && o.n > 2) |> map(o => o.n)', "a"),
        ('filter($input, o => o.s == "a") |> filter(o => o.n > 2) |> map(o => o.n)', "a"),
        ('let k = filter($input, o => o.s == "a")\n{ n: sum(map(k, o => o.n)), c: count($input) }', "a"),
        ('filter($input, o => o.s == "a" || o.n > 2) |> map(o => o.n)', None),
        ('filter($input, o => o.s == "a" && o.n > 1 || o.n > 2) |> map(o => o.n)', None),
        ('{ a: filter($input, o => o.s == "a") |> map(o => o.n), b: sum(map($input, o => o.n * 1)) }', None),
        ('map($input, o => if (o.s == "a") o.n else 2)', None),
        ("filter($input, o => o.n == 1) |> map(o => o.n)", None),
        ('let x = "a"\nfilter($input, o => o.s == x) |> map(o => o.n)', None),
    ],
)
def test_what_code_keeps(program: str, kept: str | None) -> None:
    tier = compile_program(program, inputs={"input": "json"}, output_format="json").tiers.typed
    assert tier is not None
    found = kept_by(tier.routine_of(written=False)[0])
    assert (found.value if found else None) == kept, tier.source


def test_what_is_wrong_with_a_dropped_record_does_not_matter() -> None:
    program = compile_program(PROGRAMS[0], inputs={"input": "json"}, output_format="json")
    tiers = program.tiers
    for wrong in (1, "x", [], {}):
        records = [{"s": "a", "n": 1}, {"s": "b", "n": 1}] * 20
        assert tiers.ready(json.dumps(records).encode())[0]
        assert tiers.ready(json.dumps([*records, {"s": "b", "n": wrong}]).encode()) == (
            True,
            [{"n": 1, "twice": 2, "s": "a"}] * 20,
        )
    assert tiers.typed is not None
    assert tiers.typed.unready == 0


def test_values_may_be_any_text() -> None:
    for value in ("", "\0", "\n", '"', "\\", "é", "\U0001f600", "\ud800", "x" * 10_000):
        program = compile_program(PROGRAMS[1].replace('"a"', json.dumps(value)))
        for _ in range(3):
            records = [{"s": other, "n": 1} for other in ("", "\0", "\n", '"', "\\", "é", "\U0001f600", "b")] * 8
            text = json.dumps(records, ensure_ascii=False).encode()
            assert program.tiers.ready(text) == (True, [2] * 8 * any(one["s"] == value for one in records[:8]))


def test_a_field_with_a_value_for_each_record_is_not_sifted_by() -> None:
    program = compile_program(PROGRAMS[0], inputs={"input": "json"}, output_format="json")
    for first in range(0, 2000, 50):
        records = [{"s": f"s{number}", "n": number} for number in range(first, first + 50)]
        assert program.tiers.ready(json.dumps(records).encode()) == (True, [])
    assert program.tiers.typed is not None
    assert program.tiers.typed.ready_reader.decode.__self__._sifting is None
