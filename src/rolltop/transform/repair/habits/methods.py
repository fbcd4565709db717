"""Calls of methods, and functions under the names that other languages have for them."""

from __future__ import annotations

import re

from rolltop.transform.repair.habits.arguments import bound_names
from rolltop.transform.repair.script import Script, Word
from rolltop.transform.run.scope import closest
from rolltop.transform.stdlib.registry import all_names
from rolltop.transform.syntax.lexer import KEYWORDS

__all__ = [
    "METHODS",
    "constructors",
    "function_words",
    "lengths",
    "method_calls",
    "namespaces",
    "prefix_calls",
    "variables",
]

METHODS = {
    "toUpperCase": "upper", "toLowerCase": "lower", "upper": "upper", "lower": "lower", "strip": "trim",
    "trimStart": "leftTrim", "trimEnd": "rightTrim", "lstrip": "leftTrim", "rstrip": "rightTrim",
    "padStart": "padLeft", "padEnd": "padRight", "substr": "substring", "replaceAll": "replace",
    "startswith": "startsWith", "endswith": "endsWith", "join": "joinToString", "forEach": "map", "flat": "flatten",
    "length": "length", "size": "count", "toFixed": "roundToDecimalPlaces", "match": "matches", "push": "concat",
    "append": "concat", "items": "entries", "has": "hasKey", "hasOwnProperty": "hasKey", "any": "some", "all": "every",
    "sortBy": "sortBy", "orderBy": "sortBy", "where": "filter", "select": "map", "title": "titleCase",
    "toISOString": "toString", "valueOf": "toNumber", "indexOf": "indexOf", "at": "get", "find": "find",
}  # fmt: skip
"""Methods, and the function that does the same; others are looked up under their own name."""
_SPACES = {
    "Math.max": "max", "Math.min": "min", "Math.log": "ln", "Math.trunc": "floor", "Math.random": "random",
    "Object.assign": "merge", "Object.fromEntries": "fromEntries", "JSON.stringify": "renderJson",
    "JSON.parse": "parseJson", "Array.isArray": "isArray", "Array.from": "toArray", "Number.isInteger": "isNumber",
    "Number.parseInt": "parseInt", "Number.parseFloat": "parseFloat", "Date.now": "now", "Date.parse": "parseDate",
    "json.dumps": "renderJson", "json.loads": "parseJson", "str.join": "joinToString", "console.log": "log",
    "_.get": "getPath", "_.map": "map", "_.filter": "filter", "_.groupBy": "groupBy", "_.sortBy": "sortBy",
    "_.uniq": "distinct", "_.uniqBy": "distinctBy", "_.sumBy": "sumBy", "_.pick": "pick", "_.omit": "omit",
}  # fmt: skip
_HOLDERS = frozenset({"Math", "Object", "JSON", "Array", "Number", "String", "Date", "json", "math", "_", "console"})
_WORDS = {
    "len": "length", "strlen": "length", "sizeOf": "length", "str": "toString", "String": "toString",
    "int": "parseInt", "float": "toNumber", "Number": "toNumber", "Boolean": "toBoolean", "bool": "toBoolean",
    "num": "toNumber", "number": "toNumber", "string": "toString", "boolean": "toBoolean", "date": "parseDate",
    "select": "filter", "where": "filter", "grep": "filter", "each": "map", "forEach": "map", "collect": "map",
    "fold": "reduce", "inject": "reduce", "aggregate": "reduce", "orderBy": "sortBy", "order": "sortBy",
    "sorted": "sort", "reversed": "reverse", "uniq": "distinct", "uniqBy": "distinctBy", "dedupe": "distinct",
    "unique_by": "distinctBy", "nvl": "coalesce", "ifnull": "coalesce", "isnull": "isNull", "ifNull": "coalesce",
    "toUpperCase": "upper", "toLowerCase": "lower", "ucase": "upper", "lcase": "lower", "uppercase": "upper",
    "lowercase": "lower", "ascii_downcase": "lower", "ascii_upcase": "upper", "substr": "substring", "mid": "substring",
    "splitBy": "split", "explode": "split", "implode": "joinToString", "concat_ws": "joinToString",
    "namesOf": "keys", "keysOf": "keys", "valuesOf": "values", "entriesOf": "entries", "to_entries": "entries",
    "from_entries": "fromEntries", "with_entries": "mapEntries", "mapObject": "mapEntries", "pluck": "map",
    "filterObject": "filterEntries", "add": "sum", "total": "sum", "average": "avg", "mean": "avg", "has": "hasKey",
    "exists": "isDefined", "isPresent": "isDefined", "type": "typeOf", "del": "omit", "delete": "omit",
    "tojson": "renderJson", "fromjson": "parseJson", "toJson": "renderJson", "fromJson": "parseJson",
    "stringify": "renderJson", "test": "matches", "regexMatch": "matches", "regexReplace": "replaceRegex",
    "gsub": "replaceRegex", "format_date": "formatDate", "date_format": "formatDate", "strftime": "formatDate",
    "today": "currentDate", "dateFormat": "formatDate", "countIf": "countBy",
    "zipObject": "fromEntries", "assign": "merge", "extend": "merge", "encodeURIComponent": "urlEncode",
    "decodeURIComponent": "urlDecode", "btoa": "base64Encode", "atob": "base64Decode", "push": "concat",
    "ceiling": "ceil", "contains_key": "hasKey", "tostring": "toString", "tonumber": "toNumber",
}  # fmt: skip
_NO_VALUES = all_names() | KEYWORDS
_MOST_CALLS = 60
"""Calls of methods that are rewritten: each looks at the script from its start."""
_ENDS = frozenset({"", ")", ",", "]", "}", ";", "|>", ":"})
_STARTS = frozenset({"", "(", ",", "[", "{", ":", "=", "=>", "return", ";", "else", "|>"})


