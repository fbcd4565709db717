"""Type rules of if, match and try; and what a test says about the branches behind it."""

from __future__ import annotations

from rolltop.transform.check.rules import Rules
from rolltop.transform.check.scope import Binding, Names
from rolltop.transform.check.shapes import members, not_null
from rolltop.transform.syntax import tree
from rolltop.transform.types import NULL, STRING, Type, union

__all__ = ["ChoiceRules"]


class ChoiceRules(Rules):
    """Where one of several values is the result."""

    def _if(self, node: tree.If, names: Names) -> Type:
        self.infer(node.condition, names)
        yes, no = self.narrowed(node.condition, names)
        then = self.infer(node.then, yes)
        otherwise = NULL if node.otherwise is None else self.infer(node.otherwise, no)
        return union((then, otherwise))

    def narrowed(self, condition: tree.Expr, names: Names) -> tuple[Names, Names]:
        """Scopes for both branches of a test of a plain name against null."""
        if not isinstance(condition, tree.Binary) or condition.op not in ("==", "!="):
            return names, names
        left, right = condition.left, condition.right
        if not (isinstance(left, tree.Name) and isinstance(right, tree.Literal) and right.value is None):
            return names, names
        binding = names.find(left.name)
        if binding is None or NULL not in members(binding.type):
            return names, names
        narrow = names.inner()
        narrowed = Binding(binding.name, not_null(binding.type), binding.at, "narrowed")
        narrow.names[left.name] = narrowed
        return (narrow, names) if condition.op == "!=" else (names, narrow)

    def _match(self, node: tree.Match, names: Names) -> Type:
        subject = self.infer(node.subject, names)
        results: list[Type] = []
        for case in node.cases:
            inner = names.inner()
            if isinstance(case.pattern, tree.Name):
                inner.add(case.pattern.name, subject, case.pattern.at, "pattern")
            if case.guard is not None:
                self.infer(case.guard, inner)
            results.append(self.infer(case.body, inner))
        return union(results)

    def _try(self, node: tree.Try, names: Names) -> Type:
        with self.findings.forgiving():
            body = self.infer(node.body, names.inner())
        inner = names.inner()
        if node.name:
            inner.add(node.name, STRING, node.at, "error")
        return union((body, self.infer(node.handler, inner)))
