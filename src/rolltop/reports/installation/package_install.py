"""R packages into the library of a workspace, from the CRAN mirror that the user has set."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from rolltop.errors import ForeignFailure, InvalidInput, PartMissing, PermissionDenied
from rolltop.reports.config import ReportsConfig
from rolltop.reports.installation.r_installation import OWN_LIBRARY, find_r
from rolltop.reports.results.failure import tail

__all__ = ["install_packages"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9.]*")
_SCRIPT = """
given <- commandArgs(TRUE)
install.packages(given[-(1:2)], lib = given[[1]], repos = given[[2]], Ncpus = 1L)
missing <- setdiff(given[-(1:2)], rownames(installed.packages(lib.loc = given[[1]])))
if (length(missing)) stop("not installed: ", paste(missing, collapse = ", "), call. = FALSE)
"""


def install_packages(documents: Path, config: ReportsConfig, names: Sequence[str]) -> Path:
    """Install packages and what they need; gives the library. Their own install scripts run, as in any R."""
    for name in names:
        if not _NAME.fullmatch(name):
            raise InvalidInput(f"{name!r} is no name of an R package")
    if not config.cran:
        raise InvalidInput(
            "no CRAN mirror is set, and nothing was installed",
            hint="Set cran under [reports] in the settings to the address of one. On Debian, apt-get install "
            + " ".join(f"r-cran-{name.lower()}" for name in names)
            + " does without.",
        )
    library = documents / OWN_LIBRARY
    library.mkdir(parents=True, exist_ok=True)
    r = find_r(documents, config.libraries, os.environ)
    if r is None:
        raise PartMissing("R is not installed", hint="On Debian: apt-get install r-base-core")
    if library in r.unreachable:
        raise PermissionDenied(
            f"nothing was installed: the user whom documents run as could not read {library}",
            hint="Run rolltop as an ordinary user, or install into a directory that all may read and name it in "
            "libraries of the [reports] settings.",
        )
    command = [str(r.programs / "Rscript"), "--vanilla", "-e", _SCRIPT, str(library), config.cran, *names]
    done = subprocess.run(
        command, env={**os.environ, **r.environment}, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode:
        raise ForeignFailure(
            f"{', '.join(names)} could not be installed from {config.cran}: {tail(done.stderr, 3)}",
            hint="The log in the details says more; a package with C code needs a compiler and its headers.",
            details={"log": tail(done.stdout + done.stderr)},
        )
    return library
