"""Examples as files hold them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rolltop.errors import InvalidData, RolltopError
from rolltop.transform.formats.table import read, write
from rolltop.transform.stdlib.catalog import own_entries

__all__ = ["OWN", "Example", "canonical_name", "load_corpus", "load_suite"]

OWN = Path(__file__).with_name("corpus")
_HEADER = re.compile(
    r"^\s*(input|output)\s*:?\s+(?:\w+\s+)?(xml|jsonl|json|csv|yaml|xsd|jsch|avro|proto|odata|osch|tsch|auto)\b"
)
_PART = re.compile(r"^--- (\w+) \(\w+\)\n", re.MULTILINE)
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")


@dataclass(frozen=True, slots=True)
class Example:
    """A transformation that ran: from this input it made this output."""

    name: str
    description: str
    transformation: str
    input: str
    output: str
    input_format: str
    output_format: str
    functions: tuple[str, ...] = ()

    def documents(self) -> dict[str, str]:
        """The data of each input by its name; of several, `input` has each under a line `--- name (format)`."""
        parts = _PART.split(self.input)
        if len(parts) == 1:
            return {"input": self.input}
        return dict(zip(parts[1::2], parts[2::2], strict=True))


def load_corpus(directory: Path = OWN) -> list[Example]:
    """All examples of the files in a directory, in the order of their names."""
    return [example for path in sorted(directory.glob("*.yaml")) for example in _examples(path)]


def _examples(path: Path) -> Iterator[Example]:
    for entry in read("yaml", path.read_text("utf-8")):
        source, target = _formats(entry["transformation"])
        yield Example(**entry, input_format=source, output_format=target, functions=_used(entry["transformation"]))


def _formats(program: str) -> tuple[str, str]:
    found = {"input": "json", "output": "json"}
    for line in program.partition("---")[0].splitlines():
        if match := _HEADER.match(line):
            found[match[1]] = match[2]
    return found["input"], found["output"]


def _used(program: str) -> tuple[str, ...]:
    names = (canonical_name(name) for name in _CALL.findall(program.partition("---")[2] or program))
    return tuple(dict.fromkeys(name for name in names if name is not None))


def canonical_name(name: str) -> str | None:
    """The function that a name or alias stands for; None when there is none."""
    return _canonical().get(name)


@cache
def _canonical() -> dict[str, str]:
    return {name: entry.name for entry in own_entries() for name in entry.names}


def load_suite(directory: Path) -> list[Example]:
    """Conformance cases below a directory: `input` or `inputs`, `transformation`, `expected`; others are left out."""
    if not directory.is_dir():
        raise InvalidData(f"{directory} is not a directory", hint="Correct CONFORMANCE_SUITE_PATH.")
    found = (_case(path) for path in sorted(directory.rglob("*.yaml")))
    return [example for example in found if example is not None]


def _case(path: Path) -> Example | None:
    try:
        case = read("yaml", path.read_text("utf-8"))
        program, expected = case["transformation"], case["expected"]
        given = case.get("inputs") or {"input": case["input"]}
        source, target = _formats(program)
        first = next(iter(given.values()))
        name = str(case.get("name") or path.stem)
        return Example(
            name=name,
            description=str(case.get("description") or name),
            transformation=program,
            input=_texts(given),
            output=_text(expected["data"]),
            input_format=str(first.get("format") or source),
            output_format=str(expected.get("format") or target),
            functions=_used(program),
        )
    except (OSError, RolltopError, KeyError, TypeError, AttributeError, StopIteration, UnicodeDecodeError):
        return None  # a case of another kind: an expected error, a program to be checked only


def _texts(given: Mapping[str, Any]) -> str:
    """The data of a case; of several inputs each with its name and format above it."""
    if len(given) == 1:
        return _text(next(iter(given.values()))["data"])
    return "\n".join(f"--- {name} ({one.get('format', 'json')})\n{_text(one['data'])}" for name, one in given.items())


def _text(data: Any) -> str:
    """Data as it is read; a case may also have it as values, which stand for JSON."""
    return data if isinstance(data, str) else write("json", data).text
