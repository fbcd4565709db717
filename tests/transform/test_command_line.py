"""`rolltop transform` from the outside: data to standard output, findings to standard error, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """%utlx 1.0
input json
output xml
---
{ Invoice: { @id: $input.id, Total: sum($input.items |> map(i => i.price * i.qty)) } }
"""
ORDER = '{"id": 7, "customer": {"name": "Ann"}, "items": [{"price": 2.5, "qty": 2}]}'


def rolltop(*arguments: str, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rolltop", "transform", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=60, cwd=cwd, check=False)


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "invoice.utlx").write_text(PROGRAM)
    (tmp_path / "order.json").write_text(ORDER)
    return tmp_path


def test_run_a_program_over_a_file(desk: Path) -> None:
    done = rolltop("run", "invoice.utlx", "-i", "order.json", "-o", "out.xml", cwd=desk)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert '<Invoice id="7">\n  <Total>5</Total>\n</Invoice>\n' in (desk / "out.xml").read_text()


def test_an_expression_with_the_dot_shorthand(desk: Path) -> None:
    assert rolltop("-e", ".customer.name", "-r", stdin=ORDER).stdout == "Ann\n"
    assert rolltop("-e", "{ n: count(.items), all: . }", "-c", "order.json", cwd=desk).stdout.startswith(
        '{"n":1,"all":'
    )


def test_conversion_without_a_program(desk: Path) -> None:
    done = rolltop("--from", "csv", "--to", "json", "-c", stdin="a,b\n1,x\n")
    assert done.stdout == '[{"a":1,"b":"x"}]\n'
    assert rolltop("--to", "yaml", "order.json", cwd=desk).stdout.startswith("id: 7\n")


def test_what_cannot_be_written_is_shown_where_the_program_makes_it(desk: Path) -> None:
    (desk / "bad.utlx").write_text('%utlx 1.0\ninput json\noutput xml\n---\n{ r: {\n  "a b": 2 } }\n')
    done = rolltop("run", "bad.utlx", "order.json", cwd=desk)
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        4, "bad.utlx:6:3: error[unwritable_output]: 'a b' is no name for an XML element or attribute",
    )  # fmt: skip
    done = rolltop("--to", "xml", "-e", "let x = 1\n{ r: . }", stdin='{"a b": 1}')
    assert done.stderr.startswith("expression:2:1: error[unwritable_output]")
    assert rolltop("--from", "json", "--to", "xml", stdin='{"a b": 1}').stderr.startswith("Error: 'a b' is no name")


def test_several_inputs_by_name(desk: Path) -> None:
    (desk / "rates.csv").write_text("code,rate\nEUR,2\n")
    done = rolltop(
        "-e", "$order.items[0].price * $rates[0].rate", "-i", "order=order.json", "-i", "rates=rates.csv", cwd=desk
    )
    assert done.stdout == "5\n"


def test_diagnostics_are_shown_like_a_compiler_does(desk: Path) -> None:
    (desk / "bad.utlx").write_text("{ a: uper($input.x), b: 1 / 0 }")
    failed = rolltop("run", "bad.utlx", "order.json", cwd=desk)
    assert failed.returncode == 4
    assert "bad.utlx:1:6: error[unknown_function]: unknown function `uper`" in failed.stderr
    assert "Did you mean `upper`?" in failed.stderr
    checked = rolltop("check", "bad.utlx", "--json", cwd=desk)
    assert (checked.returncode, json.loads(checked.stdout)[0]["code"]) == (4, "E402")


def test_check_with_a_schema_warns(desk: Path) -> None:
    schema = {"type": "object", "properties": {"price": {"type": "number"}}}
    (desk / "schema.json").write_text(json.dumps(schema))
    (desk / "p.utlx").write_text("$input.price * 2")
    done = rolltop("check", "p.utlx", "--schema", "schema.json", cwd=desk)
    assert (done.returncode, "optional field 'price'" in done.stderr) == (0, True)
    assert rolltop("check", "p.utlx", "--schema", "schema.json", "--strict", cwd=desk).returncode == 4


def test_lint_never_fails_on_style(desk: Path) -> None:
    (desk / "p.utlx").write_text("let Total = 1\n2")
    done = rolltop("lint", "p.utlx", cwd=desk)
    assert done.returncode == 0
    assert "camelCase" in done.stderr
    assert "never used" in done.stderr


def test_format(desk: Path) -> None:
    (desk / "p.utlx").write_text("{a:1,b:[1,2]}")
    assert rolltop("format", stdin="{a:1}").stdout == "{ a: 1 }\n"
    assert rolltop("format", "--check", "p.utlx", cwd=desk).returncode == 1
    assert rolltop("format", "-w", "p.utlx", cwd=desk).returncode == 0
    assert rolltop("format", "--check", "p.utlx", cwd=desk).returncode == 0


def test_repl_keeps_bindings(desk: Path) -> None:
    entries = "let x = .id\nx * 2\n:type upper('a')\n[1,\n 2] |> count\nnope\n"
    done = rolltop("repl", "-i", "order.json", stdin=entries, cwd=desk)
    assert done.stdout == "14\nString\n2\n"
    assert "Undefined variable: nope" in done.stderr


def test_engine_answers_every_line() -> None:
    requests = [
        {"id": 1, "op": "execute", "transformation": "$input.a + 1", "inputs": {"input": {"data": '{"a": 1}'}}},
        {"id": 2, "op": "execute", "transformation": "1 / 0", "inputs": {"input": {"data": "{}"}}},
        {"id": 3, "op": "validate", "transformation": "{ a: "},
        {"id": 4, "op": "lint", "transformation": "let A = 1\nA"},
        {"id": 5, "op": "dance", "transformation": ""},
        {
            "id": 6,
            "transformation": "$input.a",
            "inputs": {"input": {"format": "xml", "data": "<a>x</a>"}},
            "outputFormat": "yaml",
        },
    ]
    lines = "\n".join(map(json.dumps, requests)) + "\nnot json\n"
    replies = [json.loads(line) for line in rolltop("engine", stdin=lines).stdout.splitlines()]
    assert replies[0] == {"id": 1, "success": True, "output": "2"}
    assert (replies[1]["error"]["message"], replies[1]["error"]["column"]) == ("Division by zero", 3)
    assert (replies[2]["valid"], replies[3]["valid"], len(replies[3]["warnings"])) == (False, True, 1)
    assert [reply["success"] for reply in replies[4:]] == [False, True, False]
    assert replies[5]["output"] == "x\n"


def test_watch_runs_again_when_a_file_changes(desk: Path) -> None:
    command = [sys.executable, "-m", "rolltop", "transform", "run", "--watch", "-e", ".id", "order.json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=desk) as child:
        assert child.stdout is not None
        try:
            assert child.stdout.readline() == "7\n"
            (desk / "order.json").write_text('{"id": 8}')
            os.utime(desk / "order.json", (time.time() + 5, time.time() + 5))
            assert child.stdout.readline() == "8\n"
        finally:
            child.terminate()


def test_missing_files_and_wrong_use(desk: Path) -> None:
    assert rolltop("run", "absent.utlx", cwd=desk).returncode == 3
    assert rolltop("run", cwd=desk).returncode == 2
    assert rolltop("-e", "1", "--to", "troff", stdin="1").returncode == 2
    assert rolltop("-e", ".", "--from", "json", stdin="{").returncode == 4


def test_standard_input_is_read_by_pieces_only_when_it_is_long() -> None:
    long, last = json.dumps([{"a": number, "b": "x" * 90} for number in range(60_000)]), "59999"
    assert rolltop("-e", "map(., r => r.a)", "-c", stdin=long).stdout.endswith(f",{last}]\n")
    assert rolltop("-e", "sortBy(., r => 0 - r.a)[0].a", stdin=long).stdout == f"{last}\n"
    assert rolltop("-e", ".a", stdin='{"a": 1}').stdout == "1\n"


def test_a_short_run_loads_neither_streams_nor_code_generation() -> None:
    code = (
        "import sys; from rolltop.boot import main; sys.argv[1:] = ['transform', '-e', '.a']\n"
        "try:\n    main()\nfinally:\n    print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], input='{"a": 1}', capture_output=True, text=True, check=False)
    loaded = set(done.stderr.split())
    assert (done.returncode, done.stdout) == (0, "1\n")
    heavy = {"msgspec", "rich", "rolltop.settings", "rolltop.transform.compile", "rolltop.transform.stream.engine"}
    assert not loaded & {*heavy, "rolltop.transform.check", "rolltop.transform.stdlib.host"}
