"""Prompts that lead an agent through remembering, recalling and tidying."""

# Documentation of prompts follows src/rolltop/prompts/README.md.

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcp_core import PromptArgument, ToolContext, declare_prompt
from rolltop.workspace import Workspace

__all__ = ["remember_this", "tidy_up", "what_do_i_know"]


@declare_prompt(
    arguments=[
        PromptArgument("what", "What to remember.", required=True),
        PromptArgument("tag", "A tag for it, such as a project."),
    ],
    title="Remember this",
)
async def remember_this(arguments: Mapping[str, str], ctx: ToolContext[Workspace]) -> str:
    """Keep something so that it is found again.

    ## Description

    Leads through looking for what is known already, adding to it or storing a new note, and tags.

    ## Conceptual Schema

    ```text
    remember_this(*args)
    args: what to remember; optionally a tag.
    ```

    ## Usage Instructions

    ```text
    @remember_this WHAT [TAG]
    ```

    ## Concrete Examples

    ```text
    @remember_this "the meter is read on the first of the month" house
    ```

    Gives the steps to a note about the meter with the tag house.
    """
    tag = arguments.get("tag")
    tags = f"the tag {tag}" if tag else "tags that are in use already"
    return _steps(
        f"Remember this: {arguments['what']}",
        [
            f"Call {ctx.name_of('search_documents')} for a note on the same subject.",
            f"If there is one, add to it with {ctx.name_of('edit_document')} (append, or old and new).",
            f"Else call {ctx.name_of('store_text')} with a name that one would look for later, and {tags}.",
            "Write down the fact, its date and where it comes from; no secrets such as passwords.",
            "Tell the user the name of the note, and what was there before.",
        ],
    )


@declare_prompt(
    arguments=[
        PromptArgument("subject", "What it is about.", required=True),
        PromptArgument("tag", "Only documents with this tag."),
    ],
    title="What do I know about …",
)
async def what_do_i_know(arguments: Mapping[str, str], ctx: ToolContext[Workspace]) -> str:
    """Say what the documents know about a subject.

    ## Description

    Leads through recalling passages, reading on where they are cut, and an answer with sources.

    ## Conceptual Schema

    ```text
    what_do_i_know(*args)
    args: the subject; optionally a tag.
    ```

    ## Usage Instructions

    ```text
    @what_do_i_know SUBJECT [TAG]
    ```

    ## Concrete Examples

    ```text
    @what_do_i_know "the heat pump" house
    ```

    Gives the steps to an answer with sources.
    """
    tag = arguments.get("tag")
    only = f" and tags {tag}" if tag else ""
    return _steps(
        f"Say what my documents know about: {arguments['subject']}",
        [
            f"Call {ctx.name_of('recall')} with this as task{only}.",
            f"Where a passage is cut, read on with {ctx.name_of('cat_document')} at its place.",
            f"Where little is found, try other words with {ctx.name_of('search_documents')}.",
            "Answer from the passages alone, with path and place after each statement; name contradictions and gaps.",
        ],
    )


@declare_prompt(arguments=[PromptArgument("where", "A tag or a path; everything when absent.")], title="Tidy up")
async def tidy_up(arguments: Mapping[str, str], ctx: ToolContext[Workspace]) -> str:
    """Propose how to put stored documents in order.

    ## Description

    Leads through a list of what is there, what is double or out of date, and a plan that the user agrees to first.

    ## Conceptual Schema

    ```text
    tidy_up(*args)
    args: optionally a tag or a path.
    ```

    ## Usage Instructions

    ```text
    @tidy_up [WHERE]
    ```

    ## Concrete Examples

    ```text
    @tidy_up notes/
    ```

    Gives the steps to a plan for the documents below notes/.
    """
    where = arguments.get("where") or "everything"
    return _steps(
        f"Tidy up my documents: {where}",
        [
            f"Call {ctx.name_of('document_history')} with action snapshots and a label, to be able to go back.",
            f"Call {ctx.name_of('list_documents')} with facets to see types, tags and ages.",
            f"Look for doubles with {ctx.name_of('retrieve_document')} (graph) and for tags that mean the same.",
            "Show the user a plan: what to rename, retag, join and delete, each with its reason. Wait for an answer.",
            f"Then use {ctx.name_of('edit_document')} and {ctx.name_of('update_metadata')}; delete only what the user "
            f"named, with {ctx.name_of('delete_by_name')}.",
        ],
    )


def _steps(task: str, steps: Sequence[str]) -> str:
    return f"{task}\n\n" + "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
