"""The arguments of `rolltop call`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rolltop.cli.call import is_pair, read_pairs
from rolltop.errors import InvalidInput, NotFound

Rolltop = Callable[..., subprocess.CompletedProcess[str]]
SCHEMA: dict[str, Any] = {
    "properties": {
        "text": {"type": "string"},
        "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "count": {"type": "integer"},
        "ratio": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "flag": {"type": "boolean"},
        "tags": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        "numbers": {"type": "array", "items": {"type": "integer"}},
        "mode": {"enum": ["a", "b"]},
        "where": {"$ref": "#/$defs/Where"},
        "any": {},
    },
    "$defs": {"Where": {"type": "object"}},
}


@pytest.mark.parametrize(
    ("given", "values"),
    [
        (["text=5"], {"text": "5"}),
        (["text=a=b"], {"text": "a=b"}),
        (["text="], {"text": ""}),
        (["maybe=null"], {"maybe": "null"}),
        (["count=5", "ratio=0.5"], {"count": 5, "ratio": 0.5}),
        (["ratio=null"], {"ratio": None}),
        (["flag=yes"], {"flag": True}),
        (["flag=false"], {"flag": False}),
        (["tags=a"], {"tags": ["a"]}),
        (["tags=a", "tags=b"], {"tags": ["a", "b"]}),
        (['tags=["a", "b"]'], {"tags": ["a", "b"]}),
        (["numbers=1", "numbers=2"], {"numbers": [1, 2]}),
        (["mode=a"], {"mode": "a"}),
        (['where={"a": 1}'], {"where": {"a": 1}}),
        (["any:=[1]"], {"any": [1]}),
        (['text:="@x"'], {"text": "@x"}),
        (["unknown=1"], {"unknown": "1"}),
    ],
)
def test_the_schema_gives_a_value_its_type(given: list[str], values: dict[str, Any]) -> None:
    assert read_pairs(given, SCHEMA) == values


@pytest.mark.parametrize("given", ["count=five", "any:=[", "flag=perhaps", "where=x", "nothing"])
def test_a_value_of_another_type_is_refused_with_a_way_out(given: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_pairs([given], SCHEMA)
    assert caught.value.hint


def test_files_hold_text_or_json(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("[1]\n")
    file = tmp_path / "a.txt"
    assert read_pairs([f"text=@{file}", f"any:=@{file}"], SCHEMA) == {"text": "[1]\n", "any": [1]}
    with pytest.raises(NotFound):
        read_pairs(["text=@/nowhere"], SCHEMA)


@pytest.mark.parametrize(
    ("text", "pair"), [("a=1", True), ("a:=1", True), ('{"a": "b=c"}', False), ("-", False), ("@f=x", False)]
)
def test_json_is_no_pair(text: str, pair: bool) -> None:
    assert is_pair(text) is pair


def test_pairs_and_json_make_the_same_call(rolltop: Rolltop) -> None:
    by_pairs = rolltop("call", "store_text", "content=hé", "name=a.txt", "tags=x", "tags=y")
    assert by_pairs.returncode == 0, by_pairs.stderr
    by_json = rolltop("call", "store_text", json.dumps({"content": "hé", "name": "a.txt", "tags": ["x", "y"]}))
    assert json.loads(by_json.stdout)["hash"] == json.loads(by_pairs.stdout)["hash"]
    assert json.loads(by_json.stdout)["outcome"] == "unchanged"


def test_a_call_loads_only_its_tool_set_and_no_sdk(environment: dict[str, str]) -> None:
    code = (
        "import sys; sys.argv = ['rolltop', 'call', 'get_stats']\n"
        "from rolltop.boot import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "others = ('mcp', 'mcp_types', 'starlette', 'rolltop.reports', 'rolltop.catalog', 'rolltop.guide')\n"
        "print(*[name for name in others if name in sys.modules], file=sys.stderr)"
    )
    out = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert json.loads(out.stdout)["total_objects"] == 0
    assert out.stderr == "\n"
