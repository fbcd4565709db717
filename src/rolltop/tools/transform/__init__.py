"""The UTL-X tools: understand data, find functions and examples, check, type and run transformations."""

from mcp_core import ToolSet

__all__ = ["TOOLSET"]

TOOLSET = ToolSet(
    name="transform",
    summary="Writes, checks and runs UTL-X transformations between XML, JSON, CSV and YAML.",
    modules=(
        "rolltop.tools.transform.input_schema",
        "rolltop.tools.transform.functions",
        "rolltop.tools.transform.examples",
        "rolltop.tools.transform.validating",
        "rolltop.tools.transform.inferring",
        "rolltop.tools.transform.executing",
        "rolltop.tools.transform.batch",
    ),
    resources="rolltop.tools.transform.resources:LanguageResources",
    envelope="rolltop.tools.transform.envelope:TransformEnvelope",
    prompts=("rolltop.prompts.transform",),
    needs="rolltop.tools.transform.needs:check",
    instructions=(
        "to write a transformation, read the resource utlx://language (the syntax in one page), then call "
        "{tool:get_input_schema}, {tool:get_stdlib_functions} and {tool:get_examples}, write the program, and call "
        "{tool:validate_utlx} and {tool:execute_transformation}."
    ),
)
