"""Real R, a real container engine, a real image. Missing parts fail a test, they do not skip it."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from rolltop.reports import Reports, ReportsConfig
from rolltop.reports.containers import ContainerEngine, Recipe, ensure_image

T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, T]], T]

_spec = importlib.util.spec_from_file_location("rolltop_test_engine", Path(__file__).with_name("engine.py"))
assert _spec
assert _spec.loader
engine = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = engine
_spec.loader.exec_module(engine)


@pytest.fixture(scope="session")
def run() -> Iterator[Run[Any]]:
    """Run a coroutine on the one loop of this process, so that warm processes can be shared between tests."""
    with asyncio.Runner() as runner:
        yield runner.run


@pytest.fixture(scope="session")
def container_host(run: Run[Any]) -> Iterator[str]:
    """A container engine that has the image."""
    with engine.running_engine() as host:
        with engine.lock("image"):
            run(ensure_image(ContainerEngine(host), Recipe(base="debian"), lambda event: None))
        yield host


SMALL = ReportsConfig(image_base="debian", memory=512, processes=64, tmp_size=64, output_limit=8, warm=False)


@pytest.fixture
def make_reports(tmp_path: Path) -> Iterator[Callable[..., Reports]]:
    """A reports directory of this test's own."""
    made: list[Reports] = []

    def make(host: str = "unix:///nowhere", **changes: Any) -> Reports:
        from dataclasses import replace

        place = tmp_path / f"reports-{len(made)}"
        made.append(Reports(place / "rmd", replace(SMALL, **changes), cache=place / "cache", engine_host=host))
        return made[-1]

    yield make
    for reports in made:
        reports.close()


@pytest.fixture
def reports(make_reports: Callable[..., Reports]) -> Reports:
    return make_reports()


@pytest.fixture(scope="session")
def warm_reports(run: Run[Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reports]:
    """Shared by the tests of this process: starting a warm R takes seconds."""
    from dataclasses import replace

    place = tmp_path_factory.mktemp("warm")
    config = replace(SMALL, warm=True, slots=1, memory=1024)
    shared = Reports(place / "rmd", config, cache=place / "cache", engine_host="unix:///nowhere")
    yield shared
    shared.close()


@pytest.fixture(params=["cold", "warm", "docker", "compose"])
def everywhere(request: pytest.FixtureRequest, make_reports: Callable[..., Reports]) -> Reports:
    """Reports that render in each of the places: one suite for all of them."""
    if request.param == "warm":
        shared: Reports = request.getfixturevalue("warm_reports")
        run = request.getfixturevalue("run")
        run(shared.renderers.named("local").pool.ready())
        return shared
    if request.param == "cold":
        return make_reports(renderer="local")
    return make_reports(request.getfixturevalue("container_host"), renderer=request.param)
