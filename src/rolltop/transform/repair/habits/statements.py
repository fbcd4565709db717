"""Declarations, functions, conditions and loops as statements; here everything is an expression."""

from __future__ import annotations

import re

from rolltop.transform.repair.script import Script, Word

__all__ = [
    "braces",
    "comprehensions",
    "conditions",
    "declarations",
    "destructuring",
    "function_names",
    "functions",
    "loops",
    "matches",
    "properties",
    "returns",
    "shorthands",
]

_DECLARE = frozenset({"const", "var", "val", "final", "auto"})
_OPERATORS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||", "+", "-", "*", "/", "%", "??", "and", "or"})
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def declarations(text: str) -> str:
    """`const x = 1` and `let x := 1` are `let x = 1`."""
    script = Script(text)
    for index, word in enumerate(script.words):
        if word.text in _DECLARE and script.kind(index + 1) == "name" and script.at(index + 2) in ("=", ":=", ":"):
            script.words[index] = word._replace(text="let")
        elif word.text == ":=":
            script.words[index] = word._replace(text="=")
    return str(script)


def destructuring(text: str) -> str:
    """`let {a, b} = x` is `let a = x.a` and `let b = x.b`."""
    script = Script(text)
    for index in range(len(script) - 1, -1, -1):
        if script.at(index) not in ("let", *_DECLARE) or script.at(index + 1) not in ("{", "["):
            continue
        closer = script.close(index + 1)
        if closer is None or script.at(closer + 1) != "=":
            continue
        end = script.expression_end(closer + 2)
        value = script.between(closer + 2, end)
        names = [script.between(*part) for part in script.split(index + 2, closer, ",")]
        if not all(_IDENTIFIER.fullmatch(name) for name in names):
            continue
        named = script.at(index + 1) == "{"
        parts = [f".{name}" if named else f"[{at}]" for at, name in enumerate(names)]
        lets = [f"let {name} = {value}{part}" for name, part in zip(names, parts, strict=True)]
        script.replace(index, end, "\n".join(lets))
    return str(script)


def returns(text: str) -> str:
    """`return x` is `x`."""
    script = Script(text)
    for index in range(len(script) - 1, -1, -1):
        if script.at(index) == "return" and script.is_free(index) and index + 1 < len(script):
            script.words[index : index + 2] = [script.words[index + 1]._replace(lead=script.words[index].lead)]
    return str(script)


def braces(text: str) -> str:
    """`{ x }` around one value, after `=>`, a condition or `else`, is `(x)`."""
    script = Script(text)
    for index in range(len(script) - 1, -1, -1):
        if script.at(index) != "{" or script.at(index - 1) not in ("=>", "->", "else", ")"):
            continue
        closer = script.close(index)
        if closer is None or (script.at(index - 1) == ")" and not _is_condition(script, index - 1)):
            continue
        last = closer - (script.at(closer - 1) == ";")
        inside = script.between(index + 1, last)
        if _is_value(script, index + 1, last):
            bare = script.chain_end(index + 1) == last and script.at(index + 1) not in ("{", "(")
            follows = script.at(closer + 1)
            script.replace(index, closer + 1, inside if bare and follows not in (".", "[", "(") else f"({inside})")
    return str(script)


def _is_condition(script: Script, closer: int) -> bool:
    opener = script.open(closer)
    return opener is not None and script.at(opener - 1) == "if"


def _is_value(script: Script, start: int, end: int) -> bool:
    """Whether one expression stands there: no property, no binding, no second statement."""
    if start >= end or script.at(start) in ("let", "function", "def", "...", "@", "%", *_DECLARE):
        return False
    if script.at(start + 1) == ":" or (script.at(start) == "[" and script.at(script.chain_end(start)) == ":"):
        return False
    return script.expression_end(start) >= end


def functions(text: str) -> str:
    """`function (x) { return y }`, `lambda x: y`, `fn(x) => y` and `\\x -> y` are `x => y`."""
    script = Script(text)
    for index in range(len(script) - 1, -1, -1):
        word = script.at(index)
        if word in ("function", "fun", "fn", "func", "def") and script.at(index + 1) == "(":
            _anonymous(script, index)
        elif word == "lambda" and script.is_free(index):
            _lambda(script, index)
        elif word == "\\" and script.kind(index + 1) == "name":
            script.words[index : index + 2] = [script.words[index + 1]._replace(lead=script.words[index].lead)]
    return str(script)


def _anonymous(script: Script, index: int) -> None:
    closer = script.close(index + 1)
    if closer is None:
        return
    parameters = script.between(index + 1, closer + 1)
    after = closer + 1
    if script.at(after) in ("=>", "->", "="):
        script.replace(index, after + 1, f"{parameters} =>")
    elif script.at(after) == "{":
        script.replace(index, after, f"{parameters} =>")


def _lambda(script: Script, index: int) -> None:
    colon = next((at for at in range(index + 1, len(script)) if script.at(at) == ":"), None)
    if colon is None:
        return
    names = script.between(index + 1, colon)
    script.replace(index, colon + 1, f"{names} =>" if _IDENTIFIER.fullmatch(names) else f"({names}) =>")


def function_names(text: str) -> str:
    """A function that is declared has a capital letter, and so have its calls."""
    script = Script(text)
    renamed = {
        script.at(index + 1)
        for index in range(len(script))
        if script.at(index) in ("function", "def") and script.at(index + 1)[:1].islower()
    }
    for index, word in enumerate(script.words):
        if word.text in renamed and script.is_free(index):
            script.words[index] = word._replace(text=word.text[0].upper() + word.text[1:])
    return str(script)


