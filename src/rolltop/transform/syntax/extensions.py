"""Notations that UTL-X does not have: templates, slices, negative indexes, ranges, descent, patterns with a shape.

Each becomes tree nodes that the language has (`xs[1:3]` is `span(xs, 1, 3)`), so no back end knows of them.
`Extensions` remembers where they were written, for strict mode and for the formatter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.syntax.cursor import WORDS, Cursor
from rolltop.transform.syntax.lexer import tokenize_part
from rolltop.transform.syntax.literals import unescaped
from rolltop.transform.syntax.source import Source
from rolltop.transform.syntax.tree import Binary, Call, Case, Expr, Index, Let, Literal, Member, Name, walk

if TYPE_CHECKING:
    from rolltop.transform.syntax.expressions import ExpressionParser

__all__ = ["RANGE", "Extensions", "Written", "descent_or_none", "element", "range_of", "shaped_case", "template"]

RANGE = 85
"""How strongly `..` binds: less than `+`, more than `<`."""
_PRIMARY = 140


class Written(NamedTuple):
    """The notation of a node as the source has it."""

    node: Expr
    text: str
    power: int
    span: tuple[int, int]


class Extensions:
    """The extensions that a program uses."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.used: list[tuple[int, str, str]] = []
        """Offset, what it is, and what UTL-X has instead."""
        self.written: dict[int, Written] = {}
        """By the identity of a node, which is kept alive here."""
        self.cases: dict[int, tuple[Case, str, Expr]] = {}
        """Cases whose pattern has a shape: the head as written, and the body without the bindings."""

    def note(self, node: Expr, what: str, instead: str, span: tuple[int, int], *, power: int = _PRIMARY) -> Expr:
        self.used.append((node.at, what, instead))
        self.written[id(node)] = Written(node, self._source.text[slice(*span)], power, span)
        return node

    def refused(self, body: Expr) -> list[Diagnostic]:
        """A finding for every extension, functions among them, as strict mode has it."""
        from rolltop.transform.stdlib.registry import EXTENSIONS  # noqa: PLC0415 - only strict mode asks

        noted = {at for at, _, _ in self.used}
        for node in walk(body):
            if isinstance(node, Name) and node.name in EXTENSIONS and node.at not in noted:
                self.used.append((node.at, f"the function {node.name}", "it with the functions of UTL-X"))
        return [
            self._source.diagnostic("E205", f"{what} is no UTL-X", at, hint=f"Write {instead}.")
            for at, what, instead in self.used
        ]


def _end(cursor: Cursor) -> int:
    """Where the token before the current one ends."""
    last = cursor.index - 1
    return cursor.offsets[last] + len(cursor.texts[last])


def _call(at: int, name: str, *arguments: Expr) -> Call:
    return Call(at, Name(at, name), list(arguments))


# ---- values ---------------------------------------------------------------------------------


def template(parser: ExpressionParser, nested: Callable[[Cursor], ExpressionParser]) -> Expr:
    """`` `Hello ${name}` ``: texts and values joined; null is nothing."""
    cursor = parser.cursor
    token = cursor.advance()
    at, body = cursor.offsets[token], cursor.texts[token][1:-1]
    made: Expr = Literal(at, "")
    done = 0
    while (hole := _hole(body, done)) is not None:
        start, end = hole
        made = _joined(made, Literal(at, unescaped(cursor, at + 1 + done, body[done:start])))
        tokens, problems = tokenize_part(cursor.source, at + 1 + start + 2, at + 1 + end)
        cursor.problems.extend(problems)
        inner = nested(Cursor(cursor.source, tokens, cursor.problems))
        inner.cursor.depth = cursor.depth + 1
        value = inner.enclosed()
        if inner.cursor.kind != "end":
            raise inner.cursor.error("Expected '}' after the value", hint="A template holds expressions: ${price * 2}.")
        made = _joined(made, _call(value.at, "toString", value))
        done = end + 1
    made = _joined(made, Literal(at, unescaped(cursor, at + 1 + done, body[done:])))
    instead = '"Hello " + name' if isinstance(made, Binary) else "a text in quotes"
    return parser.extensions.note(made, "a template", instead, (at, at + len(cursor.texts[token])))


def _joined(left: Expr, right: Expr) -> Expr:
    """`left + right`, without empty texts; the first operand is a text, so `+` joins."""
    if isinstance(right, Literal) and right.value == "":
        return left
    if isinstance(left, Literal) and left.value == "" and isinstance(right, Literal):
        return right
    return Binary(right.at, "+", left, right)


def _hole(body: str, start: int) -> tuple[int, int] | None:
    """Where the next `${` is, and the `}` that closes it."""
    at = body.find("${", start)
    while at > 0 and body[at - 1] == "\\":
        at = body.find("${", at + 2)
    if at < 0:
        return None
    depth, quote, place = 0, "", at + 1
    while place < len(body):
        char = body[place]
        if quote:
            place += char == "\\"
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "{}":
            depth += 1 if char == "{" else -1
            if depth == 0:
                return at, place
        place += 1
    return None


# ---- after a value --------------------------------------------------------------------------


def element(parser: ExpressionParser, target: Expr, opener: int, begin: int) -> Expr:
    """`xs[i]`, and the extensions `xs[a:b]` and `xs[-1]`; the bracket is consumed."""
    cursor = parser.cursor
    at = cursor.offsets[opener]
    first = None if cursor.kind == ":" else parser.enclosed()
    if cursor.accept(":"):
        last = None if cursor.kind == "]" else parser.enclosed()
        cursor.close(opener)
        made = _call(at, "span", target, first or Literal(at, None), last or Literal(at, None))
        return parser.extensions.note(made, "a slice", "slice(xs, 1, 3)", (begin, _end(cursor)))
    assert first is not None
    cursor.close(opener)
    if isinstance(first, Literal) and type(first.value) is int and first.value < 0:
        made = _call(at, "at", target, first)
        return parser.extensions.note(made, "a negative index", "last(xs)", (begin, _end(cursor)))
    return Index(at, target, first)


