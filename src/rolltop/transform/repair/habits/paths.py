"""JSONPath: `$` is the document, `[*]` all items, `[?(…)]` some of them."""

from __future__ import annotations

from rolltop.transform.repair.habits.arguments import bound_names, item_members
from rolltop.transform.repair.script import Script, Word
from rolltop.transform.stdlib.registry import all_names
from rolltop.transform.syntax.lexer import KEYWORDS

_COMPARISONS = frozenset({"==", "===", "=", "!=", "!==", "<", "<=", ">", ">="})
__all__ = ["roots", "wildcards"]


def roots(text: str) -> str:
    """`$.a` and `$input->a` are `$input.a`."""
    script = Script(text)
    for index, word in enumerate(script.words):
        if word.text == "$" and word.kind == "name":
            script.words[index] = word._replace(text="$input")
        elif word.text == "->" and script.at(index - 1) in ("$", "$input") and script.kind(index + 1) == "name":
            script.words[index] = word._replace(text=".")
    return str(script)


def wildcards(text: str) -> str:
    """`xs[*].a` is `xs |> map(item => item.a)`, `xs[?(@.a > 1)]` is `xs |> filter(item => item.a > 1)`."""
    script = Script(text)
    index = 0
    while index < len(script):
        opens = script.at(index) == "[" and script.ends_value(index - 1) and not script.fresh(index)
        if opens and (script.at(index + 1) in ("*", "?") or _is_test(script, index)):
            _unfold(script, index)
            index = 0
            continue
        if script.at(index) == "*" and script.at(index - 1) == "." and script.at(index + 1) == ".":
            script.words[index - 1 : index + 1] = [Word("op", "["), Word("op", "*"), Word("op", "]")]
            index = 0
            continue
        index += 1
    return str(script)


def _unfold(script: Script, bracket: int) -> None:
    """Write the steps after a wildcard as functions of the items before it."""
    start, item = script.chain_start(bracket - 1), script.unused("item", "each", "entry")
    steps, value, index, pending = [], script.between(start, bracket), bracket, ""
    many = False
    while script.at(index) in ("[", ".", "?."):
        closer = script.close(index) if script.at(index) == "[" else None
        if closer is not None and script.at(index + 1) == "*" and closer == index + 2:
            if pending:
                steps.append(f"{'flatMap' if many else 'map'}({item} => {item}{pending})")
            pending, many, index = "", True, closer + 1
        elif closer is not None and (script.at(index + 1) == "?" or _is_test(script, index)):
            if pending:
                steps.append(f"flatMap({item} => {item}{pending})")
            first = index + 1 + (script.at(index + 1) == "?")
            steps.append(f"filter({item} => {_condition(script, first, closer, item)})")
            pending, many, index = "", True, closer + 1
        else:
            end = closer + 1 if closer is not None else index + 2 + (script.at(index + 1) == "@")
            pending += script.between(index, end)
            index = end
    if pending:
        steps.append(f"map({item} => {item}{pending})")
    _nest(script, start, index, value, steps)


def _nest(script: Script, start: int, end: int, value: str, steps: list[str]) -> None:
    """Pipes read best; inside a larger expression they need parentheses."""
    piped = " |> ".join([value, *steps])
    before, behind = script.at(start - 1), script.at(end)
    alone = (before in ("", "(", ",", "[", ":", "=", "=>", "{") or script.fresh(start)) and (
        behind in ("", ")", ",", "]", "}", ";", "|>") or script.fresh(end)
    )
    script.replace(start, end, piped if alone or not steps else f"({piped})")


def _is_test(script: Script, bracket: int) -> bool:
    """Whether a bracket holds a comparison of names that nothing binds, as in XPath and JSONata."""
    closer = script.close(bracket)
    inside = range(bracket + 1, closer or bracket + 1)
    bound, known = bound_names(script), all_names()
    names = [script.at(at) for at in inside if script.is_free(at) and not script.at(at).startswith("$")]
    return any(script.at(at) in _COMPARISONS for at in inside) and any(
        name not in bound and name not in known and name not in KEYWORDS for name in names
    )


def _condition(script: Script, start: int, end: int, item: str) -> str:
    """The test of a filter, `@` being the item."""
    if script.at(start) == "(" and script.close(start) == end - 1:
        start, end = start + 1, end - 1
    inner = Script(script.between(start, end))
    for index, word in enumerate(inner.words):
        if word.text == "@":
            inner.words[index] = Word("name", item, word.lead)
        elif word.text in ("=", "===") and word.kind == "op":
            inner.words[index] = word._replace(text="==")
    item_members(inner, item, bound_names(script) | {item})
    return str(inner).strip()
