"""The types that docstrings state in words, where there is no annotation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rolltop.catalog import check, mcptool_build
from rolltop.catalog.arguments import check_arguments, served_schema
from rolltop.catalog.live import Catalog, CatalogSettings

from .helpers import py_tool

ANYTHING = {"type": ["string", "number", "boolean", "object", "array", "null"]}


def nested(kind: str) -> dict[str, Any]:
    either = [kind, "array"]
    return {"type": "array", "items": {"type": either, "items": {"type": either, "items": {"type": kind}}}}


def like(kind: str) -> dict[str, Any]:
    return {**nested(kind), "type": [kind, "array"]}


def stated(root: Path, kind: str) -> dict[str, Any]:
    source = f'''
def mcp_tool_f(x):
    """Doc.

    Parameters
    ----------
    x : {kind}
        The x.
    """
'''
    schema = dict(py_tool(root, source).parameters["properties"]["x"])
    assert schema.pop("description") == "The x"
    return schema


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        ("scalar", {"type": "number"}),
        ("array_like", like("number")),
        ("array_like, shape(M, )", like("number")),
        ("array_like of real numbers", like("number")),
        ("array-like of bool", like("boolean")),
        ("ndarray", nested("number")),
        ("np.ndarray", nested("number")),
        ("numpy array, optional", nested("number")),
        ("(M, N) ndarray", nested("number")),
        ("{array-like, sparse matrix} of shape (n_samples, n_features)", like("number")),
        ("ndarray of shape (n,) or (n, m)", nested("number")),
        ("sequence", {"type": "array", "items": ANYTHING}),
        ("array", {"type": "array", "items": ANYTHING}),
        ("sequence of str", {"type": "array", "items": {"type": "string"}}),
        ("list of list of int", {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}),
        ("list of 3 floats", {"type": "array", "items": {"type": "number"}}),
        ("(float, float)", {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}),
        ("int or str", {"type": ["integer", "string"]}),
        ("int, float or str", {"type": ["integer", "number", "string"]}),
        ("str or None", {"type": ["string", "null"]}),
        ("Thing or None", {"type": ["string", "null"]}),
        ("int or Thing", {"type": "integer"}),
        ("{'a', 'b'} or None", {"type": ["string", "null"], "enum": ["a", "b", None]}),
        ("{-1, 0, 1}", {"type": "integer", "enum": [-1, 0, 1]}),
        ("'a', 'b' or 'c'", {"type": "string", "enum": ["a", "b", "c"]}),
        ("float > 0", {"type": "number"}),
        ("scalar with the dtype of a", {"type": "number"}),
        ("any", ANYTHING),
        ("`int`, *optional*", {"type": "integer"}),
        ("`bool` or `str`, *optional*, defaults to `False`", {"type": ["boolean", "string"]}),
        (":class:`dict`, optional.", {"type": "object"}),
        ('`Literal["us", "eu"]`', {"type": "string", "enum": ["us", "eu"]}),
        ("int, default: 5", {"type": "integer"}),
        ("string, one of several", {"type": "string"}),
        ("dict of str to int", {"type": "object"}),
    ],
)
def test_words_for_types_become_schemas(tmp_path: Path, kind: str, schema: dict[str, Any]) -> None:
    assert stated(tmp_path, kind) == schema


@pytest.mark.parametrize(
    ("kind", "taken", "refused"),
    [
        ("int or list of int", [3, [3, 4]], ["a", ["a"], 1.5]),
        ("float or array_like of float", [0.5, [0.5], [[1, 2], [3, 4]], [[[1]]]], ["a", ["a"], [["a"]]]),
        ("None or int or tuple of ints", [None, 1, [1, 2]], ["a", [1.5]]),
        ("{int, 'fro', 'nuc'}, optional", [2, "nuc"], ["other", 1.5]),
        ("bool or 'auto'", [True, "auto"], ["other", 1]),
        ("str, list of str, or dict", ["a", ["a"], {}], [1, [1]]),
    ],
)
def test_every_alternative_is_taken(tmp_path: Path, kind: str, taken: list[Any], refused: list[Any]) -> None:
    schema = {"type": "object", "properties": {"x": stated(tmp_path, kind)}}
    assert [value for value in taken if check_arguments(schema, {"x": value})[1]] == []
    assert [value for value in refused if not check_arguments(schema, {"x": value})[1]] == []


def test_a_result_is_stated_likewise(tmp_path: Path) -> None:
    documentation = "Doc.\n\n    Returns\n    -------\n    scalar or ndarray\n        It.\n    "
    source = f'def mcp_tool_f():\n    """{documentation}"""\n'
    assert py_tool(tmp_path, source).returns["type"] == ["number", "array"]


def test_words_without_end_are_read_in_time(tmp_path: Path) -> None:
    for kind in (
        "list of " * 100 + "int",
        "list of " * 5000 + "int",
        "(" * 900,
        "a or " * 180 + "b",
        "{" * 500 + "}" * 499,
    ):
        assert stated(tmp_path, kind)["type"]


def test_functions_documented_as_numpy_does_it_are_called_with_numbers(tmp_path: Path) -> None:
    (tmp_path / "money.py").write_text('''
def mcp_tool_npv(rate, values):
    """Net present value.

    Parameters
    ----------
    rate : scalar
        The discount rate.
    values : array_like, shape(M, )
        The cash flows.
    """
    return round(sum(v / (1 + rate) ** i for i, v in enumerate(values)), 2)
def mcp_tool_ids(ids):
    """Ids.

    Args:
        ids (int or list of int): One id or several.
    """
    return ids
''')
    mcptool_build(tmp_path / "money.py")
    assert [problem for problem in check(tmp_path / "money.py") if problem.is_serious] == []
    catalog = Catalog(CatalogSettings(serve=(str(tmp_path / "money.py"),)))
    try:
        assert catalog.call("money-mcp_tool_npv", {"rate": 0.05, "values": [-100, 60, 60]}, session="s").value == 11.56
        assert catalog.call("money-mcp_tool_ids", {"ids": 3}, session="s").value == 3
        assert catalog.call("money-mcp_tool_ids", {"ids": [3, 4]}, session="s").value == [3, 4]
        served = {item.definition.function: served_schema(item.definition) for item in catalog.tools()}
        assert [problem.path for problem in check_arguments(served["mcp_tool_ids"], {"ids": ["a"]})[1]] == ["ids"]
    finally:
        catalog.close()
