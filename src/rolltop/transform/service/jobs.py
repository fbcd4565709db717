"""What runs inside a worker: one job, its arguments and its answer as JSON."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from rolltop.errors import InvalidInput
from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.table import MODULES
from rolltop.transform.service.execute import execute
from rolltop.transform.service.failures import unreadable
from rolltop.transform.service.infer import infer
from rolltop.transform.service.validate import validate
from rolltop.transform.stdlib.registry import load_all
from rolltop.transform.structure import describe_source
from rolltop.transform.structure.related import Files

__all__ = ["JOBS", "answer"]

# A worker cannot open files: all that a program may need has to be here before it starts.
load_all()
_LATER = (
    "difflib", "logging", "platform", "tempfile", "uuid",
    "encodings.ascii", "encodings.cp1252", "encodings.iso8859_15", "encodings.latin_1", "encodings.utf_16",
)  # fmt: skip
"""What our modules, and Python's, import only when they need it."""
for _module in (*MODULES.values(), *_LATER, "rolltop.transform.compile.tiers", "rolltop.transform.shortcut"):
    importlib.import_module(_module)


def describe(
    source: str,
    source_format: str,
    mode: str | None = None,
    name: str = "",
    related: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The structure of data or of a schema; `related` are other files of the schema by their places."""
    try:
        return describe_source(source, source_format, mode, Files(name, related or {}))
    except ReadFailure as error:
        raise unreadable(error, f"the source is not {source_format}") from None


JOBS: dict[str, Callable[..., dict[str, Any]]] = {
    "describe": describe,
    "execute": execute,
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
