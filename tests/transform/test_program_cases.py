"""`rolltop transform test`: cases beside programs, in the form of the conformance suite."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rolltop.cli.transform.group import transform

CASE = """
name: totals
input:
  format: json
  data: { lines: [{ n: 2 }, { n: 3 }] }
expected:
  format: json
  data: { total: 5 }
variants:
  - name: empty
    input: { format: json, data: { lines: [] } }
    expected: { format: json, data: '{"total": 0}' }
  - name: refused
    input: { format: json, data: { lines: [{ n: x }] } }
    error_expected: { message: "element 0 is text" }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "totals.utlx").write_text(
        "%utlx 1.0\ninput json\noutput json\n---\n{ total: sum($input.lines |> map(l => l.n)) }"
    )
    (tmp_path / "totals.test.yaml").write_text(CASE)
    return tmp_path


def test_cases_of_the_program_beside_them_pass(folder: Path) -> None:
    done = CliRunner().invoke(transform, ["test", str(folder)])
    assert (done.exit_code, done.output) == (0, "3 of 3 cases pass\n")


def test_a_case_that_fails_says_what_differs(folder: Path) -> None:
    (folder / "totals.test.yaml").write_text(CASE.replace("total: 5", "total: 6"))
    done = CliRunner().invoke(transform, ["test", str(folder / "totals.test.yaml")])
    assert done.exit_code == 1
    assert 'expected {"total":6}' in done.output
    assert 'got { "total": 5 }' in done.output
    shown = CliRunner().invoke(transform, ["test", str(folder), "--json"])
    assert [row["passed"] for row in json.loads(shown.stdout)] == [False, True, True]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "a case is an object"),
        ("name: x\nexpected: {data: 1}", "no transformation"),
        ("transformation: '1'", "expects nothing"),
    ],
)
def test_what_is_no_case_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "x.test.yaml").write_text(text)
    done = CliRunner().invoke(transform, ["test", str(tmp_path)])
    assert words in str(done.exception)


def test_a_folder_without_cases_says_so(tmp_path: Path) -> None:
    done = CliRunner().invoke(transform, ["test", str(tmp_path)])
    assert "no *.test.yaml" in str(done.exception)
