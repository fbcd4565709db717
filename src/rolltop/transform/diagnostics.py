"""One finding about a program: code, severity, place, sentence, hint, and how it is shown."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

__all__ = ["Diagnostic", "Severity", "render"]

Severity = Literal["error", "warning", "info"]


class Diagnostic(NamedTuple):
    """Something to say about one place of a program. Lines and columns count from 1."""

    code: str
    message: str
    line: int
    column: int
    length: int = 1
    severity: Severity = "error"
    hint: str | None = None
    source_line: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain data, absent parts left out."""
        shown: dict[str, Any] = {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "line": self.line,
            "column": self.column,
            "length": self.length,
        }
        if self.hint:
            shown["hint"] = self.hint
        return shown


def render(finding: Diagnostic, name: str = "program") -> str:
    """Compiler style: a headline, the source line, a caret under the place, the hint."""
    lines = [f"{name}:{finding.line}:{finding.column}: {finding.severity}[{finding.code}]: {finding.message}"]
    if finding.source_line:
        gutter = f"{finding.line:>5} | "
        shown = finding.source_line.replace("\t", " ")
        width = max(1, min(finding.length, len(shown) - finding.column + 1))
        lines.append(gutter + shown)
        lines.append(" " * (len(gutter) - 2) + "| " + " " * (finding.column - 1) + "^" + "~" * (width - 1))
    if finding.hint:
        lines.append(f"      = hint: {finding.hint}")
    return "\n".join(lines)
