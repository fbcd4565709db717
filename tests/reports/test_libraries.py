"""The user's own R packages are there in a render, read-only, and are told as they are."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rolltop.reports import RenderOptions, Reports
from rolltop.reports.installation.package_install import install_packages
from rolltop.reports.installation.r_installation import find_r

USES = "```{r}\ncat(tinyone::answer())\n```\n"


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CRAN mirror with one package in it."""
    place = tmp_path_factory.mktemp("mirror")
    (place / "tinyone/R").mkdir(parents=True)
    fields = "Package: tinyone\nVersion: 1.2.3\nTitle: T\nDescription: D.\nAuthor: A\nMaintainer: A <a@example.com>\n"
    (place / "tinyone/DESCRIPTION").write_text(fields + "License: MIT\n")
    (place / "tinyone/NAMESPACE").write_text("export(answer)\n")
    (place / "tinyone/R/answer.R").write_text("answer <- function() 'forty-two'\n")
    contrib = place / "src/contrib"
    contrib.mkdir(parents=True)
    subprocess.run(["R", "CMD", "build", str(place / "tinyone")], cwd=contrib, check=True, capture_output=True)
    subprocess.run(["Rscript", "-e", "tools::write_PACKAGES('.')"], cwd=contrib, check=True, capture_output=True)
    return place


@pytest.fixture
def open_place() -> Any:
    """A directory that the sandbox's user can reach."""
    import shutil
    import tempfile

    place = Path(tempfile.mkdtemp(prefix="rolltop-library-"))
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)


@pytest.fixture
def at_open_place(open_place: Path) -> Callable[..., Reports]:
    from dataclasses import replace

    from rolltop.reports import ReportsConfig

    config = ReportsConfig(warm=False, renderer="local")

    def make(**changes: Any) -> Reports:
        cache = open_place / "cache"
        return Reports(open_place / "rmd", replace(config, **changes), cache=cache, engine_host="unix:///nowhere")

    return make


def test_an_installed_package_is_there_and_read_only(
    at_open_place: Callable[..., Reports], mirror: Path, run: Any, open_place: Path
) -> None:
    reports = at_open_place(cran=f"file://{mirror}")
    library = install_packages(reports.root, reports.config, ["tinyone"])
    assert (library / "tinyone/DESCRIPTION").is_file()
    again = at_open_place()
    spoil = "```{r}\ncat(file.create(file.path(find.package('tinyone'), 'spoilt')))\n```\n"
    again.documents.create("uses", "Uses", USES + spoil)
    text = run(again.render("uses", RenderOptions(engine="fast"))).text
    assert "forty-two" in text
    assert "## FALSE" in text


def test_libraries_of_the_settings_and_of_renv_are_there(
    at_open_place: Callable[..., Reports], mirror: Path, run: Any, open_place: Path
) -> None:
    cache = open_place / "renv-cache/v5/R-4.2/linux/tinyone/1.2.3/hash"
    cache.mkdir(parents=True)
    subprocess.run(["R", "CMD", "INSTALL", "-l", str(cache), str(mirror / "tinyone")], check=True, capture_output=True)
    with_setting = at_open_place(libraries=(str(cache),))
    with_setting.documents.create("uses", "Uses", USES)
    assert "forty-two" in run(with_setting.render("uses", RenderOptions(engine="fast"))).text
    r = find_r(None, (), os.environ)
    assert r is not None
    project = with_setting.root / f"renv/library/R-{'.'.join(r.version.split('.')[:2])}/linux"
    project.mkdir(parents=True)
    (project / "tinyone").symlink_to(cache / "tinyone")
    assert "forty-two" in run(at_open_place().render("uses", RenderOptions(engine="fast", fresh=True))).text


def test_the_users_library_is_found_as_r_finds_it(open_place: Path) -> None:
    for env, folder in (
        ({}, "R/x86_64-pc-linux-gnu-library/{}"),
        ({"R_LIBS_USER": f"{open_place}/mine"}, "mine"),
        ({"R_LIBS": f"{open_place}/other"}, "other"),
    ):
        r = find_r(None, (), {**os.environ, "HOME": str(open_place)})
        assert r is not None
        place = open_place / folder.format(".".join(r.version.split(".")[:2]))
        place.mkdir(parents=True, exist_ok=True)
        found = find_r(None, (), {"PATH": os.environ["PATH"], "HOME": str(open_place), **env})
        assert found is not None
        assert place in found.libraries


def test_packages_are_listed_and_none_is_installed_without_a_mirror(rolltop: Any) -> None:
    rows = json.loads(rolltop("reports", "packages", "list", "--json").stdout)
    assert {"knitr", "rmarkdown"} <= {row["package"] for row in rows}
    refused = rolltop("reports", "packages", "install", "tinyone")
    assert refused.returncode != 0
    assert "no CRAN mirror is set" in refused.stderr
