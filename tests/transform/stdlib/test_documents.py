"""JSON, YAML and CSV functions: patches, canonical form, paths, tables and layout."""

from __future__ import annotations

import csv
import io
import json
import math
import struct
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.errors import RolltopError
from rolltop.transform import compile_program
from rolltop.transform.stack import deep_stack
from rolltop.transform.stdlib import find
from rolltop.transform.values import equal

with deep_stack():
    pass  # readers raise the recursion limit; hypothesis minds when that happens inside a test
QUICK = settings(max_examples=40, deadline=None)
KEYS = st.text(st.characters(codec="utf-8"), max_size=4)
SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | KEYS
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=10
)
CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=6)


def call(name: str, *arguments: Any) -> Any:
    declared = find(name)
    assert declared is not None
    return declared.call(*arguments)


def refusal(name: str, *arguments: Any) -> str:
    with pytest.raises(RolltopError) as caught:
        call(name, *arguments)
    return caught.value.message


@QUICK
@given(VALUES, VALUES)
def test_the_difference_applied_gives_the_other(a: Any, b: Any) -> None:
    operations = call("jsonDiff", a, b)
    assert call("validateJsonPatch", operations)["valid"] is True
    assert equal(call("jsonPatch", a, operations), b)


@pytest.mark.parametrize(
    ("document", "operations", "expected"),
    [  # the appendix of RFC 6902
        ({"foo": "bar"}, [{"op": "add", "path": "/baz", "value": "qux"}], {"baz": "qux", "foo": "bar"}),
        ({"foo": ["bar", "baz"]}, [{"op": "add", "path": "/foo/1", "value": "qux"}], {"foo": ["bar", "qux", "baz"]}),
        ({"foo": ["bar", "qux", "baz"]}, [{"op": "remove", "path": "/foo/1"}], {"foo": ["bar", "baz"]}),
        ({"foo": ["all", "grass", "cows", "eat"]}, [{"op": "move", "from": "/foo/1", "path": "/foo/3"}],
         {"foo": ["all", "cows", "eat", "grass"]}),
        ({"foo": ["bar"]}, [{"op": "add", "path": "/foo/-", "value": ["abc"]}], {"foo": ["bar", ["abc"]]}),
        ({"/": 9, "~1": 10}, [{"op": "test", "path": "/~01", "value": 10}], {"/": 9, "~1": 10}),
        ({"a": {"b": 1}}, [{"op": "copy", "from": "/a", "path": "/c"}], {"a": {"b": 1}, "c": {"b": 1}}),
    ],
)  # fmt: skip
def test_patches_of_the_standard(document: Any, operations: list[Any], expected: Any) -> None:
    before = json.dumps(document)
    assert call("jsonPatch", document, operations) == expected
    assert json.dumps(document) == before, "values are never changed"


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "add", "path": "/a/b", "value": 1},
        {"op": "add", "path": "/l/3", "value": 1},
        {"op": "remove", "path": "/none"},
        {"op": "remove", "path": ""},
        {"op": "replace", "path": "/l/01", "value": 1},
        {"op": "test", "path": "/l/0", "value": True},
        {"op": "move", "from": "/o", "path": "/o/p"},
        {"op": "jump", "path": "/l"},
        {"op": "add", "path": "l", "value": 1},
        {"path": "/l"},
        "add",
    ],
)
def test_patches_that_fail_say_so(operation: Any) -> None:
    assert refusal("jsonPatch", {"l": [1, 2], "o": {"p": 1}}, [operation])


@pytest.mark.parametrize(
    ("target", "patch", "expected"),
    [  # the appendix of RFC 7396
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ({"a": "foo"}, None, None),
    ],
)
def test_merge_patches_of_the_standard(target: Any, patch: Any, expected: Any) -> None:
    assert call("jsonMergePatch", target, patch) == expected


@pytest.mark.parametrize(
    ("bits", "text"),
    [  # the appendix of RFC 8785
        (0x0000000000000000, "0"), (0x8000000000000000, "0"), (0x0000000000000001, "5e-324"),
        (0x7FEFFFFFFFFFFFFF, "1.7976931348623157e+308"), (0x4340000000000000, "9007199254740992"),
        (0x4430000000000000, "295147905179352830000"), (0x44B52D02C7E14AF5, "9.999999999999997e+22"),
        (0x44B52D02C7E14AF6, "1e+23"), (0x444B1AE4D6E2EF4E, "999999999999999700000"), (0x444B1AE4D6E2EF50, "1e+21"),
        (0x3EB0C6F7A0B5ED8C, "9.999999999999997e-7"), (0x3EB0C6F7A0B5ED8D, "0.000001"),
        (0x41B3DE4355555553, "333333333.3333332"), (0xBECBF647612F3696, "-0.0000033333333333333333"),
        (0x43143FF3C1CB0959, "1424953923781206.2"),
    ],
)  # fmt: skip
def test_canonical_numbers_are_those_of_the_standard(bits: int, text: str) -> None:
    assert call("canonicalizeJSON", struct.unpack(">d", struct.pack(">Q", bits))[0]) == text


