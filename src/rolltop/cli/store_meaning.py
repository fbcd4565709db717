"""`rolltop store models` and `reindex`."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from rolltop.cli.main import EXIT_CODES, Invocation
from rolltop.cli.output import note, print_json, print_rows
from rolltop.cli.store_open import opened, progress

if TYPE_CHECKING:
    from rolltop.errors import RolltopError
    from rolltop.store import Library
    from rolltop.store.meaning import Model

__all__ = ["models", "reindex"]


@click.command(epilog=EXIT_CODES)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def models(invocation: Invocation, as_json: bool) -> None:
    """List the models of the search by meaning: which is used, what it knows, how to get another."""
    from rolltop.errors import RolltopError
    from rolltop.store.meaning import NONE, known_models

    with opened(invocation) as library:
        chosen = library.options.model
        listed, state = known_models(), None
        if chosen != NONE and chosen not in [model.name for model in listed]:
            listed.append(_other(chosen))
        try:
            state = library.meaning.state() if chosen != NONE else None
        except RolltopError as problem:
            listed = [_failing(model, problem) if model.name == chosen else model for model in listed]
    rows = []
    for model in listed:
        active = model.name == chosen
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
        print_json({"active": chosen, "models": rows})
        return
    names = ("", "MODEL", "DIMENSIONS", "EMBEDDED", "ABOUT")
    print_rows(names, [_row(row, None if state is None else f"{state.share:.0%}") for row in rows])
    note('Choose with model = "NAME" under [store] in the configuration, or ROLLTOP_STORE_MODEL; a folder works too.')


def _other(chosen: str) -> Model:
    """A folder by the name that it was chosen by, or what is in the way of it."""
    from rolltop.errors import RolltopError
    from rolltop.store.meaning import Model, find_model

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
    """Build the keyword index and the vectors anew. It can be interrupted, and goes on with --keep."""
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
    state = library.meaning.state() if embedded else None
    vectors = state and {"model": state.model, "documents": state.documents, "pending": state.pending}
    return {"unindexed": library.unindexed(), "meaning": vectors}


def _reindex_text(library: Library, stop: list[bool], *, keep: bool) -> None:
    with progress("words") as show:
        learn = library.catch_up if keep else library.rebuild_words
        learn(show, stop=lambda: bool(stop))
    left = library.unindexed()
    note(f"the keyword index: {left} documents are left" if left else "the keyword index is up to date")


def _reindex_meaning(library: Library, stop: list[bool], *, keep: bool) -> None:
    with progress("meanings") as show:
        if not keep:
            library.meaning.rebuild()
        while not library.meaning.follow(show, stop=lambda: bool(stop)) and not stop:
            time.sleep(0.2)  # another process is embedding: it has the lock until it is done
    state = library.meaning.state()
    note(f"{state.model}: {state.documents} documents embedded, {state.pending} are left")


@contextmanager
def _stopping() -> Iterator[list[bool]]:
    """A list that gets an entry when somebody wants an end; what was committed until then stays."""
    asked: list[bool] = []
    before = {
        number: signal.signal(number, lambda *_: asked.append(True)) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
