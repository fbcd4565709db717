"""Options of the header that do nothing: no format has them. Programs from elsewhere carry such; they are no errors."""

from __future__ import annotations

from rolltop.transform.check.findings import Findings
from rolltop.transform.formats.options import READING, WRITING
from rolltop.transform.run.scope import closest
from rolltop.transform.syntax.tree import Header, Port

__all__ = ["add_unknown_options"]

_NOT_VALIDATED = frozenset({"schema", "validationPolicy"})
_ELSEWHERE = {
    ("xml", "encoding"): "An XML document says its encoding itself.",
    ("xsd", "encoding"): "An XML document says its encoding itself.",
}


def add_unknown_options(header: Header, findings: Findings) -> None:
    """Warn of options that the format of an input or of the output does not have."""
    for port in header.inputs:
        if port.format != "auto":
            _add(port, findings, reading=True)
    for port in header.outputs[:1]:
        _add(port, findings, reading=False)


def _add(port: Port, findings: Findings, *, reading: bool) -> None:
    known = (READING if reading else WRITING).get(port.format, frozenset())
    verb = "reading" if reading else "writing"
    for name, place in port.places.items():
        if name not in known:
            message = f"{verb} {port.format} has no option `{name}`: it does nothing"
            findings.doubt("W705", message, place, hint=_hint(port.format, name, known, reading=reading))


def _hint(format_: str, name: str, known: frozenset[str], *, reading: bool) -> str:
    if name in _NOT_VALIDATED:
        return "Data is not held against a schema when a program runs; the checker takes one."
    if reading and (format_, name) in _ELSEWHERE:
        return _ELSEWHERE[format_, name]
    meant = closest(name, known)
    if meant is not None:
        return f"Did you mean `{meant}`?"
    return f"It has {', '.join(sorted(known))}." if known else "It has none."
