"""Python functions as tools: three docstring styles, annotations, nothing imported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rolltop.catalog import find_tools, source_tree
from rolltop.catalog.found import Remark
from rolltop.catalog.schema import type_problems
from rolltop.errors import InvalidData

from .helpers import py_tool

ANYTHING = {"type": ["string", "number", "boolean", "object", "array", "null"]}
GOOGLE = '''
def mcp_tool_g(x, y=3, *args, _hidden=None, **kwargs):
    """Short.

    Long.

    Args:
        x (str): The x. Example values: `"a"`, `"b"`.
        y (int, optional): The y.
            More of it.

    Returns:
        dict: What came out.

    Keywords: mcp-category-cat mcp-requires-approval
    """
'''
NUMPY = '''
def mcp_tool_g(x, y=3):
    """Short.

    Long.

    Parameters
    ----------
    x : str
        The x. Example values: ``"a"``, ``"b"``.
    y : int, optional
        The y.
        More of it.

    Returns
    -------
    dict
        What came out.

    mcp-tool mcp-category-cat mcp-requires-approval
    """
'''
SPHINX = '''
def mcp_tool_g(x, y=3):
    """Short.

    Long.

    :param str x: The x. Example values: `"a"`, `"b"`.
    :param y: The y.
        More of it.
    :type y: int
    :returns: What came out.
    :rtype: dict

    :keywords: mcp-tool mcp-category-cat mcp-requires-approval
    """
'''


@pytest.mark.parametrize("source", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_three_styles_say_the_same(tmp_path: Path, source: str) -> None:
    tool = py_tool(tmp_path, source)
    assert tool.name == "module-mcp_tool_g"
    assert tool.description == "Short.\n\nLong."
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "x": {"type": "string", "description": "The x", "examples": ["a", "b"]},
            "y": {"type": "integer", "description": "The y. More of it", "default": 3},
        },
        "required": ["x"],
    }
    assert tool.returns == {"type": "object", "description": "What came out"}
    assert (tool.category, tool.requires_approval, tool.language) == ("cat", True, "python")


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        ("str", {"type": "string"}),
        ("'int'", {"type": "integer"}),
        ("Optional[float]", {"type": ["number", "null"]}),
        ("bool | None", {"type": ["boolean", "null"]}),
        ("Colour | None", {"type": ["string", "null"], "enum": ["r", "g", None]}),
        ("Literal['a', None]", {"type": ["string", "null"], "enum": ["a", None]}),
        ("int | str", {"type": ["integer", "string"]}),
        ("list[int]", {"type": "array", "items": {"type": "integer"}}),
        ("typing.Sequence[str]", {"type": "array", "items": {"type": "string"}}),
        ("list", {"type": "array", "items": ANYTHING}),
        ("tuple[int, str]", {"type": "array", "items": {"type": ["integer", "string"]}, "minItems": 2, "maxItems": 2}),
        ("tuple[int, ...]", {"type": "array", "items": {"type": "integer"}}),
        ("dict[str, int]", {"type": "object", "additionalProperties": {"type": "integer"}}),
        (
            "list[int] | list[str]",
            {
                "type": "array",
                "items": {"type": ["integer", "string"]},
                "anyOf": [
                    {"type": "array", "items": {"type": "integer"}},
                    {"type": "array", "items": {"type": "string"}},
                ],
            },
        ),
        (
            "int | str | list[int]",
            {
                "type": ["integer", "string", "array"],
                "items": {"type": "integer"},
                "anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "array", "items": {"type": "integer"}}],
            },
        ),
        (
            "Literal[1, 'a', True, None]",
            {"type": ["integer", "string", "boolean", "null"], "enum": [1, "a", True, None]},
        ),
        ("Literal[-1, Letters]", {"type": ["integer", "string"], "enum": [-1, "p", "q"]}),
        ("Literal['a', 'b']", {"type": "string", "enum": ["a", "b"]}),
        ("Literal[1, 2]", {"type": "integer", "enum": [1, 2]}),
        ("Colour", {"type": "string", "enum": ["r", "g"]}),
        ("Level", {"type": "integer", "enum": [1, 2]}),
        ("Word", {"type": "string", "enum": ["one", "two"]}),
        ("Sign", {"type": ["integer", "string"], "enum": [-1, 0, "BOTH"]}),
        ("Mode", {"type": "integer", "enum": [1, 2, 4]}),
        ("date", {"type": "string", "format": "date"}),
        ("UserId", {"type": "integer"}),
        ("Annotated[int, Ge(0)]", {"type": "integer", "minimum": 0}),
        ("Annotated[int, 3]", {"type": "integer"}),
        ("Names", {"type": "array", "items": {"type": "string"}}),
        (
            "Point",
            {
                "type": "object",
                "properties": {"x": {"type": "number"}, "label": {"type": "string"}},
                "required": ["x"],
                "additionalProperties": False,
            },
        ),
        (
            "Tree",
            {
                "type": "object",
                "properties": {
                    "x": {"type": "number"},
                    "label": {"type": "string"},
                    "left": {"type": ["object", "null"]},
                    "names": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["x", "left"],
                "additionalProperties": False,
            },
        ),
        (
            "Options",
            {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a"]},
        ),
        ("Any", ANYTHING),
        ("Path", {"type": "string"}),
    ],
)
def test_annotations_become_schemas(tmp_path: Path, annotation: str, schema: dict) -> None:
    source = f'''
import enum, typing
class Colour(enum.Enum):
    RED = "r"
    GREEN = "g"
class Level(enum.IntEnum):
    LOW = enum.auto()
    HIGH = enum.auto()
class Word(enum.StrEnum):
    ONE = enum.auto()
    TWO = enum.auto()
class Base(enum.Enum):
    pass
class Sign(Base):
    MINUS = -1
    NONE = enum.auto()
    BOTH = (-1, 1)
class Mode(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()
    RUN = enum.auto()
Names = list[str]
Letters = Literal["p", "q"]
UserId = typing.NewType("UserId", int)
@dataclass
class Point:
    x: float
    label: str = ""
@dataclass
class Tree(Point):
    left: "Tree | None"
    names: list[str] = field(default_factory=list)
    size: int = field(init=False)
    KINDS: typing.ClassVar[int] = 3
class Options(typing.TypedDict):
    a: int
    b: typing.NotRequired[int]
def mcp_tool_f(x: {annotation}):
    """Doc."""
'''
    found = py_tool(tmp_path, source).parameters["properties"]["x"]
    assert found == {**schema, "description": ""}


def test_an_array_says_what_it_holds_also_in_a_union_with_null(tmp_path: Path) -> None:
    source = "def mcp_tool_f(x: tuple[str, str] | Iterable[tuple[str, str]] | None = None): 'Doc'\n"
    schema = py_tool(tmp_path, source).parameters["properties"]["x"]
    assert schema["type"] == "array"
    assert schema["items"]["type"] == ["string", "array"]
    assert list(type_problems(schema, "x")) == []
    assert list(type_problems({"type": ["array", "null"]}, "x")) == [
        "x: is an array that does not say what it holds (items)"
    ]


def test_only_the_implementation_of_an_overloaded_function_is_a_tool(tmp_path: Path) -> None:
    source = '''
import typing as t
from typing import overload
from typing_extensions import overload as other
@overload
def mcp_tool_f(x: int) -> int: ...
@t.overload
def mcp_tool_f(x: str) -> str: ...
@other
def mcp_tool_f(x: float) -> float: ...
def mcp_tool_f(x):
    """Overloaded.

    Args:
        x: The thing.
    """
    return x
'''
    tool = py_tool(tmp_path, source)
    assert tool.description == "Overloaded."
    assert tool.parameters["properties"]["x"]["description"] == "The thing"


def test_types_of_docstrings_are_read_where_there_is_no_annotation(tmp_path: Path) -> None:
    source = '''
def mcp_tool_f(a, b, c=None, d=1.5):
    """Doc.

    Parameters
    ----------
    a : {'x', 'y'}
        A.
    b : list of int
        B.
    c : Optional[bool]
        C.
    """
'''
    properties = py_tool(tmp_path, source).parameters["properties"]
    assert properties["a"] == {"type": "string", "description": "A", "enum": ["x", "y"]}
    assert properties["b"] == {"type": "array", "items": {"type": "integer"}, "description": "B"}
    assert properties["c"] == {"type": "boolean", "description": "C", "default": None}
    assert properties["d"] == {"type": "number", "description": "", "default": 1.5}


def test_an_annotation_that_says_little_leaves_the_docstring_its_say(tmp_path: Path) -> None:
    source = '''
def mcp_tool_f(a: list, b: Any, c: int | None = None, d: int | None = 5, e=1):
    """Doc.

    Args:
        a (list of int): A.
        b (bool): B.
        e (str or None): E.
    """
'''
    properties = py_tool(tmp_path, source).parameters["properties"]
    assert properties["a"] == {"type": "array", "items": {"type": "integer"}, "description": "A"}
    assert properties["b"] == {"type": "boolean", "description": "B"}
    assert properties["c"] == {"type": "integer", "description": "", "default": None}
    assert properties["d"] == {"type": ["integer", "null"], "description": "", "default": 5}
    assert properties["e"] == {"type": ["string", "null"], "description": "E"}


def test_names_are_followed_to_other_files_of_the_package(tmp_path: Path) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "kinds.py").write_text("from enum import Enum\nclass Kind(Enum):\n    A = 'a'\n    B = 'b'\n")
    (package / "other.py").write_text("from .kinds import Kind as K\n")
    (package / "tools.py").write_text(
        "from pkg.other import K\nfrom . import kinds\n"
        "def mcp_tool_f(k: K = K.B, m: kinds.Kind = kinds.Kind.A): 'Doc'\n"
    )
    for place in (tmp_path, package):
        (found,) = find_tools(source_tree(place))
        assert found.definition.name == "pkg-mcp_tool_f"
        properties = found.definition.parameters["properties"]
        assert properties["k"] == {"type": "string", "description": "", "enum": ["a", "b"], "default": "b"}
        assert properties["m"]["default"] == "a"


def test_only_marked_or_named_functions_are_tools(tmp_path: Path) -> None:
    source = '''
def plain(): "mcp-toolbox, not a tool"
def marked(x: int):
    """Does it.

    mcp-tool
    """
async def mcp_tool_a(): "Async."
class C:
    def mcp_tool_method(self): "No."
'''
    (tmp_path / "m.py").write_text(source)
    names = [found.definition.function for found in find_tools(source_tree(tmp_path / "m.py"))]
    assert names == ["marked", "mcp_tool_a"]


def test_nothing_is_imported_or_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    (tmp_path / "m.py").write_text(f"open({str(marker)!r}, 'w')\ndef mcp_tool_f(x=open({str(marker)!r}, 'w')): 'Doc'\n")
    find_tools(source_tree(tmp_path / "m.py"))
    assert not marker.exists()


def test_broken_python_is_an_error_with_a_place_and_of_two_names_the_first_is_taken(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f(:\n")
    with pytest.raises(InvalidData, match=r"m\.py:1:1: not valid Python"):
        find_tools(source_tree(tmp_path / "m.py"))
    (tmp_path / "m.py").write_text("def mcp_tool_f(): 'A'\ndef mcp_tool_f(): 'B'\n")
    remarks: list[Remark] = []
    (first,) = find_tools(source_tree(tmp_path / "m.py"), remarks)
    assert first.definition.description == "A"
    assert "is defined twice, and the first is taken: m.py:1 and m.py:2" in str(remarks[0])


def test_examples_are_the_doctest_lines(tmp_path: Path) -> None:
    source = '''
def mcp_tool_f(x):
    """Doc.

    Examples:
        >>> y = 1
        >>> mcp_tool_f(
        ...     y
        ... )
        1
    """
'''
    tool = py_tool(tmp_path, source)
    assert tool.implementation_example == "y = 1\nmcp_tool_f(\n    y\n)"
    assert tool.description == "Doc."


def test_bytes_are_base64_and_the_schema_says_so(tmp_path: Path) -> None:
    source = '''
def mcp_tool_one(a: bytes, b: bytes | None, c: bytes | str, d, e: list[bytearray]) -> bytes:
    """One.

    Args:
        a: Data, e.g. `b"abc"`.
        d (bytes): Data that nobody annotated.
    """
'''
    tool = py_tool(tmp_path, source)
    encoded = {"type": "string", "contentEncoding": "base64"}
    found = {name: {**each, "description": ""} for name, each in tool.parameters["properties"].items()}
    assert found == {
        "a": {**encoded, "description": "", "examples": ["YWJj"]},
        "b": {**encoded, "type": ["string", "null"], "description": ""},
        "c": {"type": "string", "description": ""},
        "d": {"type": "string", "description": ""},
        "e": {"type": "array", "items": encoded, "description": ""},
    }
    assert tool.returns == encoded


def test_open_ended_parameters_that_are_documented_are_remarked_on(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text('''
def mcp_tool_one(*args: int, **options: str) -> None:
    """One.

    Args:
        *args: Numbers.
        **options: Options.
    """
def mcp_tool_two(*args, **options):
    """Two."""
''')
    one, two = find_tools(source_tree(tmp_path / "module.py"))
    assert one.definition.parameters["properties"] == {}
    assert [remark.message.partition(",")[0] for remark in one.remarks] == [
        "takes nothing but * or ** arguments",
        "documents *args",
        "documents **options",
    ]
    assert [remark.message.partition(",")[0] for remark in two.remarks] == ["takes nothing but * or ** arguments"]


@pytest.mark.parametrize(
    ("imports", "annotation"),
    [
        ("from .colors import Color", "Color"),
        ("from .colors import *", "Color"),
        ("from . import Color", "Color"),
        ("from . import *", "Color"),
        ("from . import colors", "colors.Color"),
        ("from pack import colors as c", "c.Color"),
        ("from pack import Color as C", "C"),
        ("import pack.colors", "pack.colors.Color"),
        ("import pack.colors as pc", "pc.Color"),
        ("import pack", "pack.Color"),
        ("import pack", "pack.colors.Color"),
        ("from .deep import Color", "Color"),
        ("from pack.deep import Color", "Color"),
        ("from .deep import inner", "inner.Color"),
        ("import pack.deep.inner", "pack.deep.inner.Color"),
        ("from .deep import Holder", "Holder.Color"),
    ],
)
def test_a_class_is_found_however_it_is_imported(tmp_path: Path, imports: str, annotation: str) -> None:
    root = tmp_path / "pack"
    (root / "deep").mkdir(parents=True)
    color = "import enum\nclass Color(enum.Enum):\n    RED = 'red'\n"
    (root / "__init__.py").write_text("from .colors import *\nfrom .tool import *\n")
    (root / "colors.py").write_text(f"from .tool import *\n{color}")
    holder = "class Holder:\n    class Color(enum.Enum):\n        RED = 'red'\n"
    (root / "deep" / "__init__.py").write_text(f"import enum\nfrom .inner import Color\n{holder}")
    (root / "deep" / "inner.py").write_text(color)
    (root / "tool.py").write_text(f"{imports}\ndef mcp_tool_t(x: {annotation}, y: Unknown):\n    'T.'\n")
    (found,) = find_tools(source_tree(root))
    assert found.definition.parameters["properties"]["x"]["enum"] == ["red"]


LIMITS = "from typing import *\nfrom pydantic import BaseModel, Field\nfrom annotated_types import *\n"
TEXTS = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        ("Mapping[str, list[str]]", {"type": "object", "additionalProperties": TEXTS}),
        ("dict[str, Any]", {"type": "object"}),
        ("dict", {"type": "object"}),
        ("Annotated[int, Doc('How many'), Ge(1), Lt(9)]",
         {"type": "integer", "description": "How many", "minimum": 1, "exclusiveMaximum": 9}),
        ("Annotated[float, Field(gt=0, le=1.5, multiple_of=0.5, title='x')]",
         {"type": "number", "exclusiveMinimum": 0, "maximum": 1.5, "multipleOf": 0.5}),
        ("Annotated[str, Field(min_length=1, max_length=5, ge=3)]", {"type": "string", "minLength": 1, "maxLength": 5}),
        ("Annotated[list[int], MinLen(1)]", {"type": "array", "items": {"type": "integer"}, "minItems": 1}),
        ("Annotated[int, Ge(limit()), something, 3]", {"type": "integer"}),
        ("Annotated[float, Ge(1e999), Field(multiple_of=0, lt=True)]", {"type": "number"}),
    ],
)  # fmt: skip
def test_what_is_said_beside_a_type_and_of_values(tmp_path: Path, annotation: str, schema: dict[str, object]) -> None:
    definition = py_tool(tmp_path, f"{LIMITS}def mcp_tool_t(x: {annotation}):\n    'T.'\n")
    assert definition.parameters["properties"]["x"] == {"description": "", **schema}


def test_the_docstring_describes_before_the_annotation(tmp_path: Path) -> None:
    source = 'def mcp_tool_t(x: Annotated[int, "Less"]):\n    """T.\n\n    Args:\n        x: More\n    """\n'
    assert py_tool(tmp_path, LIMITS + source).parameters["properties"]["x"]["description"] == "More"


def test_fields_of_models_have_their_limits(tmp_path: Path) -> None:
    source = "class M(BaseModel):\n    n: int = Field(3, ge=1, description='Count')\ndef mcp_tool_t(x: M):\n    'T.'\n"
    fields = py_tool(tmp_path, LIMITS + source).parameters["properties"]["x"]["properties"]
    assert fields == {"n": {"type": "integer", "minimum": 1, "description": "Count"}}


@pytest.mark.parametrize("section", ["Yields:\n        int: Numbers", "Yields\n    ------\n    int\n        Numbers"])
def test_what_a_generator_yields_is_an_array_of_it(tmp_path: Path, section: str) -> None:
    definition = py_tool(tmp_path, f'def mcp_tool_t():\n    """T.\n\n    {section}\n    """\n    yield 1\n')
    assert definition.returns == {"type": "array", "items": {"type": "integer"}, "description": "Numbers"}


def test_a_type_variable_of_a_base_class_is_not_that_of_its_heir(tmp_path: Path) -> None:
    source = """
