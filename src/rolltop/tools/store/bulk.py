"""Several operations in one request, in one transaction, with one sync."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mcp_core import (
    DESTROYS,
    FROM_DOCUMENTS,
    Consent,
    Effect,
    EffectChanged,
    Example,
    Result,
    ToolArguments,
    ToolContext,
    quoted,
)
from mcp_core.jsonable import to_jsonable
from rolltop.errors import Conflict, InvalidInput, RolltopError
from rolltop.files import Target
from rolltop.store import Writer
from rolltop.tools.store import edit, fetch, find, grep, keep, manage
from rolltop.tools.store.budget import how_many_fit
from rolltop.tools.store.envelope import code_of
from rolltop.tools.store.models import Stored
from rolltop.tools.store.outputs import Outputs
from rolltop.tools.store.references import resolved
from rolltop.workspace import Workspace

__all__ = ["BulkOperations", "Bulked"]

CONSENT = "RUN_DESTRUCTIVE_OPERATIONS"
UNDONE = "undone"
_AGREED = Consent(
    CONSENT,
    "deletes documents, replaces files or makes them",
    always=False,
    when="a step deletes, or writes a file that exists or lies outside the temporary directory",
)
MOST = 1000

Name = Literal[
    "store_document",
    "store_text",
    "update_metadata",
    "retrieve_document",
    "get_by_name",
    "cat_document",
    "search_documents",
    "search_by_tag",
    "list_documents",
    "grep_documents",
    "delete_by_name",
    "get_stats",
    "edit_document",
]


class Operation(BaseModel):
    model_config = ConfigDict(extra="forbid")  # what stands beside `arguments` would be ignored, as a dry_run there

    op: Name = Field(description="Store tool.")
    arguments: dict[str, Any] = Field(default_factory=dict, description="Its arguments; $1.hash refers to step 1.")


class BulkOperations(ToolArguments):
    operations: list[Operation] = Field(description="Steps in order.", min_length=1, max_length=MOST)
    atomic: bool = Field(default=False, description="The first failure undoes every step.")
    dry_run: bool = Field(default=False, description="Do, answer, undo.")


class Step(BaseModel):
    step: int | None = Field(default=None, description="Number of the step, where others are left out.")
    op: str = Field(description="The operation.")
    success: bool = Field(description="Whether it succeeded, and was not undone.")
    result: dict[str, Any] | None = Field(default=None, description="Its answer.")
    error: str | None = Field(default=None, description="What was wrong.")
    code: str | None = Field(default=None, description="Code of the error.")
    hint: str | None = Field(default=None, description="What to do about it.")


class Bulked(BaseModel):
    succeeded: int = Field(description="Steps that succeeded.")
    failed: int = Field(description="Steps that failed.")
    committed: bool = Field(description="Whether the changes are kept: false after a dry run or an atomic failure.")
    dry_run: bool = Field(description="Whether this was a dry run.")
    note: str | None = Field(default=None, description="What is left out of the results.")
    results: list[Step] = Field(description="The steps that were tried, in order.")


class _Undone(Exception):
    """Ends the transaction without keeping it."""


@dataclass(frozen=True, slots=True)
class _Removal:
    step: int
    path: str
    hash: str
    size: int

    @property
    def facts(self) -> tuple[Any, ...]:
        return self.step, self.path, self.hash

    def __str__(self) -> str:
        return f"step {self.step} deletes {quoted(self.path)}, {self.size} bytes, {self.hash[:12]}"


@dataclass(frozen=True, slots=True)
class _Replacement:
    step: int
    target: Target
    hash: str

    @property
    def facts(self) -> tuple[Any, ...]:
        return self.step, str(self.target.place), self.target.state, self.hash

    def __str__(self) -> str:
        if self.target.state is None:
            return f"step {self.step} writes the new file {quoted(self.target.place)} with content {self.hash[:12]}"
        return f"step {self.step} replaces the file {quoted(self.target.place)} by content {self.hash[:12]}"


class _Destroyed:
    """What steps delete and replace, in order."""

    def __init__(self) -> None:
        self._all: list[_Removal | _Replacement] = []
        self._confirmed: list[bool] = []

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, what: _Removal | _Replacement, confirmed: bool) -> None:
        self._all.append(what)
        self._confirmed.append(confirmed)

    def mark(self) -> int:
        return len(self._all)

    def rewind(self, mark: int) -> None:
        del self._all[mark:], self._confirmed[mark:]

    @property
    def facts(self) -> list[tuple[Any, ...]]:
        return [each.facts for each in self._all]

    @property
    def all_confirmed(self) -> bool:
        """Whether every step that destroys carries the literal of its own tool."""
        return all(self._confirmed)

    def effect(self) -> Effect:
        removed = sum(isinstance(each, _Removal) for each in self._all)
        new = sum(isinstance(each, _Replacement) and each.target.state is None for each in self._all)
        replaced = len(self._all) - removed - new
        parts = [f"deletes {_count(removed, 'document')}"] if removed else []
        parts += [f"replaces {_count(replaced, 'file')}"] if replaced else []
        parts += [f"writes {_count(new, 'new file')}"] if new else []
        details = tuple(f"{number}. {each}" for number, each in enumerate(self._all, 1))
        return Effect(" and ".join(parts), details, facts=self.facts, summary=_AGREED.effect)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class _Bulk:
    """Runs the steps of one request: for real, or as a trial (`plan`) that only finds out what would be destroyed."""

    def __init__(self, workspace: Workspace, args: BulkOperations, budget: int) -> None:
        self._workspace = workspace
        self._library = workspace.store
        self._args = args
        self._whole_budget = budget
        self._whole_budget = budget
        self._budget = max(2000, budget // len(args.operations))
        self._outputs = Outputs(workspace.files)
        self._destroyed = _Destroyed()
        self._allowed: _Destroyed | None = None
        self._trial_files: dict[str, bytes] | None = None
        self._written_before: set[str] = set()  # what a step of ours wrote may be replaced by a later one
        self._confirmed = False
        self.steps: list[Step] = []

    def plan(self) -> _Destroyed:
        """What the steps would delete and replace now, with every reference resolved; nothing is changed."""
        for step in self._args.operations:
            _confirmed(step.op, step.arguments)  # a wrong literal is an error of the call
        if self._args.dry_run:
            return _Destroyed()
        for step in self._args.operations:
            _confirmed(step.op, step.arguments)
        if not any(map(_may_destroy, self._args.operations)):
            return _Destroyed()
        trial = _Bulk(self._workspace, self._args, self._whole_budget)
        trial._trial_files = {}
        with contextlib.suppress(_Undone):
            self._library.write(trial._all)
        failed = self._args.atomic and not trial.steps[-1].success
        return _Destroyed() if failed else trial._destroyed  # what fails as a whole destroys nothing

    def run(self, allowed: _Destroyed) -> Bulked:
        """Run the steps; `EffectChanged`, and nothing is kept, when they would destroy anything that is not allowed."""
        self._allowed = allowed
        committed = True
        try:
            self._library.write(self._all)
            self._outputs.keep()
        except _Undone:
            committed = False
        finally:
            self._outputs.undo()  # whatever is not kept by now
        if not committed and not self._args.dry_run:
            self._mark_undone()
        succeeded = sum(step.success for step in self.steps)
        results, note = _fitting(self.steps, self._whole_budget)
        return Bulked(
            note=note,
            results=results,
            succeeded=succeeded,
            failed=sum(not step.success and step.code != UNDONE for step in self.steps),
            committed=committed,
            dry_run=self._args.dry_run,
        )

    def _mark_undone(self) -> None:
        """Nothing of what came before the step that failed is there any more."""
        why = f"undone, because step {len(self.steps)} failed"
        self.steps[:-1] = [Step(op=step.op, success=False, error=why, code=UNDONE) for step in self.steps[:-1]]

    def _all(self, writer: Writer) -> None:
        for operation in self._args.operations:
            step = self._one(operation, writer)
            self.steps.append(step)
            if not step.success and self._args.atomic:
                raise _Undone
        if self._args.dry_run or self._trial_files is not None:
            raise _Undone
        if self._allowed is not None and self._destroyed.facts != self._allowed.facts:
            raise EffectChanged

    def _one(self, operation: Operation, writer: Writer) -> Step:
        mark, written, destroyed = writer.mark(), self._outputs.mark(), self._destroyed.mark()
        ours, trial = set(self._written_before), self._trial_files and dict(self._trial_files)
        try:
            with self._library.catalog.savepoint():
                answers = [step.result or {} for step in self.steps]
                arguments = resolved(operation.arguments, answers)
                answer = self._perform(operation.op, arguments)
                writer.flush()
        except (RolltopError, ValidationError) as error:
            writer.rewind(mark)
            self._outputs.undo(written)
            self._destroyed.rewind(destroyed)
            self._written_before, self._trial_files = ours, trial
            self._library.reader.forget()
            return _failed(operation.op, error)
        return Step(op=operation.op, success=True, result=to_jsonable(answer.model_dump(exclude_none=True)))

    def _perform(self, op: Name, arguments: dict[str, Any]) -> BaseModel:
        model, act = _ACTIONS[op]
        self._confirmed = _confirmed(op, arguments)
        if self._confirmed:
            arguments = {name: value for name, value in arguments.items() if name != "confirm"}
        return act(self, model.model_validate(arguments))

    # one method per operation that needs more than the library -----------------------------------

    def store_document(self, args: keep.StoreDocument) -> BaseModel:
        trial = (self._trial_files or {}).get(args.path)
        if trial is None:
            return keep.store_path(self._workspace, args)
        # An earlier step would have written it.
        return Stored.of(
            self._library.documents.add(args.path, io.BytesIO(trial), tags=args.tags, metadata=args.metadata)
        )

    def store_text(self, args: keep.StoreText) -> BaseModel:
        kept = self._library.documents.add_text(
            args.name, args.content, tags=args.tags, metadata=args.metadata, mime=args.mime_type
        )
        return Stored.of(kept)

    def delete(self, args: manage.DeleteByName) -> BaseModel:
        if args.dry_run or self._args.dry_run:
            return manage.delete(self._library, args)
        would = manage.delete(self._library, args.model_copy(update={"dry_run": True}))
        for document in would.deleted:
            self._destroy(_Removal(len(self.steps) + 1, document.path, document.hash, document.size))
        return manage.delete(self._library, args)

    def retrieve(self, args: fetch.RetrieveDocument) -> BaseModel:
        if args.output_path is not None and self._args.dry_run:
            raise InvalidInput("a dry run cannot write a file", hint="Leave outputPath out, or dry_run.")
        return fetch.retrieve(self._workspace, args, self._budget, self._write)

    def _write(self, path: str, data: bytes) -> Path:
        target = self._workspace.files.target(path)
        again = str(target.place) in self._written_before
        if (target.state is not None or target.asks) and not again:
            if not target.asks and not target.place.is_file():
                raise Conflict("what has that name is no file", hint="Choose another name.")
            self._destroy(_Replacement(len(self.steps) + 1, target, hashlib.sha256(data).hexdigest()))
        self._written_before.add(str(target.place))
        if self._trial_files is None:
            return self._outputs.write(target, data)
        self._trial_files[str(target.place)] = data
        return target.place

    def _destroy(self, what: _Removal | _Replacement) -> None:
        if self._allowed is not None and what.facts not in self._allowed.facts:
            raise EffectChanged
        self._destroyed.add(what, self._confirmed)

    def by_name(self, args: fetch.GetByName | fetch.CatDocument) -> BaseModel:
        return fetch._by_name(self._library, args, self._budget)

    def grep(self, args: grep.GrepDocuments) -> BaseModel:
        return grep.grep(self._library, args, self._budget)

    def page(self, act: Callable[[Any, Any, int], BaseModel], args: Any) -> BaseModel:
        return act(self._library, args, self._budget)

    def plain(self, act: Callable[[Any, Any], BaseModel], args: Any) -> BaseModel:
        return act(self._library, args)


Action = tuple[type[ToolArguments], Callable[[_Bulk, Any], BaseModel]]

_ACTIONS: dict[str, Action] = {
    "store_document": (keep.StoreDocument, _Bulk.store_document),
    "store_text": (keep.StoreText, _Bulk.store_text),
    "update_metadata": (keep.UpdateMetadata, lambda bulk, args: bulk.plain(keep.apply_metadata, args)),
    "retrieve_document": (fetch.RetrieveDocument, _Bulk.retrieve),
    "get_by_name": (fetch.GetByName, _Bulk.by_name),
    "cat_document": (fetch.CatDocument, _Bulk.by_name),
    "search_documents": (find.SearchDocuments, lambda bulk, args: bulk.page(find.search, args)),
    "search_by_tag": (find.SearchByTag, lambda bulk, args: bulk.page(find.tagged, args)),
    "list_documents": (find.ListDocuments, lambda bulk, args: bulk.page(find.list_page, args)),
    "grep_documents": (grep.GrepDocuments, _Bulk.grep),
    "delete_by_name": (manage.DeleteByName, _Bulk.delete),
    "get_stats": (manage.GetStats, lambda bulk, args: bulk.plain(manage.statistics, args)),
    "edit_document": (edit.EditDocument, lambda bulk, args: bulk.plain(edit.edit, args)),
}


_BRIEF = ("hash", "path", "version", "outcome", "found", "updated", "deleted", "total", "next_cursor", "complete")
"""What is told of a step's answer where the answers of all steps are too long."""


