"""Every error code, from outside; and what a failing run tells."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_core import ClientInfo
from rolltop.server.application import Application
from rolltop.settings import load

pytestmark = pytest.mark.anyio

RUN = {"inputData": "{}", "inputFormat": "json", "outputFormat": "json"}
# Texts that double each round: beyond any memory after some rounds.
GROWING = 'reduce(split(repeat("x,", 40), ","), (acc, n) => acc + acc, "xxxxxxxxxxxxxxxx")'
ENDLESS = 'let n = split(repeat("x,", 3000), ",")\nmap(n, a => map(n, b => map(n, c => a + b + c) |> count))'


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    directory = tmp_path_factory.mktemp("desk")
    env = {
        "ROLLTOP_WORKSPACE": str(directory / "workspace"),
        "ROLLTOP_ROOTS": str(directory),
        "ROLLTOP_TRANSFORM_TIMEOUT": "1500",
        "XDG_CONFIG_HOME": str(directory),
    }
    desk = Application(load(env=env))
    yield desk
    desk.close()


async def ask(desk: Application, tool: str, **arguments: Any) -> Any:
    return (await desk.dispatcher.call(tool, arguments, desk.context(ClientInfo()))).structured


async def error(desk: Application, tool: str, **arguments: Any) -> Any:
    answer = await ask(desk, tool, **arguments)
    assert answer["success"] is False
    return answer["error"]


async def test_wrong_arguments_are_invalid_input(desk: Application) -> None:
    found = await error(desk, "validate_utlx", transformations="1")
    assert found["code"] == "INVALID_INPUT"
    assert "transformation" in found["message"]
    assert (await error(desk, "get_stdlib_functions", category="magic"))["code"] == "INVALID_INPUT"
    assert (await error(desk, "get_input_schema", source="a: 1", format="toml"))["code"] == "INVALID_INPUT"


async def test_a_wrong_program_is_a_validation_error(desk: Application) -> None:
    found = await error(desk, "execute_transformation", transformation="{ a: 1,\n b: +", **RUN)
    assert found["code"] == "VALIDATION_ERROR"
    assert found["details"]["line"] == 2
    assert found["details"]["errors"]
    inferred = await error(desk, "infer_output_schema", transformation="{ a: nope }", inputSchema={})
    assert inferred["code"] == "VALIDATION_ERROR"


async def test_hints_are_for_those_who_call_tools(desk: Application) -> None:
    data = (await ask(desk, "validate_utlx", transformation="xyzzyplugh(1)"))["data"]
    assert data["errors"][0]["suggestion"] == "get_stdlib_functions finds functions by what they do."
    found = await error(desk, "execute_transformation", transformation="xyzzyplugh(1)", **RUN)
    assert "rolltop transform" not in str(found)
    two = "%utlx 1.0\ninput: a json, b json\noutput json\n---\n$a"
    found = await error(desk, "execute_transformation", transformation=two, **RUN)
    assert found["code"] == "INVALID_INPUT"
    assert "2 inputs (a, b)" in found["message"]
    assert "FILE" not in found["details"]["hint"]


async def test_validating_a_wrong_program_is_a_success(desk: Application) -> None:
    answer = await ask(desk, "validate_utlx", transformation="{ a: nope(1), b: alsoNot }")
    assert answer["success"] is True
    assert answer["data"]["valid"] is False
    assert len(answer["data"]["errors"]) == 2


async def test_a_header_that_contradicts_the_caller_is_a_validation_error(desk: Application) -> None:
    program = "%utlx 1.0\ninput xml\noutput json\n---\n$input"
    assert (await error(desk, "execute_transformation", transformation=program, **RUN))["code"] == "VALIDATION_ERROR"


async def test_a_failing_run_says_where_and_through_which_calls(desk: Application) -> None:
    program = "def Half(x) { x.value / 2 }\nmap([1], n => Half(n))"
    for _ in range(3):  # the first run is interpreted, later ones are generated code
        found = await error(desk, "execute_transformation", transformation=program, **RUN)
        assert found["code"] == "EXECUTION_ERROR"
        assert found["details"]["line"] == 1
        assert found["details"]["executionTime"] >= 0
        assert found["details"]["stackTrace"].splitlines()[0].startswith("at 1:")
        assert "at 2:" in found["details"]["stackTrace"]


PLACES = [
    ('{ a: 1,\n  b: padRight("x", 99999999999, " ") }', 2, 6),
    ("function F(n) { F(n) }\n{ a: F(1) }", 1, 17),
    ("let f = upper\nf", 2, 1),
    ("{ a: 1 }\n{ f: upper }", 2, 1),
]


@pytest.mark.parametrize(("program", "line", "column"), PLACES)
async def test_every_failure_has_its_place(desk: Application, program: str, line: int, column: int) -> None:
    for _ in range(12):
        found = await error(desk, "execute_transformation", transformation=program, **RUN)
        assert found["code"] == "EXECUTION_ERROR"
        assert (found["details"]["line"], found["details"]["column"]) == (line, column)
        assert found["details"]["stackTrace"].splitlines()[0].startswith(f"at {line}:{column}: ")


async def test_the_same_program_runs_again_and_again(desk: Application) -> None:
    program = "map($input.items, i => { total: i.price * 2 })"
    arguments = {**RUN, "inputData": '{"items": [{"price": 2}]}'}
    outputs = [
        (await ask(desk, "execute_transformation", transformation=program, **arguments))["data"]["output"]
        for _ in range(4)
    ]
    assert len(set(outputs)) == 1


async def test_data_that_is_not_what_it_says_is_a_parse_error(desk: Application) -> None:
    wrong = {**RUN, "inputData": '{"a": '}
    found = await error(desk, "execute_transformation", transformation="$input", **wrong)
    assert found["code"] == "PARSE_ERROR"
    assert found["details"]["line"] == 1
    assert (await error(desk, "get_input_schema", source="<a><b></a>", format="xml"))["code"] == "PARSE_ERROR"
    assert (await error(desk, "get_input_schema", source='{"type": "record"}', format="avro"))["code"] == "PARSE_ERROR"


async def test_an_endless_run_is_a_timeout_and_the_next_call_is_fine(desk: Application) -> None:
    found = await error(desk, "execute_transformation", transformation=ENDLESS, **RUN)
    assert found["code"] == "TIMEOUT"
    assert found["details"]["executionTime"] == 1500
    assert (await ask(desk, "execute_transformation", transformation="1 + 1", **RUN))["data"]["output"] == "2"


async def test_too_much_memory_is_an_execution_error(desk: Application) -> None:
    found = await error(desk, "execute_transformation", transformation=GROWING, **RUN)
    assert found["code"] == "EXECUTION_ERROR"


async def test_not_strict_makes_type_errors_warnings(desk: Application) -> None:
    strict = await ask(desk, "validate_utlx", transformation="{ a: true * 2 }")
    lenient = await ask(desk, "validate_utlx", transformation="{ a: true * 2 }", strictMode=False)
    assert strict["data"]["valid"] is False
    assert lenient["data"]["valid"] is True
    assert lenient["data"]["warnings"][0]["message"] == strict["data"]["errors"][0]["message"]


async def test_unused_names_are_only_information(desk: Application) -> None:
    data = (await ask(desk, "validate_utlx", transformation="{ let unused = 1, a: 2 }"))["data"]
    assert data["valid"] is True
    assert data["errors"][0]["severity"] == "info"


@pytest.mark.parametrize("schema", [{"type": "foo"}, {"$ref": "#/x"}, {"type": "object", "properties": []}])
@pytest.mark.parametrize("tool", ["validate_utlx", "infer_output_schema"])
async def test_a_schema_that_is_none_is_invalid_input(desk: Application, tool: str, schema: dict[str, Any]) -> None:
    found = await error(desk, tool, transformation="$input.a", inputSchema=schema)
    assert found["code"] == "INVALID_INPUT"
    assert "no JSON Schema: at #" in found["message"]


async def test_a_reference_that_is_not_followed_is_a_warning(desk: Application) -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "https://example.com/a.json"}}}
    data = (await ask(desk, "validate_utlx", transformation="$input.a.b", inputSchema=schema))["data"]
    assert data["valid"] is True
    assert "https://example.com/a.json" in data["warnings"][0]["message"]


async def test_a_schema_that_refers_to_itself_twice_is_checked_in_time(desk: Application) -> None:
    node = {"type": "object", "properties": {name: {"$ref": "#/$defs/N"} for name in ("l", "r")}}
    schema = {"$defs": {"N": {**node, "required": ["l"], "additionalProperties": False}}, "$ref": "#/$defs/N"}
    await ask(desk, "validate_utlx", transformation="1")
    started = time.process_time()
    data = (await ask(desk, "validate_utlx", transformation="$input.l.l.x", inputSchema=schema))["data"]
    inferred = await ask(desk, "infer_output_schema", transformation="$input", inputSchema=schema)
    assert time.process_time() - started < 1
    assert data["warnings"][0]["code"] == "W501"
    assert inferred["data"]["confidence"] == "high"


async def test_sources(desk: Application, tmp_path_factory: pytest.TempPathFactory) -> None:
    inside = desk.settings.roots[0] / "rows.csv"
    inside.write_text("a,b\n1,x\n")
    outside = tmp_path_factory.mktemp("elsewhere") / "rows.csv"
    outside.write_text("a,b\n1,x\n")
    assert (await ask(desk, "get_input_schema", source=str(inside), format="csv"))["data"]["structure"][
        "type"
    ] == "array"
    assert (await error(desk, "get_input_schema", source=str(outside), format="csv"))["code"] == "INVALID_INPUT"
    assert (await error(desk, "get_input_schema", source="no/such.csv", format="csv"))["code"] == "INVALID_INPUT"
    assert (await error(desk, "get_input_schema", source="doc://nothing", format="csv"))["code"] == "INVALID_INPUT"
    desk.workspace.store.documents.add_text("kept.json", '{"a": 1}')
    kept = (await ask(desk, "get_input_schema", source="doc://kept.json", format="json"))["data"]
    assert kept["structure"]["properties"]["a"]["type"] == "integer"


@pytest.mark.parametrize("encoding", ["iso-8859-1", "windows-1250", "utf-16"])
async def test_files_are_read_in_the_encoding_that_they_declare(desk: Application, encoding: str) -> None:
    path = desk.settings.roots[0] / "named.xml"
    path.write_bytes(f'<?xml version="1.0" encoding="{encoding}"?><a><b>Zoë</b></a>'.encode(encoding))
    data = (await ask(desk, "get_input_schema", source=str(path), format="xml"))["data"]
    assert data["structure"]["properties"]["a"]["properties"]["b"]["examples"] == ["Zoë"]
    run = {"transformation": "$input.a.b", "inputFormat": "xml", "outputFormat": "json"}
    desk.workspace.store.documents.add("named.xml", path.read_bytes())
    batch = (await ask(desk, "transform_batch", inputs=[str(path), "doc://named.xml"], **run))["data"]
    assert [item["output"] for item in batch["results"]] == ['"Zoë"'] * 2


async def test_tables_are_read_in_the_encoding_that_the_program_says(desk: Application) -> None:
    path = desk.settings.roots[0] / "latin.csv"
    path.write_bytes("name;city\nZoë;Köln\n".encode("latin-1"))
    data = (await ask(desk, "get_input_schema", source=str(path), format="csv"))["data"]
    assert data["options"] == {"delimiter": ";", "encoding": "cp1252"}
    header = 'input csv { delimiter: ";", encoding: "latin-1" }'
    run = {"inputs": [str(path)], "inputFormat": "csv", "outputFormat": "json"}
    program = f"%utlx 1.0\n{header}\noutput json\n---\n$input[0].city"
    batch = (await ask(desk, "transform_batch", transformation=program, **run))["data"]
    assert batch["results"][0]["output"] == '"Köln"'
    batch = (await ask(desk, "transform_batch", transformation="$input", **run))["data"]
    failed = batch["results"][0]["error"]
    assert failed["code"] == "PARSE_ERROR"
    assert "input csv { encoding" in failed["details"]["hint"]


async def test_a_broken_part_is_an_internal_error(tmp_path: Path) -> None:
    settings = load(env={"ROLLTOP_WORKSPACE": str(tmp_path / "ws"), "XDG_CONFIG_HOME": str(tmp_path)})
    desk = Application(settings)
    desk.workspace.store.documents.add_text("kept.json", '{"a": 1}')
    desk.workspace.close()
    for path in (tmp_path / "ws").rglob("*"):
        if path.is_file() and path.name != "workspace.json":
            path.write_bytes(b"not what it was")
    desk = Application(settings)
    assert (await error(desk, "get_input_schema", source="doc://kept.json", format="json"))["code"] == "INTERNAL_ERROR"
    desk.close()


def test_the_workspace_starts_no_worker_for_other_tools(tmp_path: Path) -> None:
    desk = Application(load(env={"ROLLTOP_WORKSPACE": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}))
    assert "transform" not in desk.workspace.__dict__
    desk.close()


async def test_an_address_is_not_taken_for_data(desk: Application) -> None:
    asked = {"transformation": "count($input)", "inputFormat": "csv", "outputFormat": "json"}
    found = await error(desk, "execute_transformation", inputData="doc://data/sales.csv", **asked)
    assert found["code"] == "INVALID_INPUT"
    assert "doc://data/sales.csv" in found["message"]
    assert "List the documents" in found["details"]["hint"]
