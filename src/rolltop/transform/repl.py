"""A session of expressions that see each other's bindings; what `rolltop transform repl` talks to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.transform import formats
from rolltop.transform.check.findings import Findings
from rolltop.transform.check.inference import Inference
from rolltop.transform.errors import ProgramInvalid
from rolltop.transform.run.evaluator import Evaluator
from rolltop.transform.run.recursion import too_deep
from rolltop.transform.run.scope import Scope
from rolltop.transform.stack import deep_stack
from rolltop.transform.syntax.cursor import CLOSERS, OPENERS
from rolltop.transform.syntax.lexer import tokenize
from rolltop.transform.syntax.parser import Parsed, parse
from rolltop.transform.syntax.source import Source

__all__ = ["Session", "is_open"]


def is_open(text: str) -> bool:
    """Whether more lines must follow: a bracket is open, or the line ends in an operator."""
    tokens, _, _ = tokenize(Source(text))
    kinds = ["", *(kind for kind in tokens.kinds if kind != "end")]
    depth = sum((kind in OPENERS) - (kind in CLOSERS) for kind in kinds)
    last = kinds[-1]
    return depth > 0 or last in ("=", "=>", "|>", "+", "*", "/", "??", "&&", "||", ",")


class Session:
    """Names stay bound from one entry to the next."""

    def __init__(self, inputs: Mapping[str, Any]) -> None:
        names = dict(inputs)
        if names and "input" not in names:
            names["input"] = next(iter(names.values()))
        self.scope = Scope(names or {"input": None}, None)
        self._inputs = dict.fromkeys(self.scope.names, "json")
        self.history: list[str] = []

    def enter(self, text: str) -> str | None:
        """Evaluate one entry; its value as JSON, or None when it only bound a name."""
        if text.strip() == ":names":
            return "\n".join(sorted(name for name in self.scope.names if name.isprintable()))
        if text.startswith(":type "):
            return str(self._type(text.removeprefix(":type ")))
        parsed = self._parse(text)
        evaluator = Evaluator(parsed.program, parsed.source)
        try:
            with deep_stack():
                value = evaluator.evaluate(parsed.program.body, self.scope)
        except RecursionError:
            raise too_deep() from None
        if parsed.program.body.bindings:
            self.history.append(text)
        if not parsed.program.body.items:
            return None
        return "<function>" if callable(value) else formats.write("json", value).text

    def _parse(self, text: str) -> Parsed:
        parsed = parse(text, inputs=self._inputs, shorthand=True)
        if parsed.problems:
            raise ProgramInvalid(parsed.problems)
        return parsed

    def _type(self, text: str) -> Any:
        parsed = self._parse("\n".join([*self.history, text]))
        return Inference(parsed.program, Findings(parsed.source), {}).run()
