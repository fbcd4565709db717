"""Several operations in one request, in one transaction, with one sync."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mcp_core import DESTROYS, Consent, Example, Result, ToolArguments, ToolContext, some_of
from mcp_core.jsonable import to_jsonable
from rolltop.errors import InvalidInput, RolltopError
from rolltop.files import WritePlan
from rolltop.store import Library
from rolltop.store.writer import Writer
from rolltop.tools.store import fetch, find, grep, keep, manage
from rolltop.tools.store.envelope import code_of
from rolltop.tools.store.models import Stored
from rolltop.tools.store.operations import store_file
from rolltop.tools.store.outputs import Outputs
from rolltop.tools.store.references import resolved
from rolltop.workspace import Workspace

__all__ = ["BulkOperations", "Bulked"]

CONSENT = "RUN_DESTRUCTIVE_OPERATIONS"
UNDONE = "undone"
_AGREED = Consent(CONSENT, "deletes documents or replaces files in one of its steps", always=False)
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
]


class Operation(BaseModel):
    model_config = ConfigDict(extra="forbid")  # what stands beside `arguments` would be ignored, as a dry_run there

    op: Name = Field(description="Name of a store tool.")
    arguments: dict[str, Any] = Field(default_factory=dict, description="Its arguments; $1.hash refers to step 1.")


class BulkOperations(ToolArguments):
    operations: list[Operation] = Field(description="The steps, in order.", min_length=1, max_length=MOST)
    atomic: bool = Field(default=False, description="All or nothing: the first failure undoes every step.")
    dry_run: bool = Field(default=False, description="Do everything, answer, and undo it.")


class Step(BaseModel):
    op: str = Field(description="The operation.")
    success: bool = Field(description="Whether it succeeded, and was not undone.")
    result: dict[str, Any] | None = Field(default=None, description="Its answer.")
    error: str | None = Field(default=None, description="What was wrong.")
    code: str | None = Field(default=None, description="Code of the error.")
    hint: str | None = Field(default=None, description="What to do about it.")


class Bulked(BaseModel):
    results: list[Step] = Field(description="One entry per step that was tried, in order.")
    succeeded: int = Field(description="Steps that succeeded.")
    failed: int = Field(description="Steps that failed.")
    committed: bool = Field(description="Whether the changes are kept: false after a dry run or an atomic failure.")
    dry_run: bool = Field(description="Whether this was a dry run.")


class _Undone(Exception):
    """Ends the transaction without keeping it."""


class _Bulk:
    """Runs the steps of one request. `given`: the call says that the user agrees to all that it destroys."""

    def __init__(self, workspace: Workspace, args: BulkOperations, budget: int) -> None:
        self.given = _AGREED.given_in(args)
        self._workspace = workspace
        self._library = workspace.store
        self._args = args
        self._budget = max(2000, budget // len(args.operations))
        self._outputs = Outputs(workspace.files, CONSENT)
        self._plans: dict[str, WritePlan] = {}
        self._confirmed = False
        self.steps: list[Step] = []

    def effects(self) -> list[str]:
        """What the user has to agree to before the steps run."""
        if self._args.dry_run:
            return []
        numbered = enumerate(self._args.operations, 1)
        steps = [(number, step) for number, step in numbered if not _confirmed(step.op, step.arguments)]
        paths = [step.arguments.get("outputPath", step.arguments.get("output_path")) for _, step in steps]
        plans = {path: self._outputs.plan(path) for path in paths if isinstance(path, str)}
        self._plans = {path: plan for path, plan in plans.items() if plan is not None}
        replaced = sorted(path for path, plan in self._plans.items() if plan.identity is not None)
        new = sorted(str(plan.place) for plan in self._plans.values() if plan.identity is None)
        parts = [f"step {number} deletes {_gone(self._library, step)}" for number, step in steps if _deletes(step)]
        deletes = [f"deletes documents: {some_of(parts, 10)}"] if parts else []
        writes = [f"replaces files: {some_of(replaced, 10)}"] if replaced else []
        writes += [f"writes new files: {some_of(new, 10)}"] if new else []
        return deletes + writes

    def run(self) -> Bulked:
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
        return Bulked(
            results=self.steps,
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
        if self._args.dry_run:
            raise _Undone

    def _one(self, operation: Operation, writer: Writer) -> Step:
        mark, written = writer.mark(), self._outputs.mark()
        try:
            with self._library.catalog.savepoint():
                answers = [step.result or {} for step in self.steps]
                arguments = resolved(operation.arguments, answers)
                answer = self._perform(operation.op, arguments)
                writer.flush()
        except (RolltopError, ValidationError) as error:
            writer.rewind(mark)
            self._outputs.undo(written)
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
        files = self._workspace.files
        return Stored.of(store_file(self._library, files, args.path, args.tags, args.metadata))

    def store_text(self, args: keep.StoreText) -> BaseModel:
        kept = self._library.add_text(
            args.name, args.content, tags=args.tags, metadata=args.metadata, mime=args.mime_type
        )
        return Stored.of(kept)

    def retrieve(self, args: fetch.RetrieveDocument) -> BaseModel:
        if args.output_path is not None and self._args.dry_run:
            raise InvalidInput("a dry run cannot write a file", hint="Leave outputPath out, or dry_run.")
        plan = self._plans.get(args.output_path or "")
        write = partial(self._outputs.write, overwrite=self.given or self._confirmed, plan=plan)
        return fetch.retrieve(self._workspace, args, self._budget, write)

    def by_name(self, args: fetch.GetByName | fetch.CatDocument) -> BaseModel:
        return fetch._by_name(self._library, args, self._budget)

    def grep(self, args: grep.GrepDocuments) -> BaseModel:
        return grep.grep(self._library, args, self._budget)

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
    "search_documents": (find.SearchDocuments, lambda bulk, args: bulk.plain(find.search, args)),
    "search_by_tag": (find.SearchByTag, lambda bulk, args: bulk.plain(find.tagged, args)),
    "list_documents": (find.ListDocuments, lambda bulk, args: bulk.plain(find.list_page, args)),
    "grep_documents": (grep.GrepDocuments, _Bulk.grep),
    "delete_by_name": (manage.DeleteByName, lambda bulk, args: bulk.plain(manage.delete, args)),
    "get_stats": (manage.GetStats, lambda bulk, args: bulk.plain(manage.statistics, args)),
}


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


def _deletes(step: Operation) -> bool:
    return step.op == "delete_by_name" and step.arguments.get("dry_run") is not True


def _gone(library: Library, step: Operation) -> str:
    """What a step would delete if it ran now; what an earlier step stores is named as the step names it."""
    said = ", ".join(f"{name} {value}" for name, value in step.arguments.items())
    try:
        now = manage.delete(library, manage.DeleteByName.model_validate({**step.arguments, "dry_run": True}))
    except (RolltopError, ValidationError):
        return said
    return f"{manage.removal(now)} ({said})" if now.deleted else said


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
                    {"op": "get_by_name", "arguments": {"name": "$1.name"}},
                ],
                "atomic": True,
            },
            why="Store a note and mark it, together or not at all.",
            expect="Three answers; committed: true.",
        ),
        Example(
            {"operations": [{"op": "get_by_name", "arguments": {"name": "nowhere.md"}}]},
            why="A step that fails.",
            expect="The step says why; the call itself succeeds.",
        ),
    ],
    usage="References are whole strings: $1.hash, $prev.documents[0].path. $$ begins a text that starts with $.",
)
async def bulk_operations(args: BulkOperations, ctx: ToolContext[Workspace]) -> Result[Bulked]:
    """Perform multiple operations in one request.

    Use it to store, tag, read or delete many documents at once. Keyword search in a step sees what was stored
    before the call.
    """
    bulk = _Bulk(ctx.workspace, args, ctx.budget)
    if effects := await ctx.run(bulk.effects):
        await ctx.require_consent(CONSENT, " and ".join(effects), given=bulk.given)
    answer = await ctx.run(bulk.run)
    if not answer.committed and not args.dry_run:
        return _undone(answer)
    ctx.resources_changed()
    return Result.ok(answer)


def _undone(answer: Bulked) -> Result[Bulked]:
    failed = answer.results[-1]
    return Result.failure(
        f"step {len(answer.results)} ({failed.op}) failed, and nothing was kept: {failed.error}",
        failed.code or UNDONE,
        instruction=failed.hint,
        details=answer.model_dump(exclude_none=True),
    )
