"""A guide in a temporary directory, with two small categories of documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from rolltop.guide import Category, Clues, Collection, Guide, Project

FILES = {
    "lang/python.md": "python rules\n",
    "lang/python-style.md": "python style\n",
    "lang/java.md": "java rules\n",
    "lang/rust.md": "rust rules\n",
    "lang/sub/python.md": "nested python\n",
    "lang/_hidden.md": "hidden\n",
    "lang/.dot.md": "dot\n",
    "lang/__init__.md": "dunder\n",
    "lang/python.md.orig": "orig\n",
    "docs/api.md": "api\n",
    "docs/guide/intro.md": "intro\n",
    "docs/guide/deep/more.md": "more\n",
    "docs/_private/secret.md": "secret\n",
    "guidelines/all.txt": "guidelines\n",
}


@pytest.fixture
def files() -> dict[str, str]:
    return FILES


def _put(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


@pytest.fixture
def guide(tmp_path: Path) -> Guide:
    guide = Guide(tmp_path / "config")
    _put(guide.config.docroot(), FILES)
    return guide


@pytest.fixture
def project(guide: Guide, tmp_path: Path) -> Project:
    (tmp_path / "my-app").mkdir()
    found = guide.detect(Clues(explicit=str(tmp_path / "my-app")))
    assert found is not None

    def set_up(project: Project) -> Project:
        for category in (
            Category("lang", "lang", ("*.md",)),
            Category("docs", "docs", ("**/*.md",)),
            Category("guidelines", "guidelines", ("*",)),
        ):
            project = project.with_category(category)
        return project.with_collection(Collection("review", ("docs/api", "lang/python")))

    return guide.config.change_project(found, set_up)