def method_calls(text: str) -> str:
    """`xs.map(f)` is `xs |> map(f)`; within a larger expression `map(xs, f)`."""
    script = Script(text)
    index, calls = 1, 0
    while index < len(script) - 1 and calls < _MOST_CALLS:
        name = _function_of(script.at(index))
        if script.at(index - 1) not in (".", "?.") or script.at(index + 1) != "(" or script.fresh(index + 1):
            index += 1
            continue
        start, closer = script.chain_start(index - 2), script.close(index + 1)
        if name is None or closer is None or script.at(start) in _HOLDERS:
            index += 1
            continue
        _call(script, start, index, closer, name)
        index, calls = 1, calls + 1
    return str(script)


def _function_of(method: str) -> str | None:
    return METHODS.get(method) or (method if method in all_names() else None)


def _call(script: Script, start: int, name_at: int, closer: int, name: str) -> None:
    target = script.between(start, name_at - 1)
    arguments = script.between(name_at + 2, closer)
    behind = script.at(closer + 1)
    chained = behind in (".", "?.") and script.at(closer + 3) == "("
    whole = script.at(start - 1) in _STARTS or (script.fresh(start) and not chained)
    if whole and (behind in _ENDS or chained or script.fresh(closer + 1)) and not _is_argument(script, start, closer):
        script.replace(start, closer + 1, f"{target} |> {name}({arguments})" if arguments else f"{target} |> {name}")
        if chained:
            _chain(script, start)
    else:
        script.replace(start, closer + 1, f"{name}({target}, {arguments})" if arguments else f"{name}({target})")


def _is_argument(script: Script, start: int, closer: int) -> bool:
    """A whole argument among others reads better as a call."""
    return script.at(start - 1) == "(" and script.at(closer + 1) in (")", ",") and script.ends_value(start - 2)


def _chain(script: Script, start: int) -> None:
    """Turn the calls of methods that follow a pipe into further pipes."""
    index = start
    while index < len(script):
        if script.at(index) == "|>":
            end = script.chain_end(index + 1)
            if script.at(index + 2) == "(":
                end = (script.close(index + 2) or end) + 1
            else:
                end = index + 2
            name = _function_of(script.at(end + 1))
            if script.at(end) not in (".", "?.") or script.at(end + 2) != "(" or name is None:
                return
            lead = script.words[end].lead or " "
            script.words[end : end + 2] = [Word("op", "|>", lead), Word("name", name, " ")]
            index = end
            continue
        index += 1


