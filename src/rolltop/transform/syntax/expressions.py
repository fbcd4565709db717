"""The expression grammar: operator precedence by binding power, one method per construct."""

from __future__ import annotations

from collections.abc import Callable

from rolltop.transform.syntax.annotations import parse_annotation
from rolltop.transform.syntax.braces import BraceParser
from rolltop.transform.syntax.cursor import Bail, Cursor
from rolltop.transform.syntax.lexer import Token
from rolltop.transform.syntax.literals import number_value, string_value
from rolltop.transform.syntax.tree import (
    ArrayLiteral,
    Binary,
    Call,
    Case,
    Expr,
    FunctionDef,
    If,
    Index,
    Lambda,
    Let,
    Literal,
    Match,
    Member,
    Name,
    Param,
    Pipe,
    Sequence,
    Spread,
    Try,
    Unary,
)

__all__ = ["ExpressionParser"]

# Binding powers: (left, right). Right-associative operators bind less on their right.
_PIPE, _POSTFIX_IF, _TERNARY, _UNARY, _POSTFIX = 10, 20, 30, 120, 130
_BINARY: dict[str, tuple[int, int]] = {
    "??": (40, 41),
    "||": (50, 51),
    "&&": (60, 61),
    "==": (70, 71), "!=": (70, 71),
    "<": (80, 81), "<=": (80, 81), ">": (80, 81), ">=": (80, 81),
    "+": (90, 91), "-": (90, 91),
    "*": (100, 101), "/": (100, 101), "%": (100, 101),
    "**": (110, 110),
}  # fmt: skip
_NO_LAMBDA = 1
_POSTFIX_STARTS = frozenset({".", "?.", "[", "("})
_CONSTANTS = {"true": True, "false": False, "null": None}


