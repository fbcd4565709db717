"""Everything that can be said about a program without running it, in the order of the source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rolltop.transform.check.findings import Findings
from rolltop.transform.check.inference import Inference
from rolltop.transform.check.lint import lint as add_style
from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.stack import deep_stack
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


def check_parsed(parsed: Parsed, *, inputs: Mapping[str, Type] | None = None, lint: bool = False) -> Checked:
    """Check what was parsed. A program with syntax errors is not checked further: its tree has holes."""
    if parsed.problems:
        return Checked(list(parsed.problems), ANY)
    findings = Findings(parsed.source)
    inference = Inference(parsed.program, findings, inputs or {})
    with deep_stack():
        result = inference.run()
        if lint:
            add_style(parsed.program, inference.bindings, findings)
    found = sorted(findings.found.values(), key=lambda item: (item.line, item.column))
    return Checked(found, result)
