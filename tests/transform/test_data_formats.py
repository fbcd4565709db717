"""The data formats: what each reader makes of text, what each writer makes of values."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from rolltop.errors import InvalidInput
from rolltop.transform import ReadFailure, WriteFailure, formats
from rolltop.transform.values import Node


def read(format_: str, data: str | bytes, **options: Any) -> Any:
    return formats.read(format_, data, options)


def write(format_: str, value: Any, **options: Any) -> str:
    return formats.write(format_, value, options).text


def shown(value: Any) -> Any:
    """A value as JSON has it."""
    return read("json", write("json", value))


# ---- JSON -------------------------------------------------------------------------------------


def test_json_keeps_integers_and_drops_empty_fractions() -> None:
    assert write("json", {"a": 1.0, "b": 2.5, "c": 3, "d": [1e21, 5e-324]}, compact=True) == (
        '{"a":1,"b":2.5,"c":3,"d":[1e+21,5e-324]}'
    )


WHOLE = [1.0, -0.0, 1e15, 1e16, -1e18, 1e21, "1.0", ["a.0", 2.0, {"x": 3.0, "1.0": "\\"}], [1.5, 10.0]]


@pytest.mark.parametrize("value", WHOLE)
def test_json_written_either_way_is_the_same(value: Any) -> None:
    indented, compact = write("json", value), write("json", value, compact=True)
    assert [type(x) for x in numbers_of(read("json", indented))] == [type(x) for x in numbers_of(read("json", compact))]
    assert read("json", indented) == read("json", compact)


def numbers_of(value: Any) -> list[Any]:
    if isinstance(value, (list, dict)):
        return [n for item in (value if isinstance(value, list) else value.values()) for n in numbers_of(item)]
    return [value]


def test_json_has_whole_doubles_at_the_limit_of_integers_as_they_are() -> None:
    assert write("json", [2.0**63, -(2.0**63), 2.0**62, 2**63 - 1], compact=True) == (
        "[9223372036854775808,-9223372036854775808,4611686018427387904,9223372036854775807]"
    )
    assert write("json", 2.0**63) == "9223372036854775808"


def test_json_has_no_nan() -> None:
    assert write("json", [float("nan"), float("inf")], compact=True) == "[null,null]"


def test_json_byte_order_mark_and_utf16() -> None:
    assert read("json", '\ufeff{"a": 1}') == {"a": 1}
    assert read("json", '{"a": "ä"}'.encode("utf-16")) == {"a": "ä"}


def test_json_writes_elements_dates_and_bytes() -> None:
    value = {
        "e": Node({"_text": 5, "x": 1}, {"id": "7"}),
        "t": Node({"_text": "plain"}, {"id": "7"}),
        "d": dt.date(2024, 5, 1),
        "i": dt.datetime(2024, 5, 1, 10, 30, tzinfo=dt.UTC),
        "l": dt.datetime(2024, 5, 1, 10, 30),
        "b": b"hi",
    }
    assert shown(value) == {
        "e": {"@id": "7", "#text": 5, "x": 1},
        "t": "plain",
        "d": "2024-05-01",
        "i": "2024-05-01T10:30:00Z",
        "l": "2024-05-01T10:30",
        "b": "aGk=",
    }
    kept = read("json", write("json", value, writeAttributes=True))
    assert kept["t"] == {"@id": "7", "#text": "plain"}


def test_half_a_surrogate_pair_does_not_stop_the_writer() -> None:
    assert write("json", ["\ud800"]) == '[\n  "\ufffd"\n]'


def test_a_function_cannot_be_written() -> None:
    with pytest.raises(WriteFailure, match="function"):
        write("json", {"f": len})


# ---- XML --------------------------------------------------------------------------------------


def test_xml_elements_attributes_and_repetition() -> None:
    value = read("xml", '<o id="1"><i>a</i><i k="2">b</i><n>007</n><p>1.50</p><e/><w>12</w></o>')
    order = value["o"]
    assert order.attributes == {"id": "1"}
    assert order["i"][0] == "a"
    assert order["i"][1] == Node({"_text": "b"}, {"k": "2"})
    assert (order["n"], order["p"], order["e"], order["w"]) == ("007", 1.5, {}, 12)


def test_xml_numbers_without_digits_before_or_after_the_point() -> None:
    found = read("xml", '<r><a>.5</a><a>-.5</a><a>5.</a><a>.</a><a x="1">.25</a></r>')["r"]["a"]
    assert found[:4] == [0.5, -0.5, 5.0, "."]
    assert found[4]["_text"] == 0.25


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
@pytest.mark.parametrize("type_", ["", '<!DOCTYPE r SYSTEM "no-such.dtd">', "<!DOCTYPE r>"])
def test_xml_entities_that_nobody_declares_stay_as_they_are_written(type_: str, encoding: str) -> None:
    head = f'<?xml version="1.0" encoding="{encoding}"?>{type_}'
    text = f'{head}<r a="x&nbsp;&amp;y">\u00e9&eacute;&lt;<![CDATA[&nbsp;]]><b>5&p;</b> &nbsp;</r>'
    for data in (text, text.encode(encoding)):
        found = read("xml", data)["r"]
        assert (found.attributes["a"], found["b"], found["_text"]) == (
            "x&nbsp;&y", "5&p;", "\u00e9&eacute;<&nbsp; &nbsp;",
        )  # fmt: skip
    assert write("xml", {"r": "&nbsp;"}).endswith("<r>&amp;nbsp;</r>")
    assert read("xml", "<r>\x7f&#127;&amp;</r>") == {"r": "\x7f\x7f&"}


def test_xml_arrays_option() -> None:
    assert read("xml", "<o><i>1</i></o>", arrays=["i"])["o"]["i"] == [1]


def test_xml_mixed_content_keeps_its_order() -> None:
    text = '<p>One <b>bold</b> and <i a="1">two <u>three</u></i> words.</p>'
    value = read("xml", text)
    assert value["p"]["b"] == "bold"
    assert write("xml", value, encoding="NONE") == f'<?xml version="1.0"?>\n{text}'


def test_xml_namespaces_are_names_and_metadata() -> None:
    value = read("xml", '<s:E xmlns:s="urn:x" xmlns="urn:d"><s:B><c>1</c></s:B></s:E>')
    assert value["s:E"]["s:B"]["c"] == 1
    assert value["s:E"]["s:B"].metadata == {"__nsContext": "s=urn:x =urn:d"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "windows-1252"])
def test_xml_encodings_are_read_and_written(encoding: str) -> None:
    data = f'<?xml version="1.0" encoding="{encoding}"?><a>Grüße</a>'.encode(encoding)
    value = read("xml", data)
    assert value["a"] == "Grüße"
    assert formats.write("xml", value).encode() == formats.write("xml", value, {"encoding": encoding}).encode()
    assert read("xml", formats.write("xml", value, {}).encode())["a"] == "Grüße"


def test_xml_characters_outside_of_the_encoding_become_references() -> None:
    data = formats.write("xml", {"a": "€"}, {"encoding": "ISO-8859-1"}).encode()
    assert b"&#8364;" in data
    assert read("xml", data)["a"] == "€"


def test_xml_root_rules() -> None:
    assert write("xml", {"a": 1, "b": 2}).endswith("<root>\n  <a>1</a>\n  <b>2</b>\n</root>")
    assert write("xml", {"a": [1, 2]}).endswith("<root>\n  <a>1</a>\n  <a>2</a>\n</root>")
    assert write("xml", {"l": {"x": [{"a": 1}, {"b": 2}]}}).endswith(
        "<l>\n  <x>\n    <a>1</a>\n    <b>2</b>\n  </x>\n</l>"
    )
    assert write("xml", {"a": {"#text": "t", "b": None}}).endswith("<a>\n  t\n  <b/>\n</a>")


def test_xml_takes_keys_of_data_that_show_attributes() -> None:
    for other in ("json", "yaml"):
        text = '<o id="7" xmlns:p="urn:p"><l n="1"><q>2</q></l><l n="2">x</l><l/></o>'
        shown = write(other, read("xml", text), writeAttributes=True)
        back = write("xml", read(other, shown)).replace("\n", "").replace("  ", "").partition("?>")[2]
        assert back == (text if other == "json" else text.replace(' xmlns:p="urn:p"', ""))
    assert write("xml", {"r": {"@a": True, "@b": None, "@c": 2.0}}).endswith('<r a="true" b="" c="2"/>')
    assert write("xml", {"@a": 1}).endswith('<root a="1"/>')
    assert write("xml", {"r": [{"@a": 1}, {"@a": 2}]}).endswith('<r a="1"/>\n  <r a="2"/>\n</root>')
    with pytest.raises(WriteFailure, match="attribute '@a' cannot hold an object"):
        write("xml", {"r": {"@a": {"b": 1}}})


def test_an_object_with_nothing_but_text_is_written_as_that() -> None:
    value = {"a": {"_text": 5.0}, "b": {"_text": {"_text": None}}, "c": {"_text": 1, "d": 2}, "e": [{"_text": "x"}]}
    expected = {"a": 5, "b": None, "c": {"#text": 1, "d": 2}, "e": ["x"]}
    assert shown(value) == expected
    assert read("json", write("json", value, compact=True)) == read("yaml", write("yaml", value)) == expected


def test_xml_escapes_and_refuses() -> None:
    text = write("xml", {"a": Node({"_text": "<&>'\""}, {"q": 'x"<\n'})})
    assert read("xml", text)["a"] == Node({"_text": "<&>'\""}, {"q": 'x"<\n'})
    with pytest.raises(WriteFailure, match="no name"):
        write("xml", {"a b": 1})
    with pytest.raises(WriteFailure, match="control character"):
        write("xml", {"a": "\x00"})


@pytest.mark.parametrize("text", ["a\r\nb", "a\rb", "a\nb", "a\tb", "]]>", "&#13;"])
def test_xml_keeps_line_ends_of_texts_and_attributes(text: str) -> None:
    written = write("xml", {"r": {"@at": text, "t": text}})
    assert shown(read("xml", written)) == {"r": {"@at": text, "t": text}}
    mixed = read("xml", f"<r>{written[written.index('<t>') + 3 : written.index('</t>')]}<b/>x</r>")
    assert read("xml", write("xml", mixed)) == mixed


def test_xml_that_is_none_is_told_so() -> None:
    with pytest.raises(ReadFailure) as refused:
        read("xml", '{"a": 1}')
    assert refused.value.hint == "It does not begin with an element: is it XML?"
    with pytest.raises(ReadFailure) as refused:
        read("xml", "<a>x & y</a>")
    assert "&amp;" in (refused.value.hint or "")


# ---- CSV --------------------------------------------------------------------------------------


def test_csv_cells_are_typed() -> None:
    rows = read("csv", '\ufeffa,b,c,d,e,f\r\n1,2.5,TRUE,n/a,007, x \r\n\r\n"1,5","say ""hi""",,,,\r\n')
    assert rows == [
        {"a": 1, "b": 2.5, "c": True, "d": None, "e": "007", "f": "x"},
        {"a": "1,5", "b": 'say "hi"', "c": None, "d": None, "e": None, "f": None},
    ]


