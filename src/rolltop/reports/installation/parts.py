"""What rendering uses on this machine: is it there, and the command that brings it. Cheap: asked at every start."""

from __future__ import annotations

import http.client
import shutil
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rolltop.base.installation import add_extra
from rolltop.reports.config import ReportsConfig
from rolltop.reports.containers.engine import API, find_engine
from rolltop.reports.containers.image import Recipe
from rolltop.reports.installation.python_packages import python_mounts
from rolltop.reports.installation.r_installation import RInstallation, find_r
from rolltop.reports.typeset import typst_installed

__all__ = ["Part", "look"]

_PATIENCE = 0.25
"""Seconds that the container engine has to answer."""


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    present: bool
    detail: str
    fix: str


def look(config: ReportsConfig, env: Mapping[str, str], documents: Path | None = None) -> list[Part]:
    """Every part, present or not, in the order in which one would install them."""
    r = find_r(documents, config.libraries, env)
    return [_r(r), *_programs(), _rmarkdown(r), _typst(), *_languages(config), *_containers(config, env)]


def _r(r: RInstallation | None) -> Part:
    """The R that the renderer uses, and the libraries that a render sees or cannot see."""
    if r is None:
        return Part("R", False, "not found; runs the documents' code", "apt-get install r-base-core")
    hidden = f"; not readable for renders: {', '.join(map(str, r.unreachable))}" if r.unreachable else ""
    return Part("R", True, f"{r.programs / 'Rscript'} ({r.version}){hidden}", "apt-get install r-base-core")


def _programs() -> Iterator[Part]:
    for name, program, purpose, package in (
        ("pandoc", "pandoc", "makes HTML and Word", "pandoc"),
        ("TeX", "pdflatex", "makes PDF", "texlive-latex-base texlive-latex-recommended lmodern"),
        ("bubblewrap", "bwrap", "confines a local R", "bubblewrap"),
    ):
        path = shutil.which(program)
        yield Part(name, path is not None, path or f"not found; {purpose}", f"apt-get install {package}")


def _rmarkdown(r: RInstallation | None) -> Part:
    found = r.library_of("rmarkdown") if r else None
    fix = "apt-get install r-cran-rmarkdown r-cran-knitr r-cran-codetools r-cran-ggplot2"
    return Part("rmarkdown", found is not None, str(found or "not found; renders the documents"), fix)


def _typst() -> Part:
    present = typst_installed()
    what = "fast PDF" if present else "not found; fast PDF without LaTeX"
    return Part("typst", present, what, add_extra("typst"))


def _languages(config: ReportsConfig) -> Iterator[Part]:
    """What runs chunks in other languages than R."""
    path = shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin")
    yield Part("Python", path is not None, path or "not found; runs Python and SQL chunks", "apt-get install python3")
    places = [mount.source for mount in python_mounts(config.python_libraries)]
    present = any(place.name == "duckdb" or (place / "duckdb").is_dir() for place in places)
    what = "SQL chunks" if present else "not found where renders can read it; runs SQL chunks"
    yield Part("DuckDB", present, what, add_extra("sql"))


def _containers(config: ReportsConfig, env: Mapping[str, str]) -> Iterator[Part]:
    host = find_engine(config.docker_host, env)
    version = _ask(host, f"{API}/version")
    fix = "start Docker or Podman, or set DOCKER_HOST; on Debian: apt-get install docker.io"
    yield Part("container engine", version == 200, host if version == 200 else f"none answers at {host}", fix)
    image = Recipe.of(config).tag
    present = version == 200 and _ask(host, f"{API}/images/{image}/json") == 200
    yield Part("image", present, image if present else f"{image} is not built", "rolltop reports image build")
    compose = shutil.which("docker-compose") or shutil.which("docker")
    yield Part("compose", compose is not None, compose or "not found", "apt-get install docker-compose")


def _ask(host: str, path: str) -> int:
    """The status of a GET to the engine, 0 when nothing answers in time."""
    if not host.startswith("unix://"):
        return 0
    connection = _UnixConnection(host.removeprefix("unix://"))
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("engine", timeout=_PATIENCE)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(_PATIENCE)
        self.sock.connect(self._path)
