"""Maintain the store: `rolltop store stats`, `verify`, `repair`, `index`, `reindex` and `models`."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.cli.output import Ratio, Size, counted, note, print_json, print_rows, progress
from rolltop.cli.store import opened

if TYPE_CHECKING:
    from rolltop.errors import RolltopError
    from rolltop.store import Library, Model, Report

__all__ = ["index", "models", "reindex", "repair", "stats", "verify"]


@click.command(epilog=EXIT_CODES)
@click.option("--types", is_flag=True, help="Documents and bytes by type.")
@click.option("--largest", type=click.IntRange(0, 1_000_000), default=0, metavar="N", help="The N largest documents.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def stats(invocation: Invocation, types: bool, largest: int, as_json: bool) -> None:
    """Count documents, versions, bytes, and what deduplication saves."""
    with opened(invocation) as library:
        found, waiting = library.care.stats(), library.search.unindexed()
        kinds = library.catalog.figures.file_types() if types else []
        big = library.catalog.figures.largest(largest) if largest else []
    figures: dict[str, Any] = {
        **asdict(found),
        "deduplicated_bytes": found.deduplicated_bytes,
        "dedup_ratio": found.dedup_ratio,
        "not_indexed_yet": waiting,
    }
    if as_json:
        names = ("extension", "mime_type", "type", "count", "bytes")
        more: dict[str, Any] = {"file_types": [dict(zip(names, row, strict=True)) for row in kinds]} if types else {}
        print_json(figures | more | ({"largest": big} if largest else {}))
        return
    print_rows(("WHAT", "FIGURE"), [(name.replace("_", " "), _figure(name, value)) for name, value in figures.items()])
    if kinds:
        print_rows(("EXT", "MIME", "TYPE", "DOCUMENTS", "BYTES"), [(*row[:-1], Size(row[-1])) for row in kinds])
    if big:
        print_rows(("PATH", "BYTES"), [(path, Size(size)) for path, size in big])


def _figure(name: str, value: Any) -> Any:
    if name.endswith("bytes"):
        return Size(value)
    return Ratio(value) if isinstance(value, float) else value


@click.command(epilog=EXIT_CODES)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def verify(invocation: Invocation, as_json: bool) -> None:
    """Read everything and compare it with the catalogue, byte by byte. Exit code 1: something is wrong."""
    with opened(invocation, mending=True) as library, progress("verifying") as show:
        report = library.care.verify(show)
    _show(report, as_json)


@click.command(epilog=EXIT_CODES)
@click.option("--from-files", is_flag=True, help="Take lost content from the original files, where they still have it.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def repair(invocation: Invocation, from_files: bool, as_json: bool) -> None:
    """Repair flipped bits, remove leftovers of a crash, rebuild damaged indexes; name what cannot be repaired."""
    with opened(invocation, mending=True) as library, progress("repairing") as show:
        report = library.care.repair(_fetch if from_files else None, show)
    _show(report, as_json)


def _fetch(path: str) -> BinaryIO | None:
    from rolltop.errors import RolltopError
    from rolltop.store import open_source

    try:
        return open_source(path)
    except (OSError, RolltopError):
        return None


def _show(report: Report, as_json: bool) -> None:
    if as_json:
        print_json(asdict(report) | {"ok": report.ok})
    else:
        for line in report.mended:
            click.echo(f"mended\t{line}")
        for line in report.problems:
            click.echo(f"problem\t{line}")
        for path in report.affected:
            click.echo(f"affected\t{path}")
        verdict = "everything is as it was stored" if report.ok else counted(len(report.problems), "problem")
        kept = f"{counted(report.documents, 'document')}, {counted(report.objects, 'object')}"
        note(f"{kept}, {Size(report.bytes).scaled} on disk: {verdict}")
    if not report.ok:
        sys.exit(1)


@click.command(epilog=EXIT_CODES)
@click.option("--anew", is_flag=True, help="Forget the indexes first.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def index(invocation: Invocation, anew: bool, as_json: bool) -> None:
    """Bring the indexes up to date. They also catch up in the background."""
    with opened(invocation) as library, progress("indexing") as show:
        if anew:
            library.forget_trigrams()
            library.search.rebuild_words(show)
            library.extracts.kept.start_again()
            library.graph.traits.start_again()
        library.indexes.update(show)
        library.graph.trace(progress=show)
        left = library.search.unindexed()
    if as_json:
        print_json({"unindexed": left})
    else:
        note("the indexes are up to date")


@click.command(epilog=EXIT_CODES)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def models(invocation: Invocation, as_json: bool) -> None:
    """List the models of the search by meaning: which answers now, what it knows, how to get another."""
    from rolltop.errors import RolltopError
    from rolltop.store import AUTO, NONE, known_models

    with opened(invocation) as library:
        chosen = library.options.model
        listed, state = known_models(), None
        if chosen not in (AUTO, NONE) and chosen not in [model.name for model in listed]:
            listed.append(_other(chosen))
        try:
            state = library.search.meaning.state() if chosen != NONE else None
        except RolltopError as problem:
            listed = [_failing(model, problem) if model.name == chosen else model for model in listed]
        answering = state.model if state and chosen == AUTO else chosen
    rows = []
    for model in listed:
        active = model.name == answering
        rows.append(
            {
                "name": model.name,
                "active": active,
                "dimensions": state.width if active and state else model.width,
                "documents": state.documents if active and state else None,
                "pending": state.pending if active and state else None,
                "about": model.about,
                "source": model.source,
                "missing": model.missing,
            }
        )
    if as_json:
        print_json({"chosen": chosen, "active": answering, "models": rows})
        return
    names = ("", "MODEL", "DIMENSIONS", "EMBEDDED", "ABOUT")
    print_rows(names, [_row(row, None if state is None else f"{state.share:.0%}") for row in rows])
    note('Choose with model = "NAME" under [store] in the configuration, or ROLLTOP_STORE_MODEL; a folder works too.')


def _other(chosen: str) -> Model:
    """The configured model folder, or the reason why it cannot be used."""
    from rolltop.errors import RolltopError
    from rolltop.store import Model, find_model

    try:
        return replace(find_model(chosen), name=chosen)
    except RolltopError as problem:
        return _failing(Model(chosen, "was chosen, but cannot be used", 0), problem)


def _failing(model: Model, problem: RolltopError) -> Model:
    told = f"{str(problem).rstrip('.')}. {problem.hint or ''}".strip()
    return replace(model, missing=model.missing or told)


def _row(row: dict[str, object], share: str | None) -> tuple[str, ...]:
    embedded = share if row["active"] and share else "-"
    about = f"{row['about']}. {row['missing']}" if row["missing"] else str(row["about"])
    return "*" if row["active"] else "", str(row["name"]), str(row["dimensions"]), embedded, about


@click.command(epilog=EXIT_CODES)
@click.option("--model", help="Embed with this model: a name of `rolltop store models`, or a folder.")
@click.option("--text", is_flag=True, help="Only the keyword index.")
@click.option("--meaning", is_flag=True, help="Only the vectors.")
@click.option("--keep", is_flag=True, help="Keep what is there and do only what is missing.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def reindex(invocation: Invocation, model: str | None, *, text: bool, meaning: bool, keep: bool, as_json: bool) -> None:
    """Rebuild the keyword index and the vectors. If interrupted, --keep continues."""
    everything = not (text or meaning or model)
    with opened(invocation) as library, _stopping() as stop:
        if model is not None:
            library.options = replace(library.options, model=model)
        if text or everything:
            _reindex_text(library, stop, keep=keep)
        embedded = bool(meaning or model or (everything and library.options.model != "none"))
        if embedded and not stop:
            _reindex_meaning(library, stop, keep=keep)
        if as_json:
            print_json(_indexed(library, embedded=embedded))
    if stop:
        raise click.exceptions.Exit(130)


def _indexed(library: Library, *, embedded: bool) -> dict[str, object]:
    state = library.search.meaning.state() if embedded else None
    vectors = state and {"model": state.model, "documents": state.documents, "pending": state.pending}
    return {"unindexed": library.search.unindexed(), "meaning": vectors}


def _reindex_text(library: Library, stop: list[bool], *, keep: bool) -> None:
    with progress("words") as show:
        learn = library.search.catch_up if keep else library.search.rebuild_words
        learn(show, stop=lambda: bool(stop))
    left = library.search.unindexed()
    note(f"the keyword index: {left} documents are left" if left else "the keyword index is up to date")


def _reindex_meaning(library: Library, stop: list[bool], *, keep: bool) -> None:
    with progress("meanings") as show:
        for meaning in library.search.meanings:
            if not keep:
                meaning.rebuild()
            while not meaning.follow(show, stop=lambda: bool(stop)) and not stop:
                time.sleep(0.2)  # another process is embedding: it has the lock until it is done
    for meaning in library.search.meanings:
        state = meaning.state()
        note(f"{state.model}: {state.documents} documents embedded, {state.pending} are left")


@contextmanager
def _stopping() -> Iterator[list[bool]]:
    """A list that gets an entry on SIGTERM or Ctrl-C; what was committed until then stays."""
    asked: list[bool] = []
    before = {
        number: signal.signal(number, lambda *_: asked.append(True)) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
