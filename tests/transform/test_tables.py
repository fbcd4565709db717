"""Tables cut into cells at once against the csv module, cell by cell; in pieces of any size, and written."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from table_strategies import ANY, rows_and_ends, tables
from test_stream import outcome, streamed, whole

from rolltop.transform import compile_program
from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats import csv as csv_format
from rolltop.transform.formats import csv_write
from rolltop.transform.formats.csv_cells import Column, cell, literals
from rolltop.transform.formats.csv_grid import grid_of
from rolltop.transform.formats.csv_style import Style, Styled, number_reader, region_of
from rolltop.transform.formats.csv_table import open_table
from rolltop.transform.formats.csv_table import tables as tables_of
from rolltop.transform.values import scalar_text

QUICK = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=100_000, deadline=None, suppress_health_check=list(HealthCheck))


def plainly(text: str, options: dict[str, Any]) -> list[Any] | None:
    """The reading that counts, one cell after the other; None for no table."""
    number, delimiter = number_reader(region_of(options)), options.get("delimiter", ",")
    try:
        found = rows_and_ends(text, delimiter)
    except csv.Error:
        return None
    rows = [row[:-1] if not row[-1] and end.endswith(delimiter) else row for row, end in found]
    if options.get("headers") is False:
        return [[cell(text, number) for text in row] for row in rows]
    names = [name.strip() for name in rows[0]] if rows else []
    padded = [[*row, *[""] * len(names)][: len(names)] for row in rows[1:]]
    return [dict(zip(names, [cell(text, number) for text in row], strict=True)) for row in padded]


def in_pieces(text: str, options: dict[str, Any], size: int) -> list[Any] | None:
    """In texts of at least this many characters that end with lines."""
    parts, part = [], ""
    for line in io.StringIO(text.removeprefix("\ufeff"), newline="\n"):
        part += line
        if len(part) >= size:
            parts, part = [*parts, part], ""
    texts = iter([*parts, part])
    try:
        opening = open_table(texts, options)
        parts = tables_of(iter([opening.after, *texts]), opening.layout)
        return [record for table in parts for record in table.records()]
    except csv.Error:
        return None


def known(value: Any) -> Any:
    """Equal only to the same value of the same type."""
    return repr(value)


VARIOUS = Column()
"""A column that has had more different cells than are remembered."""
VARIOUS.values([f"cell {number}" for number in range(10_000)])


OPTIONS = st.fixed_dictionaries(
    {"extraCells": st.just("drop")},
    optional={
        "delimiter": st.sampled_from([",", ";", "\t", "|", " "]),
        "headers": st.booleans(),
        "regionalFormat": st.sampled_from(["none", "usa", "european", "french", "swiss"]),
    },
)


@QUICK
@given(st.data(), OPTIONS, st.integers(1, 120))
def test_tables_in_pieces(data: st.DataObject, options: dict[str, Any], size: int) -> None:
    text = data.draw(tables(delimiter=options.get("delimiter", ",")))
    assert known(in_pieces(text, options, size)) == known(plainly(text, options))


@pytest.mark.soak
@LONG
@given(st.data(), OPTIONS, st.integers(1, 120))
def test_tables_in_pieces_at_length(data: st.DataObject, options: dict[str, Any], size: int) -> None:
    text = data.draw(tables(delimiter=options.get("delimiter", ",")))
    assert known(in_pieces(text, options, size)) == known(plainly(text, options))


@QUICK
@given(st.text(alphabet='a1 ,"\n\r\x00é', max_size=40), st.integers(1, 20), st.booleans())
@example('a,b\n"x\n1,2\n', 1, True)
@example('a,b\n5" pipe,1\n6" pipe,2\nx,3\n', 9, True)
@example('a,b\n"",1\n"",2\n', 9, True)
@example('"a\nb",c\n1,2\n', 3, True)
@example("a,b\nc\nd\n", 40, False)
@example('a,b\n"1","2"\r\n"3","4"\r\n', 40, True)
@example('a\n""\n1\n', 40, True)
@example('a\n" "\n \n"\n"\n1\n', 40, True)
@example("a,1,\n1,,\n2,a,\n,\n", 8, False)
@example("a,1,\n1,,\n2,a,\n,\n", 8, True)
def test_any_text(text: str, size: int, headers: bool) -> None:
    options = {"headers": headers, "extraCells": "drop"}
    assert known(in_pieces(text, options, size)) == known(plainly(text, options))


@QUICK
@given(tables(delimiter=","), st.booleans())
def test_reading_at_once(text: str, headers: bool) -> None:
    options = {"headers": headers, "extraCells": "drop"}
    expected = plainly(text, options)
    try:
        found = csv_format.read(text, options)
    except ReadFailure:
        found = None
    assert known(found) == known(expected)


@QUICK
@given(st.lists(ANY, max_size=5) | st.lists(st.sampled_from(["1", "2.5", "", "x", "true"])), st.integers(1, 40))
@example(["[1", "2]"], 40)
@example(["1,2", ""], 40)
@example(["-0", "-0.0"], 40)
def test_a_column_holds_what_its_cells_hold(cells: list[str], times: int) -> None:
    column = cells * times
    expected = [cell(text) for text in column]
    assert known(Column().values(column)) == known(expected)
    assert known(VARIOUS.values(column)) == known(expected)


@QUICK
@given(st.lists(st.floats().map(repr) | st.integers().map(str), max_size=80))
def test_a_column_of_numbers_holds_what_its_cells_hold(cells: list[str]) -> None:
    assert known(VARIOUS.values(cells)) == known([cell(text) for text in cells])


@pytest.mark.parametrize("column", [Column(), VARIOUS])
def test_a_column_of_other_kinds_is_none(column: Column) -> None:
    numbers = frozenset({int, float})
    assert column.values(["1", "2.5"], numbers) == [1, 2.5]
    assert column.values(["1", "x"], numbers) is None
    assert column.values(["1", ""], numbers) is None
    assert column.values(["3", "4"], numbers) == [3, 4]


@pytest.mark.parametrize(("text", "value"), [(".5", 0.5), ("-.5", -0.5), ("5.", 5.0), ("-5.e2", -500.0), (".5E1", 5.0)])
def test_numbers_without_digits_before_or_after_the_point(text: str, value: float) -> None:
    """As other programs export them."""
    assert known(cell(text)) == known(value)
    assert known(VARIOUS.values([text, "10", "x"] * 200)) == known([value, 10, "x"] * 200)
    assert known(csv_format.read(f"n,s\n{text},a\n10,b\n", {})) == known([{"n": value, "s": "a"}, {"n": 10, "s": "b"}])


@pytest.mark.parametrize("text", [".", "-.", "+.5", "00.5", "007.", ".5.", "1..", ".e3", "-"])
def test_texts_with_a_point_that_are_no_numbers(text: str) -> None:
    assert cell(text) == text
    assert VARIOUS.values([text, "x"] * 200) == [text, "x"] * 200


def test_regional_numbers_without_digits_before_or_after_the_point() -> None:
    number = number_reader(region_of({"regionalFormat": "european"}))
    assert [number(text) for text in (",5", "-,5", "5,", "1.234,", ",", ".5")] == [0.5, -0.5, 5.0, 1234.0, ",", ".5"]


def test_rows_of_one_empty_cell_are_written_so_that_they_are_read_again() -> None:
    text = csv_format.write([{"note": "x"}, {"note": None}, {"note": ""}, {"note": "\t"}, {"note": "y"}], {}).text
    assert text == 'note\nx\n""\n""\n"\t"\ny\n'
    assert csv_format.read(text, {}) == [{"note": note} for note in ("x", None, None, None, "y")]
    assert csv_format.read(csv_format.write([{"a": 1, "": 2}], {}).text, {}) == [{"a": 1, "": 2}]


def test_a_delimiter_at_the_end_of_a_line_adds_no_cell() -> None:
    assert csv_format.read("name,qty,\nann,1,\nbob,2\n", {}) == [{"name": "ann", "qty": 1}, {"name": "bob", "qty": 2}]
    assert csv_format.read('1,2,\r\n3,4,5\r\n6,7,""\r\n', {"headers": False}) == [[1, 2], [3, 4, 5], [6, 7, None]]


def test_regular_tables_are_cut_at_once() -> None:
    regular = ["1,2,3\n4,5,6\n", 'a,"b,\nc",d\ne,"f",g\n', "1,2,3\r\n4,5,6\r\n", '"a","b","c"\r\n"d","e","f"\r\n']
    regular += ['1,2,3\n"4,",5,6\n7,8,"9"\n', " 1 , 2 , 3 \n , , \n", "é,ü,ß"]
    for text in regular:
        grid = grid_of(text, 3, Style())
        assert grid is not None, text
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        assert [[cell.strip() for cell in grid.column(at)] for at in range(3)] == [
            [cell.strip() for cell in column] for column in zip(*rows, strict=True)
        ]


@pytest.mark.parametrize("text", ["1,2\n3\n4,5\n", "1,2\n\n3,4\n", 'a"b,c"\n', '"a""b",c\n', '"a" ,b\n', "a\rb,c\n"])
def test_irregular_tables_are_left_to_the_csv_module(text: str) -> None:
    assert grid_of(text, 2, Style()) is None


def test_numbers_of_a_column_come_from_one_decoding_and_long_ones_do_not() -> None:
    assert literals(["1", " 2.5", "", "true"]) == [1, 2.5, None, True]
    assert literals(["123456789012345678"]) is None


PROGRAMS = st.sampled_from([
    "map($input, r => { n: r.n, s: r.s })", "map($input, r => r.n * 2)", "map($input, r => upper(r.s))",
    '$input |> filter(r => r.s == "shipped") |> map(r => { n: r.n ?? 0, a: lower(r.a ?? "-"), b: r.b })',
    "map($input, r => r)", "map($input, r => (r.n ?? 0) + (r.a ?? 0))", "map($input, r => r.none)",
    "{ n: sum(map($input, r => r.n)), all: count($input) }", "filter($input, r => r.n > 1)", "map($input, r => r[0])",
    "$input |> groupBy(r => r.s) |> mapValues(g => [count(g), sum(map(g, r => r.n ?? 0))])",
])  # fmt: skip


@QUICK
@given(st.data(), PROGRAMS, OPTIONS, st.integers(8, 200))
def test_programs_on_streams_of_tables(data: st.DataObject, text: str, options: dict[str, Any], size: int) -> None:
    table = data.draw(tables(delimiter=options.get("delimiter", ","), width=4)).encode("utf-8", "surrogatepass")
    program = compile_program(text, inputs={"input": "csv"}, input_options={"input": options}, output_format="json")
    expected = outcome(lambda: whole(program, table, {}))
    assert outcome(lambda: streamed(program, table, {}, size)) == expected


def written(records: list[Any], options: dict[str, Any]) -> str:
    """The writing that counts: one cell after the other."""
    delimiter, quote = options.get("delimiter", ","), options.get("quote", '"')
    styled = Styled.of(options)

    def shown(value: Any) -> str:
        if styled is not None and type(value) in (int, float):
            text = styled.text(value)
        else:
            plain = "" if value is None else scalar_text(value)
            text = json.dumps(value, separators=(",", ":")) if plain is None else plain
        special = any(char in text for char in (delimiter, quote, "\r", "\n")) or text != text.strip(" ")
        return quote + text.replace(quote, quote * 2) + quote if special else text

    names = list(records[0]) if records and isinstance(records[0], dict) else None
    rows = records if names is None else [[record.get(name) for name in names] for record in records]
    head = [names] if names is not None and options.get("headers") is not False else []
    mark = "\ufeff" if options.get("bom") and records else ""
    lines = [(delimiter.join(map(shown, row)), len(row)) for row in [*head, *rows]]
    return mark + "".join(
        (quote + line + quote if width == 1 and not line.strip() else line) + "\n" for line, width in lines
    )


VALUES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY | st.just([1]) | st.just({"a": 1})
COLUMNS = st.sampled_from([st.floats(allow_nan=False), st.integers(), st.booleans(), ANY, VALUES, st.just("a b")])
RECORDS = st.lists(COLUMNS, min_size=1, max_size=3).flatmap(
    lambda columns: st.lists(
        st.fixed_dictionaries({"a": columns[0]}, optional=dict(zip("bc", columns, strict=False))),
        max_size=6,
    )
)
WRITING = st.fixed_dictionaries(
    {},
    optional={
        "delimiter": st.sampled_from([",", ";", " ", ".", "-", "1"]),
        "headers": st.booleans(),
        "bom": st.booleans(),
        "regionalFormat": st.sampled_from(["none", "european"]),
        "quote": st.just("'"),
    },
)


@QUICK
@given(RECORDS | st.lists(st.lists(VALUES, max_size=3), min_size=1, max_size=5), WRITING)
@example([{"a": 1.5}, {"a": 1e7}, {"a": 0.001}, {"a": -2.5}, {"a": 1e-5}, {"a": 3.0}], {})
@example([{"a": ""}, {"a": " "}], {})
@example([{"a": "x"}, {"a": "y "}], {})
def test_columns_are_written_as_their_cells_are(records: list[Any], options: dict[str, Any]) -> None:
    assert csv_write.Rows(options).text(records) == written(records, options)


@pytest.mark.parametrize("row", ['"a ""b""",1\n', '"two\nlines",1,2\n', "1\n\n"])
def test_tables_that_stay_irregular_are_read_to_their_end(row: str) -> None:
    text = "n,s\n" + row * 400
    assert known(in_pieces(text, {"extraCells": "drop"}, 50)) == known(plainly(text, {}))
