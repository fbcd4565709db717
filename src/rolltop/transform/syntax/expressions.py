"""The expression grammar: operator precedence by binding power, operands, and what follows a value."""

from __future__ import annotations

from rolltop.transform.syntax.constructs import ConstructParser
from rolltop.transform.syntax.cursor import MAX_CHAIN, MAX_NESTING, PIPE_HINT, WORDS, Bail, Cursor
from rolltop.transform.syntax.extensions import (
    RANGE,
    Extensions,
    descent_or_none,
    element,
    range_of,
    shaped_case,
    template,
)
from rolltop.transform.syntax.literals import number_value, string_value
from rolltop.transform.syntax.powers import BINARY, NO_LAMBDA, PIPE, POSTFIX_IF, TERNARY, UNARY
from rolltop.transform.syntax.tree import (
    ArrayLiteral,
    Binary,
    Call,
    Case,
    Expr,
    If,
    Index,
    Literal,
    Member,
    Name,
    Pipe,
    Spread,
    Unary,
)
from rolltop.transform.values import is_number

__all__ = ["ExpressionParser"]

_POSTFIX_STARTS = frozenset({".", "?.", "[", "("})
_STARTS_EXPRESSION = frozenset({"[", "("})
_LAMBDA_STARTS = frozenset({"name", "("})
_SHORTHAND_MEMBER = frozenset({"name", "keyword", "@", "^", "*"})


