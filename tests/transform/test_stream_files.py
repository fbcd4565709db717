"""Large files from the outside: piece by piece, in several processes, and never half a result under its name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rolltop.errors import RolltopError
from rolltop.transform import Document, compile_program
from rolltop.transform.stream import plan_of
from rolltop.transform.stream.jobs import can_share, stream_shared

PROGRAM = "$input |> filter(o => o.n % 3 != 1) |> map(o => { id: o.id, twice: o.n * 2 })"


def rolltop(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "rolltop", "transform", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=60, check=False)


def records(count: int) -> list[dict[str, Any]]:
    return [{"id": f"r{n}", "n": n, "unread": "x" * 20} for n in range(count)]


@pytest.fixture
def array(tmp_path: Path) -> Path:
    path = tmp_path / "data.json"
    path.write_text(json.dumps(records(3000), indent=1))
    return path


def test_a_stream_writes_what_reading_at_once_writes(array: Path, tmp_path: Path) -> None:
    for options in ([], ["--compact"], ["--to", "csv"], ["--to", "jsonl"]):
        target = tmp_path / "out"
        made = rolltop("-e", PROGRAM, str(array), "--stream", "-o", str(target), *options)
        assert made.returncode == 0, made.stderr
        assert target.read_bytes() == rolltop("-e", PROGRAM, str(array), "--no-stream", *options).stdout


def test_records_are_written_inside_an_object(array: Path, tmp_path: Path) -> None:
    program = '{ Orders: { "@made": "today", Order: ' + PROGRAM + ", n: count($input) } }"
    for options in ([], ["--compact"], ["--to", "xml"], ["--to", "xml", "--jobs", "2"]):
        target = tmp_path / "out"
        made = rolltop("-e", program, str(array), "--stream", "-o", str(target), *options)
        assert made.returncode == 0, made.stderr
        assert target.read_bytes() == rolltop("-e", program, str(array), "--no-stream", *options).stdout


@pytest.mark.parametrize("source", ["json", "jsonl", "csv"])
@pytest.mark.parametrize("target", ["json", "xml"])
def test_records_inside_an_object_are_explained(source: str, target: str) -> None:
    program = "{ n: count($input), Out: { R: map($input, o => { a: o.a, b: o.b }) } }"
    made = rolltop("explain", "-e", program, "--from", source, "--to", target)
    assert b"streams\tyes: totals, then records of $input" in made.stdout, made.stderr
    assert (b"columnar: " in made.stdout) == (source == "csv")


def test_totals_beside_records_need_a_file(array: Path) -> None:
    program = ("-e", "{ n: count($input), all: map($input, o => o.n) }", "--from", "json", "-c")
    assert rolltop(*program, stdin=array.read_bytes()).stdout == rolltop(*program, str(array), "--stream").stdout
    assert b"two readings" in rolltop(*program, "--stream", stdin=array.read_bytes()).stderr


def test_standard_input_can_be_streamed() -> None:
    lines = b"".join(json.dumps(record).encode() + b"\n" for record in records(50))
    made = rolltop("-e", "sum(map($input, o => o.n))", "--from", "jsonl", stdin=lines)
    assert made.stdout == b"1225\n"


def test_an_object_in_place_of_the_array_is_told_as_without_streaming() -> None:
    program = ("-e", "map($input, o => o.n)", "--from", "json", "-c")
    streamed = rolltop(*program, "--stream", stdin=b'{"n": 5}')
    assert b"map requires an array for 'array', got an object" in streamed.stderr
    assert streamed.stderr == rolltop(*program, "--no-stream", stdin=b'{"n": 5}').stderr


def test_a_failure_leaves_the_earlier_file_and_nothing_else(array: Path, tmp_path: Path) -> None:
    target = tmp_path / "result.json"
    target.write_text("old")
    array.write_text(array.read_text()[:-40])
    made = rolltop("-e", PROGRAM, str(array), "--stream", "-o", str(target))
    assert made.returncode == 4
    assert b"JSON parse error at " in made.stderr
    assert made.stderr == rolltop("-e", PROGRAM, str(array), "--no-stream", "-o", str(target)).stderr
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.json", "result.json"]


@pytest.mark.parametrize("more", [[], ["-o", "out.json"], ["--stream"], ["--jobs", "2"]])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, more: list[str]) -> None:
    more = [str(tmp_path / each) if each == "out.json" else each for each in more]
    missing = rolltop("-e", PROGRAM, str(tmp_path / "missing.json"), *more)
    assert (missing.returncode, missing.stderr) == (3, f"Error: {tmp_path}/missing.json: no such file\n".encode())
    directory = rolltop("-e", PROGRAM, str(tmp_path), "--from", "json", *more)
    assert (directory.returncode, directory.stderr) == (2, f"Error: {tmp_path}: Is a directory\n".encode())
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_cannot_be_written_is_named(array: Path, tmp_path: Path) -> None:
    nowhere = rolltop("-e", PROGRAM, str(array), "-o", f"{tmp_path}/none/out.json")
    assert (nowhere.returncode, b"none/out.json: No such file or directory" in nowhere.stderr) == (2, True)
    full = rolltop("-e", PROGRAM, str(array), "-o", "/dev/full")
    assert (full.returncode, full.stderr) == (2, b"Error: /dev/full: No space left on device\n")


def test_what_cannot_be_streamed_is_refused_when_asked_for(array: Path) -> None:
    made = rolltop("-e", "sortBy($input, o => o.n)", str(array), "--stream")
    assert made.returncode == 2
    assert b"sortBy needs all records at once" in made.stderr


def test_many_files_each_have_a_result(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.json").write_text(json.dumps([{"n": len(name), "name": name}]))
    (tmp_path / "bad.json").write_text("[")
    files = [str(tmp_path / f"{name}.json") for name in ("a", "b", "c", "bad")]
    made = rolltop("-e", "map($input, o => o.name)", *files, "--output-dir", str(tmp_path / "out"), "--jobs", "2", "-c")
    assert made.returncode == 4
    assert b"bad.json" in made.stderr
    results = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    assert results == {"a.json": '["a"]\n', "b.json": '["b"]\n', "c.json": '["c"]\n'}


def shared(text: str, path: Path, size: int) -> Any:
    format_ = "jsonl" if path.suffix == ".jsonl" else "json"
    program = compile_program(text, inputs={"input": format_}, output_format=format_)
    plan = plan_of(program.parsed.program)
    assert can_share(plan, str(path))
    written: list[bytes] = []
    try:
        stream_shared(
            program, plan, str(path), written.append, {}, jobs=2, advance=lambda count: None, size=size
        )  # fmt: skip
    except RolltopError as error:
        return type(error).__name__, error.message
    return b"".join(written)


def at_once(text: str, path: Path) -> Any:
    format_ = "jsonl" if path.suffix == ".jsonl" else "json"
    program = compile_program(text, inputs={"input": format_}, output_format=format_)
    try:
        made = program.run({"input": Document(path.read_bytes())}).encode()
    except RolltopError as error:
        return type(error).__name__, error.message
    return made if made.endswith(b"\n") else made + b"\n"


@pytest.mark.parametrize(
    "damage",
    [
        (b"", b""),
        (b'"r700"', b'"r700'),
        (b'"n": 900,', b'"n": "x",'),
        (b'"n": 901,', b'"n": {},'),
        (b'}]', b'},]'),
        (b'}]', b'}] x'),
        (b'[{', b'[,{'),
        (b'"r5"', b'{"id": "r5", "s": [{"id": 1}, {"id": 2}]}'),
        (b"xxx", b"\xff"),
    ],
)  # fmt: skip
def test_processes_give_what_one_gives(damage: tuple[bytes, bytes], tmp_path: Path) -> None:
    data = json.dumps(records(1000)).encode().replace(*damage, 1)
    path = tmp_path / "data.json"
    path.write_bytes(data)
    assert shared(PROGRAM, path, 3000) == at_once(PROGRAM, path)
    lines = tmp_path / "data.jsonl"
    lines.write_bytes(data[1:-1].replace(b"}, {", b"}\n{"))
    assert shared(PROGRAM, lines, 3000) == at_once(PROGRAM, lines)


def test_explain_says_tier_fields_streaming_and_output() -> None:
    found = json.loads(rolltop("explain", "-e", PROGRAM, "--json").stdout)
    assert found["tier"] == "typed"
    assert {"path": "[].n", "type": "Number", "required": True} in found["fields"]
    assert found["streams"] == "records"
    assert found["outputType"] == "Array<{ id: Any, twice: Number }>"


def test_explain_says_why_not() -> None:
    text = rolltop("explain", "-e", "sortBy($input, o => o.n)").stdout.decode()
    assert "sortBy needs all records at once (at 1:7)" in text
    assert "the records are used as a whole" in text
    assert rolltop("explain").returncode == 2


@pytest.mark.parametrize(
    ("text", "program", "printed"),
    [
        ("<r><a><b>1</b></a></r>", "map(.r.a, x => x.b)", "[1]"),
        ("<r><a><b>1</b></a><a><b>2</b></a></r>", "map(.r.a, x => x.b)", "[1,2]"),
    ],
)
def test_standard_input_that_has_to_be_read_as_a_whole_is(text: str, program: str, printed: str) -> None:
    made = rolltop("--stream", "--from", "xml", "--to", "json", "-c", "-e", program, stdin=text.encode())
    assert (made.stdout.strip(), made.stderr) == (printed.encode(), b"")
