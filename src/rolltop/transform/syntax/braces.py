"""What stands between `{` and `}` in an expression: an object, or a block with a value."""

from __future__ import annotations

from rolltop.transform.syntax.cursor import Bail, Cursor
from rolltop.transform.syntax.lexer import Token
from rolltop.transform.syntax.literals import string_value
from rolltop.transform.syntax.tree import Block, Entry, Expr, FunctionDef, Let, ObjectLiteral

__all__ = ["BraceParser"]

Binding = Let | FunctionDef


class BraceParser:
    """The part of the expression parser that reads braces."""

    cursor: Cursor

    def enclosed(self) -> Expr:
        raise NotImplementedError

    def in_sequence(self) -> Expr:
        raise NotImplementedError

    def braces(self) -> Expr:
        cursor = self.cursor
        opener = cursor.advance()
        cursor.enter()
        bindings, early = self._bindings()
        if early is not None:
            result: Expr = Block(opener.at, bindings, early)
        elif cursor.token.kind == "{" or (bindings and cursor.token.kind != "}" and not self._at_entry()):
            result = Block(opener.at, bindings, self._final())
        else:
            result = ObjectLiteral(opener.at, bindings, self._entries(opener))
        cursor.leave()
        cursor.close(opener, hint=self._close_hint(result))
        return result

    def _close_hint(self, result: Expr) -> str | None:
        if isinstance(result, ObjectLiteral) and self.cursor.token.kind != "end":
            return "Separate properties by commas or line breaks."
        return None

    def _final(self) -> Expr:
        value = self.in_sequence()
        while self.cursor.token.kind in (",", ";"):
            self.cursor.advance()
        return value

    def _bindings(self) -> tuple[list[Binding], Expr | None]:
        """The leading `let`s and functions; and the value, when a `let … in …` ends the block."""
        cursor = self.cursor
        bindings: list[Binding] = []
        while cursor.token.text in ("let", "function", "def") and cursor.ahead().kind != ":":
            item = self.in_sequence()
            if isinstance(item, FunctionDef) or (isinstance(item, Let) and item.body is None):
                bindings.append(item)
            else:
                return bindings, item
            while cursor.token.kind in (",", ";"):
                cursor.advance()
        return bindings, None

    def _at_entry(self) -> bool:
        """Whether an entry of an object starts here (and not the value of a block)."""
        cursor = self.cursor
        kind, after = cursor.token.kind, cursor.ahead().kind
        if kind in ("name", "keyword", "string"):
            return after == ":"
        if kind == "@":
            return cursor.ahead(2).kind == ":"
        if kind == "[":
            return self._after_bracket() == ":"
        return kind in ("...", "%")

    def _after_bracket(self) -> str:
        """The kind of the token after the bracket that closes the one here."""
        tokens, at, depth = self.cursor.tokens, self.cursor.index, 0
        while at < len(tokens) - 1:
            depth += (tokens[at].kind in "([{") - (tokens[at].kind in ")]}")
            at += 1
            if depth == 0:
                break
        return tokens[at].kind

    def _entries(self, opener: Token) -> list[Entry]:
        cursor = self.cursor
        entries: list[Entry] = []
        depth = cursor.depth
        while cursor.token.kind not in ("}", "end"):
            if entries and cursor.token.kind in (",", ";"):
                cursor.advance()
                continue
            try:
                entries.append(self._entry())
            except Bail:
                cursor.recover(depth, "}", lines=True)
                continue
            if cursor.token.kind not in (",", ";", "}") and not cursor.token.fresh:
                break
        return entries

    def _entry(self) -> Entry:
        cursor = self.cursor
        token = cursor.token
        if token.kind == "...":
            cursor.advance()
            return Entry(token.at, "spread", "", None, self.enclosed())
        if token.kind == "[":
            opener = cursor.advance()
            key = self.enclosed()
            cursor.close(opener)
            cursor.expect(":", "Expected ':' after the computed key")
            return Entry(token.at, "computed", "", key, self.enclosed())
        kind, name = self._key(token)
        cursor.expect(":", "Expected ':' after property name", hint=_colon_hint(name, cursor.token))
        return Entry(token.at, kind, name, None, self.enclosed())

    def _key(self, token: Token) -> tuple[str, str]:
        cursor = self.cursor
        if token.kind == "%":
            cursor.advance()
            if cursor.token.kind not in ("name", "keyword"):
                raise cursor.error("Expected a name after '%'")
            return "directive", "%" + cursor.advance().text
        attribute = cursor.accept("@")
        if cursor.token.kind not in ("name", "keyword", "string"):
            raise cursor.error("Expected property name or spread operator", hint=_key_hint(cursor.token))
        word = cursor.advance()
        name = string_value(cursor, word) if word.kind == "string" else word.text
        if not attribute and name.startswith("@") and len(name) > 1 and word.kind == "string":
            return "attribute", name[1:]
        return ("attribute" if attribute else "property"), name


def _colon_hint(name: str, found: Token) -> str | None:
    if found.kind in (",", "}"):
        return f"There is no shorthand: write {name}: {name}."
    if found.kind == "=":
        return f"Properties are written {name}: value."
    return None


def _key_hint(token: Token) -> str | None:
    if token.kind == "number":
        return f'Quote a key that is a number: "{token.text}": …'
    return None