@QUICK
@given(VALUES)
def test_canonical_json_is_stable_and_says_the_same(value: Any) -> None:
    if isinstance(value, str):
        value = [value]  # a text alone may be taken for JSON
    text = call("canonicalizeJSON", value)
    assert equal(json.loads(text, parse_int=float), json.loads(json.dumps(value), parse_int=float))
    assert call("canonicalizeJSON", text) == text if text[:1] in "{[" else True
    assert call("isCanonicalJSON", text) is True


def test_canonical_keys_are_sorted_by_utf16_units() -> None:
    made = call("jcs", {"\ufb33": 1, "\U0001f600": 2, "\u20ac": 3, "1": 4, "\r": 5})
    assert list(json.loads(made)) == ["\r", "1", "\u20ac", "\U0001f600", "\ufb33"]


def test_what_json_lacks_is_null() -> None:
    assert call("jcs", [math.nan, -math.inf]) == "[null,null]"


@QUICK
@given(VALUES, st.integers(0, 8))
def test_json_layout_changes_only_blanks(value: Any, indent: int) -> None:
    text = json.dumps(value)
    assert json.loads(call("prettyPrintJSON", text, indent)) == value
    assert call("compactJSON", call("prettyPrintJSON", text, indent)) == call("compactJSON", text)
    assert call("prettyPrintJSON", text, 3) == json.dumps(value, indent=3)


def test_numbers_keep_their_digits_in_layout() -> None:
    assert call("compactJSON", "[ 1.50, 1E2, 123456789012345678901234567890 ]") == (
        "[1.50,1E2,123456789012345678901234567890]"
    )


@QUICK
@given(st.lists(VALUES, min_size=1, max_size=3))
def test_yaml_documents_read_back(documents: list[Any]) -> None:
    wanted = [item for item in documents if not isinstance(item, str)]
    assert equal(call("yamlSplitDocuments", call("yamlMergeDocuments", wanted)) if wanted else [], wanted)


@QUICK
@given(st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3), VALUES)
def test_what_is_set_is_found_and_can_be_deleted(value: dict[str, Any], new: Any) -> None:
    changed = call("yamlSet", value, ".x.y[1].z", new)
    assert equal(call("yamlPath", changed, "x.y[1].z"), new)
    assert call("yamlExists", changed, "$.x.y[0]") is True
    assert equal(call("yamlDelete", changed, ".x"), value)


@pytest.mark.parametrize("path", ["a..b[", "[x]", "a[", "]"])
def test_what_is_no_path_is_refused(path: str) -> None:
    assert "no path" in refusal("yamlPath", {}, path)


def test_paths_do_not_make_huge_arrays() -> None:
    assert "no position" in refusal("yamlSet", {}, "a[99999999]", 1)


def test_layout_of_yaml_keeps_the_value() -> None:
    text = "a: {b: [1, 2], c: 'x: y'}\n"
    for arguments in ((2, False), (8, False), (2, True)):
        assert yaml.safe_load(call("prettyPrintYAML", text, *arguments)) == yaml.safe_load(text)


@QUICK
@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=4))
def test_csv_functions_understand_quoting(rows: list[list[str]]) -> None:
    out = io.StringIO()
    csv.writer(out).writerows([["a", "b"], *rows])
    text = out.getvalue()
    assert call("csvColumn", text, "a") == [row[0] for row in rows]
    assert [list(row.values()) for row in call("csvRows", call("csvSelectColumns", text, ["b", "a"]))] == [
        [row[1], row[0]] for row in rows
    ]
    by_text = call("csvColumn", call("csvSort", text, "a"), "a")
    assert by_text == sorted(row[0] for row in rows)


def test_a_table_transposed_twice_is_itself() -> None:
    text = 'a,b\n"x,y",1\n"q""q",2'
    assert call("csvTranspose", text) == 'a,"x,y","q""q"\nb,1,2'
    assert call("csvTranspose", call("csvTranspose", text)) == text


TABLE = "n,s\n2,b\n10,a\n,c"


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        ("gt", 2, ["a"]), (">=", 2, ["b", "a"]), ("<", "10", ["b"]), ("eq", "2.0", ["b"]),
        ("!=", 2, ["a", "c"]), ("contains", "1", ["a"]), ("startswith", "", ["b", "a", "c"]),
    ],
)  # fmt: skip
def test_csv_filters(operator: str, value: Any, expected: list[str]) -> None:
    assert call("csvColumn", call("csvFilter", TABLE, "n", operator, value), "s") == expected


def test_csv_refusals() -> None:
    assert "no column" in refusal("csvFilter", TABLE, "x", "eq", 1)
    assert "no comparison" in refusal("csvFilter", TABLE, "n", "like", 1)
    assert "no row" in refusal("csvRow", TABLE, -1)
    assert "already" in refusal("csvAddColumn", TABLE, "n", 1)
    assert call("csvRows", "") == []
    assert call("csvSummarize", TABLE) == {"n": {"count": 2, "sum": 12, "avg": 6.0, "min": 2, "max": 10}}


