"""What runs inside a worker: one job, its arguments and its answer as JSON."""

from __future__ import annotations

import encodings
import importlib
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

import orjson

from rolltop.confine.worker import bring, is_worker
from rolltop.errors import InvalidInput
from rolltop.transform.errors import ReadFailure
from rolltop.transform.explain import explain
from rolltop.transform.formats.table import MODULES
from rolltop.transform.program import compile_program
from rolltop.transform.service.execute import as_bytes, execute
from rolltop.transform.service.failures import unreadable
from rolltop.transform.service.infer import infer
from rolltop.transform.service.validate import validate
from rolltop.transform.stdlib.registry import load_all
from rolltop.transform.stdlib.xml.signatures import prepare_signatures
from rolltop.transform.stdlib.zone_files import bring_with, data_file
from rolltop.transform.structure import describe_source
from rolltop.transform.structure.describe import with_options
from rolltop.transform.structure.encodings import decode_source
from rolltop.transform.structure.references import Files

__all__ = ["JOBS", "answer"]

# A worker cannot open files: what a program may need has to be here before it starts, or is brought.
load_all()
_ENCODINGS = tuple(found.name for found in iter_modules(encodings.__path__) if found.name not in ("mbcs", "oem"))
"""What texts are written in; the first use of an encoding imports it. Two are of Windows alone."""
_LATER = (
    "difflib", "logging", "platform", "tempfile", "uuid", *(f"encodings.{name}" for name in _ENCODINGS),
)  # fmt: skip
"""What our modules, and Python's, import only when they need it."""
_TABLES = tuple(name for name in ("python_calamine", "xlsxwriter") if find_spec(name) is not None)
"""Libraries of the extra `tables`."""
_FORMATS = tuple(place.partition(":")[0] for place in MODULES.values())
for _module in (*_FORMATS, *_LATER, *_TABLES, "rolltop.transform.compile.tiers", "rolltop.transform.shortcut"):
    importlib.import_module(_module)
prepare_signatures()
bring_with(lambda name: bring(name) if is_worker() else data_file(name))


def describe(
    source: str,
    source_format: str,
    mode: str | None = None,
    *,
    name: str = "",
    related: Mapping[str, str] | None = None,
    binary: bool = False,
) -> dict[str, Any]:
    """The structure of data or of a schema; `related` are other files of the schema by their places.

    `binary`: the source is bytes in an encoding of its own, written as one character for each.
    """
    try:
        if not binary:
            return describe_source(source, source_format, mode, Files(name, related or {}))
        text, guessed = decode_source(as_bytes(source), source_format)
        found = describe_source(text, source_format, mode, Files(name, related or {}))
        return with_options(found, {} if guessed is None else {"encoding": guessed})
    except ReadFailure as error:
        raise unreadable(error, f"the source is not {source_format}") from None


def explained(transformation: str) -> dict[str, Any]:
    """How a program will run; raises what is wrong with it."""
    return explain(compile_program(transformation)).as_dict()


JOBS: dict[str, Callable[..., dict[str, Any]]] = {
    "describe": describe,
    "execute": execute,
    "explain": explained,
    "infer": infer,
    "validate": validate,
}


def answer(payload: bytes) -> bytes:
    """`{"job": …, "arguments": {…}}` to what the job returns."""
    request = orjson.loads(payload)
    job = JOBS.get(request["job"])
    if job is None:
        raise InvalidInput(f"unknown job {request['job']!r}")
    return orjson.dumps(job(**request["arguments"]), default=str, option=orjson.OPT_NON_STR_KEYS)
