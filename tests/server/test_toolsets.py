"""Tool sets: chosen, left out, read-only, broken."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mcp_core import Need, ToolSet
from rolltop.errors import InvalidInput
from rolltop.server.application import Application
from rolltop.server.toolsets import discover, load_set, select
from rolltop.settings import load

Rolltop = Callable[..., subprocess.CompletedProcess[str]]


def test_an_unknown_set_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="did you mean desk"):
        select(discover()[0], load({"toolsets": "dekc"}, env={"XDG_CONFIG_HOME": str(tmp_path)}))


def test_a_set_that_cannot_be_imported_says_why(tmp_path: Path) -> None:
    loaded = load_set(ToolSet("broken", "x", modules=("rolltop.no_such_module",)), load(env={}))
    assert not loaded.served
    assert "No module named" in str(loaded.error)


def test_a_set_without_memory_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "large_set.py").write_text("raise MemoryError\n")
    monkeypatch.syspath_prepend(tmp_path)
    loaded = load_set(ToolSet("large", "x", modules=("large_set",)), load(env={}))
    assert loaded.error == "there is not enough memory"


def no_unicorn(settings: object) -> list[Need]:
    return [Need("unicorn", present=False, fix="apt-get install unicorn", vital=True)]


def test_a_set_without_what_it_needs_says_how_to_fix_it() -> None:
    loaded = load_set(ToolSet("needy", "x", needs=f"{__name__}:no_unicorn"), load(env={}))
    assert loaded.error == "unicorn is missing (apt-get install unicorn)"


def test_a_foreign_set_that_fails_stops_nobody(tmp_path: Path, rolltop: Rolltop) -> None:
    info = tmp_path / "site" / "broken_set-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-set\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[rolltop.toolsets]\nbroken = broken_set:TOOLSET\nlate = late_set:TOOLSET\n")
    (tmp_path / "site" / "broken_set.py").write_text("raise RuntimeError('cannot start')\n")
    (tmp_path / "site" / "late_set.py").write_text(
        "from mcp_core import ToolSet\nTOOLSET = ToolSet('late', 'Fails late.', modules=('no_such_module',))\n"
    )
    site = str(tmp_path / "site")
    listed = rolltop("tools", "list", PYTHONPATH=site)
    assert listed.returncode == 0
    assert "read_resource" in listed.stdout
    doctor = rolltop("doctor", PYTHONPATH=site)
    assert doctor.returncode == 5
    assert "✘ broken" in doctor.stdout
    assert "cannot start" in doctor.stdout
    assert "No module named 'no_such_module'" in doctor.stdout
    called = rolltop("call", "zzzz_of_that_set", PYTHONPATH=site)
    assert called.returncode == 5
    assert "Not served: " in called.stderr


FOREIGN = """
from dataclasses import dataclass
from typing import NotRequired, TypedDict
from mcp_core import READS, Result, ToolArguments, ToolSet

class Row(TypedDict):
    n: int
    note: NotRequired[str]
    below: "list[Row]"

class Odd:
    pass

@ToolArguments.declare(toolset="foreign", annotations=READS)
def some_rows() -> Result[list[Row] | None]:
    return Result.ok([{"n": 1, "below": []}])

@ToolArguments.declare(toolset="odd", annotations=READS)
def odd_one() -> Result[Odd]:
    return Result.ok(Odd())

def too_few() -> list:
    return []

