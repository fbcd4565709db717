"""What a schema allows arrives in a Python function as its annotations ask for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pydantic
import pytest

from rolltop.catalog import check, diff, mcptool_build
from rolltop.catalog.live import Catalog, CatalogSettings
from rolltop.catalog.live.conversion import Unfit, arguments_for
from rolltop.errors import InvalidInput

SOURCE = """
{future}
import collections, dataclasses, datetime, decimal, enum, pathlib, typing, uuid
from typing import Any, Literal, NamedTuple, Optional, TypedDict, Union

class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"
class Place(enum.Enum):
    HOME = (1, 2)
    AWAY = (3, 4)
class Bit(enum.Flag):
    A = enum.auto()
    B = enum.auto()
@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0
    def __post_init__(self):
        if self.x < 0:
            raise ValueError("x is below zero")
@dataclasses.dataclass
class Line:
    ends: list[Point]
    color: Color = Color.RED
    next: Optional["Line"] = None
class Pair(NamedTuple):
    day: datetime.date
    n: int = 1
class Options(TypedDict):
    since: datetime.date
UserId = typing.NewType("UserId", int)
Spot = collections.namedtuple("Spot", "x y z", defaults=(0,))
Span = NamedTuple("Span", [("since", datetime.date), ("days", int)])
Sized = TypedDict("Sized", {"size": int}, total=False)
Side = enum.Enum("Side", ["LEFT", "RIGHT"])
Tone = enum.Enum("Tone", {"LOW": "low", "HIGH": "high"})
T = typing.TypeVar("T")
Shade = typing.TypeVar("Shade", bound="Color")
Either = typing.TypeVar("Either", Color, int)
Many = list[T]
@dataclasses.dataclass
class Box(typing.Generic[T]):
    item: T
    rest: list[T] = dataclasses.field(default_factory=list)
@dataclasses.dataclass
class Crate(Box[T]):
    label: str = ""

