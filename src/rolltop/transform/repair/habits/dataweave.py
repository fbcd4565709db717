"""DataWeave: `payload`, functions between their arguments, `$` for the item, `as` for conversions."""

from __future__ import annotations

import re

from rolltop.transform.repair.script import Script

__all__ = ["conversions", "infix_functions", "payload"]

_INFIX = {
    "map": "map", "filter": "filter", "reduce": "reduce", "groupBy": "groupBy", "orderBy": "sortBy",
    "distinctBy": "distinctBy", "flatMap": "flatMap", "maxBy": "maxBy", "minBy": "minBy", "joinBy": "joinToString",
    "splitBy": "split", "contains": "contains", "find": "find", "pluck": "map", "sumBy": "sumBy",
    "startsWith": "startsWith", "endsWith": "endsWith", "matches": "matches", "mapObject": "mapEntries",
    "filterObject": "filterEntries", "zip": "zip", "joinWith": "joinToString",
}  # fmt: skip
_CALLED = frozenset({"map", "filter", "groupBy", "sortBy", "distinctBy", "flatMap", "maxBy", "minBy", "find", "sumBy"})
"""Functions whose argument is a lambda of one item."""
_CONVERSIONS = {"String": "toString", "Number": "toNumber", "Boolean": "toBoolean", "Date": "parseDate"}
_LAMBDA = re.compile(r"\(?\s*\(([^()]*)\)\s*[-=]>\s*(.*)\)?", re.DOTALL)


def payload(text: str) -> str:
    """`payload` is `$input`."""
    script = Script(text)
    for index, word in enumerate(script.words):
        if word.text in ("payload", "message") and script.is_free(index):
            script.words[index] = word._replace(text="$input")
    return str(script)


def infix_functions(text: str) -> str:
    """`xs map ((x) -> x.a)` and `xs map $.a` are `xs |> map(x => x.a)`."""
    script = Script(text)
    index = 1
    while index < len(script) - 1:
        name = _INFIX.get(script.at(index))
        between = script.ends_value(index - 1) and script.is_free(index) and not script.fresh(index)
        if name is None or not between or script.at(index - 1) == "|>":
            index += 1
            continue
        end = _argument_end(script, index + 1)
        argument = _argument(script, index + 1, end, name)
        script.replace(index, end, f"|> {name}({argument})")
        index += 1
    return str(script)


def _argument_end(script: Script, start: int) -> int:
    """Behind the argument on the right: a lambda reaches to the end of the expression, a value does not."""
    end = script.chain_end(start)
    if script.at(end) in ("->", "=>"):
        return script.expression_end(end + 1)
    return end


def _argument(script: Script, start: int, end: int, name: str) -> str:
    text = script.between(start, end)
    if script.at(start) == "(" and script.close(start) == end - 1:
        text = script.between(start + 1, end - 1)
    inner = Script(text)
    if "->" in text or "=>" in text:
        return _one_parameter(inner) if name in _CALLED else text.replace("->", "=>")
    if name in _CALLED:
        item = inner.unused("item", "each", "entry")
        for index, word in enumerate(inner.words):
            if word.text == "$":
                inner.words[index] = word._replace(text=item)
        return f"{item} => {str(inner).strip()}"
    return text


def _one_parameter(script: Script) -> str:
    """`(item, index) -> …` without the index, when nothing uses it."""
    arrow = next(index for index in range(len(script)) if script.at(index) in ("->", "=>"))
    names = [script.at(index) for index in range(arrow) if script.kind(index) == "name"]
    body = script.between(arrow + 1, len(script))
    spare = [name for name in names[1:] if not Script(body).uses(name)]
    shown = names[:1] if len(spare) == len(names) - 1 else names
    return f"{shown[0]} => {body}" if len(shown) == 1 else f"({', '.join(shown)}) => {body}"


def conversions(text: str) -> str:
    """`x as Number` is `toNumber(x)`; a date's format becomes the second argument."""
    script = Script(text)
    for index in range(len(script) - 2, 0, -1):
        wanted = _CONVERSIONS.get(script.at(index + 1))
        if script.at(index) != "as" or wanted is None or not script.ends_value(index - 1):
            continue
        start, end, pattern = script.chain_start(index - 1), index + 2, ""
        if script.at(end) == "{" and script.at(end + 1) == "format":
            pattern = f", {script.at(end + 3)}"
            end = (script.close(end) or end) + 1
            wanted = "formatDate" if wanted == "toString" else wanted
        script.replace(start, end, f"{wanted}({script.between(start, index)}{pattern})")
    return str(script)