class ExpressionParser(ConstructParser):
    """Parses expressions from a cursor. `sequence` is true where a new line may start a new expression."""

    def __init__(self, cursor: Cursor, *, shorthand: bool = False) -> None:
        self.cursor = cursor
        self.shorthand = shorthand
        self.sequence = True
        self.parenthesized: Expr | None = None
        """What the last pair of parentheses held."""
        self.unclear_pipes: list[int] = []
        """Pipes behind an `if` without parentheses: they take the whole of it."""
        self.extensions = Extensions(cursor.source)

    def in_sequence(self) -> Expr:
        outer, self.sequence = self.sequence, True
        try:
            return self.expression()
        finally:
            self.sequence = outer

    def enclosed(self) -> Expr:
        """An expression inside brackets: a line break never ends it before `if`."""
        if not self.sequence:
            return self.expression()
        self.sequence = False
        try:
            return self.expression()
        finally:
            self.sequence = True

    # ---- operators --------------------------------------------------------------------------

    def expression(self, power: int = 0) -> Expr:
        cursor = self.cursor
        kind = cursor.kind
        if power < NO_LAMBDA and kind in _LAMBDA_STARTS and self.at_lambda():
            return self.lambda_()
        cursor.depth += 1
        if cursor.depth > MAX_NESTING:
            raise cursor.too_deep()
        begin = cursor.at
        left = self.name() if kind == "name" else self.operand(kind)
        links = 0
        while True:
            kind = cursor.kind
            links += 1
            if links > MAX_CHAIN:
                raise cursor.too_long()
            if kind in _POSTFIX_STARTS:
                if kind in _STARTS_EXPRESSION and cursor.fresh:
                    break
                left = self._postfix(left, kind, begin)
                continue
            if kind == "..":
                found = descent_or_none(self, left, begin)
                if found is None and power >= RANGE:
                    break
                left = range_of(self, left, begin) if found is None else found
                continue
            binding = BINARY.get(kind)
            if binding is not None:
                if binding[0] <= power or (cursor.fresh and self._starts_afresh(kind)):
                    break
                at = cursor.offsets[cursor.advance()]
                left = Binary(at, kind, left, self.expression(binding[1]))
            elif kind == "|>" and power < PIPE:
                if isinstance(left, If) and left is not self.parenthesized:
                    self.unclear_pipes.append(cursor.at)
                left = self._pipe(left)
            elif kind == "?" and power < TERNARY:
                left = self._ternary(left)
            elif kind == "keyword" and power < POSTFIX_IF and cursor.text == "if" and not self._ends_line():
                left = self._postfix_if(left)
            else:
                break
        cursor.depth -= 1
        return left

    def piped(self, left: Expr) -> Expr:
        """A value with the pipes that follow it."""
        links = 0
        while self.cursor.kind == "|>":
            left = self._pipe(left)
            links += 1
            if links > MAX_CHAIN:
                raise self.cursor.too_long()
        return left

    def _pipe(self, left: Expr) -> Expr:
        at = self.cursor.offsets[self.cursor.advance()]
        return Pipe(at, left, self.expression(PIPE))

    def _ends_line(self) -> bool:
        return self.sequence and self.cursor.fresh

    def _starts_afresh(self, kind: str) -> bool:
        """A new line that starts with `-1 =>` is a case, with `%key:` a property; not an operator."""
        first, second = self.cursor.ahead(1), self.cursor.ahead(2)
        if kind == "-":
            return first == "number" and second in ("=>", "keyword")
        return kind == "%" and first in WORDS and second == ":"

    def _ternary(self, condition: Expr) -> Expr:
        cursor = self.cursor
        at = cursor.offsets[cursor.advance()]
        then = self.enclosed()
        cursor.expect(":", "expected ':' between the two results of '? :'")
        return If(at, condition, then, self.expression(TERNARY - 1), "?")

    def _postfix_if(self, value: Expr) -> Expr:
        cursor = self.cursor
        at = cursor.offsets[cursor.advance()]
        condition = self.expression(TERNARY - 1)
        otherwise = None
        if cursor.is_word("else"):
            cursor.advance()
            otherwise = self.expression(POSTFIX_IF - 1)
        return If(at, condition, value, otherwise, "postfix")

    def shaped_case(self) -> Case:
        return shaped_case(self, NO_LAMBDA)

    # ---- what an expression starts with -----------------------------------------------------

    def operand(self, kind: str) -> Expr:
        """An operand that is no name."""
        cursor = self.cursor
        if kind == "string":
            token = cursor.advance()
            return Literal(cursor.offsets[token], string_value(cursor, token))
        if kind == "number":
            token = cursor.advance()
            at, text = cursor.offsets[token], cursor.texts[token]
            if cursor.kind == "name" and cursor.at == at + len(text):
                hint = "Numbers have digits only, as 1000, 2.5 or 1e6."
                raise cursor.error(f"Invalid number: {text}{cursor.text[:30]}", at=at, hint=hint)
            if text[-1] == "m":
                self.extensions.used.append((at, "a decimal literal", "a number without the m"))
            return Literal(at, number_value(text))
        if kind == "keyword":
            return self.keyword()
        if kind == "template":
            return template(self, self._nested)
        if kind == "{":
            return self.braces()
        if kind == "[":
            opener = cursor.advance()
            return ArrayLiteral(cursor.offsets[opener], self._list(opener, "]", spread=True))
        if kind == "(":
            return self._parenthesis(cursor.advance())
        return self._marked(kind)

    def _nested(self, cursor: Cursor) -> ExpressionParser:
        """A parser of a part of the text that shares what this one found."""
        parser = ExpressionParser(cursor, shorthand=self.shorthand)
        parser.sequence, parser.extensions, parser.unclear_pipes = False, self.extensions, self.unclear_pipes
        return parser

    def _marked(self, kind: str) -> Expr:
        """An operand behind a sign."""
        cursor = self.cursor
        if kind in ("!", "-"):
            at = cursor.offsets[cursor.advance()]
            return _negated(at, kind, self.expression(UNARY - 1))
        if kind == "@" and cursor.ahead() == "name":
            at = cursor.offsets[cursor.advance()]
            return Name(at, cursor.texts[cursor.advance()], "@")
        if kind == "." and self.shorthand:
            return self._input()
        raise cursor.error("Expected expression", hint=_HINTS.get(kind))

    def _input(self) -> Expr:
        """The dot that stands for the input; it is also the dot of a member that follows."""
        cursor = self.cursor
        name = Name(cursor.at, "input", "$")
        if cursor.ahead() not in _SHORTHAND_MEMBER:
            cursor.advance()
        return name

    def _parenthesis(self, opener: int) -> Expr:
        inner = self.enclosed()
        self.cursor.close(opener)
        self.parenthesized = inner
        return inner

    def _list(self, opener: int, closer: str, *, spread: bool) -> list[Expr]:
        """Expressions separated by commas, up to and including the closing bracket."""
        cursor = self.cursor
        items: list[Expr] = []
        depth = cursor.depth
        while cursor.kind != closer:
            try:
                if spread and cursor.kind == "...":
                    items.append(Spread(cursor.offsets[cursor.advance()], self.enclosed()))
                else:
                    items.append(self.enclosed())
                if not cursor.accept(",") and cursor.kind != closer:
                    cursor.close(opener, hint="Separate the items with commas.")
            except Bail:
                cursor.depth = depth
                cursor.skip_to_next(lines=False)
                if cursor.kind != closer and not cursor.accept(",") and not cursor.accept(";"):
                    raise  # what closes here closes something around: the error was reported
        cursor.advance()
        return items

    # ---- after a value ----------------------------------------------------------------------

    def _postfix(self, target: Expr, kind: str, begin: int) -> Expr:
        cursor = self.cursor
        token = cursor.advance()
        at = cursor.offsets[token]
        if kind == ".":
            return self._member(target, at, safe=False)
        if kind == "(":
            return Call(at, target, self._list(token, ")", spread=False))
        if kind == "[":
            return element(self, target, token, begin)
        if cursor.kind != "[":
            return self._member(target, at, safe=True)
        opener = cursor.advance()
        index = self.enclosed()
        cursor.close(opener)
        return Index(at, target, index, True)

    def _member(self, target: Expr, at: int, *, safe: bool) -> Expr:
        cursor = self.cursor
        if cursor.kind in WORDS:
            return Member(at, target, cursor.texts[cursor.advance()], "property", safe)
        attribute, metadata = cursor.accept("@"), cursor.accept("^")
        if cursor.accept("*"):
            return Member(at, target, "*", "attributes" if attribute else "values", safe)
        if cursor.kind not in WORDS:
            raise cursor.error("Expected property name after '.'", hint=_MEMBER_HINTS.get(cursor.kind, _OTHER_NAMES))
        kind = "attribute" if attribute else "metadata" if metadata else "property"
        return Member(at, target, cursor.texts[cursor.advance()], kind, safe)


def _negated(at: int, sign: str, operand: Expr) -> Expr:
    if sign == "-" and isinstance(operand, Literal) and is_number(operand.value):
        return Literal(at, -operand.value)
    return Unary(at, sign, operand)


_OTHER_NAMES = 'A name with other characters is written x["the name"].'
_MEMBER_HINTS = {".": 'There is no `..`: yamlFindByField(x, "name") finds what a field has at any depth.'}
_HINTS = {
    "=": "Compare with `==`; bind with `let name = value`.",
    "end": "The program ends too early.",
    "=>": "A lambda is written x => … or (a, b) => …, with no word before it.",
    "*": "A wildcard follows a dot: x.*",
    "|": PIPE_HINT,
}
