"""The R side, as text: what each kind of R process is given to run."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from functools import cache
from importlib.resources import files

__all__ = ["ONCE", "WARM", "bootstrap", "code", "code_hash", "code_line"]

_LIBRARY = (
    "render.R", "warnings.R", "params.R", "plots.R", "inline.R", "figures.R", "questions.R", "formats.R", "exact.R",
    "fast.R", "page.R", "languages.R", "chunk_cache.R",
)  # fmt: skip
ONCE = (*_LIBRARY, "entry.R")
WARM = (*_LIBRARY, "warm.R")


@cache
def code(names: tuple[str, ...]) -> str:
    """The named files, one after the other."""
    folder = files("rolltop.reports") / "r"
    interpreter = json.dumps((folder / "interpreter.py").read_text("utf-8"))  # a string of JSON is one of R
    return "\n".join([*((folder / name).read_text("utf-8") for name in names), f"interpreter_code <- {interpreter}\n"])


@cache
def code_hash() -> str:
    """Changes when the R side does; part of the cache's key and of the image's recipe."""
    return hashlib.sha256((code(ONCE) + code(WARM)).encode()).hexdigest()[:16]


def bootstrap(connection: str, then: str) -> str:
    """One expression for `Rscript -e`: take the code from the first line of `connection`, then go on.

    The sandbox runs as somebody who may not read this package's files, so the code travels with the request.
    """
    decode = "rawToChar(jsonlite::base64_dec(readLines(input,1L)))"
    return f"input<-{connection};eval(parse(text={decode}),globalenv());{then}"


def code_line(names: tuple[str, ...]) -> bytes:
    return b64encode(code(names).encode()) + b"\n"
