"""From JSON text to the value of a program, by the cheapest way that is still exact.

=========  ==================================================================================
tier       what it does
=========  ==================================================================================
typed      decodes only the fields read, into structures whose types are those that the program
           needs; the code tests nothing that the decoder has proved
projected  decodes only the fields read, any value in them; the code tests what it calculates with
general    decodes everything into ordinary values; generated code with all tests, and behind it
           the evaluator
=========  ==================================================================================

A document that a tier cannot take (a text where a number is used, a missing part) goes to the next one:
programs are pure, so nothing has to be undone. A tier that fails for most documents is not asked again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from rolltop.errors import LimitExceeded
from rolltop.transform.compile.compiler import function_of, is_plain
from rolltop.transform.compile.places import Place, decoder_type, settle
from rolltop.transform.compile.python import source_of
from rolltop.transform.compile.record_sieve import Kept, Sieve, kept_by
from rolltop.transform.compile.routine import Routine
from rolltop.transform.compile.scopes import CannotCompile
from rolltop.transform.compile.typed import TypedEmitter
from rolltop.transform.compile.ways import TRIALS, Judged, Ways
from rolltop.transform.compile.written import WrittenEmitter
from rolltop.transform.syntax import tree

__all__ = ["Tier", "Tiers", "is_text", "typed_tier"]

_FORMATS = frozenset({"json", "jsonl", "csv"})
Decode = Callable[[Any], Any]


class Code(NamedTuple):
    """A routine and its Python."""

    routine: Routine
    source: str
    run: Callable[[Any], Any]
    kept: Kept | None
    """The records that it looks at, when they can be told by one field."""


class Reader(NamedTuple):
    """From text to what code runs on."""

    decode: Decode
    decode_lines: Callable[[list[bytes]], Any]


class Tier(Judged):
    """Decoder and code of one way to run a program."""

    def __init__(self, name: str, root: Place, emitter: TypedEmitter, written: WrittenEmitter) -> None:
        self.name = name
        self.root = root
        self._emitter, self._written = emitter, written
        self.ready_runs = self.unready = 0
        """How often `ready` was asked, and how often it was not for the document."""
        type_ = decoder_type(root)
        self.decode: Decode = msgspec.json.Decoder(type_).decode
        self.record: Any = None
        """The structure of a record, when the input is an array of them."""
        if root.form == "list":
            self.record = type_.__args__[0] if root.items().form == "record" else None
            self._decode_one: Decode = msgspec.json.Decoder(type_.__args__[0]).decode

    @property
    def mostly_unready(self) -> bool:
        return self.unready * 2 > self.ready_runs > TRIALS

    @cached_property
    def _code(self) -> Code:
        return _made(self.root, self._emitter)

    @cached_property
    def _ready_code(self) -> Code | None:
        try:
            return _made(self.root, self._written)
        except (CannotCompile, SyntaxError, RecursionError, MemoryError):
            return None

    @property
    def source(self) -> str:
        return self._code.source

    @property
    def run(self) -> Callable[[Any], Any]:
        """The program's code; `CannotCompile` when only `ready` could be made."""
        return self._code.run

    @property
    def ready(self) -> Callable[[Any], Any] | None:
        """The program's code with a result that has numbers as JSON shows them; None when it has no such code."""
        return self._ready_code.run if self._ready_code is not None else None

    @cached_property
    def reader(self) -> Reader:
        """Decodes what `run` looks at, and not always more."""
        return self._reader(self._code.kept)

    @cached_property
    def ready_reader(self) -> Reader:
        """The same for `ready`."""
        return self._reader(self._ready_code.kept if self._ready_code is not None else None)

    def _reader(self, kept: Kept | None) -> Reader:
        if kept is None:
            return Reader(self.decode, lambda lines: list(map(self._decode_one, lines)))
        sieve = Sieve(self.root.items(), kept, self.decode, self._decode_one)
        return Reader(sieve.decode, sieve.decode_lines)

    def routine_of(self, *, written: bool) -> tuple[Routine, dict[str, Any]]:
        """The routine of `ready`, or of `run`, and the constants in it; `CannotCompile` when there is none."""
        if not written:
            return self._code.routine, self._emitter.constants
        if self._ready_code is None:
            raise CannotCompile("the result is not made for being written at once")
        return self._ready_code.routine, self._written.constants


def typed_tier(program: tree.Program, *, strict: bool) -> Tier:
    """The program on typed input, or `CannotCompile` with the reason why not."""
    if len(program.header.inputs) != 1 or program.header.inputs[0].format not in _FORMATS:
        raise CannotCompile("the input is not one document in json, jsonl or csv")
    if not is_plain(program):
        raise CannotCompile("the program makes attributes or reads other formats")
    root, shared = Place("$input"), set[int]()
    TypedEmitter(program, root, shared).routine()
    settle(root, strict=strict)
    if root.form not in ("record", "list"):
        raise CannotCompile("the input is used as a whole")
    if root.form == "list" and root.items().form == "any":
        raise CannotCompile("the records are used as a whole")
    emitters = TypedEmitter(program, root, shared), WrittenEmitter(program, root, shared)
    tier = Tier("typed" if strict else "projected", root, *emitters)
    # One of the two will do: most programs are run for what they write, or for their values.
    if tier.ready is None:
        _ = tier.run
    return tier


def _made(root: Place, emitter: TypedEmitter) -> Code:
    """The code of an emitter that knows the forms of all places."""
    routine = emitter.routine()
    if root.unsettled():
        raise CannotCompile("the second look saw more than the first")
    of_records = root.form == "list" and root.items().form == "record"
    source = source_of(routine)
    return Code(routine, source, function_of(source, emitter.constants), kept_by(routine) if of_records else None)


class Tiers(Ways[Tier]):
    """The typed ways of a program over JSON and over tables."""

    def __init__(self, program: tree.Program) -> None:
        self._program = program

    def make(self, *, strict: bool) -> Tier:
        return typed_tier(self._program, strict=strict)

    def value(self, data: str | bytes) -> tuple[bool, Any]:
        """Whether a typed tier could take the JSON document, and the value if so."""
        if self.typed is None or not is_text(data):
            return False, None
        return self.value_of(lambda tier: tier.reader.decode(data))

    def ready(self, data: str | bytes) -> tuple[bool, Any]:
        """Whether the JSON document could be taken by code whose result may be written as it is, and that result."""
        return self._at_once(lambda tier: tier.ready_reader.decode(data)) if is_text(data) else (False, None)

    def ready_of(self, decode: Callable[[Tier], Any]) -> tuple[bool, Any]:
        """The same for input that the caller decodes."""
        return self._at_once(decode)

    def _at_once(self, decode: Callable[[Tier], Any]) -> tuple[bool, Any]:
        tier = self.typed
        if tier is not None and tier.mostly_unready:
            tier = self.projected
        if tier is None or tier.ready is None or tier.mostly_unready:
            return False, None
        tier.ready_runs += 1
        try:
            return True, tier.ready(decode(tier))
        except (LimitExceeded, MemoryError):
            raise
        except Exception as error:  # whatever it is, the other ways find it out
            if not isinstance(error, msgspec.DecodeError) or isinstance(error, msgspec.ValidationError):
                tier.unready += 1  # what is no JSON says nothing about the code
            return False, None


def is_text(data: str | bytes) -> bool:
    """Whether the bytes are UTF-8: the decoder does not look at texts that it skips."""
    if isinstance(data, str) or data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