def test_csv_options() -> None:
    assert read("csv", "1;2\n3;4", delimiter=";", headers=False) == [[1, 2], [3, 4]]
    assert read("csv", "a,b\n1\n1,2,3\n", extraCells="drop") == [{"a": 1, "b": None}, {"a": 1, "b": 2}]
    with pytest.raises(ReadFailure, match="3:1 - a row has 3 cells and the header 2"):
        read("csv", "a,b\n1\n1,2,3\n")
    assert read("csv", "a,b\n4.10, x\nNULL,\n", inferTypes=False) == [{"a": "4.10", "b": " x"}, {"a": "NULL", "b": ""}]
    assert read("csv", "") == []
    with pytest.raises(InvalidInput, match="delimiter"):
        read("csv", "a", delimiter="")


def test_csv_tables() -> None:
    assert write("csv", [{"a": 1.0, "b": "x,y"}, {"b": None, "z": 5}]) == 'a,b\n1,"x,y"\n,\n'
    assert write("csv", [[1, True], ["a", None]]) == "1,true\na,\n"
    assert write("csv", [1, 2]) == "value\n1\n2\n"
    assert write("csv", {"headers": ["h"], "rows": [[" s"]]}, bom=True) == '\ufeffh\n" s"\n'
    assert write("csv", [{"a": [1, {"b": 2}]}], headers=False) == '"[1,{""b"":2}]"\n'
    assert write("csv", [{"d": dt.date(2024, 1, 2)}]) == "d\n2024-01-02\n"


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("usa", "1,234.50"), ("european", "1.234,50"), ("french", "1\u202f234,50"), ("swiss", "1'234.50"),
        ("none", "1234.5"),
    ],
)  # fmt: skip
def test_csv_regional_numbers(style: str, expected: str) -> None:
    assert write("csv", [[1234.5]], delimiter=";", regionalFormat=style) == expected + "\n"


