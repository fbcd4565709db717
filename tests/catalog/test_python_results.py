"""What Python functions return, in the form that their definitions promise; and what has no form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rolltop.catalog import mcptool_build
from rolltop.catalog.live import Catalog, CatalogSettings
from rolltop.catalog.schema import validator_for
from rolltop.errors import ForeignFailure

SOURCE = '''
import asyncio, collections, dataclasses, decimal, enum, io, itertools, pathlib, sys, types, typing, uuid
from collections.abc import AsyncIterator, Generator, Iterator, KeysView, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

class NT(NamedTuple):
    a: int
    b: str = "x"
Loose = collections.namedtuple("Loose", "p q")
class Place(enum.Enum):
    HOME = (1, 2)
class Level(enum.Enum):
    LOW = 1
    def __new__(cls, value):
        made = object.__new__(cls)
        made._value_ = value * 10
        return made
@dataclasses.dataclass
class Box:
    pair: NT
    price: Decimal
    late: int = dataclasses.field(init=False)
class Mute(Exception):
    def __str__(self): raise RuntimeError("no words")

def mcp_tool_decimal() -> Decimal:
    """R."""
    return Decimal("1.1")
def mcp_tool_whole() -> Decimal:
    """R."""
    return Decimal("12345678901234567890123")
def mcp_tool_huge() -> dict[str, Decimal]:
    """R."""
    return {"big": Decimal("1e9999"), "none": Decimal("NaN")}
def mcp_tool_uuid() -> UUID:
    """R."""
    return UUID(int=7)
def mcp_tool_bytes() -> bytes:
    """R."""
    return b"\\x00\\xff"
def mcp_tool_text_bytes() -> bytes:
    """R."""
    return "é".encode()
def mcp_tool_view() -> dict[str, bytearray]:
    """R."""
    return {"a": bytearray(b"abc"), "b": bytearray()}
def mcp_tool_duration() -> timedelta:
    """R."""
    return timedelta(minutes=1, milliseconds=500)
def mcp_tool_complex() -> complex:
    """R."""
    return 1 + 2j
def mcp_tool_pair() -> NT:
    """R."""
    return NT(1)
def mcp_tool_pair_as_array() -> tuple[int, str]:
    """R."""
    return NT(1)
def mcp_tool_loose():
    """R."""
    return Loose(1, 2)
def mcp_tool_box() -> Box:
    """R."""
    return Box(NT(1), Decimal(2))
def mcp_tool_place() -> Place:
    """R."""
    return Place.HOME
def mcp_tool_level() -> list[Level]:
    """R."""
    return [Level.LOW]
def mcp_tool_iterator() -> Iterator[int]:
    """R."""
    yield from range(3)
def mcp_tool_generator() -> Generator[Decimal, None, None]:
    """R."""
    yield Decimal(1)
async def mcp_tool_async() -> AsyncIterator[int]:
    """R."""
    yield 1
def mcp_tool_map():
    """R."""
    return map(str, [1])
def mcp_tool_range() -> Sequence[int]:
    """R."""
    return range(3)
def mcp_tool_keys() -> KeysView[str]:
    """R."""
    return {"a": 1}.keys()
def mcp_tool_values():
    """R."""
    return {"a": 1}.values()
def mcp_tool_mapping() -> Mapping[str, int]:
    """R."""
    return types.MappingProxyType({"a": 1})
def mcp_tool_endless() -> Iterator[int]:
    """R."""
    return itertools.count()
def mcp_tool_stubborn():
    """R."""
    class Stubborn:
        def tolist(self): raise RuntimeError("no list")
        def __repr__(self): return "Stubborn()"
    return {"it": Stubborn(), "n": 1}
def mcp_tool_lines():
    """R."""
    return io.StringIO("a")

def mcp_tool_digits(n: int):
    """R."""
    return 10**n
def mcp_tool_mute():
    """R."""
    raise Mute
def mcp_tool_keep(_state_env, value: int = 0) -> int:
    """R."""
    _state_env.set("value", value or _state_env.get("value"))
    return _state_env.get("value")
def mcp_tool_write(how: str):
    """R."""
    print("text")
    if how == "bytes":
        sys.stdout.buffer.write(b"raw \\xff\\n")
        sys.stderr.buffer.write(b"to error")
    elif how == "wrap":
        wrapper = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8")
        print("wrapped", file=wrapper)
        del wrapper
    elif how == "close":
        sys.stdout.close()
    return sys.stdout.encoding
'''
RESULTS: dict[str, Any] = {
    "decimal": 1.1,
    "whole": 12345678901234567890123,
    "uuid": "00000000-0000-0000-0000-000000000007",
    "bytes": "AP8=",
    "text_bytes": "w6k=",
    "view": {"a": "YWJj", "b": ""},
    "duration": 60.5,
    "complex": "1+2j",
    "pair": {"a": 1, "b": "x"},
    "pair_as_array": [1, "x"],
    "loose": {"p": 1, "q": 2},
    "box": {"pair": {"a": 1, "b": "x"}, "price": 2},
    "place": "HOME",
    "level": ["LOW"],
    "iterator": [0, 1, 2],
    "generator": [1],
    "async": [1],
    "map": ["1"],
    "range": [0, 1, 2],
    "keys": ["a"],
    "values": [1],
    "mapping": {"a": 1},
}
Call = Callable[..., Any]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    folder = tmp_path_factory.mktemp("results")
    (folder / "results.py").write_text(SOURCE)
    mcptool_build(folder / "results.py")
    made = Catalog(CatalogSettings(serve=(str(folder),), seconds=20))
    yield made
    made.close()


@pytest.fixture
def call(catalog: Catalog) -> Call:
    return lambda name, **arguments: catalog.call(f"results-mcp_tool_{name}", arguments, session="s")


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_has_the_form_that_its_definition_promises(catalog: Catalog, call: Call, name: str) -> None:
    answer = call(name)
    assert answer.value == RESULTS[name]
    assert type(answer.value) is type(RESULTS[name])
    assert " at 0x" not in answer.text
    definition = catalog.find(f"results-mcp_tool_{name}").definition
    if name not in ("loose", "map", "values"):
        assert definition.returns is not None
        assert list(validator_for(definition.returns).iter_errors(answer.value)) == []


def test_numbers_that_json_has_not_are_null_or_described(call: Call) -> None:
    assert call("huge").value == {"big": "Decimal('1E+9999')", "none": None}


def test_what_has_no_end_or_is_no_data(call: Call) -> None:
    with pytest.raises(ForeignFailure, match="an iterator of more than 1000000 items"):
        call("endless")
    assert "StringIO" in call("lines").value
    assert call("stubborn").value == {"it": "Stubborn()", "n": 1}


def test_a_number_of_any_size_is_answered_and_the_state_is_kept(call: Call) -> None:
    call("keep", value=7)
    assert call("digits", n=4000).value == 10**4000
    answer = call("digits", n=5000)
    assert answer.value == answer.text == "<whole number of about 5001 digits>"
    assert call("keep").value == 7


def test_an_exception_without_words_is_an_answer_too(call: Call) -> None:
    call("keep", value=8)
    with pytest.raises(ForeignFailure, match=r"Mute: \(its message cannot be shown: RuntimeError\)"):
        call("mute")
    assert call("keep").value == 8


def test_standard_output_is_a_whole_stream(call: Call) -> None:
    answer = call("write", how="bytes")
    assert (answer.value, answer.printed, answer.messages) == ("utf-8", "text\nraw \ufffd\n", ("to error",))
    assert call("write", how="wrap").printed == "text\nwrapped\n"
    assert call("write", how="close").printed == "text\n"
    assert call("write", how="plain").printed == "text\n"
