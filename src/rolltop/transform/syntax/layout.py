"""Laying out a tree: on one line where it fits, else one item per line; comments stay where they were."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from rolltop.transform.syntax import tree
from rolltop.transform.syntax.cursor import CLOSERS, OPENERS
from rolltop.transform.syntax.extensions import Extensions
from rolltop.transform.syntax.lexer import Comment, Tokens
from rolltop.transform.syntax.oneline import BINARY_POWER, PIPE, TERNARY, OneLine, parenthesized

__all__ = ["Layout"]

WIDTH = 100
Item = TypeVar("Item", bound=tree.Expr)


class Layout:
    """Prints expressions over several lines where one is too short."""

    def __init__(self, tokens: Tokens, notes: list[Comment], extensions: Extensions | None = None) -> None:
        self.flat = OneLine(extensions)
        spans = [written.span for written in self.flat.written.values()]
        self.notes = [note for note in notes if not any(start < note.at < end for start, end in spans)]
        self.next_note = 0
        self.ends = _pairs(tokens)

    def body(self, body: tree.Sequence) -> str:
        lines = self._statements(body, 0)
        lines += [note.text for note in self.notes[self.next_note :]]
        self.next_note = len(self.notes)
        return "\n".join(lines) + "\n" if lines else ""

    # ---- lists of things --------------------------------------------------------------------

    def _statements(self, body: tree.Sequence, indent: int) -> list[str]:
        """Bindings and expressions in the order of the source, one under the other."""
        items: list[tree.Expr] = sorted([*body.bindings, *body.items], key=start)
        return self._lines(items, lambda item: self.print(item, indent), indent, _statement_end)

    def _lines(
        self,
        items: Sequence[Item],
        show: Callable[[Item], str],
        indent: int,
        end: Callable[[str, str | None], str],
    ) -> list[str]:
        """Items on lines of their own, each with the comments that belong to it."""
        pad = "  " * indent
        shown: list[tuple[list[str], str, list[str]]] = []
        for at, item in enumerate(items):
            before = self._notes_before(start(item))
            text = show(item)
            limit = start(items[at + 1]) if at + 1 < len(items) else None
            shown.append((before, text, self._notes_behind(limit)))
        lines: list[str] = []
        for at, (before, text, behind) in enumerate(shown):
            following = shown[at + 1][1] if at + 1 < len(shown) else None
            lines += [pad + note for note in before]
            lines.append(pad + text + end(text, following) + "".join("  " + note for note in behind))
        return lines

    def _notes_before(self, at: int) -> list[str]:
        notes = []
        while self.next_note < len(self.notes) and self.notes[self.next_note].at < at:
            notes.append(self.notes[self.next_note].text)
            self.next_note += 1
        return notes

    def _notes_behind(self, limit: int | None) -> list[str]:
        """A comment on the line where the item ended (a block comment would swallow what follows: it waits)."""
        if limit is None or self.next_note >= len(self.notes):
            return []
        note = self.notes[self.next_note]
        if note.own_line or note.at >= limit or not note.text.startswith("//"):
            return []
        self.next_note += 1
        return [note.text]

    def _has_notes(self, opened: int) -> bool:
        """Whether a comment stands between a bracket and its partner."""
        closed = self.ends.get(opened)
        if closed is None:
            return False
        return any(opened < note.at < closed for note in self.notes[self.next_note :])

    def _enclosed(self, opener: str, lines: list[str], opened: int, indent: int) -> str:
        """Lines between brackets; comments left before the closing one go above it."""
        closed = self.ends.get(opened)
        if closed is not None:
            lines += ["  " * (indent + 1) + note for note in self._notes_before(closed)]
        return "\n".join([opener, *lines, "  " * indent + OPENERS[opener[-1]]])

    # ---- expressions ------------------------------------------------------------------------

    def print(self, node: tree.Expr, indent: int, power: int = 0) -> str:
        """An expression whose first line goes on at some column after the indent."""
        flat = self.flat.show(node, power)
        if not self._must_break(node) and len(flat) + 2 * indent <= WIDTH:
            return flat
        rule = _RULES.get(type(node))
        if rule is None or id(node) in self.flat.written:
            return flat
        if self.flat.power(node) < power:
            inner = "  " * (indent + 1) + self.print(node, indent + 1)
            return f"(\n{inner}\n{'  ' * indent})"
        return rule(self, node, indent)

    def _must_break(self, node: tree.Expr) -> bool:
        """Whether something inside needs lines of its own."""
        if id(node) in self.flat.written:
            return False
        if isinstance(node, (tree.FunctionDef, tree.Match)):
            return True
        if isinstance(node, (tree.ObjectLiteral, tree.Block)) and node.bindings:
            return True
        opened = node.at
        if isinstance(node, (tree.ObjectLiteral, tree.ArrayLiteral, tree.Block, tree.Call)) and self._has_notes(opened):
            return True
        return any(self._must_break(child) for child in tree.children(node))

    def _let(self, node: tree.Let, indent: int) -> str:
        annotation = f": {node.type}" if node.type else ""
        text = f"let {node.name}{annotation} = {self.print(node.value, indent, 1 if node.body else 0)}"
        if node.body is None:
            return text
        return f"{text} in\n{'  ' * (indent + 1)}{self.print(node.body, indent + 1)}"

    def _function(self, node: tree.FunctionDef, indent: int) -> str:
        head = f"function {node.name}({self.flat.params(node.params)}){f': {node.result}' if node.result else ''} {{"
        assert isinstance(node.body, tree.Sequence)
        lines = self._statements(node.body, indent + 1)
        return self._enclosed(head, lines, node.body.at, indent)

    def _object(self, node: tree.ObjectLiteral, indent: int) -> str:
        pad = indent + 1
        lines = self._lines(node.bindings, lambda item: self.print(item, pad), pad, _statement_end)
        lines += self._lines(node.entries, lambda item: self._entry(item, pad), pad, _comma)
        return self._enclosed("{", lines, node.at, indent)

    def _entry(self, entry: tree.Entry, indent: int) -> str:
        if entry.kind == "spread":
            return "..." + self.print(entry.value, indent)
        if entry.key_expr is not None:
            return f"[{self.flat.show(entry.key_expr)}]: {self.print(entry.value, indent)}"
        return f"{self.flat.key(entry)}: {self.print(entry.value, indent)}"

    def _block(self, node: tree.Block, indent: int) -> str:
        pad = indent + 1
        items: list[tree.Expr] = [*node.bindings, node.value]
        lines = self._lines(items, lambda item: self.print(item, pad), pad, _statement_end)
        return self._enclosed("{", lines, node.at, indent)

    def _array(self, node: tree.ArrayLiteral, indent: int) -> str:
        lines = self._lines(node.items, lambda item: self._item(item, indent + 1), indent + 1, _comma)
        return self._enclosed("[", lines, node.at, indent)

    def _item(self, item: tree.Expr, indent: int) -> str:
        if isinstance(item, tree.Spread):
            return "..." + self.print(item.value, indent)
        return self.print(item, indent)

    def _call(self, node: tree.Call, indent: int) -> str:
        target = self.print(node.function, indent, 130)
        last = node.arguments[-1] if node.arguments else None
        huggable = isinstance(last, (tree.Lambda, tree.ObjectLiteral, tree.ArrayLiteral))
        if huggable and not any(self._must_break(argument) for argument in node.arguments[:-1]):
            head = "".join(self.flat.show(argument) + ", " for argument in node.arguments[:-1])
            if len(target) + len(head) + 2 * indent <= WIDTH - 20 and not self._note_before_first(node):
                assert last is not None
                return f"{target}({head}{self.print(last, indent)})"
        lines = self._lines(node.arguments, lambda item: self.print(item, indent + 1), indent + 1, _comma)
        return self._enclosed(f"{target}(", lines, node.at, indent)

    def _note_before_first(self, node: tree.Call) -> bool:
        """A comment among the arguments' heads cannot stay on one line with them."""
        last = start(node.arguments[-1])
        return any(node.at < note.at < last for note in self.notes[self.next_note :]) or (
            self._has_notes(node.at) and self.ends[node.at] > self._last_end(node) and self._tail_note(node)
        )

    def _last_end(self, node: tree.Call) -> int:
        last = node.arguments[-1]
        while isinstance(last, tree.Lambda):
            last = last.body
        return self.ends.get(last.at, last.at)

    def _tail_note(self, node: tree.Call) -> bool:
        closed, inner = self.ends[node.at], self._last_end(node)
        return any(inner < note.at < closed for note in self.notes[self.next_note :])

    def _pipe(self, node: tree.Pipe, indent: int) -> str:
        stages: list[tree.Expr] = []
        first: tree.Expr = node
        while isinstance(first, tree.Pipe):
            stages.append(first.target)
            first = first.value
        head = self.print(first, indent, PIPE)
        pad = "  " * (indent + 1)
        return "\n".join([head, *(f"{pad}|> {self.print(stage, indent + 1, PIPE + 1)}" for stage in reversed(stages))])

    def _binary(self, node: tree.Binary, indent: int) -> str:
        left, right = BINARY_POWER[node.op]
        pad = "  " * (indent + 1)
        head = self.print(node.left, indent, left)
        return f"{head}\n{pad}{node.op} {self.print(node.right, indent + 1, right)}"

    def _lambda(self, node: tree.Lambda, indent: int) -> str:
        return f"{self.flat.lambda_head(node)} => {self.print(node.body, indent)}"

    def _if(self, node: tree.If, indent: int) -> str:
        if node.style != "if":
            return self._conditional(node, indent)
        head = f"if ({self.print(node.condition, indent)})"
        then = self.print(node.then, indent + 1, self.flat.then_power(node.then))
        text = f"{head}\n{'  ' * (indent + 1)}{then}"
        if isinstance(node.then, (tree.ObjectLiteral, tree.Block)):
            text = f"{head} {self.print(node.then, indent)}"
        if node.otherwise is None:
            return text
        if isinstance(node.otherwise, tree.If) and node.otherwise.style == "if":
            return f"{text}\n{'  ' * indent}else {self.print(node.otherwise, indent)}"
        if isinstance(node.otherwise, (tree.ObjectLiteral, tree.Block)):
            return f"{text} else {self.print(node.otherwise, indent)}"
        otherwise = self.print(node.otherwise, indent + 1, TERNARY)
        if isinstance(node.otherwise, tree.If) and node.otherwise.style == "postfix" and "\n" in otherwise:
            return f"{text}\n{'  ' * indent}else {self.print(_prefixed(node.otherwise), indent)}"
        return f"{text}\n{'  ' * indent}else\n{'  ' * (indent + 1)}{otherwise}"

    def _conditional(self, node: tree.If, indent: int) -> str:
        if node.style == "postfix":
            # Over several lines the prefix form reads better and means the same.
            return self._if(_prefixed(node), indent)
        pad = "  " * (indent + 1)
        assert node.otherwise is not None
        condition = self.print(node.condition, indent, TERNARY + 1)
        then = self.print(node.then, indent + 1)
        otherwise = self.print(node.otherwise, indent + 1, TERNARY)
        return f"{condition}\n{pad}? {then}\n{pad}: {otherwise}"

    def _match(self, node: tree.Match, indent: int) -> str:
        head = f"match ({self.print(node.subject, indent)}) {{"
        lines = self._lines(node.cases, lambda case: self._case(case, indent + 1), indent + 1, _statement_end)
        return "\n".join([head, *lines, "  " * indent + "}"])

    def _case(self, case: tree.Case, indent: int) -> str:
        return f"{self.flat.case_head(case)} => {self.print(self.flat.case_body(case), indent)}"

    def _try(self, node: tree.Try, indent: int) -> str:
        name = f" ({node.name})" if node.name else ""
        return f"try {self._braced(node.body, indent)} catch{name} {self._braced(node.handler, indent)}"

    def _braced(self, node: tree.Expr, indent: int) -> str:
        body = node if isinstance(node, tree.Sequence) else tree.Sequence(node.at, [], [node])
        lines = self._statements(body, indent + 1)
        return "\n".join(["{", *lines, "  " * indent + "}"])

    def _member(self, node: tree.Member, indent: int) -> str:
        return self.print(node.target, indent, 130) + self.flat.member(node)

    def _index(self, node: tree.Index, indent: int) -> str:
        mark = "?." if node.safe else ""
        return f"{self.print(node.target, indent, 130)}{mark}[{self.print(node.index, indent)}]"

    def _unary(self, node: tree.Unary, indent: int) -> str:
        return node.op + parenthesized(node.op, self.print(node.operand, indent, 120))


