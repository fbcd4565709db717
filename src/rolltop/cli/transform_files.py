"""What the transform verbs share: reading inputs by name and format, showing errors in compiler style."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from rolltop.errors import InvalidInput, NotFound, RolltopError

if TYPE_CHECKING:
    from rolltop.transform.syntax.source import Source

__all__ = ["Input", "blamed_on", "format_of", "parse_input", "read_bytes", "read_program", "showing_errors"]

_SUFFIXES = {
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".xml": "xml", ".csv": "csv", ".tsv": "csv", ".yaml": "yaml", ".yml": "yaml",
    ".xsd": "xsd", ".avsc": "avro", ".proto": "proto", ".edmx": "osch",
}  # fmt: skip


class Input(NamedTuple):
    """One `-i [name=]file`; the name may be missing, the file may be `-`."""

    name: str
    path: str

    @property
    def format(self) -> str:
        return format_of(self.path) or "auto"

    def read(self) -> bytes:
        return read_bytes(self.path)


def format_of(path: str) -> str | None:
    """The format that a file's name tells."""
    return _SUFFIXES.get(os.path.splitext(path)[1].lower())


def parse_input(text: str) -> Input:
    name, equals, path = text.partition("=")
    if (equals and name.isidentifier()) or (equals and name.replace("-", "_").isidentifier()):
        return Input(name, path)
    return Input("input", text)


def read_bytes(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    with blamed_on(path), open(path, "rb") as file:
        return file.read()


@contextmanager
def blamed_on(path: str) -> Iterator[None]:
    """Trouble with a file names it."""
    try:
        yield
    except FileNotFoundError:
        raise NotFound(f"{path}: no such file") from None
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror}") from None


def read_program(path: str) -> str:
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"{path}: a program is UTF-8 text") from None


@contextmanager
def showing_errors(source: Source | None = None) -> Iterator[None]:
    """Print what goes wrong as a compiler does, and leave with the documented exit code."""
    from rolltop.transform import EvaluationFailure, ProgramInvalid, WriteFailure
    from rolltop.transform.diagnostics import render

    try:
        yield
    except ProgramInvalid as error:
        name = source.name if source else "program"
        _leave(error, [render(finding, name) for finding in error.diagnostics])
    except (EvaluationFailure, WriteFailure) as error:
        if source is None or (error.position is None and isinstance(error, WriteFailure)):
            raise
        _leave(error, [render(source.failure(error), source.name)])


def _leave(error: RolltopError, lines: list[str]) -> NoReturn:
    import click  # only failures wait for it

    for line in lines:
        click.echo(line, err=True)
    raise click.exceptions.Exit(error.exit_code) from None
