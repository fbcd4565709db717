"""Objects: merging, paths, differences, trees."""

from __future__ import annotations

from typing import Any

import pytest
from frugal import given
from hypothesis import strategies as st

from rolltop.transform.errors import EvaluationFailure, FunctionFailure, TypeFailure
from rolltop.transform.stack import deep_stack
from rolltop.transform.stdlib import find
from rolltop.transform.values import Node, equal

scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=2)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("xyz", max_size=2), inner, max_size=4)
)
objects = st.dictionaries(st.text("xyz", max_size=2), values, max_size=5)
nested = st.recursive(scalars, lambda inner: st.dictionaries(st.text("xyz", max_size=2), inner, max_size=4))


def call(name: str, *arguments: Any) -> Any:
    declared = find(name)
    assert declared is not None
    return declared.call(*arguments)


@given(values, values)
def test_a_patch_makes_the_old_value_into_the_new(old: Any, new: Any) -> None:
    changes = call("diff", old, new)
    assert equal(call("patch", old, changes), new)
    assert bool(changes["changes"]) is not equal(old, new)


@given(values)
def test_copies_are_equal_and_share_nothing(value: Any) -> None:
    copy = call("deepClone", value)
    assert call("deepEquals", value, copy)
    if isinstance(value, (list, dict)) and value:
        assert copy is not value


@given(objects)
def test_entries_make_the_object_again(value: dict[str, Any]) -> None:
    assert call("fromEntries", call("entries", value)) == value
    assert call("toObject", call("toArray", value)) == value
    assert call("merge", value, value) == value
    assert call("mapKeys", value, lambda key: key) == value
    assert call("mapTree", value, lambda node, path: node) == value
    assert call("treeMap", value, lambda leaf: leaf) == value


@given(objects, st.lists(st.text("xyz", max_size=2)))
def test_what_is_picked_and_what_is_omitted_make_the_whole(value: dict[str, Any], names: list[str]) -> None:
    picked, omitted = call("pick", value, names), call("omit", value, names)
    assert {**picked, **omitted} == value
    assert not picked.keys() & omitted.keys()


@given(values)
def test_every_leaf_is_found_by_its_path(value: Any) -> None:
    paths, leaves = call("treePaths", value), call("treeFlatten", value)
    assert [call("treeFind", value, path) for path in paths] == leaves
    assert call("treeDepth", value) >= max(map(len, paths), default=0)


@given(nested, st.lists(st.text("xyz", min_size=1, max_size=2), min_size=1, max_size=3), scalars)
def test_what_is_set_is_got(value: Any, path: list[str], new: Any) -> None:
    before = call("deepClone", value)
    changed = call("update", value, path, new)
    assert call("getPath", changed, path) == new
    assert value == before


def test_paths_go_through_arrays_and_attributes() -> None:
    value = {"a": [{"b": Node({"c": 1}, {"id": "7"})}]}
    assert call("getPath", value, "a.0.b.c") == 1
    assert call("getPath", value, ["a", 0.0, "b", "@id"]) == "7"
    assert call("getPath", value, "a.1", "none") == "none"
    assert call("getPath", value, "a.b") is None
    assert call("getPath", {"a": None}, "a", 5) is None
    assert call("getPath", 5, "") == 5
    assert call("setPath", value, "a.0.b.c", 2)["a"][0]["b"].attributes == {"id": "7"}


@pytest.mark.parametrize(("value", "path"), [({"a": 5}, "a.b"), ({"a": [1]}, "a.x"), ({}, ""), ({"a": [1]}, "a.3")])
def test_set_path_refuses_what_is_no_object(value: Any, path: str) -> None:
    with pytest.raises(FunctionFailure, match="setPath"):
        call("setPath", value, path, 1)


