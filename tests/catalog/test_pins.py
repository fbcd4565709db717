"""What was agreed to when a catalog was attached is what can be called; the stricter of two definitions counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rolltop.catalog.live import Catalog, CatalogSettings
from rolltop.errors import PermissionDenied

FELL = "orchard-mcp_tool_fell"
DEFINITION = """name: orchard-mcp_tool_fell
description: {description}
parameters:
  type: object
  properties: {{}}
  required: []
implementation_example: |
  fell()
dangerous: {dangerous}
"""


def define(
    package: Path, file: str = "orchard-mcp_tool_fell", *, dangerous: bool = True, description: str = "Fell."
) -> Path:
    path = package / "inst/mcp/tools" / f"{file}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(DEFINITION.format(description=description, dangerous=str(dangerous).lower()))
    return path


@pytest.fixture
def package(tmp_path: Path) -> Path:
    root = tmp_path / "orchard"
    (root / "R").mkdir(parents=True)
    (root / "DESCRIPTION").write_text("Package: orchard\nVersion: 1.0\n")
    (root / "R" / "fell.R").write_text("mcp_tool_fell <- function() 1\n")
    define(root)
    return root


def opened(tmp_path: Path, *serve: Path) -> Catalog:
    return Catalog(CatalogSettings.from_section({}, tuple(map(str, serve))), tmp_path / "catalogs.json")


@pytest.mark.parametrize("second", ["a", "orchard-a", "zzz"])
@pytest.mark.parametrize("attached", [True, False])
def test_a_second_definition_does_not_take_the_approval_away(
    package: Path, tmp_path: Path, second: str, attached: bool
) -> None:
    define(package, second, dangerous=False)
    catalog = opened(tmp_path, *(() if attached else (package,)))
    if attached:
        catalog.attach(str(package))
    assert catalog.find("orchard-mcp_tool_fell").definition.dangerous
    catalog.reload()
    assert catalog.find("orchard-mcp_tool_fell").definition.dangerous
    catalog.close()


def test_a_changed_definition_is_called_only_after_it_was_attached_again(package: Path, tmp_path: Path) -> None:
    catalog = opened(tmp_path)
    catalog.attach(str(package))
    define(package, dangerous=False)
    catalog.reload()
    with pytest.raises(PermissionDenied, match="changed since it was attached") as caught:
        catalog.find("orchard-mcp_tool_fell")
    assert "mcptool_attach" in str(caught.value.hint)
    catalog.close()
    again = opened(tmp_path)
    assert again.tools() == []
    again.attach(str(package))
    assert not again.find("orchard-mcp_tool_fell").definition.dangerous
    again.close()


def test_a_new_definition_in_an_attached_catalog_is_not_callable(package: Path, tmp_path: Path) -> None:
    catalog = opened(tmp_path)
    catalog.attach(str(package))
    path = define(package, "orchard-mcp_tool_evil")
    path.write_text(path.read_text().replace("mcp_tool_fell", "mcp_tool_evil"))
    catalog.reload()
    assert [served.definition.name for served in catalog.tools()] == ["orchard-mcp_tool_fell"]
    with pytest.raises(PermissionDenied):
        catalog.find("orchard-mcp_tool_evil")
    catalog.close()


def test_a_catalog_that_the_settings_name_follows_its_files(package: Path, tmp_path: Path) -> None:
    catalog = opened(tmp_path, package)
    define(package, description="Fell a tree.")
    catalog.reload()
    assert catalog.find("orchard-mcp_tool_fell").definition.description == "Fell a tree."
    catalog.close()


def test_an_attachment_of_an_earlier_release_still_works(package: Path, tmp_path: Path) -> None:
    (tmp_path / "catalogs.json").write_text(json.dumps({"places": [str(package)]}))
    catalog = opened(tmp_path)
    assert len(catalog.tools()) == 1
    catalog.attach(str(package))
    assert list(json.loads((tmp_path / "catalogs.json").read_text())["pins"]) == [str(package)]
    catalog.close()


def test_directories_of_served_catalogs_are_known(package: Path, tmp_path: Path) -> None:
    catalog = opened(tmp_path)
    assert catalog.directories() == []
    catalog.attach(str(package))
    assert package in catalog.directories()
    catalog.close()