# ---- YAML -------------------------------------------------------------------------------------


def test_yaml_types() -> None:
    text = "s: x\nn: 1\no: 010\nf: 1.5\nb: yes\nz: ~\nd: 2024-05-01\nt: 2024-05-01 10:30:00\nq: '1'\nl: [1, {a: 2}]\n"
    assert read("yaml", text, yaml="1.1") == {
        "s": "x", "n": 1, "o": 8, "f": 1.5, "b": True, "z": None, "d": dt.date(2024, 5, 1),
        "t": dt.datetime(2024, 5, 1, 10, 30, tzinfo=dt.UTC), "q": "1", "l": [1, {"a": 2}],
    }  # fmt: skip


def test_yaml_is_read_by_the_core_schema_of_yaml_12() -> None:
    text = "on: NO\nt: 12:30\nd: 2024-05-01\no: 0o10\nh: 0x1F\nz: 010\nu: 1_000\nn: ~\ne:\nb: True\nf: 1.50\n"
    assert read("yaml", text) == {
        "on": "NO", "t": "12:30", "d": "2024-05-01", "o": 8, "h": 31, "z": 10, "u": "1_000", "n": None, "e": None,
        "b": True, "f": 1.5,
    }  # fmt: skip
    assert read("yaml", "f: 1.50\nb: yes\nz: 007\nn: ~\n", inferTypes=False) == {
        "f": "1.50", "b": "yes", "z": "007", "n": None,
    }  # fmt: skip