def descent_or_none(parser: ExpressionParser, target: Expr, begin: int) -> Expr | None:
    """`x..name`, where the dots touch both sides and the left one is no number; else `..` is a range."""
    cursor = parser.cursor
    at = cursor.at
    attribute = cursor.ahead() == "@"
    word = cursor.index + 1 + attribute
    if isinstance(target, Literal) or cursor.kinds[word] not in WORDS or cursor.texts[word].startswith("$"):
        return None
    if _end(cursor) != at or cursor.offsets[cursor.index + 1] != at + 2:
        return None
    cursor.advance()
    if attribute:
        cursor.advance()
    name = cursor.texts[cursor.advance()]
    made = _call(at, "descendants", target, Literal(at, f"@{name}" if attribute else name))
    return parser.extensions.note(made, "a recursive descent", 'yamlFindByField(x, "name")', (begin, _end(cursor)))


def range_of(parser: ExpressionParser, first: Expr, begin: int) -> Expr:
    """`first .. last`: all whole numbers from one to the other."""
    cursor = parser.cursor
    at = cursor.offsets[cursor.advance()]
    made = _call(at, "range", first, parser.expression(RANGE + 1))
    return parser.extensions.note(made, "a range", "an array of the numbers", (begin, _end(cursor)), power=RANGE)


# ---- patterns -------------------------------------------------------------------------------


class _Shape:
    """What a pattern asks of a value, and what it binds."""

    def __init__(self) -> None:
        self.tests: list[Expr] = []
        self.bindings: list[tuple[int, str, Expr]] = []

    def bound(self, value: Expr) -> Expr:
        for at, name, part in reversed(self.bindings):
            value = Let(at, name, None, part, value)
        return value


def shaped_case(parser: ExpressionParser, guard_power: int) -> Case:
    """`{ type: "circle", r } if r > 0 => …` and `[first, ...rest] => …`."""
    cursor = parser.cursor
    begin = at = cursor.at
    subject = f"_value{at}"
    shape = _Shape()
    _pattern(parser, shape, lambda: Name(at, subject))
    guard: Expr | None = None
    if cursor.is_word("if"):
        cursor.advance()
        guard = shape.bound(parser.expression(guard_power))
    head = cursor.source.text[begin : _end(cursor)]
    cursor.expect("=>", "Expected '=>' after the pattern")
    body = parser.enclosed()
    tests = [*shape.tests, *([guard] if guard is not None else [])]
    condition = tests[0]
    for test in tests[1:]:
        condition = Binary(test.at, "&&", condition, test)
    case = Case(at, Name(at, subject), condition, shape.bound(body))
    parser.extensions.used.append((at, "a pattern with a shape", 'x if x.type == "a" => …'))
    parser.extensions.cases[id(case)] = case, head, body
    return case


def _pattern(parser: ExpressionParser, shape: _Shape, part: Callable[[], Expr]) -> None:
    cursor = parser.cursor
    at = cursor.at
    if cursor.kind == "{":
        _object(parser, shape, part)
    elif cursor.kind == "[":
        _array(parser, shape, part)
    elif cursor.kind == "name":
        name = cursor.texts[cursor.advance()].lstrip("$")
        shape.tests.append(Binary(at, "!=", part(), Literal(at, None)))
        if name != "_":
            shape.bindings.append((at, name, part()))
    else:
        shape.tests.append(Binary(at, "==", part(), parser.pattern_literal()))


def _object(parser: ExpressionParser, shape: _Shape, part: Callable[[], Expr]) -> None:
    cursor = parser.cursor
    opener = cursor.advance()
    at = cursor.offsets[opener]
    shape.tests.append(_call(at, "isObject", part()))
    while cursor.kind != "}":
        if cursor.kind not in (*WORDS, "string", "@"):
            raise cursor.error("Expected the name of a property in the pattern", hint='For example { type: "a", x }.')
        attribute = cursor.accept("@")
        token = cursor.advance()
        key = cursor.texts[token][1:-1] if cursor.kinds[token] == "string" else cursor.texts[token]
        place = cursor.offsets[token]

        def inner(key: str = key, place: int = place, attribute: bool = attribute) -> Expr:
            return Member(place, part(), key, "attribute" if attribute else "property")

        if cursor.accept(":"):
            _pattern(parser, shape, inner)
        else:
            shape.tests.append(Binary(place, "!=", inner(), Literal(place, None)))
            shape.bindings.append((place, key, inner()))
        if not cursor.accept(","):
            break
    cursor.close(opener)


def _array(parser: ExpressionParser, shape: _Shape, part: Callable[[], Expr]) -> None:
    cursor = parser.cursor
    opener = cursor.advance()
    at, count, rest = cursor.offsets[opener], 0, False
    shape.tests.append(_call(at, "isArray", part()))
    size = len(shape.tests)
    while cursor.kind != "]":
        if cursor.accept("..."):
            rest = True
            if cursor.kind == "name":
                name = cursor.texts[cursor.advance()].lstrip("$")
                shape.bindings.append((at, name, _call(at, "span", part(), Literal(at, count))))
            break

        def inner(position: int = count) -> Expr:
            return Index(at, part(), Literal(at, position))

        _pattern(parser, shape, inner)
        count += 1
        if not cursor.accept(","):
            break
    cursor.close(opener)
    # Before the tests of the elements: an array that is shorter has no such elements.
    shape.tests.insert(size, Binary(at, ">=" if rest else "==", _call(at, "count", part()), Literal(at, count)))