@QUICK
@given(VALUES)
def test_rendered_json_and_yaml_read_back(value: Any) -> None:
    assert equal(call("parseJson", call("renderJson", value)), value)
    assert equal(call("parseJson", call("renderJson", value, True)), value)
    assert equal(call("parseYaml", call("renderYaml", value)), value)


@pytest.mark.parametrize("name", ["parseJson", "parseXml", "parseYaml", "parseCsv"])
def test_a_program_can_catch_bad_text(name: str) -> None:
    program = f'try {{ {name}("\\"<{{[") }} catch (e) {{ "caught" }}'
    found = compile_program(program, inputs={"input": "json"}, output_format="json").evaluate({"input": None})
    assert found == "caught"


def test_deep_values_are_dumped_to_a_depth() -> None:
    value: Any = 1
    for _ in range(500):
        value = [value]
    assert call("debugPrint", value).count("\n") == 10
    assert len(call("debugPrintCompact", ["x" * 1000])) == 200


YAML_TEXTS = [
    "a: .inf\nb: -.inf\nc: 12:30:45\nd: 2024-01-01\ne: 2024-01-01 10:00:00\nf: 12345678901234567890123\n",
    "a:\nb: ~\nc: 'null'\nd: \"1\"\ne: hello, world\nf: ''\ng: yes\nh: 0x1F\ni: 010\nj: 1_000\n",
    "a: &x [1, {b: 2}]\nb: *x\nc: {<<: {d: 1}, e: 2}\n",
    "a: |\n  one\n  two\nb: >\n  folded\n  text\nc: !!str 12\nd: !!binary aGk=\n",
    "- - 1\n  - 2\n- {}\n- []\n",
    "a: 1\n---\nb: 2\n---\n- 3\n...\n---\nlast\n",
    "%YAML 1.1\n%TAG !e! tag:example.org,2000:\n---\na: !!int '7'\n",
]


@pytest.mark.parametrize("text", YAML_TEXTS)
@pytest.mark.parametrize("options", [[], [4], [2, True], [9, True]])
def test_yaml_laid_out_anew_says_the_same(text: str, options: list[Any]) -> None:
    said = repr(call("yamlSplitDocuments", text))
    assert repr(call("yamlSplitDocuments", call("prettyPrintYAML", text, *options))) == said
    assert repr(call("yamlSplitDocuments", call("prettyPrintFormat", text, "yaml"))) == said
    assert repr(call("yamlSplitDocuments", call("yamlMergeDocuments", [text]))) == said


def test_yaml_keeps_its_spelling() -> None:
    text = "a: .nan\nb: 12:30:45\nc: 2024-01-01\nd: 12345678901234567890123\ne: 'x'\n"
    assert call("prettyPrintYAML", text) == text


def test_merged_documents_are_all_there() -> None:
    merged = call("yamlMergeDocuments", ["a: 1\n---\nb: 2", {"c": 3}, "", "d"])
    assert call("yamlSplitDocuments", merged) == [{"a": 1}, {"b": 2}, {"c": 3}, None, "d"]


def test_text_of_no_format_is_told_as_such() -> None:
    with pytest.raises(RolltopError, match="format of the text cannot be told"):
        call("prettyPrint", "plain")
    assert call("prettyPrint", " true") == "true"


def test_cells_without_a_number_are_neither_more_nor_less() -> None:
    table = "n,x\n,a\n2,b\nlots,c\n7,d"
    assert call("csvFilter", table, "n", "lt", "5") == "n,x\n2,b"
    assert call("csvFilter", table, "n", ">=", 2) == "n,x\n2,b\n7,d"
    assert call("csvFilter", table, "n", "ne", 2) == "n,x\n,a\nlots,c\n7,d"
    assert call("csvFilter", table, "x", "gt", "b") == "n,x\nlots,c\n7,d"


@pytest.mark.parametrize("pointer", ["/~", "/a~2b", "/~~0", "a", "/a/~"])
def test_pointers_have_two_escapes(pointer: str) -> None:
    assert call("validateJsonPatch", [{"op": "add", "path": pointer, "value": 1}])["valid"] is False
    with pytest.raises(RolltopError, match="no JSON Pointer"):
        call("jsonPatch", {}, [{"op": "add", "path": pointer, "value": 1}])


def test_indented_json_has_blanks_around_its_colons() -> None:
    value = {"a": {'q": ': [1, 'x": ']}, "b\\": "c: d", "e": {}}
    made = call("renderJson", value, True)
    assert json.loads(made) == value
    assert made == (
        '{\n  "a" : {\n    "q\\": " : [\n      1,\n      "x\\": "\n    ]\n  },\n  "b\\\\" : "c: d",\n  "e" : {}\n}'
    )
