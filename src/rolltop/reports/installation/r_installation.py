"""The R of this machine: where it is, which version, and the libraries of packages that a render sees.

Found without starting R, so that `rolltop doctor` and the renderer look at the same things and both at no cost.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rolltop.confine import Mount
from rolltop.confine.identity import foreign_identity, require_reachable
from rolltop.errors import PermissionDenied
from rolltop.settings import home_directory

__all__ = ["OWN_LIBRARY", "Package", "RInstallation", "find_r"]

OWN_LIBRARY = ".library"
"""The workspace's own library, in the directory of documents."""
_SEEN = ("/usr", "/opt/R")
"""What a sandbox sees anyway."""
_PATH = "/usr/local/bin:/usr/bin:/bin"
_HOME_LINE = re.compile(r"^R_HOME_DIR=[\"']?([^\"'\n$]+)", re.MULTILINE)
_VARIABLE = re.compile(r"^\s*(?:export\s+)?(R_LIBS|R_LIBS_USER|R_LIBS_SITE)\s*=\s*[\"']?([^\"'\n]*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Package:
    name: str
    version: str
    library: Path


@dataclass(frozen=True, slots=True)
class RInstallation:
    """R's home, the directory of its programs, and its libraries in the order in which R looks into them."""

    home: Path
    programs: Path
    version: str
    libraries: tuple[Path, ...]
    unreachable: tuple[Path, ...] = ()
    """Libraries that the user whom foreign code runs as may not read."""

    @property
    def is_usual(self) -> bool:
        """Whether it is where the system's programs are, so that a warm R can be kept of it."""
        return shutil.which("R", path=_PATH) == str(self.programs / "R")

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """What a sandbox has to be given to see it: at the same places, since libraries of renv link by whole paths."""
        wanted = [*self.libraries, *_renv_caches(self.libraries), *([] if _is_seen(self.home) else _prefix(self))]
        return tuple(Mount(place, str(place)) for place in dict.fromkeys(wanted) if not _is_seen(place))

    @property
    def environment(self) -> dict[str, str]:
        others = [str(place) for place in self.libraries if place not in _own_libraries(self.home)]
        path = {} if self.is_usual else {"PATH": f"{self.programs}:{_PATH}"}
        return path | ({"R_LIBS": ":".join(others)} if others else {})

    def packages(self) -> Iterator[Package]:
        """What is installed, by library; of two of one name R uses the first."""
        for library in self.libraries:
            for description in sorted(library.glob("*/DESCRIPTION"), key=lambda path: path.parent.name.lower()):
                yield Package(description.parent.name, _field(description, "Version"), library)

    def library_of(self, package: str) -> Path | None:
        return next((each for each in self.libraries if (each / package / "DESCRIPTION").is_file()), None)


def find_r(documents: Path | None, libraries: tuple[str, ...], env: Mapping[str, str]) -> RInstallation | None:
    """The R that `Rscript` on the path belongs to, or the newest below /opt/R; None where there is none."""
    program = shutil.which("Rscript", path=env.get("PATH"))
    newest = sorted(Path("/opt/R").glob("*/bin/Rscript"), reverse=True)
    if program is None and not newest:
        return None
    programs = Path(program).parent if program else newest[0].parent
    home = _home_of(programs)
    version = _field(home / "library/base/DESCRIPTION", "Version")
    places = _libraries(documents, libraries, home, version, env)
    there = [place for place in dict.fromkeys(places) if place.is_dir()]
    usable = [place for place in there if _is_reachable(place)]
    return RInstallation(home, programs, version, tuple(usable), tuple(each for each in there if each not in usable))


def _home_of(programs: Path) -> Path:
    """R's home, as the script that starts it says."""
    script = (programs / "R").resolve()
    try:
        found = _HOME_LINE.search(script.read_text("utf-8", "replace")[:4000])
    except OSError:
        found = None
    if found and Path(found[1]).is_dir():
        return Path(found[1])
    return script.parent.parent if (script.parent.parent / "library").is_dir() else programs.parent / "lib/R"


def _libraries(
    documents: Path | None, named: tuple[str, ...], home: Path, version: str, env: Mapping[str, str]
) -> Iterator[Path]:
    """In R's order: ours, those of the settings, of renv, of the environment, of the user, of the system."""
    short = ".".join(version.split(".")[:2])
    if documents is not None:
        yield documents / OWN_LIBRARY
        yield from sorted((documents / "renv/library").glob(f"**/R-{short}/*"))
    user = Path(env["HOME"]) if env.get("HOME") else home_directory() or Path(os.devnull)  # some have no home
    said = {**_said_in(home / "etc/Renviron.site"), **_said_in(user / ".Renviron"), **env}
    variables = [said.get(key, "") for key in ("R_LIBS", "R_LIBS_USER")]
    for text in (*named, *variables):
        yield from (Path(part.replace("~", str(user), 1)) for part in text.split(":") if part and "%" not in part)
    for folder in ("R", ".local/share/R", "Library/R"):
        yield from sorted((user / folder).glob(f"*-library/{short}"))
    yield from (Path(part) for part in said.get("R_LIBS_SITE", "").split(":") if part and "%" not in part)
    yield from _own_libraries(home)


def _own_libraries(home: Path) -> tuple[Path, ...]:
    """Where R looks without being told."""
    return Path("/usr/local/lib/R/site-library"), home / "site-library", home / "library"


def _said_in(file: Path) -> dict[str, str]:
    try:
        return dict(_VARIABLE.findall(file.read_text("utf-8", "replace")))
    except OSError:
        return {}


def _renv_caches(libraries: tuple[Path, ...]) -> Iterator[Path]:
    """Where the links in a library of renv lead: two directories above the package is its version, and so on."""
    for library in libraries:
        if "renv" in library.parts:
            targets = {Path(os.path.realpath(each)) for each in library.iterdir() if each.is_symlink()}
            yield from sorted({target.parents[3] for target in targets if len(target.parents) > 4 and target.is_dir()})


def _prefix(r: RInstallation) -> list[Path]:
    return list(dict.fromkeys([r.home, r.programs.resolve(), r.programs]))


def _is_seen(place: Path) -> bool:
    return any(place.is_relative_to(root) for root in _SEEN)


def _is_reachable(place: Path) -> bool:
    if _is_seen(place):
        return True
    try:
        require_reachable(place, foreign_identity())
    except PermissionDenied:
        return False
    return True


def _field(description: Path, name: str) -> str:
    try:
        found = re.search(rf"^{name}:\s*(\S+)", description.read_text("utf-8", "replace"), re.MULTILINE)
    except OSError:
        return ""
    return found[1] if found else ""