class ExpressionParser(BraceParser):
    """Parses expressions from a cursor. `sequence` is true where a new line may start a new expression."""

    def __init__(self, cursor: Cursor, *, shorthand: bool = False) -> None:
        self.cursor = cursor
        self.shorthand = shorthand
        self.sequence = True
        self._keywords: dict[str, Callable[[Token], Expr]] = {
            "let": self._let,
            "function": self._function,
            "def": self._function,
            "if": self._if,
            "match": self._match,
            "try": self._try,
        }

    # ---- the body and other sequences -------------------------------------------------------

    def program_body(self) -> Sequence:
        """Everything after the header."""
        return self.statements(0, "end")

    def statements(self, at: int, closer: str) -> Sequence:
        """Expressions one after the other, up to a closing token that is not consumed."""
        cursor = self.cursor
        body = Sequence(at, [], [])
        depth = cursor.depth
        while cursor.token.kind not in (closer, "end"):
            if cursor.token.kind in (",", ";"):
                cursor.advance()
                continue
            try:
                item = self.in_sequence()
            except Bail:
                cursor.recover(depth, closer, lines=True)
                continue
            if isinstance(item, FunctionDef) or (isinstance(item, Let) and item.body is None):
                body.bindings.append(item)
            else:
                body.items.append(item)
        return body

    def in_sequence(self) -> Expr:
        outer, self.sequence = self.sequence, True
        try:
            return self.expression()
        finally:
            self.sequence = outer

    def enclosed(self) -> Expr:
        """An expression inside brackets: a line break never ends it before `if`."""
        outer, self.sequence = self.sequence, False
        try:
            return self.expression()
        finally:
            self.sequence = outer

    # ---- operators --------------------------------------------------------------------------

    def expression(self, power: int = 0) -> Expr:
        cursor = self.cursor
        if power < _NO_LAMBDA:
            found = self._lambda()
            if found is not None:
                return found
        cursor.enter()
        left = self._prefix()
        while True:
            token = cursor.token
            kind = token.kind
            if kind in _POSTFIX_STARTS:
                if token.fresh and kind in ("[", "("):
                    break
                left = self._postfix(left, token)
                continue
            binding = _BINARY.get(kind)
            if binding is not None:
                if (binding[0] <= power and not (kind == "**" and binding[0] == power)) or self._starts_afresh(token):
                    break
                cursor.advance()
                left = Binary(token.at, kind, left, self.expression(binding[1] - (kind == "**")))
            elif kind == "|>" and power < _PIPE:
                cursor.advance()
                left = Pipe(token.at, left, self.expression(_PIPE))
            elif kind == "?" and power < _TERNARY:
                left = self._ternary(left)
            elif kind == "keyword" and token.text == "if" and power < _POSTFIX_IF and not self._ends_line(token):
                left = self._postfix_if(left)
            else:
                break
        cursor.leave()
        return left

    def _ends_line(self, token: Token) -> bool:
        return token.fresh and self.sequence

    def _starts_afresh(self, token: Token) -> bool:
        """A new line that starts with `-1 =>` is a case, with `%key:` a property; not an operator."""
        if not token.fresh:
            return False
        first, second = self.cursor.ahead(1), self.cursor.ahead(2)
        if token.kind == "-":
            return first.kind == "number" and second.kind in ("=>", "keyword")
        return token.kind == "%" and first.kind in ("name", "keyword") and second.kind == ":"

    def _ternary(self, condition: Expr) -> Expr:
        cursor = self.cursor
        at = cursor.advance().at
        then = self.enclosed()
        cursor.expect(":", "expected ':' between the two results of '? :'")
        return If(at, condition, then, self.expression(_TERNARY - 1), "?")

    def _postfix_if(self, value: Expr) -> Expr:
        cursor = self.cursor
        at = cursor.advance().at
        condition = self.expression(_TERNARY - 1)
        otherwise = None
        if cursor.is_word("else"):
            cursor.advance()
            otherwise = self.expression(_POSTFIX_IF - 1)
        return If(at, condition, value, otherwise, "postfix")

    # ---- what an expression starts with -----------------------------------------------------

    def _prefix(self) -> Expr:
        cursor = self.cursor
        token = cursor.token
        kind = token.kind
        if kind == "name":
            cursor.advance()
            return _name(token)
        if kind == "number":
            cursor.advance()
            return Literal(token.at, number_value(token.text))
        if kind == "string":
            cursor.advance()
            return Literal(token.at, string_value(cursor, token))
        if kind == "keyword":
            return self._keyword(token)
        if kind == "{":
            return self.braces()
        if kind == "[":
            return self._array(cursor.advance())
        if kind == "(":
            return self._parenthesis(cursor.advance())
        if kind in ("!", "-"):
            cursor.advance()
            return self._negated(token, self.expression(_UNARY - 1))
        if kind == "@" and cursor.ahead().kind == "name":
            cursor.advance()
            return Name(token.at, cursor.advance().text, "@")
        if kind == "." and self.shorthand:
            return self._input()
        raise cursor.error("Expected expression", hint=_HINTS.get(kind))

    def _input(self) -> Expr:
        """The dot that stands for the input; it is also the dot of a member that follows."""
        cursor = self.cursor
        name = Name(cursor.token.at, "input", "$")
        if cursor.ahead().kind not in ("name", "keyword", "@", "^", "*"):
            cursor.advance()
        return name

    def _negated(self, token: Token, operand: Expr) -> Expr:
        if token.kind == "-" and isinstance(operand, Literal) and type(operand.value) in (int, float):
            return Literal(token.at, -operand.value)
        return Unary(token.at, token.kind, operand)

    def _keyword(self, token: Token) -> Expr:
        cursor = self.cursor
        if token.text in _CONSTANTS:
            cursor.advance()
            return Literal(token.at, _CONSTANTS[token.text])
        construct = self._keywords.get(token.text)
        if construct is None:
            raise cursor.error("Expected expression", hint=f"`{token.text}` is a reserved word.")
        cursor.advance()
        return construct(token)

    def _parenthesis(self, opener: Token) -> Expr:
        inner = self.enclosed()
        self.cursor.close(opener)
        return inner

    def _array(self, opener: Token) -> Expr:
        return ArrayLiteral(opener.at, self._list(opener, spread=True))

    def _list(self, opener: Token, *, spread: bool) -> list[Expr]:
        """Expressions separated by commas, up to and including the closing bracket."""
        cursor = self.cursor
        closer = "]" if opener.kind == "[" else ")"
        items: list[Expr] = []
        depth = cursor.depth
        while cursor.token.kind != closer:
            try:
                if spread and cursor.token.kind == "...":
                    items.append(Spread(cursor.advance().at, self.enclosed()))
                else:
                    items.append(self.enclosed())
                if not cursor.accept(",") and cursor.token.kind != closer:
                    cursor.close(opener, hint="Separate the items with commas.")
            except Bail:
                cursor.depth = depth
                cursor.skip_to_next(lines=False)
                if cursor.token.kind != closer and not cursor.accept(",") and not cursor.accept(";"):
                    raise  # what closes here closes something around: the error was reported
        cursor.close(opener)
        return items

    # ---- after a value ----------------------------------------------------------------------

    def _postfix(self, target: Expr, token: Token) -> Expr:
        cursor = self.cursor
        cursor.advance()
        if token.kind == "(":
            return Call(token.at, target, self._list(token, spread=False))
        if token.kind == "[":
            index = self.enclosed()
            cursor.close(token)
            return Index(token.at, target, index)
        safe = token.kind == "?."
        if safe and cursor.token.kind == "[":
            opener = cursor.advance()
            index = self.enclosed()
            cursor.close(opener)
            return Index(token.at, target, index, safe=True)
        return self._member(target, token.at, safe=safe)

    def _member(self, target: Expr, at: int, *, safe: bool) -> Expr:
        cursor = self.cursor
        attribute, metadata = cursor.accept("@"), cursor.accept("^")
        token = cursor.token
        if token.kind == "*":
            cursor.advance()
            return Member(at, target, "*", "attributes" if attribute else "values", safe)
        if token.kind not in ("name", "keyword"):
            raise cursor.error(
                "Expected property name after '.'", hint='A name with other characters is written x["the name"].'
            )
        cursor.advance()
        kind = "attribute" if attribute else "metadata" if metadata else "property"
        return Member(at, target, token.text, kind, safe)

    # ---- constructs -------------------------------------------------------------------------

    def _lambda(self) -> Expr | None:
        cursor = self.cursor
        token = cursor.token
        if token.kind == "name" and cursor.ahead().kind == "=>":
            cursor.advance()
            params = [Param(token.at, token.text.lstrip("$"))]
        elif token.kind == "(" and self._is_parameter_list():
            params = self.parameters(cursor.advance())
        else:
            return None
        at = cursor.advance().at
        cursor.enter()
        body = self.expression()
        cursor.leave()
        return Lambda(at, params, body)

    def _is_parameter_list(self) -> bool:
        """Whether `(` names `)` and an arrow follow; types between are skipped by their tokens."""
        tokens, at = self.cursor.tokens, self.cursor.index + 1
        while tokens[at].kind in ("name", ",", ":", "?", "<", ">", "|>", "|"):
            at += 1
        return tokens[at].kind == ")" and tokens[at + 1].kind == "=>"

    def parameters(self, opener: Token) -> list[Param]:
        cursor = self.cursor
        params: list[Param] = []
        while cursor.token.kind != ")":
            token = cursor.expect("name", "Expected parameter name")
            annotation = parse_annotation(cursor) if cursor.accept(":") else None
            params.append(Param(token.at, token.text.lstrip("$"), annotation))
            if not cursor.accept(","):
                break
        cursor.close(opener)
        return params

    def _let(self, token: Token) -> Expr:
        cursor = self.cursor
        name = cursor.expect("name", "Expected variable name after 'let'", hint=self._reserved_hint())
        annotation = parse_annotation(cursor) if cursor.accept(":") else None
        cursor.expect("=", "Expected '=' after variable name")
        value = self.expression()
        body = None
        if cursor.is_word("in"):
            cursor.advance()
            body = self.expression()
        return Let(name.at, name.text.lstrip("$"), annotation, value, body)

    def _reserved_hint(self) -> str | None:
        token = self.cursor.token
        return f"`{token.text}` is a reserved word." if token.kind == "keyword" else None

    def _function(self, token: Token) -> Expr:
        cursor = self.cursor
        name = cursor.expect("name", "Expected function name", hint=self._reserved_hint())
        if not name.text[0].isupper():
            suggestion = name.text[0].upper() + name.text[1:]
            cursor.problems.append(
                cursor.source.diagnostic(
                    "E203",
                    f"User-defined functions must start with uppercase letter: {name.text}",
                    name.at,
                    hint=f"Name it {suggestion}, or bind a lambda: let {name.text} = x => …",
                )
            )
        params = self.parameters(cursor.expect("(", "Expected '(' after function name"))
        result = parse_annotation(cursor) if cursor.accept(":") else None
        opener = cursor.expect("{", "Expected '{' before the body of the function")
        cursor.enter()
        body = self.statements(opener.at, "}")
        cursor.leave()
        cursor.close(opener)
        return FunctionDef(name.at, name.text, params, result, body)

    def _if(self, token: Token) -> Expr:
        cursor = self.cursor
        opener = cursor.expect("(", "Expected '(' after 'if'", hint="Put the condition in parentheses.")
        condition = self.enclosed()
        cursor.close(opener)
        then = self.expression(_TERNARY - 1)
        otherwise = None
        if cursor.is_word("else"):
            cursor.advance()
            otherwise = self.expression(_TERNARY - 1)
        return If(token.at, condition, then, otherwise)

    def _match(self, token: Token) -> Expr:
        cursor = self.cursor
        subject = self.expression(_POSTFIX - 1)
        opener = cursor.expect("{", "Expected '{' after the subject of 'match'")
        cases: list[Case] = []
        depth = cursor.depth
        while cursor.token.kind not in ("}", "end"):
            try:
                cases.append(self._case())
                separated = cursor.accept(",") or cursor.accept(";") or cursor.token.fresh
                if not separated and cursor.token.kind != "}":
                    cursor.close(opener, hint="Separate the cases by line breaks or commas.")
            except Bail:
                cursor.recover(depth, "}", lines=True)
        cursor.close(opener)
        return Match(token.at, subject, cases)

    def _case(self) -> Case:
        cursor = self.cursor
        at = cursor.token.at
        pattern = self._pattern()
        guard = None
        if cursor.is_word("if"):
            cursor.advance()
            guard = self.expression(_NO_LAMBDA)
        cursor.expect("=>", "Expected '=>' after the pattern")
        return Case(at, pattern, guard, self.enclosed())

    def _pattern(self) -> Literal | Name | None:
        cursor = self.cursor
        token = cursor.token
        if token.kind == "name" and token.text == "_":
            cursor.advance()
            return None
        if token.kind == "name":
            cursor.advance()
            return _name(token)
        negative = cursor.accept("-")
        if cursor.token.kind in ("number", "string") or cursor.token.text in _CONSTANTS:
            literal = self._prefix()
            assert isinstance(literal, Literal)
            if negative and type(literal.value) in (int, float):
                literal.value = -literal.value
            return literal
        raise cursor.error("Expected a pattern: a literal, a name or _")

    def _try(self, token: Token) -> Expr:
        cursor = self.cursor
        body = self._single("try")
        if not cursor.is_word("catch"):
            raise cursor.error("Expected 'catch' after the try block")
        cursor.advance()
        name = None
        if cursor.token.kind == "(":
            opener = cursor.advance()
            name = cursor.expect("name", "Expected the name of the error").text.lstrip("$")
            cursor.close(opener)
        return Try(token.at, body, name, self._single("catch"))

    def _single(self, what: str) -> Expr:
        """`{ expression }`, or bindings and an expression."""
        cursor = self.cursor
        opener = cursor.expect("{", f"Expected '{{' after '{what}'")
        cursor.enter()
        body = self.statements(opener.at, "}")
        cursor.leave()
        cursor.close(opener)
        return body.items[0] if len(body.items) == 1 and not body.bindings else body


def _name(token: Token) -> Name:
    text = token.text
    return Name(token.at, text[1:], "$") if text[0] == "$" else Name(token.at, text)


_HINTS = {
    "=": "Compare with `==`; bind with `let name = value`.",
    "end": "The program ends too early.",
    "=>": "Several lambda parameters go in parentheses: (a, b) => …",
    "*": "A wildcard follows a dot: x.*",
}
