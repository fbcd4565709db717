"""Options of formats that the caller gives, beside those in a program's header."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_command_line import rolltop

from rolltop.errors import InvalidInput
from rolltop.transform import Document, ProgramInvalid, ReadFailure, WriteFailure, compile_program, convert, formats
from rolltop.transform.check import check


def rows(data: str | bytes, **options: Any) -> Any:
    return formats.read("csv", data, options)


def test_cells_may_be_quoted_by_another_character() -> None:
    assert rows("'a;b';c", delimiter=";", quote="'", headers=False) == [["a;b", "c"]]


def test_without_quotes_a_quote_is_a_character() -> None:
    assert rows('"a,b', quote="none", headers=False) == [['"a', "b"]]


def test_a_quote_that_is_never_closed_is_found_for_any_quote() -> None:
    with pytest.raises(ReadFailure, match="2:1 - Unterminated"):
        rows("a\n'b", quote="'")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "ISO-8859-15"])
def test_bytes_are_read_and_written_in_the_encoding_that_is_said(encoding: str) -> None:
    data = formats.write("csv", [{"ä": "é"}], {"encoding": encoding}).encode()
    assert data == "ä\né\n".encode(encoding)
    assert rows(data, encoding=encoding) == [{"ä": "é"}]


@pytest.mark.parametrize(
    ("region", "text", "number"),
    [
        ("eu", "1.234,50", 1234.5),
        ("eu", "-7", -7),
        ("us", "1,234.50", 1234.5),
        ("french", "1\u202f234,5", 1234.5),
        ("french", "1 234,5", 1234.5),
        ("swiss", "1'234.5", 1234.5),
    ],
)
def test_numbers_are_read_as_a_region_writes_them(region: str, text: str, number: float) -> None:
    assert rows(text, regionalFormat=region, headers=False, delimiter=";") == [[number]]


def test_what_a_region_does_not_write_stays_text() -> None:
    assert rows("1.5;1e3;12.34.5", regionalFormat="eu", headers=False, delimiter=";") == [["1.5", "1e3", "12.34.5"]]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["us", "eu", "fr", "ch"]),
    st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=4),
    st.sampled_from(";|\t"),
    st.sampled_from("\"'~"),
)
def test_regional_tables_come_back(region: str, numbers: list[int], delimiter: str, quote: str) -> None:
    options = {"regionalFormat": region, "decimals": 2, "delimiter": delimiter, "quote": quote, "headers": False}
    table = [[number, f"x{quote}{delimiter}y"] for number in numbers]
    assert formats.read("csv", formats.write("csv", table, options).text, options) == table


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": ""},
        {"delimiter": "ab"},
        {"quote": "ab"},
        {"quote": ","},
        {"regionalFormat": "mars"},
        {"encoding": "no-such"},
        {"encoding": "zip"},
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        rows(b"a,b", **options)


@pytest.mark.parametrize("decimals", [-1, 10**9, float("inf"), float("nan"), "x", True])
def test_absurd_numbers_of_decimals_are_refused(decimals: Any) -> None:
    with pytest.raises(InvalidInput):
        formats.write("csv", [[1.5]], {"regionalFormat": "eu", "decimals": decimals})


def test_a_cell_that_needs_quotes_is_refused_where_there_are_none() -> None:
    with pytest.raises(WriteFailure):
        formats.write("csv", [["a,b"]], {"quote": "none"})


def test_options_complete_a_program() -> None:
    program = compile_program(
        "map($input, r => r.a * 2)",
        inputs={"input": "csv"},
        output_format="csv",
        input_options={"input": {"delimiter": ";", "regionalFormat": "eu"}},
        output_options={"headers": False},
    )
    assert program.run({"input": Document("a;b\n1,5;2\n")}).text == "3\n"


def test_options_complete_a_header() -> None:
    program = compile_program(
        "%utlx 1.0\ninput table csv { headers: false }\noutput json\n---\n$table[0][1]",
        input_options={"input": {"delimiter": ";"}},
    )
    assert program.run({"table": Document("1;2")}).text == "2"


def test_a_header_that_says_otherwise_is_an_error() -> None:
    text = '%utlx 1.0\ninput csv { delimiter: ";" }\noutput json\n---\n$input'
    with pytest.raises(ProgramInvalid, match="the caller says"):
        compile_program(text, input_options={"input": {"delimiter": "|"}})


def test_options_that_a_format_does_not_have_are_refused() -> None:
    with pytest.raises(InvalidInput, match="reading json has no option"):
        compile_program("1", inputs={"input": "json"}, input_options={"input": {"delimiter": ";"}})
    with pytest.raises(InvalidInput, match="writing json has no option"):
        convert("1", "json", "json", {"delimiter": ";"})


def test_conversion_takes_options_of_both_formats() -> None:
    done = convert("a;b\n1;2\n", "csv", "csv", {"delimiter": "|"}, source_options={"delimiter": ";"})
    assert done.text == "a|b\n1|2\n"


def test_command_line_options(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("n;b\nJos\u00e9;1.234,5\n".encode("latin-1"))
    told = ["delimiter=;", "encoding=latin-1", "regionalFormat=eu"]
    read = [part for option in told for part in ("--from-option", option)]
    done = rolltop("--from", "csv", "--to", "json", *read, "t.csv", "-c", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, '[{"n":"José","b":1234.5}]\n')


def test_an_option_may_be_for_one_input(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x;y\n1;2\n")
    (tmp_path / "b.csv").write_text("x,y\n3,4\n")
    given = ["-i", "a=a.csv", "-i", "b=b.csv", "--from-option", "a.delimiter=;"]
    assert rolltop("-e", "[$a[0].y, $b[0].y]", "-c", *given, cwd=tmp_path).stdout == "[2,4]\n"


def test_a_file_called_tsv_has_tabs(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("a\tb\n1\t2\n")
    assert rolltop("-e", ".[0].b", "t.tsv", cwd=tmp_path).stdout == "2\n"
    assert rolltop("-e", ".", "t.tsv", "-o", "u.tsv", "--to", "csv", cwd=tmp_path).returncode == 0
    assert (tmp_path / "u.tsv").read_text() == "a\tb\n1\t2\n"


def test_unknown_options_on_the_command_line_are_said() -> None:
    done = rolltop("-e", ".", "--from", "json", "--from-option", "delimter=;", stdin="1")
    assert (done.returncode, "no option 'delimter'" in done.stderr) == (2, True)


def program_with(inputs: str, outputs: str = "json") -> str:
    return f"%utlx 1.0\ninput {inputs}\noutput {outputs}\n---\n$input"


def result(text: str, data: str) -> str:
    return compile_program(text).run({"input": Document(data)}).text


def test_words_for_true_and_false_count_in_a_header() -> None:
    assert result(program_with('csv { headers: "false" }', "csv { headers: 'No' }"), "a\n1\n") == "a\n1\n"
    assert '"@n": "1"' in result(program_with("xml", 'json { writeAttributes: "true" }'), '<r><a n="1">x</a></r>')


def test_one_name_of_arrays_may_stand_without_a_list() -> None:
    read = program_with('xml { arrays: "item" }', "json { compact: true }")
    assert result(read, "<r><item>1</item></r>") == '{"r":{"item":[1]}}'
    given = {"input": {"arrays": "item"}}
    program = compile_program("$input", inputs={"input": "xml"}, input_options=given)
    assert (
        program.run({"input": Document("<r><item>1</item></r>")}).text
        == '{\n  "r": {\n    "item": [\n      1\n    ]\n  }\n}'
    )


@pytest.mark.parametrize(
    ("header", "place", "message"),
    [
        ('csv { headers: "maybe" }', (2, 22), "headers is true or false"),
        ("csv { headers: 1 }", (2, 22), "headers is true or false"),
        ("xml { arrays: [1] }", (2, 21), "arrays is a list of names"),
        ('yaml { documents: "each" }', (2, 25), 'documents is "all" or "first"'),
        ('xsd { version: "2" }', (2, 22), 'version of XSD is "1.0" or "1.1"'),
    ],
)
def test_an_option_that_cannot_have_its_value_is_an_error_at_its_place(
    header: str, place: tuple[int, int], message: str
) -> None:
    with pytest.raises(ProgramInvalid, match=message) as caught:
        compile_program(program_with(header))
    assert [(found.line, found.column) for found in caught.value.diagnostics] == [place]


def test_a_caller_is_told_about_values_too() -> None:
    with pytest.raises(InvalidInput, match="headers is true or false"):
        compile_program("$input", inputs={"input": "csv"}, input_options={"input": {"headers": 3}})
    with pytest.raises(InvalidInput, match="bom is true or false"):
        convert("[]", "json", "csv", {"bom": "perhaps"})


@pytest.mark.parametrize(
    ("inputs", "outputs", "column", "hint"),
    [
        ('csv { delimeter: ";" }', "json", 13, "Did you mean `delimiter`?"),
        ('json { schema: "order.json" }', "json", 14, "not held against a schema"),
        ('xml { encoding: "latin-1" }', "json", 13, "says its encoding itself"),
        ('yaml { colour: "red" }', "json", 14, "It has documents, inferTypes, yaml."),
        ("json", "csv { decimal: 2 }", 14, "Did you mean `decimals`?"),
    ],
)
def test_options_that_do_nothing_are_warned_of_and_passed_over(
    inputs: str, outputs: str, column: int, hint: str
) -> None:
    text = program_with(inputs, outputs)
    [found] = check(text)
    assert (found.code, found.severity, found.column) == ("W705", "warning", column)
    assert hint in (found.hint or "")
    compile_program(text)


def test_options_of_no_format_may_have_any_value() -> None:
    assert check(program_with('json { strict: "lenient", headers: 5 }'))[0].code == "W705"
    assert check(program_with('auto { delimiter: ";" }', 'csv { delimiter: ";", headers: false }')) == []


SCHEMA = """{ "%types": { "Order": { "%kind": "structure", "%documentation": "said", "%fields": [
  { "%name": "description", "%type": "string", "%description": "said" } ] } }, "%documentation": "said" }"""


def test_a_version_may_be_a_number() -> None:
    assert result(program_with("json", "xsd { version: 1.1 }"), SCHEMA) == result(
        program_with("json", 'xsd { version: "1.1" }'), SCHEMA
    )


@pytest.mark.parametrize(("target", "option"), [("jsch", "addDescriptions"), ("xsd", "addDocumentation")])
def test_descriptions_are_left_out_where_they_are_not_wanted(target: str, option: str) -> None:
    assert result(program_with("json", target), SCHEMA).count("said") >= 2
    bare = result(program_with("json", f"{target} {{ {option}: false }}"), SCHEMA)
    assert "said" not in bare
    assert "description" in bare