def test_merging() -> None:
    assert call("merge") == {}
    merged = call("merge", Node({"a": 1}, {"x": "1"}), {"b": 2})
    assert (dict(merged), merged.attributes) == ({"a": 1, "b": 2}, {"x": "1"})
    assert call("deepMerge", {"a": {"b": 1}}, {"a": 5}) == {"a": 5}
    assert call("deepMerge", {"a": [1]}, {"a": {"b": 1}}) == {"a": {"b": 1}}
    with pytest.raises(FunctionFailure, match="objects"):
        call("deepMergeAll", [{"a": 1}, 5])


@pytest.mark.parametrize("name", ["keys", "values", "entries", "invert", "mapValues", "filterEntries", "containsKey"])
@pytest.mark.parametrize("value", [None, 5, "text", [1]])
def test_only_objects_have_properties(name: str, value: Any) -> None:
    declared = find(name)
    assert declared is not None
    with pytest.raises(TypeFailure, match="requires an object"):
        declared.call(value, *[lambda *_: True] * (declared.signature.least - 1))


def test_attributes_are_no_properties() -> None:
    node = Node({"a": 1}, {"id": "7"})
    assert call("keys", node) == ["a"]
    assert call("containsKey", node, "id") is False
    assert call("containsKey", node, "@id") is True
    assert call("omit", node, []).attributes == {"id": "7"}
    assert type(call("pick", node, ["a"])) is dict


def test_masking_hides_fields_at_any_depth() -> None:
    value = {"pin": 1, "list": [{"pin": {"deep": 2}}], "el": Node({"x": 1}, {"pin": "3"})}
    masked = call("mask", value, ["pin"])
    assert masked["pin"] == masked["list"][0]["pin"] == masked["el"].attributes["pin"] == "***"
    assert value["pin"] == 1


def test_a_patch_for_another_value_is_refused() -> None:
    for value in ({}, [], 5, {"a": 1}):
        with pytest.raises(EvaluationFailure):
            call("patch", value, call("diff", {"a": {"b": 1}}, {"a": {}}))
    with pytest.raises(FunctionFailure, match="result of diff"):
        call("patch", {}, {})


def test_entries_functions_see_key_and_value() -> None:
    value = {"a": 1, "b": 2}
    assert call("mapEntries", value, lambda k, v: {"key": k * 2}) == {"aa": 1, "bb": 2}
    assert call("mapEntries", value, lambda k, v: {"value": None}) == {"a": None, "b": None}
    assert call("reduceEntries", value, lambda acc, k, v: acc + k + str(v), "") == "a1b2"
    assert call("divideBy", value, 1) == [{"a": 1}, {"b": 2}]
    with pytest.raises(FunctionFailure, match="key, value"):
        call("mapEntries", value, lambda k, v: 5)


def test_an_array_is_divided_by_a_property_or_a_function() -> None:
    rows = [{"t": 1}, {"t": 2}, {"t": 1}]
    assert call("divideBy", rows, "t") == {"1": [{"t": 1}, {"t": 1}], "2": [{"t": 2}]}
    assert call("divideBy", rows, lambda row: row["t"]) == call("groupBy", rows, "t")
    for by in (None, True, [1], {}):
        with pytest.raises(TypeFailure, match="divideBy requires a string or a number or a function for 'by'"):
            call("divideBy", rows, by)
    with pytest.raises(FunctionFailure, match="number of at least 1"):
        call("divideBy", {"a": 1}, lambda row: row)


def test_branches_without_leaves_vanish() -> None:
    assert call("treeFilter", {"a": {}, "b": [], "c": [{"d": 1}, {"d": 0}]}, lambda leaf: leaf) == {"c": [{"d": 1}]}
    assert call("treeFilter", 0, lambda leaf: leaf) is None


def test_deep_values_do_not_end_the_process() -> None:
    deep: Any = 1
    for _ in range(400):
        deep = {"a": [deep]}
    with deep_stack():
        assert call("treeDepth", deep) == 800
        assert call("deepEquals", deep, call("deepClone", deep))
        assert len(call("treePaths", deep)[0]) == 800
