"""Arrays: edges, mixed kinds, and agreement with Python's own."""

from __future__ import annotations

import datetime as dt
import itertools
from typing import Any

import pytest
from frugal import given
from hypothesis import strategies as st

from rolltop.transform.errors import EvaluationFailure, FunctionFailure
from rolltop.transform.stdlib import find
from rolltop.transform.values import Node, equal

scalars = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, 0.5]) | st.sampled_from(["", "1", "a"])
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner)
)
arrays = st.lists(values, max_size=8)


def call(name: str, *arguments: Any) -> Any:
    declared = find(name)
    assert declared is not None
    return declared.call(*arguments)


def has(array: list[Any], value: Any) -> bool:
    return any(equal(item, value) for item in array)


@given(arrays, arrays)
def test_set_functions_compare_as_the_language_does(left: list[Any], right: list[Any]) -> None:
    unique = call("unique", left)
    assert all(has(unique, item) for item in left)
    assert not any(equal(a, b) for a, b in itertools.combinations(unique, 2))
    assert call("intersect", left, right) == [item for item in unique if has(right, item)]
    assert call("difference", left, right) == [item for item in left if not has(right, item)]
    assert len(call("union", left, right)) == len(call("unique", left + right))
    assert call("symmetricDifference", left, right) == call("difference", left, right) + call("difference", right, left)


@given(arrays, values)
def test_positions_of_equal_elements(array: list[Any], value: Any) -> None:
    places = [at for at, item in enumerate(array) if equal(item, value)]
    assert call("indexOf", array, value) == (places[0] if places else None)
    assert call("lastIndexOf", array, value) == (places[-1] if places else None)
    assert call("includes", array, value) is bool(places)
    assert call("contains", array, value) is bool(places)


def test_true_is_not_one_and_one_is_one_point_nought() -> None:
    assert call("unique", [1, True, 1.0, "1", 0, False]) == [1, True, "1", 0, False]
    assert [type(item) for item in call("unique", [1, True])] == [int, bool]
    assert call("unique", [{"a": 1, "b": 2}, {"b": 2, "a": 1.0}]) == [{"a": 1, "b": 2}]
    assert len(call("unique", [Node({"a": 1}, {"id": "1"}), Node({"a": 1}, {"id": "2"})])) == 2


@given(st.lists(st.integers() | st.floats(allow_nan=False)))
def test_sorting_numbers_is_pythons(numbers: list[float]) -> None:
    assert call("sort", numbers) == sorted(numbers)
    assert call("sortBy", numbers, lambda n: -n) == sorted(numbers, key=lambda n: -n)


@given(arrays)
def test_sorting_by_any_key_keeps_every_element(array: list[Any]) -> None:
    rows = [{"k": item} for item in array]
    ordered = call("sortBy", rows, "k")
    assert len(ordered) == len(rows)
    assert all(any(item is row for row in rows) for item in ordered)
    missing = [row["k"] is None for row in ordered]
    assert missing == sorted(missing)


def test_sorting_other_kinds() -> None:
    days = [dt.date(2024, 3, 1), dt.date(2023, 1, 1)]
    assert call("sort", days) == days[::-1]
    assert call("sort", [True, False]) == [False, True]
    assert call("sort", ["b", None, "a"]) == ["a", "b", None]
    with pytest.raises(FunctionFailure, match="numbers and strings"):
        call("sort", [1, "a", None])
    stable = [{"k": 1, "n": 1}, {"k": 0, "n": 2}, {"k": 1, "n": 3}]
    assert [row["n"] for row in call("sortBy", stable, "k")] == [2, 1, 3]


@pytest.mark.parametrize("name", ["first", "last", "head"])
def test_the_ends_of_nothing_are_an_error(name: str) -> None:
    with pytest.raises(FunctionFailure, match="called on empty array"):
        call(name, [])


@given(st.lists(st.integers(), max_size=10), st.integers(-3, 15))
def test_take_and_drop_make_the_whole(array: list[int], count: int) -> None:
    assert call("take", array, count) + call("drop", array, count) == array
    assert call("get", array, count) == (array[count] if 0 <= count < len(array) else None)


