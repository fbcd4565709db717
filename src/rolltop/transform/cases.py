"""Test cases of programs, in the YAML form of the UTL-X conformance suite.

A file holds one case: `input` (`format`, `data`) or `inputs` by name, `transformation`, `expected` (`format`, `data`)
or `error_expected` (`message`, a regular expression), and `variants` that change some of these. Without
`transformation` the program is the `.utlx` file of the same name: `invoice.test.yaml` tests `invoice.utlx`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rolltop.errors import InvalidInput, NotFound, RolltopError
from rolltop.transform import formats
from rolltop.transform.errors import ProgramInvalid, ReadFailure
from rolltop.transform.formats.table import canonical
from rolltop.transform.program import Document, Program, compile_program
from rolltop.transform.values import equal

__all__ = ["Case", "Outcome", "case_files", "cases_in", "run_case"]

_CARRIERS = {"avro": "json", "jsch": "json", "tsch": "json", "xsd": "xml", "osch": "xml"}
"""Schemas are compared as the data that they are written in."""
_KEYS = ("input", "inputs", "transformation", "expected", "error_expected")


@dataclass(frozen=True, slots=True)
class Case:
    """One program with its inputs and what it must give."""

    name: str
    file: Path
    program: str
    inputs: Mapping[str, Mapping[str, Any]]
    expected: Mapping[str, Any] | None
    error: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Outcome:
    case: Case
    problem: str | None
    """What differs; None for a case that passes."""


def case_files(paths: list[str]) -> list[Path]:
    """The files named, and all `*.test.yaml` in the folders named."""
    found: dict[Path, None] = {}
    for text in paths:
        path = Path(text)
        if not path.exists():
            raise NotFound(f"{text}: no such file or folder")
        for file in sorted([*path.rglob("*.test.yaml"), *path.rglob("*.test.yml")]) if path.is_dir() else [path]:
            found[file] = None
    if not found:
        raise NotFound(f"no *.test.yaml in {', '.join(paths)}", hint="Put cases beside programs: invoice.test.yaml.")
    return list(found)


def cases_in(file: Path) -> Iterator[Case]:
    """The case of a file and its variants."""
    try:
        whole = formats.read("yaml", file.read_bytes())
    except ReadFailure as error:
        raise InvalidInput(f"{file}: {error.message}") from None
    if not isinstance(whole, dict):
        raise InvalidInput(f"{file}: a case is an object", hint="It has input, transformation and expected.")
    base = {key: whole[key] for key in _KEYS if key in whole}
    yield _case(file, str(whole.get("name", file.stem)), base)
    for variant in whole.get("variants") or []:
        changed = {key: variant[key] for key in _KEYS if key in variant}
        kept = {key: value for key, value in base.items() if key != ("expected" if "error_expected" in changed else "")}
        yield _case(file, f"{whole.get('name', file.stem)}#{variant.get('name', '')}", {**kept, **changed})


def _case(file: Path, name: str, parts: dict[str, Any]) -> Case:
    program = parts.get("transformation")
    if program is None:
        beside = file.with_name(re.sub(r"(\.test)?\.ya?ml$", ".utlx", file.name))
        if not beside.is_file():
            raise InvalidInput(f"{file}: no transformation, and there is no {beside.name} beside it")
        program = beside.read_text("utf-8-sig")
    inputs = parts.get("inputs") or {"input": parts.get("input") or {"format": "json", "data": None}}
    if "expected" not in parts and "error_expected" not in parts:
        raise InvalidInput(f"{file}: {name} expects nothing", hint="Give expected or error_expected.")
    return Case(name, file, str(program), inputs, parts.get("expected"), parts.get("error_expected"))


def run_case(case: Case) -> Outcome:
    """Run a case on its inputs and compare."""
    try:
        program = compile_program(case.program, name=case.file.name, inputs=_formats(case))
        text = program.run(_documents(case, program)).text
    except ProgramInvalid as error:
        first = error.diagnostics[0]
        return _failed(case, f"line {first.line}: {first.message}")
    except RolltopError as error:
        return _failed(case, error.message)
    if case.expected is None:
        return Outcome(case, "it must fail, and gives " + _short(text))
    format_ = canonical(str(case.expected.get("format", program.header.outputs[0].format)))
    wanted = case.expected.get("data")
    same = _same(_CARRIERS.get(format_, format_), wanted, text)
    return Outcome(case, None if same else f"expected {_short(wanted)}\n     got {_short(text)}")


def _failed(case: Case, message: str) -> Outcome:
    wanted = (case.error or {}).get("message")
    if case.error is None:
        return Outcome(case, f"it fails: {message}")
    if wanted and not re.search(str(wanted), message, re.IGNORECASE | re.DOTALL):
        return Outcome(case, f"it must fail with {wanted!r}, and fails with {message!r}")
    return Outcome(case, None)


def _formats(case: Case) -> dict[str, str] | None:
    """Formats for a program without header."""
    if case.program.lstrip().startswith("%"):
        return None
    return {name: str(given.get("format", "json")) for name, given in case.inputs.items()}


def _documents(case: Case, program: Program) -> dict[str, Document]:
    return {name: Document(_text(given)) for name, given in case.inputs.items()}


def _text(given: Mapping[str, Any]) -> str:
    """The text of an input, whose data may be written as YAML."""
    data, format_ = given.get("data"), canonical(str(given.get("format", "json")))
    if isinstance(data, str) and (format_ != "json" or _is_json(data)):
        return data
    return formats.write(format_, data).text


def _is_json(text: str) -> bool:
    try:
        formats.read("json", text)
    except ReadFailure:
        return False
    return True


def _same(format_: str, wanted: Any, text: str) -> bool:
    """Whether a result is what is wanted, given as a value or as text of the format."""
    try:
        made = formats.read(format_, text)
        if equal(made, wanted):
            return True
        return isinstance(wanted, str) and (
            wanted.strip() == text.strip() or equal(formats.read(format_, wanted), made)
        )
    except ReadFailure:
        return isinstance(wanted, str) and wanted.strip() == text.strip()


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else formats.write("json", value, {"compact": True}).text
    text = " ".join(text.split())
    return text if len(text) <= 300 else text[:300] + "…"
