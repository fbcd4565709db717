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
from rolltop.transform.compile.record_sieve import Kept, kept_by
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


@pytest.mark.parametrize(("at", "sifts"), list(enumerate([1, 1, 1, 0, 1, 0, 0, 1, 1, 1])))
def test_only_code_that_looks_at_nothing_else_of_dropped_records_sifts(at: int, sifts: int) -> None:
    program = compile_program(PROGRAMS[at], inputs={"input": "json"}, output_format="json")
    tier = program.tiers.typed
    assert tier is not None
    kept = kept_by(tier.source)
    assert (kept is not None) == bool(sifts), tier.source
    assert kept is None or kept.value == "a"


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (" for t2 in v1:\n  if (t2.f0 == 'a'):\n   t3.append(t2.f1)\n return t3", Kept("f0", "a")),
        (" for t2 in v1:\n  if ((t2.f0 == 'a') and (t2.f1 > 2)):\n   t3.append(t2.f1)\n return t3", Kept("f0", "a")),
        (" t3 = [t2.f1 for t2 in v1 if (t2.f0 == 'a') if t2.f1]\n return t3", Kept("f0", "a")),
        (" for t2 in v1:\n  if ((t2.f0 == 'a') or (t2.f1 > 2)):\n   t3.append(t2.f1)\n return t3", None),
        (" for t2 in v1:\n  if (((t2.f0 == 'a') and t2.f1) or t2.f2):\n   t3.append(t2.f1)\n return t3", None),
        (" for t2 in v1:\n  if (t2.f0 == 'a'):\n   t3.append(t2.f1)\n  t4 += t2.f1\n return t3", None),
        (" for t2 in v1:\n  if (t2.f0 == 'a'):\n   t3.append(1)\n  else:\n   t3.append(2)\n return t3", None),
        (" for t2 in v1:\n  t4 = t2.f1\n  if (t2.f0 == 'a'):\n   t3.append(t4)\n return t3", None),
        (" for t2 in v1:\n  if (t2.f0 == 'a'):\n   t3.append(t2.f1)\n return t3, t2", None),
        (" for t2 in v1:\n  if (t2.f0 == 'a'):\n   t3.append(t2.f1)\n return t3, len(v1)", None),
        (" for t2 in v1:\n  if (t9.f0 == 'a'):\n   t3.append(t2.f1)\n return t3", None),
        (" t3 = [t2.f1 for t2 in v1 if (t2.f0 == 'a')] + [t4]\n return t3", None),
        (" t3 = [t2.f1 for t2 in v1 if (t2.f0 == 1)]\n return t3", None),
    ],
)
def test_what_code_keeps(body: str, kept: Kept | None) -> None:
    assert kept_by(f"def run(v1):\n t3 = []\n{body}") == kept


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
