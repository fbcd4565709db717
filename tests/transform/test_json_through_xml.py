"""Every JSON comes back from XML that was written with `json: true`."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolltop.transform import formats

scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def round_trip(value: Any) -> Any:
    text = formats.write("xml", value, {"json": True}).text
    return formats.read("xml", text, {"json": True})


@given(values)
def test_json_survives_xml(value: Any) -> None:
    assert round_trip(value) == formats.read("json", formats.write("json", value).text)


@pytest.mark.parametrize(
    "value",
    [
        {"a b": 1, "1": [], "": {}, "xml": None, "a:b": True, "_text": "x", "item": ["", " ", [[]]]},
        {"order": {"id": "007", "total": 4.5}},
        {"only": ["12"]},
        [{"_": 1}],
        "\x00\r\n\t<&>]]>",
        {"_text": "lone"},
    ],
)
def test_names_types_and_texts_that_xml_does_not_have(value: Any) -> None:
    assert round_trip(value) == formats.read("json", formats.write("json", value).text)


def test_the_document_reads_as_a_person_would_write_it() -> None:
    text = formats.write("xml", {"order": {"id": "007", "lines": [{"n": 1}]}}, {"json": True}).text
    assert text.splitlines()[2:] == [
        "  <id>007</id>",
        '  <lines j:type="array">',
        "    <item>",
        '      <n j:type="number">1</n>',
        "    </item>",
        "  </lines>",
        "</order>",
    ]