TOOLSET = ToolSet("foreign", "Rows.", modules=("foreign_set",))
ODD = ToolSet("odd", "No schema.", modules=("foreign_set",))
NEEDY = ToolSet("needy", "Wrong needs.", needs="foreign_set:too_few")
"""


@pytest.fixture
def foreign(tmp_path: Path) -> str:
    """A package of somebody else, with three sets of which one works."""
    info = tmp_path / "site" / "foreign_set-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: foreign-set\nVersion: 1\n")
    sets = {"foreign": "TOOLSET", "odd": "ODD", "needy": "NEEDY"}
    points = "".join(f"{name} = foreign_set:{attribute}\n" for name, attribute in sets.items())
    (info / "entry_points.txt").write_text(f"[rolltop.toolsets]\n{points}")
    (tmp_path / "site" / "foreign_set.py").write_text(FOREIGN)
    return str(tmp_path / "site")


def test_a_typed_dict_of_any_kind_has_a_schema(foreign: str, rolltop: Rolltop) -> None:
    shown = json.loads(rolltop("tools", "show", "some_rows", "--json", PYTHONPATH=foreign).stdout)
    row = shown["outputSchema"]["$defs"]["Row"]
    assert set(row["properties"]) == {"n", "note", "below"}
    assert row["required"] == ["n", "below"]
    assert json.loads(rolltop("call", "some_rows", PYTHONPATH=foreign).stdout)["value"] == [{"n": 1, "below": []}]


def test_a_tool_whose_types_have_no_schema_stops_only_its_set(foreign: str, rolltop: Rolltop) -> None:
    costs = rolltop("toolsets", "--cost", PYTHONPATH=foreign)
    assert costs.returncode == 0, costs.stderr
    assert "foreign" in costs.stdout
    doctor = rolltop("doctor", PYTHONPATH=foreign)
    assert doctor.returncode == 5
    assert "the tool odd_one has types without a schema" in doctor.stdout


def test_lint_names_sets_that_cannot_be_loaded(foreign: str, rolltop: Rolltop) -> None:
    linted = rolltop("tools", "lint", PYTHONPATH=foreign)
    assert linted.returncode == 1
    assert "needy: cannot be loaded: TypeError: too_few() takes 0 positional arguments" in linted.stdout
    assert "odd: cannot be loaded" in linted.stdout


def test_read_only_leaves_nothing_that_writes(tmp_path: Path) -> None:
    env = {"MCP_INCLUDE_EXAMPLE_TOOLS": "true", "XDG_CONFIG_HOME": str(tmp_path), "ROLLTOP_WORKSPACE": str(tmp_path)}
    desk = Application(load({"read_only": True}, env=env))
    assert all(registered.spec.annotations.read_only for registered in desk.registry)
    assert desk.registry.find("example_echo") is not None
    assert desk.registry.find("forget_everything") is None


def test_single_tools_can_be_left_out(tmp_path: Path) -> None:
    env = {"XDG_CONFIG_HOME": str(tmp_path), "ROLLTOP_WORKSPACE": str(tmp_path)}
    assert "read_resource" not in Application(load({"exclude_tools": "read_resource"}, env=env)).registry


def test_a_tool_is_left_out_by_the_name_that_clients_see(tmp_path: Path) -> None:
    env = {"XDG_CONFIG_HOME": str(tmp_path), "ROLLTOP_WORKSPACE": str(tmp_path), "MCP_TOOL_PREFIX": "my"}
    desk = Application(load({"exclude_tools": "my_get_content,set_project"}, env=env))
    assert not {"my_get_content", "my_set_project"} & {registered.name for registered in desk.registry}


def test_a_tool_that_is_not_there_cannot_be_left_out(tmp_path: Path) -> None:
    env = {"XDG_CONFIG_HOME": str(tmp_path), "ROLLTOP_WORKSPACE": str(tmp_path)}
    with pytest.raises(InvalidInput, match="'delete_by_nam'; did you mean delete_by_name"):
        Application(load({"exclude_tools": "delete_by_nam", "toolsets": "store"}, env=env))
    # One of a set that is not served, one that a package may bring later.
    Application(load({"exclude_tools": "get_content,orchard-harvest_add", "toolsets": "store"}, env=env))


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ROLLTOP_TRANSFORM_TIMEOUT", "abc"),
        ("ROLLTOP_REPORTS_TIMEOUT", "abc"),
        ("ROLLTOP_CATALOG_SECONDS", "abc"),
        ("ROLLTOP_STORE_UNDO_DAYS", "abc"),
        ("ROLLTOP_GUIDE_NOTHING", "1"),
    ],
)
def test_a_wrong_setting_of_an_engine_is_refused_by_its_name(tmp_path: Path, variable: str, value: str) -> None:
    env = {"XDG_CONFIG_HOME": str(tmp_path), "ROLLTOP_WORKSPACE": str(tmp_path), variable: value}
    with pytest.raises(InvalidInput, match=variable.split("_", 2)[2].lower()):
        Application(load(env=env))
    Application(load(env=env), lenient=True)


def test_a_server_with_a_wrong_setting_does_not_start(rolltop: Rolltop, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text('[transform]\ntimeout = "abc"\n')
    for command in (["serve"], ["call", "execute_transformation", "{}"]):
        out = rolltop(*command, stdin="", ROLLTOP_CONFIG=str(tmp_path / "c.toml"))
        assert (out.returncode, "the setting transform.timeout" in out.stderr) == (2, True)
    doctor = rolltop("doctor", ROLLTOP_CONFIG=str(tmp_path / "c.toml"))
    assert doctor.returncode == 2
    assert "✘ the setting transform.timeout" in doctor.stdout
    assert "✔ store" in doctor.stdout


def test_every_tool_has_annotations_and_an_output_schema(tmp_path: Path) -> None:
    env = {"MCP_INCLUDE_EXAMPLE_TOOLS": "true", "XDG_CONFIG_HOME": str(tmp_path), "ROLLTOP_WORKSPACE": str(tmp_path)}
    for registered in Application(load(env=env)).registry:
        wire = registered.wire
        assert set(wire["annotations"]) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert wire["outputSchema"]["type"] == "object"
        assert not {"oneOf", "anyOf", "allOf"} & set(wire["inputSchema"]), registered.name
        assert "{tool:" not in str(wire), registered.name


def test_names_in_the_schemas_of_arguments_are_those_that_clients_see(tmp_path: Path) -> None:
    env = {"MCP_TOOL_PREFIX": "my", "XDG_CONFIG_HOME": str(tmp_path), "ROLLTOP_WORKSPACE": str(tmp_path)}
    registered = Application(load(env=env)).registry.by_plain_name("validate_utlx")
    assert registered is not None
    assert "from my_get_input_schema;" in registered.wire["inputSchema"]["properties"]["inputSchema"]["description"]


def test_a_plain_process_can_build_two_desks() -> None:
    script = (
        "from rolltop.settings import load; from rolltop.server.application import Application;"
        "a, b = Application(load(env={})), Application(load({'tool_prefix': 'x'}, env={}));"
        "assert len(a.registry) == len(b.registry) > 0;"
        "assert [t.name for t in b.registry] == ['x_' + t.name for t in a.registry]"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
