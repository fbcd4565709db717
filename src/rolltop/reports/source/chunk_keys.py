"""Keys of chunks that are kept between renders: each covers everything that runs before the chunk, and the chunk."""

from __future__ import annotations

import hashlib
import json
import re

from rolltop.reports.job import RenderJob
from rolltop.reports.source.chunks import scan_chunks
from rolltop.reports.source.code_parts import parted
from rolltop.reports.source.frontmatter import split

__all__ = ["chunk_keys"]

_CACHED = re.compile(r"\bcache\s*[=:]\s*(?:TRUE|T|true|3|1)\b")
_CHILD = re.compile(r"\bchild\b|knit_child|knit_expand")


def chunk_keys(job: RenderJob, fingerprint: str) -> dict[str, str]:
    """By label; empty for a document that caches nothing.

    A key holds the document's name, its side files, front matter, parameters and formats, the programs that render, and
    all code up to the end of the chunk. Prose is not part of it. Chunks without a name have keys only where no
    child document can change how they are counted.
    """
    text = job.text
    if not _CACHED.search(text):
        return {}
    digest = hashlib.sha256()
    sides = [[name, hashlib.sha256(job.files[name]).hexdigest()] for name in sorted(job.files) if name != job.source]
    rest = [
        job.source,
        sides,
        split(text)[0],
        job.params,
        job.formats,
        job.engine,
        job.figures,
        job.separate,
        fingerprint,
    ]
    digest.update(json.dumps(rest, sort_keys=True, default=repr).encode())
    lines, at, keys = text.splitlines(keepends=True), 0, dict[str, str]()
    counted = not _CHILD.search(text)
    for chunk in scan_chunks(text):
        executed = parted("".join(lines[at : chunk.end]))[1]
        digest.update(f"{len(executed)}:{executed}".encode("utf-8", "surrogatepass"))
        at = chunk.end
        if counted or not chunk.label.startswith("unnamed-chunk-"):
            keys[chunk.label] = digest.copy().hexdigest()
    return keys