def test_xml_texts_keep_their_spelling_when_asked() -> None:
    assert read("xml", "<r><a>75.00</a><b> x </b></r>", inferTypes=False)["r"] == {"a": "75.00", "b": " x "}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e3", 1000.0),
        ("1.0e3", 1000.0),
        ("-2E-1", -0.2),
        ("-.5", -0.5),
        ("+.5e1", 5.0),
        ("1.e2", 100.0),
        ("09", 9),
    ]
    + [(text, text) for text in ("1e", "e3", "1_0e1", "1e3x", "12e9999", ".", "-.", "1e+")],
)
def test_yaml_numbers_with_an_exponent(text: str, value: Any) -> None:
    found = read("yaml", f"n: {text}")["n"]
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("text", ["12e03", "1e3", "-.5", "09", "0o17", "1_000", "1.", ".5E1", "+1", "12e9999"])
def test_yaml_quotes_texts_that_readers_take_for_numbers(text: str) -> None:
    assert write("yaml", {"commit": text, text: 1}) == f"commit: '{text}'\n'{text}': 1\n"
    assert read("yaml", write("yaml", [text])) == [text]


def test_yaml_anchors_and_merges() -> None:
    text = "base: &b {x: 1, y: 2}\none:\n  <<: *b\n  y: 3\ntwo: *b\n"
    assert read("yaml", text) == {"base": {"x": 1, "y": 2}, "one": {"x": 1, "y": 3}, "two": {"x": 1, "y": 2}}


def test_yaml_writes_what_it_reads() -> None:
    value = {"a": "1", "b": ["yes", None, 2.0, "line\nbreak\n"], "e": {}, "@": [], "ä": "ü: x"}
    assert read("yaml", write("yaml", value)) == {**value, "b": ["yes", None, 2, "line\nbreak\n"]}


