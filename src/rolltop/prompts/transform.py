"""Prompts that lead an agent through writing and explaining a transformation."""

# Documentation of prompts follows src/rolltop/prompts/README.md.

from __future__ import annotations

from collections.abc import Mapping

from mcp_core import PromptArgument, ToolContext, declare_prompt
from rolltop.transform.language import language_card
from rolltop.workspace import Workspace

__all__ = ["explain_transformation", "write_transformation"]


@declare_prompt(
    arguments=[
        PromptArgument("task", "What the transformation should do.", required=True),
        PromptArgument("source", "The input: a path, doc://NAME or sample data."),
        PromptArgument("input_format", "Format of the input; json when absent."),
        PromptArgument("output_format", "Format of the output; json when absent."),
    ],
    title="Write a transformation",
)
async def write_transformation(arguments: Mapping[str, str], ctx: ToolContext[Workspace]) -> str:
    """Write a UTL-X transformation step by step.

    ## Description

    Gives the language in one page, then leads through the input's schema, functions, examples, the program, its
    validation and a run on sample data.

    ## Conceptual Schema

    ```text
    write_transformation(*args)
    args: the task; optionally the input (path, doc://NAME or sample data), its format and the output's format.
    ```

    ## Usage Instructions

    ```text
    @write_transformation TASK [SOURCE [INPUT_FORMAT [OUTPUT_FORMAT]]]
    ```

    ## Concrete Examples

    ```text
    @write_transformation "turn orders into invoices" orders.xml xml json
    ```

    Gives the steps from orders.xml to a program that was validated and run.
    """
    source = arguments.get("source") or "the user's sample; ask for one if there is none"
    given, wanted = arguments.get("input_format") or "json", arguments.get("output_format") or "json"
    steps = [
        f"Call {ctx.name_of('get_input_schema')} with format {given} for the input: {source}.",
        f"Call {ctx.name_of('get_stdlib_functions')} with the words of the task to see which functions exist.",
        f"Call {ctx.name_of('get_examples')} with inputFormat {given}, outputFormat {wanted} and the task.",
        f"Write a program with the header: %utlx 1.0, input {given}, output {wanted}, ---.",
        f"Call {ctx.name_of('validate_utlx')} with the structure as inputSchema; correct until valid is true.",
        f"Call {ctx.name_of('infer_output_schema')} and compare the schema with what the task asks for.",
        f"Call {ctx.name_of('execute_transformation')} on sample data and look at the output.",
        "Show the user the program, the output, and what it does with missing fields.",
    ]
    numbered = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
    return f"Write a UTL-X transformation for this task: {arguments['task']}\n\n{numbered}\n\n{language_card()}"


@declare_prompt(
    arguments=[PromptArgument("program", "The UTL-X program to explain.", required=True)],
    title="Explain a transformation",
)
async def explain_transformation(arguments: Mapping[str, str], ctx: ToolContext[Workspace]) -> str:
    """Explain an existing UTL-X transformation.

    ## Description

    Asks for an explanation of a program: what goes in, what comes out, and where it may fail. What the checker finds
    is told along with it.

    ## Conceptual Schema

    ```text
    explain_transformation(*args)
    args: the program.
    ```

    ## Usage Instructions

    ```text
    @explain_transformation PROGRAM
    ```

    ## Concrete Examples

    ```text
    @explain_transformation "$input.items |> map(i => i.price * i.qty) |> sum"
    ```

    Gives a request to explain that program, with its findings.
    """
    program = arguments["program"]
    checked = await ctx.workspace.transform.ask("validate", transformation=program)
    findings = [f"- {each['line']}:{each['column']}: {each['message']}" for each in checked["errors"]]
    found = "\n".join(findings) or "- nothing: it is valid"
    return (
        "Explain this UTL-X transformation: what its input must look like, what it puts out, each step in order, and "
        f"for which inputs it fails. Look up functions with {ctx.name_of('get_stdlib_functions')}.\n\n"
        f"```utlx\n{program}\n```\n\nThe checker found:\n{found}\n\n{language_card()}"
    )
