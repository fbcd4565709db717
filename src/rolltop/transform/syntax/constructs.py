"""What starts with a keyword, and lambdas: let, function, if, match, try; and sequences of expressions."""

from __future__ import annotations

from rolltop.transform.syntax.annotations import parse_annotation
from rolltop.transform.syntax.braces import BraceParser
from rolltop.transform.syntax.cursor import CLOSERS, OPENERS, SEPARATORS, Bail
from rolltop.transform.syntax.powers import NO_LAMBDA, POSTFIX, TERNARY
from rolltop.transform.syntax.tree import (
    Case,
    Expr,
    FunctionDef,
    If,
    Lambda,
    Let,
    Literal,
    Match,
    Name,
    Param,
    Sequence,
    Try,
)
from rolltop.transform.values import is_number

__all__ = ["ConstructParser"]

_CONSTANTS = {"true": True, "false": False, "null": None}
_IN_PARAMETERS = frozenset({"name", ",", ":", "?", "<", ">", "|>", "|"})


class ConstructParser(BraceParser):
    """The part of the expression parser that reads whole constructs."""

    def expression(self, power: int = 0) -> Expr:
        raise NotImplementedError

    def operand(self, kind: str) -> Expr:
        raise NotImplementedError

    def piped(self, left: Expr) -> Expr:
        raise NotImplementedError

    # ---- the body and other sequences -------------------------------------------------------

    def program_body(self) -> Sequence:
        """Everything after the header."""
        return self._statements(0, "end")

    def _statements(self, at: int, closer: str) -> Sequence:
        """Expressions one after the other, up to a closing token that is not consumed."""
        cursor = self.cursor
        body = Sequence(at, [], [])
        depth = cursor.depth
        while cursor.kind not in (closer, "end"):
            if cursor.kind in SEPARATORS:
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

    def _braced(self, message: str) -> Sequence:
        """`{ statements }`."""
        cursor = self.cursor
        opener = cursor.expect("{", message)
        cursor.enter()
        body = self._statements(cursor.offsets[opener], "}")
        cursor.leave()
        cursor.close(opener)
        return body

    # ---- names and lambdas ------------------------------------------------------------------

    def name(self) -> Name:
        cursor = self.cursor
        token = cursor.advance()
        text = cursor.texts[token]
        return Name(cursor.offsets[token], text[1:], "$") if text[0] == "$" else Name(cursor.offsets[token], text)

    def at_lambda(self) -> bool:
        """Whether a name and an arrow follow, or `(` names `)` and an arrow; types are skipped by their tokens."""
        cursor = self.cursor
        kinds, at = cursor.kinds, cursor.index + 1
        if cursor.kind == "name":
            return kinds[at] == "=>"
        if cursor.kind != "(":
            return False
        while kinds[at] in _IN_PARAMETERS:
            at += 1
        return kinds[at] == ")" and kinds[at + 1] == "=>"

    def lambda_(self) -> Expr:
        cursor = self.cursor
        token = cursor.advance()
        if cursor.kinds[token] == "name":
            params = [Param(cursor.offsets[token], cursor.texts[token].lstrip("$"))]
        else:
            params = self._parameters(token)
        at = cursor.offsets[cursor.advance()]
        cursor.enter()
        body = self.expression()
        cursor.leave()
        return Lambda(at, params, body)

    def _parameters(self, opener: int) -> list[Param]:
        cursor = self.cursor
        params: list[Param] = []
        while cursor.kind != ")":
            token = cursor.expect("name", "Expected parameter name")
            annotation = parse_annotation(cursor) if cursor.accept(":") else None
            params.append(Param(cursor.offsets[token], cursor.texts[token].lstrip("$"), annotation))
            if not cursor.accept(","):
                break
        cursor.close(opener)
        return params

    # ---- keywords ---------------------------------------------------------------------------

    def keyword(self) -> Expr:
        cursor = self.cursor
        word, at = cursor.text, cursor.at
        if word in _CONSTANTS:
            cursor.advance()
            return Literal(at, _CONSTANTS[word])
        construct = _CONSTRUCTS.get(word)
        if construct is None:
            raise cursor.error("Expected expression", hint=f"`{word}` is a reserved word.")
        cursor.advance()
        return construct(self, at)

    def _let(self, at: int) -> Expr:
        cursor = self.cursor
        name = cursor.expect("name", "Expected variable name after 'let'", hint=self._reserved_hint())
        annotation = parse_annotation(cursor) if cursor.accept(":") else None
        cursor.expect("=", "Expected '=' after variable name")
        value = self.expression()
        body = None
        if cursor.is_word("in"):
            cursor.advance()
            body = self.expression()
        return Let(cursor.offsets[name], cursor.texts[name].lstrip("$"), annotation, value, body)

    def _reserved_hint(self) -> str | None:
        cursor = self.cursor
        return f"`{cursor.text}` is a reserved word." if cursor.kind == "keyword" else None

    def _function(self, at: int) -> Expr:
        cursor = self.cursor
        token = cursor.expect("name", "Expected function name", hint=self._reserved_hint())
        name, place = cursor.texts[token], cursor.offsets[token]
        if not name[0].isupper():
            self._small_function(name, place)
        params = self._parameters(cursor.expect("(", "Expected '(' after function name"))
        result = parse_annotation(cursor) if cursor.accept(":") else None
        body = self._braced("Expected '{' before the body of the function")
        return FunctionDef(place, name, params, result, body)

    def _small_function(self, name: str, at: int) -> None:
        hint = f"Name it {name[0].upper() + name[1:]}, or bind a lambda: let {name} = x => …"
        message = f"User-defined functions must start with uppercase letter: {name}"
        self.cursor.problems.append(self.cursor.source.diagnostic("E203", message, at, hint=hint))

    def _if(self, at: int) -> Expr:
        cursor = self.cursor
        opener = cursor.expect("(", "Expected '(' after 'if'", hint="Put the condition in parentheses.")
        condition = self.enclosed()
        cursor.close(opener)
        then = self.expression(TERNARY - 1)
        if cursor.kind == "|>" and self._else_follows():
            then = self.piped(then)
        otherwise = None
        if cursor.is_word("else"):
            cursor.advance()
            otherwise = self.expression(TERNARY - 1)
        return If(at, condition, then, otherwise)

    def _else_follows(self) -> bool:
        """Whether the `else` of this `if` comes after the pipe: then the pipe belongs to the first branch.

        Brackets are skipped and the `else` of other conditions is counted off, so nothing is parsed twice.
        """
        kinds, texts, depth, inner = self.cursor.kinds, self.cursor.texts, 0, 0
        for at in range(self.cursor.index, len(kinds)):
            kind = kinds[at]
            if kind in OPENERS:
                depth += 1
            elif kind in CLOSERS:
                depth -= 1
                if depth < 0:
                    return False
            elif depth == 0 and kind in SEPARATORS:
                return False
            elif depth == 0 and kind == "keyword" and texts[at] == "if":
                inner += 1
            elif depth == 0 and kind == "keyword" and texts[at] == "else":
                if inner == 0:
                    return True
                inner -= 1
        return False

    def _match(self, at: int) -> Expr:
        cursor = self.cursor
        subject = self.expression(POSTFIX - 1)
        opener = cursor.expect("{", "Expected '{' after the subject of 'match'")
        cases: list[Case] = []
        depth = cursor.depth
        while cursor.kind not in ("}", "end"):
            try:
                cases.append(self._case())
                separated = cursor.accept(",") or cursor.accept(";") or cursor.fresh
                if not separated and cursor.kind != "}":
                    cursor.close(opener, hint="Separate the cases by line breaks or commas.")
            except Bail:
                cursor.recover(depth, "}", lines=True)
        cursor.close(opener)
        return Match(at, subject, cases)

    def _case(self) -> Case:
        cursor = self.cursor
        at = cursor.at
        if cursor.kind in ("{", "["):
            return self.shaped_case()
        pattern = self._pattern()
        guard = None
        if cursor.is_word("if"):
            cursor.advance()
            guard = self.expression(NO_LAMBDA)
        hint = "A case has one pattern; for several: n if n == 1 || n == 2 => …" if cursor.kind == "|" else None
        cursor.expect("=>", "Expected '=>' after the pattern", hint=hint)
        return Case(at, pattern, guard, self.enclosed())

    def shaped_case(self) -> Case:
        raise NotImplementedError

    def _pattern(self) -> Literal | Name | None:
        if self.cursor.kind == "name":
            name = self.name()
            return None if name.name == "_" and not name.sigil else name
        return self.pattern_literal()

    def pattern_literal(self) -> Literal:
        cursor = self.cursor
        negative = cursor.accept("-")
        if cursor.kind in ("number", "string") or cursor.text in _CONSTANTS:
            literal = self.operand(cursor.kind)
            assert isinstance(literal, Literal)
            if negative and is_number(literal.value):
                literal.value = -literal.value
            return literal
        raise cursor.error("Expected a pattern: a literal, a name, _, { … } or [ … ]")

    def _try(self, at: int) -> Expr:
        cursor = self.cursor
        body = self._single("try")
        if not cursor.is_word("catch"):
            raise cursor.error("Expected 'catch' after the try block")
        cursor.advance()
        name = None
        if cursor.kind == "(":
            opener = cursor.advance()
            name = cursor.texts[cursor.expect("name", "Expected the name of the error")].lstrip("$")
            cursor.close(opener)
        return Try(at, body, name, self._single("catch"))

    def _single(self, what: str) -> Expr:
        """`{ expression }`, or bindings and an expression."""
        body = self._braced(f"Expected '{{' after '{what}'")
        return body.items[0] if len(body.items) == 1 and not body.bindings else body


_CONSTRUCTS = {
    "let": ConstructParser._let,
    "function": ConstructParser._function,
    "def": ConstructParser._function,
    "if": ConstructParser._if,
    "match": ConstructParser._match,
    "try": ConstructParser._try,
}