def lengths(text: str) -> str:
    """`xs.length` is `length(xs)`."""
    script = Script(text)
    for index in range(len(script) - 1, 1, -1):
        if (
            script.at(index) in ("length", "size")
            and script.at(index - 1) in (".", "?.")
            and script.at(index + 1) != "("
        ):
            start = script.chain_start(index - 2)
            script.replace(start, index + 1, f"length({script.between(start, index - 1)})")
    return str(script)


def namespaces(text: str) -> str:
    """`Math.round(x)` is `round(x)`, `JSON.stringify(x)` is `renderJson(x)`."""
    script = Script(text)
    for index in range(len(script) - 3, -1, -1):
        if script.at(index + 1) != "." or script.at(index + 3) != "(" or not script.is_free(index):
            continue
        full = f"{script.at(index)}.{script.at(index + 2)}"
        known = script.at(index + 2) in all_names() and script.at(index) in _HOLDERS
        name = _SPACES.get(full) or (script.at(index + 2) if known else None)
        if name is not None:
            script.replace(index, index + 3, name)
    return str(script)


def constructors(text: str) -> str:
    """`new Date()` is `now()`, `new Date(x)` is `parseDate(x)`."""
    script = Script(text)
    for index in range(len(script) - 3, -1, -1):
        if script.at(index) == "new" and script.at(index + 1) == "Date" and script.at(index + 2) == "(":
            script.replace(index, index + 2, "now" if script.at(index + 3) == ")" else "parseDate")
    return str(script)


def function_words(text: str) -> str:
    """A function that does not exist, under the name that it has here or the nearest one."""
    script = Script(text)
    own = {script.at(index + 1) for index in range(len(script)) if script.at(index) in ("let", "function", "def")}
    own |= {script.at(index - 1) for index in range(len(script)) if script.at(index) == "=>"}
    for index, word in enumerate(script.words):
        called = script.at(index + 1) == "(" or script.at(index - 1) == "|>"
        if called and script.is_free(index) and word.text not in all_names() and word.text not in own:
            meant = _WORDS.get(word.text) or _camel(word.text) or closest(word.text, all_names())
            if meant is not None:
                script.words[index] = word._replace(text=meant)
    return str(script)


def prefix_calls(text: str) -> str:
    """`typeof x` is `typeOf(x)`: arguments are in parentheses."""
    script = Script(text)
    for index in range(len(script) - 2, -1, -1):
        name = "typeOf" if script.at(index) == "typeof" else script.at(index)
        begins = script.is_free(index) and not script.ends_value(index - 1) and script.at(index - 1) not in (".", "|>")
        value = script.kind(index + 1) in ("name", "string", "number") and script.at(index + 1) not in _NO_VALUES
        if begins and value and name in all_names() and not script.fresh(index + 1):
            end = script.chain_end(index + 1)
            script.replace(index, end, f"{name}({script.between(index + 1, end)})")
    return str(script)


def _camel(name: str) -> str | None:
    """`group_by` is `groupBy`."""
    camel = re.sub(r"_+(\w)", lambda found: found[1].upper(), name)
    return camel if camel != name and camel in all_names() else None


def variables(text: str) -> str:
    """A name that nothing binds is the nearest one that is bound, else a field of the input."""
    script = Script(text)
    bound, enclosing = bound_names(script), script.enclosing()
    for index in range(len(script) - 1, -1, -1):
        word = script.words[index]
        name = word.text.lstrip("$")
        if not script.is_free(index) or name in bound or name in KEYWORDS or script.at(index + 1) in ("(", "=>"):
            continue
        if name in all_names() or script.at(index - 1) == "|>":
            continue
        bracket = enclosing[index]
        if bracket is not None and script.at(bracket) == "[" and script.ends_value(bracket - 1):
            continue  # it may be a field of the elements: what stands before the bracket is known better elsewhere
        meant = closest(name, bound)
        script.replace(index, index + 1, f"$input.{name}" if meant is None else f"{'$' * (meant == 'input')}{meant}")
    return str(script)
