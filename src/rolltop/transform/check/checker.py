"""Everything that can be said about a program without running it, in the order of the source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rolltop.transform.check.findings import Findings
from rolltop.transform.check.inference import Inference
from rolltop.transform.check.lint import lint as add_style
from rolltop.transform.check.options import add_unknown_options
from rolltop.transform.check.shapes import holds_function
from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.stack import deep_stack
from rolltop.transform.syntax import tree
from rolltop.transform.syntax.parser import Parsed, parse
from rolltop.transform.types import ANY, Type

__all__ = ["Checked", "check", "check_parsed"]


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found, and the type of the result."""

    findings: list[Diagnostic]
    result: Type

    @property
    def errors(self) -> list[Diagnostic]:
        return [found for found in self.findings if found.severity == "error"]


def check(
    text: str,
    *,
    inputs: Mapping[str, Type] | None = None,
    formats: Mapping[str, str] | None = None,
    output_format: str | None = None,
    lint: bool = False,
) -> list[Diagnostic]:
    """All findings about a program text; types of the inputs make them sharper.

    `formats` names the inputs of a program without a header.
    """
    parsed = parse(text, inputs=formats, output_format=output_format)
    return check_parsed(parsed, inputs=inputs, lint=lint).findings


def _result_of(body: tree.Expr) -> tree.Expr | None:
    """The expression whose value is the result; a program of functions alone has none."""
    while isinstance(body, (tree.Sequence, tree.Block)):
        if isinstance(body, tree.Sequence) and not body.items:
            return None
        body = body.items[-1] if isinstance(body, tree.Sequence) else body.value
    return body


def check_parsed(parsed: Parsed, *, inputs: Mapping[str, Type] | None = None, lint: bool = False) -> Checked:
    """Check what was parsed. A program with syntax errors is not checked further: its tree has holes."""
    if parsed.problems:
        return Checked(list(parsed.problems), ANY)
    findings = Findings(parsed.source)
    inference = Inference(parsed.program, findings, inputs or {})
    add_unknown_options(parsed.program.header, findings)
    with deep_stack():
        result = inference.run()
        last = _result_of(parsed.program.body)
        if last is not None and holds_function(result):
            hint = "A function cannot be written: call it with its arguments."
            findings.error("E506", "the result is or holds a function", last.at, hint=hint)
        if lint:
            add_style(parsed.program, inference.bindings, findings)
    found = sorted(findings.found.values(), key=lambda item: (item.line, item.column))
    return Checked(found, result)