from dataclasses import dataclass
from typing import Generic, TypeVar
T = TypeVar("T")
@dataclass
class Base(Generic[T]):
    x: T
@dataclass
class Heir(Base[int], Generic[T]):
    y: T
def mcp_tool_t(h: Heir[str]):
    'T.'
"""
    fields = py_tool(tmp_path, source).parameters["properties"]["h"]["properties"]
    assert fields == {"x": ANYTHING, "y": {"type": "string"}}


@pytest.mark.parametrize(
    ("default", "kind"),
    [
        ("float('inf')", "number"), ("-math.inf", "number"), ("60 * 60", "integer"), ("1 / 3", "number"),
        ("2 ** 10", "number"), ("f'{x}'", "string"), ("int('3')", "integer"), ("bool(1)", "boolean"),
        ("something()", ANYTHING["type"]), ("'a' * 3", ANYTHING["type"]), ("not True", ANYTHING["type"]),
    ],
)  # fmt: skip
def test_a_default_that_is_no_constant_may_say_its_type(tmp_path: Path, default: str, kind: Any) -> None:
    definition = py_tool(tmp_path, f"def mcp_tool_t(x={default}):\n    'T.'\n")
    assert definition.parameters["properties"]["x"] == {"type": kind, "description": ""}
    assert definition.parameters["required"] == []
