"""TOML, fixed width, workbooks and column files: read, write, and what they refuse."""

import datetime as dt
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from rolltop.base.installation import add_extra
from rolltop.errors import InvalidInput, PartMissing
from rolltop.transform import compile_program, formats
from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.program import Document

ROWS = [
    {"id": 1, "name": "Ann", "paid": True, "amount": 4.5, "day": dt.date(2024, 5, 1)},
    {"id": 2, "name": "Bob", "paid": False, "amount": None, "day": dt.date(2024, 5, 2)},
]


def test_toml_keeps_kinds_and_order() -> None:
    text = 'title = "x"\n[owner]\nborn = 1979-05-27\nat = 07:32:00\n[[items]]\nn = 1\n[[items]]\nn = 2.5\n'
    value = formats.read("toml", text)
    assert value["owner"] == {"born": dt.date(1979, 5, 27), "at": dt.time(7, 32)}
    assert formats.read("toml", formats.write("toml", value).text) == value


def test_toml_says_where_it_is_wrong_and_what_it_cannot_hold() -> None:
    with pytest.raises(ReadFailure, match="TOML parse error at 2:"):
        formats.read("toml", "a = 1\nb = \n")
    with pytest.raises(WriteFailure, match=r"no null, and 'a.b' is null"):
        formats.write("toml", {"a": {"b": None}})
    with pytest.raises(WriteFailure, match="is an object"):
        formats.write("toml", [1])


def test_fixed_width_reads_and_writes_its_columns() -> None:
    options = {"columns": ["id:4", "name:8", "amount:8:right"]}
    text = "   1Ann         4.50\n   2Bob\n"
    assert formats.read("fixed", text, options) == [
        {"id": 1, "name": "Ann", "amount": 4.5},
        {"id": 2, "name": "Bob", "amount": ""},
    ]
    kept = formats.read("fixed", text, {**options, "inferTypes": False})
    assert kept[0]["amount"] == "4.50"
    assert (
        formats.write("fixed", [{"id": 1, "name": "Ann", "amount": "4.50"}], options).text
        == text.splitlines()[0] + "\n"
    )


@pytest.mark.parametrize(
    ("value", "options", "words"),
    [
        ([{"a": "too long"}], {"columns": ["a:3"]}, "has 8 characters"),
        ([{"b": 1}], {"columns": ["a:3"]}, "no column for 'b'"),
        ([1], {"columns": ["a:3"]}, "array of objects"),
    ],
)
def test_fixed_width_never_cuts(value: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(WriteFailure, match=words):
        formats.write("fixed", value, options)


def test_fixed_width_needs_columns_and_refuses_longer_lines() -> None:
    with pytest.raises(InvalidInput, match="needs the option columns"):
        formats.read("fixed", "x", {})
    with pytest.raises(ReadFailure, match="line 2 has 4 characters"):
        formats.read("fixed", "ab\nabcd\n", {"columns": "a:3"})


def test_a_program_declares_fixed_width_in_its_header() -> None:
    program = compile_program(
        '%utlx 1.0\ninput fixed { columns: ["a:2", "_:1", "b:2"] }\noutput json\n---\n$input[0].b'
    )
    assert program.run({"input": Document("xx-12\n")}).text == "12"


def test_a_workbook_comes_back_as_it_was_written() -> None:
    data = formats.write("xlsx", ROWS).encode()
    assert formats.read("xlsx", data) == ROWS
    book = openpyxl.load_workbook(io.BytesIO(data))
    assert [cell.value for cell in book.active[1]] == ["id", "name", "paid", "amount", "day"]


def test_sheets_are_chosen_by_name_number_or_all() -> None:
    data = formats.write("xlsx", {"Orders": ROWS, "Empty": []}).encode()
    assert formats.read("xlsx", data, {"sheet": "Orders"}) == formats.read("xlsx", data, {"sheet": 1}) == ROWS
    assert formats.read("xlsx", data, {"sheet": "all"}) == {"Orders": ROWS, "Empty": []}
    assert formats.read("xlsx", data, {"headers": False})[0][0] == "id"
    with pytest.raises(InvalidInput, match="no sheet 'x'") as refused:
        formats.read("xlsx", data, {"sheet": "x"})
    assert "Orders, Empty" in str(refused.value.hint)


def test_text_in_a_cell_is_never_a_formula() -> None:
    data = formats.write("xlsx", [{"a": "=1+1"}]).encode()
    assert openpyxl.load_workbook(io.BytesIO(data)).active["A2"].data_type == "s"


def test_what_is_no_workbook_is_refused() -> None:
    with pytest.raises(ReadFailure, match="no workbook"):
        formats.read("xlsx", b"not a zip")
    with pytest.raises(ReadFailure, match="binary format"):
        formats.read("xlsx", "{}")


@pytest.mark.parametrize("format_", ["parquet", "arrow"])
def test_column_files_come_back_as_they_were_written(format_: str) -> None:
    nested = [{**row, "tags": ["a"], "at": {"x": 1}} for row in ROWS]
    data = formats.write(format_, nested).encode()
    assert formats.read(format_, data) == nested
    assert formats.read(format_, data, {"columns": ["id"]}) == [{"id": 1}, {"id": 2}]
    with pytest.raises(ReadFailure, match=f"no {format_} file"):
        formats.read(format_, b"nothing of the kind")
    with pytest.raises(WriteFailure, match="cannot hold this"):
        formats.write(format_, [{"a": 1}, {"a": "x"}])


@pytest.mark.parametrize(("format_", "extra"), [("xlsx", "tables"), ("parquet", "arrow")])
def test_a_missing_library_is_named_with_its_extra(format_: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("python_calamine", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(PartMissing) as missing:
        formats.read(format_, b"")
    assert missing.value.hint == f"Install it with: {add_extra(extra)}"


def test_the_command_line_knows_the_files_by_their_names(tmp_path: Path) -> None:
    book, back = tmp_path / "rows.xlsx", tmp_path / "rows.toml"
    source = tmp_path / "rows.json"
    source.write_text(json.dumps([{"a": 1, "b": "x"}]))
    for arguments in (["-e", ".", source, "-o", book], ["-e", "{ rows: $input }", book, "-o", back]):
        command = [sys.executable, "-m", "rolltop", "transform", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert formats.read("toml", back.read_text()) == {"rows": [{"a": 1, "b": "x"}]}
    assert book.read_bytes()[:2] == b"PK"