def _fitting(steps: list[Step], budget: int) -> tuple[list[Step], str | None]:
    """The steps as they fit into an answer: briefer if need be, then those that failed and the first ones."""
    if how_many_fit(steps, budget) == len(steps):
        return steps, None
    brief = [step.model_copy(update={"result": _brief(step.result)}) for step in steps]
    if how_many_fit(brief, budget) == len(brief):
        return brief, "The answers of the steps are shortened; ask for a document to see all of it."
    numbered = [step.model_copy(update={"step": number}) for number, step in enumerate(brief, 1)]
    urgent = sorted(numbered, key=lambda step: step.success)
    shown = sorted(urgent[: how_many_fit(urgent, budget)], key=lambda step: step.step or 0)
    return shown, f"{len(steps) - len(shown)} of {len(steps)} steps are left out; those that failed come first."


def _brief(result: dict[str, Any] | None) -> dict[str, Any] | None:
    return result and {key: value for key, value in result.items() if key in _BRIEF and not isinstance(value, list)}


def _failed(op: str, error: RolltopError | ValidationError) -> Step:
    if isinstance(error, ValidationError):
        problems = "; ".join(f"{'.'.join(map(str, each['loc'])) or op}: {each['msg']}" for each in error.errors())
        return Step(op=op, success=False, error=f"the arguments are not valid: {problems}", code="invalid_arguments")
    return Step(op=op, success=False, error=error.message, code=code_of(error.error_type), hint=error.hint)