{tools}
"""
# annotation, argument, what the function sees
ARRIVES = [
    ("Color", "red", "<Color.RED: 'red'>"),
    ("list[Color]", ["red", "blue"], "[<Color.RED: 'red'>, <Color.BLUE: 'blue'>]"),
    ("Optional[Color]", "red", "<Color.RED: 'red'>"),
    ("Optional[Color]", None, "None"),
    ("Place", "AWAY", "<Place.AWAY: (3, 4)>"),
    ("Bit", 2, "<Bit.B: 2>"),
    ("Spot", {"x": 1, "y": "a"}, "Spot(x=1, y='a', z=0)"),
    ("Span", {"since": "2026-01-31", "days": 2}, "Span(since=datetime.date(2026, 1, 31), days=2)"),
    ("Sized", {}, "{}"),
    ("Side", 2, "<Side.RIGHT: 2>"),
    ("Tone", "high", "<Tone.HIGH: 'high'>"),
    ("Box[Color]", {"item": "red", "rest": ["blue"]}, "Box(item=<Color.RED: 'red'>, rest=[<Color.BLUE: 'blue'>])"),
    ("Box[int]", {"item": 1}, "Box(item=1, rest=[])"),
    ("Crate[str]", {"item": "a", "label": "b"}, "Crate(item='a', rest=[], label='b')"),
    ("Many[Color]", ["red"], "[<Color.RED: 'red'>]"),
    ("Shade", "red", "<Color.RED: 'red'>"),
    ("Either", "red", "<Color.RED: 'red'>"),
    ("Either", 3, "3"),
    ("T", [1, {"a": None}], "[1, {'a': None}]"),
    ("dict[str, Point]", {"a": {"x": 1}}, "{'a': Point(x=1, y=0.0)}"),
    ("dict[Color, Color]", {"red": "blue"}, "{<Color.RED: 'red'>: <Color.BLUE: 'blue'>}"),
    ("Point", {"x": 1, "y": 2.5}, "Point(x=1, y=2.5)"),
    ("Point", {"x": 1}, "Point(x=1, y=0.0)"),
    ("list[Point]", [{"x": 1}], "[Point(x=1, y=0.0)]"),
    (
        "Line",
        {"ends": [{"x": 1}], "color": "blue", "next": {"ends": []}},
        "Line(ends=[Point(x=1, y=0.0)], color=<Color.BLUE: 'blue'>, next=Line(ends=[], color=<Color.RED: 'red'>,"
        " next=None))",
    ),
    ("Pair", {"day": "2026-01-31"}, "Pair(day=datetime.date(2026, 1, 31), n=1)"),
    ("Options", {"since": "2026-01-31"}, "{'since': datetime.date(2026, 1, 31)}"),
    ("Union[Point, list[Point], None]", [{"x": 1}], "[Point(x=1, y=0.0)]"),
    ("datetime.date", "2026-01-31", "datetime.date(2026, 1, 31)"),
    ("datetime.datetime", "2026-01-31T12:30:00", "datetime.datetime(2026, 1, 31, 12, 30)"),
    ("datetime.time", "12:30", "datetime.time(12, 30)"),
    ("pathlib.Path", "a/b", "PosixPath('a/b')"),
    ("uuid.UUID", "12345678123456781234567812345678", "UUID('12345678-1234-5678-1234-567812345678')"),
    ("decimal.Decimal", 1.1, "Decimal('1.1')"),
    ("bytes", "AP8=", "b'\\x00\\xff'"),
    ("bytearray", "", "bytearray(b'')"),
    ("bytes | None", "YWJj", "b'abc'"),
    ("bytes | str", "YWJj", "'YWJj'"),
    ("list[bytes]", ["YWJj"], "[b'abc']"),
    ("datetime.timedelta", 90, "datetime.timedelta(seconds=90)"),
    ("datetime.timedelta | None", 0.5, "datetime.timedelta(microseconds=500000)"),
    ("complex", "1+2j", "(1+2j)"),
    ("set[int]", [3, 3], "{3}"),
    ("frozenset", ["a"], "frozenset({'a'})"),
    ("tuple[int, str]", [1, "a"], "(1, 'a')"),
    ("tuple[Color, ...]", ["red"], "(<Color.RED: 'red'>,)"),
    ("collections.deque[int]", [1], "deque([1])"),
    ("dict[int, str]", {"1": "a"}, "{1: 'a'}"),
    ("int", 5.0, "5"),
    ("float", 5, "5"),
    ("int | float", 5.0, "5.0"),
    ("int | str", "5", "'5'"),
    ("datetime.date | str", "tomorrow", "'tomorrow'"),
    ("datetime.date | str", "2026-01-31", "datetime.date(2026, 1, 31)"),
    ("bool | int", True, "True"),
    ("int | None", None, "None"),
    ("Literal['a', 1, None]", 1, "1"),
    ("Any", {"a": [1, None]}, "{'a': [1, None]}"),
    ("list", [1, "a"], "[1, 'a']"),
    ("typing.Annotated[Color, 'x']", "red", "<Color.RED: 'red'>"),
    ("UserId", 3, "3"),
    ("'Color'", "red", "<Color.RED: 'red'>"),
]
REFUSED: list[tuple[str, Any, str]] = [
    ("Color", "green", "x: must be one of 'red', 'blue'"),
    ("Point", {"y": 1}, "x.x: is required"),
    ("Point", {"x": 1, "z": 1}, "x.z: is not a field; known are x, y"),
    ("Point", {"x": -1}, "x: cannot be a Point: x is below zero"),
    ("list[Point]", [{"x": 1}, {"x": "a"}], "x[1].x: must be a number"),
    ("datetime.date", "soon", "x: must be a date such as 2026-01-31"),
    ("Pair", {"day": "soon"}, "x.day: must be a date such as 2026-01-31"),
    ("tuple[int, Color]", ["red", 1], "x[1]: must be one of"),
    ("tuple[int, str]", [1], "x: must have at least 2 items"),
    ("int | list[int]", ["a"], "x: must be an integer or an array of integers"),
    ("dict[int, str]", {"a": "a"}, "x.a: must have a number as its name"),
    ("int | None", "5", "x: must be integer or null"),
    ("bytes", "é", "x: must be base64 such as AP8="),
    ("list[bytes]", ["AP8=", "AP8"], "x[1]: must be base64 such as AP8="),
    ("datetime.timedelta", "soon", "x: must be a number"),
]
ANNOTATIONS = list(dict.fromkeys(annotation for annotation, *_ in [*ARRIVES, *REFUSED]))
FUTURES = {"now": "", "later": "from __future__ import annotations"}


@pytest.fixture(scope="module", params=list(FUTURES))
def catalog(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    folder = tmp_path_factory.mktemp("arguments")
    tools = "\n".join(
        f"def mcp_tool_t{at}(x: {annotation}):\n    'Shows it.'\n    return repr(x)"
        for at, annotation in enumerate(ANNOTATIONS)
    )
    # Also the name of a file that the process has beside its program.
    (folder / "state.py").write_text(SOURCE.replace("{future}", FUTURES[request.param]).replace("{tools}", tools))
    mcptool_build(folder / "state.py")
    made = Catalog(CatalogSettings(serve=(str(folder / "state.py"),)))
    yield made
    made.close()


def shown(catalog: Catalog, annotation: str, argument: Any) -> str:
    name = f"state-mcp_tool_t{ANNOTATIONS.index(annotation)}"
    return str(catalog.call(name, {"x": argument}, session="s").value)


@pytest.mark.parametrize(("annotation", "argument", "seen"), ARRIVES)
def test_an_argument_arrives_as_the_annotated_type(catalog: Catalog, annotation: str, argument: Any, seen: str) -> None:
    assert shown(catalog, annotation, argument) == seen


@pytest.mark.parametrize(("annotation", "argument", "why"), REFUSED)
def test_an_argument_that_cannot_be_one_is_refused_with_its_place(
    catalog: Catalog, annotation: str, argument: Any, why: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        shown(catalog, annotation, argument)
    assert why in str(caught.value)
    assert caught.value.details["problems"][0]["path"] == why.partition(":")[0]


def test_such_definitions_are_in_order(catalog: Catalog) -> None:
    served = catalog.tools()[0]
    assert [problem for problem in check(served.place) if problem.is_serious] == []
    assert diff(served.place) == []


def test_names_that_only_type_checkers_see_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(
        "from __future__ import annotations\nimport enum\nfrom typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from nowhere import Thing\n"
        "class Color(enum.Enum):\n    RED = 'red'\n"
        "def mcp_tool_one(thing: Thing, color: Color):\n    'One.'\n    return repr([thing, color])\n"
    )
    mcptool_build(tmp_path / "module.py")
    catalog = Catalog(CatalogSettings(serve=(str(tmp_path / "module.py"),)))
    try:
        answer = catalog.call("module-mcp_tool_one", {"thing": "a", "color": "red"}, session="s")
        assert answer.value == "['a', <Color.RED: 'red'>]"
    finally:
        catalog.close()


class Blob(pydantic.BaseModel):
    name: str
    data: bytes
    inner: Blob | None = None


def test_a_model_gets_its_bytes_as_all_others_do() -> None:
    def tool(x: list[Blob]) -> None: ...

    given = {"name": "YWJj", "data": "AP8=", "inner": {"name": "", "data": "AA=="}}
    (blob,) = arguments_for(tool, {"x": [given]})["x"]
    assert blob == Blob(name="YWJj", data=b"\x00\xff", inner=Blob(name="", data=b"\x00"))
    with pytest.raises(Unfit, match=r"x\[0\]\.inner\.data: must be base64 such as AP8="):
        arguments_for(tool, {"x": [given | {"inner": {"name": "", "data": "?"}}]})


def test_a_decorator_that_hides_the_signature_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(
        "import datetime\n"
        "def plain(function):\n    def inner(*args, **kwargs):\n        return function(*args, **kwargs)\n"
        "    return inner\n"
        "def noisy(how):\n    return lambda function: lambda *args, **kwargs: how(function(*args, **kwargs))\n"
        "@noisy(str)\n@plain\n"
        "def mcp_tool_one(day: datetime.date, /, n: int = 1, *, _state_env=None):\n"
        "    'One.'\n    _state_env.set('n', n)\n    return [day.year, _state_env.get('n')]\n"
    )
    mcptool_build(tmp_path / "module.py")
    catalog = Catalog(CatalogSettings(serve=(str(tmp_path / "module.py"),)))
    try:
        answer = catalog.call("module-mcp_tool_one", {"day": "2026-01-31", "n": 3}, session="s")
        assert answer.value == "[2026, 3]"
        with pytest.raises(InvalidInput, match="day: must be a date"):
            catalog.call("module-mcp_tool_one", {"day": "soon"}, session="s")
    finally:
        catalog.close()
