"""Definitions on disk: where they are for a package or path, and reading them."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path

from rolltop.catalog import schema, yaml_text
from rolltop.catalog.definition import Definition, untyped_in
from rolltop.catalog.groups import group_filter
from rolltop.catalog.sources import TOOLS_DIRECTORY
from rolltop.catalog.tree_files import list_files, read_inside
from rolltop.errors import InvalidData, NotFound, PermissionDenied, RolltopError, SizeLimit

__all__ = [
    "Broken",
    "FileStamp",
    "Location",
    "file_stamp",
    "locate",
    "mcptool_list",
    "mcptool_load",
    "mcptool_load_all",
    "read_all",
    "read_file",
]

_INSTALLED = Path("mcp", "tools")


@dataclass(frozen=True, slots=True)
class Location:
    """Where definitions are (`tools`) and the package, folder or file they were made from (`origin`)."""

    tools: Path
    origin: Path
    is_installed: bool = False


@dataclass(frozen=True, slots=True)
class Broken:
    """A file in a tools directory that is no definition, and why."""

    path: Path
    error: RolltopError


def mcptool_list(pkg: str | Path, groups: str | Sequence[str] | None = None) -> list[str]:
    """The names of the tools that a package or path defines."""
    return list(mcptool_load_all(pkg, groups))


def mcptool_load(pkg: str | Path, name: str | None = None) -> Definition:
    """One definition: by name from a package or path, or from a YAML file."""
    if name is None or _is_yaml_file(pkg):
        return read_file(Path(pkg))
    location = locate(pkg)
    wanted = name.removesuffix(".yaml")
    for path in _files(location.tools):
        if path.stem == wanted or path.stem.partition("-")[2] == wanted:
            return read_file(path)
    known = [path.stem for path in _files(location.tools)]
    hint = (
        f"It has: {', '.join(known[:20])}" if known else "It has no definitions: mcptool_build makes them from sources."
    )
    raise NotFound(f"{pkg} has no tool {name}", hint=hint)


def mcptool_load_all(pkg: str | Path, groups: str | Sequence[str] | None = None) -> dict[str, Definition]:
    """Every definition of a package or path, by name. A broken file is left out; `check` reports it."""
    found = read_all(locate(pkg).tools, groups)
    return {item.name: item for item in found if isinstance(item, Definition)}


def read_all(tools: Path, groups: str | Sequence[str] | None = None) -> Iterator[Definition | Broken]:
    """The definitions in a directory in the order of their file names, and the files that are none."""
    is_wanted = group_filter(groups)
    for path in _files(tools):
        if not is_wanted(path.stem):
            continue
        try:
            yield read_file(path)
        except RolltopError as error:
            yield Broken(path, error)


def read_file(path: Path) -> Definition:
    """The definition in one YAML file."""
    try:
        text = read_inside(path, _origin_above(path.parent)).decode("utf-8")
    except NotFound:
        raise NotFound(f"there is no file {path}") from None
    except (OSError, UnicodeDecodeError, PermissionDenied, SizeLimit) as error:
        raise InvalidData(f"{path} cannot be read: {error}") from None
    document = yaml_text.load(text, str(path))
    if problems := list(schema.problems_of(document)):
        raise InvalidData(
            f"{path} is not a tool definition: {'; '.join(problems)}",
            hint="Build it again: mcptool_build, `rolltop catalog build` in a shell.",
            details={"problems": problems},
        )
    return Definition.from_dict(document, untyped_in(text))


FileStamp = tuple[int, int]
"""Time of the last change, and size."""


def file_stamp(file: Path) -> FileStamp | None:
    """The stamp of a file, or None when it is gone."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _files(tools: Path) -> list[Path]:
    return list_files(tools, _origin_above(tools), ".yaml") if tools.is_dir() else []


def _is_yaml_file(place: str | Path) -> bool:
    return str(place).endswith((".yaml", ".yml"))


def locate(pkg: str | Path) -> Location:
    """Find the definitions of an installed package, or of a source tree, or a directory of YAML files."""
    text = str(pkg)
    place = Path(text).expanduser()
    if isinstance(pkg, Path) or place.exists() or re.search(r"[/\\\s]", text) or text in (".", ".."):
        return _locate_path(place.absolute(), text)
    return _locate_installed(text)


def _locate_path(place: Path, shown: str) -> Location:
    if not place.exists():
        raise NotFound(f"there is nothing at {shown}")
    origin = place
    if place.is_file():
        root = place.parent.parent if place.parent.name == "R" else place.parent
        return Location(root / TOOLS_DIRECTORY, origin)
    if (place / TOOLS_DIRECTORY).is_dir():
        return Location(place / TOOLS_DIRECTORY, origin)
    if (place / _INSTALLED).is_dir():
        return Location(place / _INSTALLED, origin, is_installed=(place / "Meta").is_dir())
    if any(place.glob("*.yaml")):
        return Location(place, _origin_above(place))
    return Location(place / TOOLS_DIRECTORY, origin)


def _origin_above(tools: Path) -> Path:
    for depth, tail in ((2, TOOLS_DIRECTORY), (1, _INSTALLED)):
        root = tools.parents[depth] if len(tools.parents) > depth else tools
        if root / tail == tools:
            return root
    return tools


def _locate_installed(package: str) -> Location:
    for library in r_libraries():
        root = library / package
        if (root / "DESCRIPTION").is_file():
            return Location(root / _INSTALLED, root, is_installed=True)
    if folder := _python_package(package):
        places = [folder / _INSTALLED, folder / TOOLS_DIRECTORY]
        return Location(next((place for place in places if place.is_dir()), places[0]), folder, is_installed=True)
    raise NotFound(
        f"no installed package is called {package}",
        hint="Give the path of a source package with a slash in it, such as ./mypackage.",
    )


ENTRY_POINTS = "rolltop.catalog"
"""The group of entry points by which a Python package names the package that has its tools."""


def _python_package(package: str) -> Path | None:
    named = entry_points(group=ENTRY_POINTS, name=package)
    module = next((each.value.partition(":")[0] for each in named), package)
    if not module.isidentifier():
        return None
    # A top-level name is looked up on the path; nothing of it is imported.
    spec = importlib.util.find_spec(module)
    return Path(spec.origin).parent if spec and spec.origin and spec.submodule_search_locations else None


@lru_cache(maxsize=1)
def r_libraries() -> tuple[Path, ...]:
    """The directories where R looks for packages, found without starting R."""
    named = [part for key in ("R_LIBS", "R_LIBS_USER", "R_LIBS_SITE") for part in os.environ.get(key, "").split(":")]
    usual = ["/usr/local/lib/R/site-library", "/usr/lib/R/site-library", "/usr/lib/R/library"]
    home = _r_home()
    places = [*named, *usual, *([f"{home}/library", f"{home}/site-library"] if home else [])]
    return tuple(dict.fromkeys(Path(place).expanduser() for place in places if place))


def _r_home() -> str | None:
    program = shutil.which("R")
    if not program:
        return None
    answer = subprocess.run([program, "RHOME"], capture_output=True, text=True, timeout=20, check=False)
    return answer.stdout.strip() or None
