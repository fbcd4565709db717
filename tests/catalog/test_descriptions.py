"""What a model reads: descriptions whole and laid out, and results as documented."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.catalog.helpers import py_tool, r_tool

from rolltop.catalog import Definition
from rolltop.catalog.outputs import keeps_promise, promised_result
from rolltop.tools.catalog.live import brief_of, output_of

MARKDOWN = {"Roxygen": "list(markdown = TRUE)"}


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("## When to use\nAt night.\n\n# Safety\nNever.", "## When to use\n\nAt night.\n\n# Safety\n\nNever."),
        ("Steps\n-----\nOne\ntwo.", "## Steps\n\nOne two."),
        ("- one\n  more\n  - deep\n    - deeper\n- two", "- one more\n  - deep\n    - deeper\n- two"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("Like\n```r\nif (x) {\n  y\n}\n```\nso.", "Like\n\n```r\nif (x) {\n  y\n}\n```\n\nso."),
        ("```{r, eval = FALSE}\nf(1)\n```", "```r\nf(1)\n```"),
        ('`r lifecycle::badge("deprecated")` Old.', "[Deprecated] Old."),
        ("Has `r nrow(iris)` rows.", "Has rows."),
        ("\\lifecycle{experimental} New.", "[Experimental] New."),
        ("\\preformatted{a <- 1\n  b \\% c}", "```\na <- 1\n  b % c\n```"),
        ("\\itemize{\\item one \\itemize{\\item deep}\n\\item two}", "- one\n  - deep\n- two"),
        ("\\tabular{ll}{a \\tab b \\cr\n c \\tab d}", "| a | b |\n|---|---|\n| c | d |"),
        ("\\section{Safety}{Never at night.}", "## Safety\n\nNever at night."),
    ],
)
def test_what_has_lines_keeps_them(tmp_path: Path, written: str, text: str) -> None:
    assert r_tool(tmp_path, f"Title\n@description\n{written}", **MARKDOWN).description == text


DOCSTRING = '''
def mcp_tool_launch(speed, names):
    """Launch it, see :func:`~rocket.engine.start` and `the page <https://example.org>`_.

    .. warning:: It is loud
       and hot.

    .. versionadded:: 2.0

    Like this::

        count()
          down()

    Args:
        speed (float): How fast.
        names: Who.

    Safety:
        Stand back.

    Nobody comes back.
    """
'''


def test_docstrings_arrive_whole_and_without_the_markup_of_sphinx(tmp_path: Path) -> None:
    tool = py_tool(tmp_path, DOCSTRING)
    assert tool.description == (
        "Launch it, see start and the page.\n\nWarning: It is loud and hot.\n\nLike this:\n\n"
        "```\ncount()\n  down()\n```\n\n## Safety\n\nStand back.\n\nNobody comes back."
    )
    assert tool.parameters["properties"]["names"]["description"] == "Who"


def test_sections_of_numpy_that_are_no_parameters_are_description(tmp_path: Path) -> None:
    source = (
        'def mcp_tool_f(x):\n    """Do.\n\n    Parameters\n    ----------\n    x : int\n        How.\n\n'
        '    Safety\n    ------\n    Stand back.\n    """\n'
    )
    tool = py_tool(tmp_path, source)
    assert tool.description == "Do.\n\n## Safety\n\nStand back."
    assert tool.parameters["properties"]["x"] == {"type": "integer", "description": "How"}


def test_fields_of_a_dataclass_are_described_by_their_class(tmp_path: Path) -> None:
    source = '''
from dataclasses import dataclass

@dataclass
class Place:
    """Where.

    Attributes:
        row: Counted from 1.
    """

    row: int
    column: int
    """Counted from 0."""

def mcp_tool_f(place: Place) -> int:
    """Do."""
'''
    fields = py_tool(tmp_path, source).parameters["properties"]["place"]["properties"]
    assert [fields[name]["description"] for name in ("row", "column")] == ["Counted from 1", "Counted from 0"]


@pytest.mark.parametrize(
    "written",
    [
        "\\item{n}{Integer, how many}\n\\item{ok}{Logical, whether}",
        "A list with\n\\itemize{\\item \\code{n}: Integer, how many\n\\item \\code{ok}: Logical, whether}",
        "A list with\n- n (integer): how many\n- ok (logical): whether",
        "A list:\n\n| field | type | is |\n|---|---|---|\n| `n` | integer | how many |\n| `ok` | logical | whether |",
        "\\tabular{ll}{n \\tab Integer, how many \\cr ok \\tab Logical, whether}",
    ],
)
def test_fields_of_a_result_in_every_notation(tmp_path: Path, written: str) -> None:
    returns = r_tool(tmp_path, f"Title\n@return {written}", **MARKDOWN).returns
    assert returns is not None
    assert returns["type"] == "object"
    assert returns["properties"] == {
        "n": {"type": "integer", "description": "how many"},
        "ok": {"type": "boolean", "description": "whether"},
    }


def test_columns_of_a_data_frame_are_fields_of_its_rows(tmp_path: Path) -> None:
    returns = r_tool(tmp_path, "Title\n@return A data frame with\n\\describe{\\item{n}{Integer, how many}}").returns
    assert returns is not None
    assert returns["items"] == {"type": "object", "properties": {"n": {"type": "integer", "description": "how many"}}}


def test_the_description_of_a_served_tool_is_whole_and_the_example_comes_after() -> None:
    long = "\n\n".join(f"Paragraph {number}." for number in range(9))
    tool = Definition("a-f", long, implementation_example="f(\n  1\n)\n")
    assert brief_of(tool) == f"{long}\n\n```r\nf(\n  1\n)\n```"
    assert "mcptool_load" in brief_of(Definition("a-f", long, implementation_example="x\n" * 4000))


@pytest.mark.parametrize(
    ("language", "returns", "value", "is_kept"),
    [
        ("r", {"type": "number"}, [1.5, None], True),
        ("r", {"type": "number"}, "high", False),
        ("r", {"type": "string"}, {"any": 1}, True),
        ("r", {"type": "object", "properties": {"n": {"type": "integer"}}}, {"n": 2.0, "more": "x"}, True),
        ("r", {"type": "object", "properties": {"n": {"type": "integer"}}}, {"n": 2.5}, False),
        ("python", {"type": "integer"}, [1], False),
        ("python", {"type": "array", "items": {"type": "string"}}, ["a", None], True),
    ],
)
def test_results_against_what_the_documentation_says(
    language: str, returns: dict[str, Any], value: Any, is_kept: bool
) -> None:
    from jsonschema import Draft7Validator

    definition = Definition("a-f", language=language, returns=returns)
    promise = promised_result(definition)
    assert keeps_promise(value, promise) is is_kept
    assert Draft7Validator(promise).is_valid(value) is is_kept
    assert output_of(definition)["properties"]["result"] == promise