def test_yaml_writes_a_shared_value_twice() -> None:
    part = {"x": 1}
    assert write("yaml", [part, part]) == "- x: 1\n- x: 1\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<<: 5\na: 1", "1:1 - `<<` takes mappings to merge, not a number"),
        ("a: 1\n<<: [{b: 1}, [2]]", "2:1 - `<<` takes mappings to merge, not an array"),
        ("<<:", "`<<` takes mappings to merge, not null"),
        ("? [1, 2]\n: x", "1:3 - an array cannot be a key"),
    ],
)
def test_yaml_that_cannot_be_merged_or_be_a_key_is_refused(text: str, message: str) -> None:
    with pytest.raises(ReadFailure, match=message):
        read("yaml", text)


# ---- OData, auto ------------------------------------------------------------------------------


def test_odata_annotations_are_attributes() -> None:
    text = '{"@odata.context": "c", "value": [{"@odata.id": "1", "P": {"x": 1}, "P@odata.etag": "e", "Q@odata.z": 1}]}'
    value = read("odata", text)
    assert value.attributes == {"odata.context": "c"}
    assert value["value"][0].attributes == {"odata.id": "1"}
    assert value["value"][0]["P"].attributes == {"odata.etag": "e"}
    assert read("odata", '{"value": [1]}') == [1]


def test_odata_metadata_levels() -> None:
    value = [Node({"a": 1.0}, {"odata.id": "1", "other": "x"})]
    assert read("json", write("odata", value, context="c")) == {"@odata.context": "c", "value": [{"a": 1}]}
    assert read("json", write("odata", value, metadata="full"))["value"] == [{"@odata.id": "1", "a": 1}]
    assert read("json", write("odata", value, metadata="none", wrapCollection=False)) == [{"a": 1}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" <a>1</a>", {"a": 1}), ('[1]', [1]), ("a: 1", {"a": 1}), ("---\n- 1", [1]), ("a,b\n1,2\n3,4", None), ("5", 5),
    ],
)  # fmt: skip
def test_auto(text: str, expected: Any) -> None:
    wanted = [{"a": 1, "b": 2}, {"a": 3, "b": 4}] if expected is None else expected
    assert read("auto", text) == wanted


# ---- bad input --------------------------------------------------------------------------------

BAD = [
    ("json", '{"a": 1,\n "b": }', 2, 7),
    ("json", "", 1, 1),
    ("json", "[1, 2", 1, 6),
    ("json", b'{"a": "\xff"}', 1, 8),
    ("xml", "<a>\n <b></a>", 2, 7),
    ("xml", "<a>&nbsp</a>", 1, 9),
    ("xml", "<a>&nbsp;\n&nbsp; &x;</b>", 2, 13),
    ("xml", "<a>&nbsp;\x7f</a>", 1, 1),
    ("xml", "<a>&nbsp;&#127;</a>", 1, 1),
    ("xml", "", 1, 1),
    ("xml", "<a/><b/>", 1, 5),
    ("csv", 'a,b\n1,"x"y\n', 2, 6),
    ("csv", 'a\n"open\nmore', 2, 1),
    ("yaml", "a: 1\na: 2\n", 2, 1),
    ("yaml", "a: [1, 2", 2, 1),
    ("yaml", "a:\n\t- 1", 2, 1),
    ("yaml", "*missing", 1, 1),
    ("yaml", "!!python/object/apply:os.system [x]", 1, 1),
    ("proto", "message A {\n  string = 1;\n}", 2, 10),
]


@pytest.mark.parametrize(("format_", "text", "line", "column"), BAD)
def test_bad_input_has_a_place(format_: str, text: str | bytes, line: int, column: int) -> None:
    with pytest.raises(ReadFailure) as caught:
        read(format_, text)
    position = caught.value.position
    assert position is not None
    assert (position.line, position.column) == (line, column)


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="unknown format") as caught:
        read("bson", "")
    assert "json" in (caught.value.hint or "")


def test_yaml_with_several_documents_is_the_first_or_an_array_of_all() -> None:
    text = "a: 1\n---\nb: &x 2\nc: *x\n---\n- 3\n"
    assert read("yaml", text) == {"a": 1}
    assert read("yaml", text, documents="all") == [{"a": 1}, {"b": 2, "c": 2}, [3]]
    assert read("yaml", "a: 1\n", documents="all") == [{"a": 1}]