@given(st.lists(st.integers(), max_size=12), st.integers(1, 5), st.integers(1, 3))
def test_chunks_and_windows(array: list[int], size: int, step: int) -> None:
    chunks = call("chunk", array, size)
    assert call("flatten", chunks) == array
    assert all(len(piece) == size for piece in chunks[:-1])
    windows = call("windowed", array, size, step)
    assert windows == [array[at : at + size] for at in range(0, len(array), step) if at + size <= len(array)]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("slice", ([1], -1)),
        ("slice", ([1], 0, 2)),
        ("slice", ([1, 2], 2, 1)),
        ("remove", ([1], 1)),
        ("insertBefore", ([1], 2, 0)),
        ("insertAfter", ([], 0, 0)),
        ("chunk", ([1], 0)),
        ("windowed", ([1], 1, 0)),
        ("unzip", ([[1]],)),
        ("unzip", ([1],)),
        ("sum", ([1, None],)),
        ("sum", ([True],)),
        ("avg", (["x"],)),
        ("max", ([{}],)),
        ("min", ("a", "b")),
    ],
)
def test_what_lies_outside_is_refused(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(EvaluationFailure):
        call(name, *arguments)


@given(st.lists(st.lists(st.integers(), max_size=4), max_size=4))
def test_transposing_ragged_rows(rows: list[list[int]]) -> None:
    width = max(map(len, rows), default=0)
    assert call("transpose", rows) == [[row[at] for row in rows if at < len(row)] for at in range(width)]


@given(st.lists(st.tuples(st.integers(), st.text()).map(list)))
def test_zip_undoes_unzip(pairs: list[list[Any]]) -> None:
    assert call("zip", *call("unzip", pairs)) == pairs


def test_flattening_is_one_level_or_all() -> None:
    deep: Any = [0]
    for _ in range(5000):
        deep = [deep]
    assert call("flattenDeep", deep) == [0]
    assert call("flatten", [[1, [2]], 3, []]) == [1, [2], 3]


def test_totals() -> None:
    assert call("sum", []) == 0
    assert call("sum", ["1.5", 2]) == 3.5
    assert call("sum", [2**62, 2**62]) == float(2**63)
    assert call("avg", []) is None
    assert call("max", []) is None
    assert call("max", 3, "10", 2.5) == 10
    assert call("min", [dt.date(2024, 1, 2), dt.date(2024, 1, 1)]) == dt.date(2024, 1, 1)
    assert call("maxBy", [{"n": None}, {"n": 1}], "n") == {"n": 1}
    assert call("joinToString", [1, 1.0, None, True, "a", [1]]) == "1,1.0,null,true,a,[1]"


LEFT = [{"id": 1, "n": "a"}, {"id": None, "n": "b"}, {"id": 3, "n": "c"}, {"id": 1, "n": "d"}]
RIGHT = [{"ref": "1", "q": 10}, {"ref": 2, "q": 20}, {"ref": None, "q": 30}, {"ref": 1.0, "q": 40}]


def nested_loops(left: list[Any], right: list[Any]) -> list[tuple[Any, Any]]:
    return [
        (one["n"], other["q"])
        for one in left
        for other in right
        if one["id"] is not None and other["ref"] is not None and float(one["id"]) == float(other["ref"])
    ]


def test_joins_agree_with_nested_loops() -> None:
    shown = [(row["l"]["n"], row["r"]["q"]) for row in call("join", LEFT, RIGHT, "id", "ref")]
    assert shown == nested_loops(LEFT, RIGHT) == [("a", 10), ("a", 40), ("d", 10), ("d", 40)]
    made = call("joinWith", LEFT, RIGHT, lambda row: row["id"], "ref", lambda one, other: (one["n"], other["q"]))
    assert made == shown


def test_outer_joins_keep_the_lonely() -> None:
    left = call("leftJoin", LEFT, RIGHT, "id", "ref")
    assert [row["l"]["n"] for row in left if row["r"] is None] == ["b", "c"]
    right = call("rightJoin", LEFT, RIGHT, "id", "ref")
    assert [(row["r"]["q"], row["l"] and row["l"]["n"]) for row in right] == [
        (10, "a"), (10, "d"), (20, None), (30, None), (40, "a"), (40, "d"),
    ]  # fmt: skip
    full = call("fullOuterJoin", LEFT, RIGHT, "id", "ref")
    assert len(full) == 4 + 2 + 2
    assert all(row["l"] is not None or row["r"] is not None for row in full)


def test_groups_are_keyed_by_text_in_order_of_appearance() -> None:
    rows = [{"k": 2}, {"k": "b"}, {"k": 2.0}, {"k": None}, {"k": True}, {}]
    assert {key: len(members) for key, members in call("groupBy", rows, "k").items()} == {
        "2": 2, "b": 1, "null": 2, "true": 1,
    }  # fmt: skip
    assert call("mapGroups", rows, "k", lambda group: group["key"]) == ["2", "b", "null", "true"]


def test_attributes_can_be_keys_and_survive_nesting() -> None:
    parents = [Node({"n": 1}, {"id": "7"}, "parent")]
    [parent] = call("nestBy", parents, [{"p": 7}], "@id", "p", "kids")
    assert parent["kids"] == [{"p": 7}]
    assert parent.attributes == {"id": "7"}
    assert "kids" not in parents[0]
    assert call("lookupBy", "7", parents, "@id") is parents[0]


def test_null_is_no_key_for_lookups_and_nesting() -> None:
    table = [{"name": "no code"}, {"code": None}, {"code": "null"}, {"code": "A"}]
    assert call("lookupBy", None, table, "code") is None
    assert call("lookupBy", "null", table, "code") == {"code": "null"}
    assert call("lookupBy", "A", table, lambda row: row.get("code")) == {"code": "A"}
    parents = [{"id": None}, {"id": "null"}, {}]
    children = [{"p": None}, {"p": "null"}, {}]
    nested = call("nestBy", parents, children, "id", "p", "kids")
    assert [parent["kids"] for parent in nested] == [[], [{"p": "null"}], []]


def test_unnesting() -> None:
    rows = [{"id": 1, "c": [{"id": 9, "x": 1}, 5]}, {"id": 2}, {"id": 3, "c": {"x": 2}}]
    assert call("unnest", rows, "c") == [{"id": 9, "x": 1}, {"id": 1, "value": 5}, {"id": 3, "x": 2}]
    assert call("chunkBy", [1, 2, 3], lambda x: "truthy but not true") == [[1, 2, 3]]