_LITERALS: dict[str, str] = {"delete_by_name": manage.CONSENT, "retrieve_document": fetch.OVERWRITE}
"""What `confirm` in a step must say, as in a call of that tool."""


def _confirmed(op: str, arguments: dict[str, Any]) -> bool:
    """Whether a step says that the user agrees; InvalidInput where it says something else."""
    said = arguments.get("confirm")
    if said is None or op not in _LITERALS:
        return False
    if said != _LITERALS[op]:
        raise InvalidInput(
            f'confirm in a step of {op} can only be "{_LITERALS[op]}"', hint="Leave it out, or say that."
        )
    return True


def _may_destroy(step: Operation) -> bool:
    if step.op == "delete_by_name":
        return step.arguments.get("dry_run") is not True
    return step.op == "retrieve_document" and not {"outputPath", "output_path"}.isdisjoint(step.arguments)


@ToolArguments.declare(
    toolset="store",
    annotations=DESTROYS,
    consent=_AGREED,
    examples=[
        Example(
            {
                "operations": [
                    {"op": "store_text", "arguments": {"content": "Draft\n", "name": "draft.md"}},
                    {"op": "update_metadata", "arguments": {"name": "$1.path", "metadata": ["status=draft"]}},
                ],
                "atomic": True,
            },
            why="Store a note and mark it, together or not at all.",
            expect="Two answers; committed: true.",
        ),
        Example(
            {"operations": [{"op": "get_by_name", "arguments": {"name": "nowhere.md"}}]},
            why="A step that fails.",
            expect="The step says why; the call itself succeeds.",
        ),
    ],
    usage="References are whole strings: $1.hash, $prev.documents[0].path. $$ begins a text that starts with $.",
    tags=[FROM_DOCUMENTS],
)
async def bulk_operations(args: BulkOperations, ctx: ToolContext[Workspace]) -> Result[Bulked]:
    """Perform multiple operations in one request.

    Stores, tags, edits, reads, deletes many documents.

    Keyword search in a step sees what was stored before the call.

    Use it for several steps at once, in one go, atomically.
    """
    _refuse_excluded(args, ctx)
    bulk = _Bulk(ctx.workspace, args, ctx.budget)
    if destroyed := await ctx.run(bulk.plan):
        given = _AGREED.given_in(args) or destroyed.all_confirmed
        await ctx.require_consent(CONSENT, destroyed.effect(), given=given)
    answer = await ctx.run(bulk.run, destroyed)
    if not answer.committed and not args.dry_run:
        return _undone(answer)
    ctx.resources_changed()
    return Result.ok(answer)


def _refuse_excluded(args: BulkOperations, ctx: ToolContext[Workspace]) -> None:
    """A tool that is left out is left out here too."""
    for name in dict.fromkeys(step.op for step in args.operations):
        ctx.refuse_excluded(name)


def _undone(answer: Bulked) -> Result[Bulked]:
    failed = answer.results[-1]
    return Result.failure(
        f"step {len(answer.results)} ({failed.op}) failed, and nothing was kept: {failed.error}",
        failed.code or UNDONE,
        instruction=failed.hint,
        details=answer.model_dump(exclude_none=True),
    )