def conditions(text: str) -> str:
    """`if c then a elif d then b else e` is `if (c) a else if (d) b else e`."""
    script = Script(text)
    for index in range(len(script) - 1, -1, -1):
        word = script.words[index]
        if word.text in ("elif", "elsif", "elseif"):
            script.words[index : index + 1] = [word._replace(text="else"), Word("name", "if", " ")]
            _parenthesize(script, index + 1)
        elif word.text == "if" and not script.ends_value(index - 1):
            _parenthesize(script, index)
    return str(script)


def _parenthesize(script: Script, index: int) -> None:
    """Put the condition after an `if` into parentheses, and leave out `then`."""
    start = index + 1
    then = next((at for at in range(start, len(script)) if script.at(at) in ("then", "{", "else")), None)
    if then is None or script.at(then) == "else" or start == then:
        return
    closer = script.close(start) if script.at(start) == "(" else None
    enclosed = closer == then - 1
    if closer is not None and not enclosed and script.at(closer + 1) not in _OPERATORS:
        return  # as it should be: what follows is the result
    if script.at(then) == "then":
        del script.words[then]
    if not enclosed:
        script.replace(start, then, f"({script.between(start, then)})")


def matches(text: str) -> str:
    """`switch (x) { case 1: a; default: b }` is `match (x) { 1 => a, _ => b }`."""
    script = Script(text)
    for index in range(len(script) - 1, -1, -1):
        if script.at(index) in ("switch", "match", "case", "when") and script.is_free(index):
            subject = script.chain_end(index + 1)
            if script.at(subject) == "{" and (closer := script.close(subject)) is not None:
                _cases(script, subject + 1, closer)
                script.words[index] = script.words[index]._replace(text="match")
    return str(script)


def _cases(script: Script, start: int, end: int) -> None:
    for index in range(end - 1, start - 1, -1):
        word = script.words[index]
        if word.text in ("else", "default") and script.at(index + 1) in ("->", "=>", ":"):
            script.words[index : index + 2] = [Word("name", "_", word.lead), Word("op", "=>", " ")]
        elif word.text == "case" and script.at(index + 2) in (":", "->", "=>", "if"):
            value = script.words[index + 1]._replace(lead=word.lead)
            arrow = [] if script.at(index + 2) == "if" else [Word("op", "=>", " ")]
            script.words[index : index + 2 + len(arrow)] = [value, *arrow]
        elif word.text == "break":
            del script.words[index : index + 1 + (script.at(index + 1) == ";")]


def shorthands(text: str) -> str:
    """`{ a, b: 1 }` is `{ a: a, b: 1 }`."""
    script = Script(text)
    around = script.enclosing()
    for index in range(len(script) - 1, 0, -1):
        word = script.words[index]
        if word.kind != "name" or script.at(index - 1) not in ("{", ",") or script.at(index + 1) not in (",", "}"):
            continue
        if _is_object(script, around[index]):
            key = word.text.lstrip("$")
            script.replace(index, index + 1, f"{key}: {word.text}")
    return str(script)


def properties(text: str) -> str:
    """`{ name = value }` and `{ name => value }` are `{ name: value }`."""
    script = Script(text)
    around = script.enclosing()
    for index in range(len(script) - 1, 1, -1):
        if script.at(index) not in ("=", "=>") or script.kind(index - 1) not in ("name", "string"):
            continue
        if script.at(index - 2) in ("{", ",") and _is_object(script, around[index]):
            script.words[index] = Word("op", ":", "")
    return str(script)


def _is_object(script: Script, opener: int | None) -> bool:
    """Whether a bracket is the brace of an object, and not that of a match."""
    if opener is None or script.at(opener) != "{":
        return False
    if not script.ends_value(opener - 1):
        return True
    return script.at(script.chain_start(opener - 1) - 1) not in ("match", "switch")


def comprehensions(text: str) -> str:
    """`[y for x in xs if c]` is `xs |> filter(x => c) |> map(x => y)`."""
    script = Script(text)
    for index in range(len(script) - 1, -1, -1):
        closer = script.close(index) if script.at(index) == "[" else None
        if closer is None:
            continue
        parts = script.split(index + 1, closer, ("for", "in", "if"))
        marks = [script.at(end) for _, end in parts[:-1]]
        if marks not in (["for", "in"], ["for", "in", "if"]):
            continue
        made, name, source, *kept = (script.between(*part) for part in parts)
        where = f" |> filter({name} => {kept[0]})" if kept else ""
        body = "" if made == name else f" |> map({name} => {made})"
        script.replace(index, closer + 1, f"({source}{where}{body})")
    return str(script)


def loops(text: str) -> str:
    """`for (let x of xs) { y }` and `for x in xs: y` are `xs |> map(x => y)`."""
    script = Script(text)
    for index in range(len(script) - 1, -1, -1):
        if script.at(index) != "for" or not script.is_free(index):
            continue
        enclosed = script.at(index + 1) == "("
        head = index + 1 + enclosed + (script.at(index + 1 + enclosed) in ("let", *_DECLARE))
        close = script.close(index + 1) if enclosed else None
        end = close if close is not None else script.split(head, len(script), ":")[0][1]
        if script.at(head + 1) not in ("of", "in") or end is None:
            continue
        start = end + 1
        stop = (script.close(start) or len(script)) + 1 if script.at(start) == "{" else script.expression_end(start)
        inner = (start + 1, stop - 1) if script.at(start) == "{" else (start, stop)
        made = script.between(*inner).rstrip("; \n")
        script.replace(index, stop, f"{script.between(head + 2, end)} |> map({script.at(head)} => {made})")
    return str(script)
