"""From a call to a job: what is to be rendered, read from the directory at one moment."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.reports.config import MIB, RendererName, ReportsConfig
from rolltop.reports.files.documents import Documents, Stamps, source_text
from rolltop.reports.files.render_record import Origin
from rolltop.reports.job import EXTENSIONS, Engine, Format, RenderJob
from rolltop.reports.source.chunks import packages_mentioned, want_own_knit
from rolltop.reports.source.engine_choice import choose_engine
from rolltop.reports.source.quarto import as_rmd, is_quarto
from rolltop.reports.typeset import typst_installed

__all__ = ["Prepared", "RenderOptions", "prepare"]


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """What a caller may say about a render; what is left out comes from the settings."""

    formats: Sequence[Format] = ("html",)
    renderer: RendererName | None = None
    engine: Engine | None = None
    params: Mapping[str, Any] | None = None
    timeout: float | None = None
    figures: bool = False
    """Offer the plots as PNG even where the document uses vector figures."""
    fresh: bool = False
    """Render again even when nothing changed."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A job, why it has not the engine asked for, and what tells later whether its text is still the document's."""

    job: RenderJob
    note: str | None
    origin: Origin
    files: Mapping[str, bytes]
    """The document and its side files as they were read."""
    stamps: Stamps
    warnings: tuple[str, ...] = ()
    """What is to be told although the render does not know of it."""


def prepare(documents: Documents, config: ReportsConfig, filename: str, options: RenderOptions) -> Prepared:
    name = documents.existing(filename)
    formats = _checked_formats(options.formats)
    read, stamps = time.time_ns(), documents.stamps(name)  # first: what is changed from now on is a change
    files = documents.gather(name)
    text, lacks = source_text(name, files[name]), list[str]()
    given = files
    if is_quarto(name):
        text, lacks = as_rmd(text)
        files = {**files, name: text.encode()}
    wanted = options.engine or config.engine
    engine, note = choose_engine(wanted, text, formats, typst=typst_installed(), files=files.keys())
    job = RenderJob(
        source=name,
        files=files,
        formats=formats,
        engine=engine,
        params=options.params,
        figures=options.figures,
        separate=len(formats) > 1 and want_own_knit(files),
        timeout=_timeout(config, options.timeout),
        packages=frozenset(packages_mentioned(text)),
        limit=config.output_limit * MIB,
    )
    left_out = tuple(
        f"{side!r} is no side file for a render: a link, or control characters in the name"
        for side in documents.left_out(name)
    )
    return Prepared(job, note, Origin.of(given, read), given, stamps, (*lacks, *left_out))


def _timeout(config: ReportsConfig, given: float | None) -> float:
    seconds = config.timeout if given is None else given
    if not 0 < seconds <= config.max_timeout:
        raise InvalidInput(f"timeout must be above 0 and at most {config.max_timeout:g} seconds")
    return seconds


def _checked_formats(formats: Sequence[Format]) -> tuple[Format, ...]:
    unknown = [name for name in formats if name not in EXTENSIONS]
    if unknown or not formats:
        raise InvalidInput(f"format must be one of {', '.join(EXTENSIONS)}")
    return tuple(dict.fromkeys(formats))