def _prefixed(node: tree.If) -> tree.If:
    return tree.If(node.at, node.condition, node.then, node.otherwise, "if")


_RULES: dict[type, Callable[..., str]] = {
    tree.Let: Layout._let,
    tree.FunctionDef: Layout._function,
    tree.ObjectLiteral: Layout._object,
    tree.Block: Layout._block,
    tree.ArrayLiteral: Layout._array,
    tree.Call: Layout._call,
    tree.Pipe: Layout._pipe,
    tree.Binary: Layout._binary,
    tree.Lambda: Layout._lambda,
    tree.If: Layout._if,
    tree.Match: Layout._match,
    tree.Try: Layout._try,
    tree.Member: Layout._member,
    tree.Index: Layout._index,
    tree.Unary: Layout._unary,
}


def start(node: tree.Expr) -> int:
    """The offset of the leftmost token of an expression (brackets aside)."""
    at = node.at
    for child in tree.children(node):
        at = min(at, start(child))
    return at


def _pairs(tokens: Tokens) -> dict[int, int]:
    """From the offset of every opening bracket to that of its partner."""
    pairs: dict[int, int] = {}
    stack: list[int] = []
    for kind, at in zip(tokens.kinds, tokens.offsets, strict=True):
        if kind in OPENERS:
            stack.append(at)
        elif kind in CLOSERS and stack:
            pairs[stack.pop()] = at
    return pairs


def _comma(text: str, following: str | None) -> str:
    return "" if following is None else ","


def _statement_end(text: str, following: str | None) -> str:
    """A line that starts with a minus would go on with the one before."""
    return ";" if following is not None and following.startswith("-") else ""
