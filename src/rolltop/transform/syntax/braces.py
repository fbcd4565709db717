"""What stands between `{` and `}` in an expression: an object, or a block with a value."""

from __future__ import annotations

from rolltop.transform.syntax.cursor import CLOSERS, OPENERS, SEPARATORS, WORDS, Bail, Cursor
from rolltop.transform.syntax.literals import string_value
from rolltop.transform.syntax.tree import Block, Entry, Expr, FunctionDef, Let, ObjectLiteral

__all__ = ["BraceParser"]

Binding = Let | FunctionDef
_BINDERS = frozenset({"let", "function", "def"})
_AFTER_ENTRY = frozenset({",", ";", "}"})
_COLON = "Expected ':' after property name"
_NO_OBJECT = "Braces make objects: a value alone stands without them."


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
        at = cursor.offsets[opener]
        cursor.enter()
        bindings, early = self._bindings()
        if early is not None:
            result: Expr = Block(at, bindings, early)
        elif cursor.kind == "{" or (bindings and cursor.kind != "}" and not self._at_entry()):
            result = Block(at, bindings, self._final())
        else:
            result = ObjectLiteral(at, bindings, self._entries())
        cursor.leave()
        cursor.close(opener, hint=self._close_hint(result))
        return result

    def _close_hint(self, result: Expr) -> str | None:
        if isinstance(result, ObjectLiteral) and self.cursor.kind != "end":
            return "Separate properties by commas or line breaks."
        return None

    def _final(self) -> Expr:
        value = self.in_sequence()
        while self.cursor.kind in SEPARATORS:
            self.cursor.advance()
        return value

    def _bindings(self) -> tuple[list[Binding], Expr | None]:
        """The leading `let`s and functions; and the value, when a `let … in …` ends the block."""
        cursor = self.cursor
        bindings: list[Binding] = []
        while cursor.kind == "keyword" and cursor.text in _BINDERS and cursor.ahead() != ":":
            item = self.in_sequence()
            if isinstance(item, FunctionDef) or (isinstance(item, Let) and item.body is None):
                bindings.append(item)
            else:
                return bindings, item
            while cursor.kind in SEPARATORS:
                cursor.advance()
        return bindings, None

    def _at_entry(self) -> bool:
        """Whether an entry of an object starts here (and not the value of a block)."""
        cursor = self.cursor
        kind, after = cursor.kind, cursor.ahead()
        if kind in ("name", "keyword", "string"):
            return after == ":"
        if kind == "@":
            return cursor.ahead(2) == ":"
        if kind == "[":
            return self._after_bracket() == ":"
        return kind in ("...", "%")

    def _after_bracket(self) -> str:
        """The kind of the token after the bracket that closes the one here."""
        kinds, at, depth = self.cursor.kinds, self.cursor.index, 0
        while at < len(kinds) - 1:
            depth += (kinds[at] in OPENERS) - (kinds[at] in CLOSERS)
            at += 1
            if depth == 0:
                break
        return kinds[at]

    def _entries(self) -> list[Entry]:
        cursor = self.cursor
        entries: list[Entry] = []
        depth = cursor.depth
        while cursor.kind not in ("}", "end"):
            if entries and cursor.kind in SEPARATORS:
                cursor.advance()
                continue
            try:
                entries.append(self._entry())
            except Bail:
                cursor.recover(depth, "}", lines=True)
                continue
            if cursor.kind not in _AFTER_ENTRY and not cursor.fresh:
                break
        return entries

    def _entry(self) -> Entry:
        cursor = self.cursor
        kind, at = cursor.kind, cursor.at
        if kind in WORDS:
            name = cursor.texts[cursor.advance()]
            if cursor.kind == ":":  # by far the most frequent entry
                cursor.advance()
                return Entry(at, "property", name, None, self.enclosed())
            raise cursor.error(_COLON, hint=_colon_hint(name, cursor.kind))
        if kind == "...":
            cursor.advance()
            return Entry(at, "spread", "", None, self.enclosed())
        if kind == "[":
            opener = cursor.advance()
            key = self.enclosed()
            cursor.close(opener)
            cursor.expect(":", "Expected ':' after the computed key")
            return Entry(at, "computed", "", key, self.enclosed())
        kind, name = self._key()
        cursor.expect(":", _COLON, hint=_colon_hint(name, cursor.kind))
        return Entry(at, kind, name, None, self.enclosed())

    def _key(self) -> tuple[str, str]:
        """The kind of an entry and its key, when that is not a plain word."""
        cursor = self.cursor
        if cursor.accept("%"):
            if cursor.kind not in WORDS:
                raise cursor.error("Expected a name after '%'")
            return "directive", "%" + cursor.texts[cursor.advance()]
        attribute = cursor.accept("@")
        if cursor.kind in WORDS:
            return "attribute", cursor.texts[cursor.advance()]
        if cursor.kind != "string":
            hint = f'Quote a key that is a number: "{cursor.text}": …' if cursor.ahead() == ":" else _NO_OBJECT
            raise cursor.error("Expected property name or spread operator", hint=hint)
        name = string_value(cursor, cursor.advance())
        if not attribute and name.startswith("@") and len(name) > 1:
            return "attribute", name[1:]
        return ("attribute" if attribute else "property"), name


def _colon_hint(name: str, found: str) -> str | None:
    if found in (",", "}"):
        return f"There is no shorthand: write {name}: {name}."
    if found == "=":
        return f"Properties are written {name}: value."
    return _NO_OBJECT if found in (".", "(", "[", "?.") else None
