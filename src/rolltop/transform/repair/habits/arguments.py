"""Arguments as other languages order and abbreviate them."""

from __future__ import annotations

from rolltop.transform.repair.script import Script, Word
from rolltop.transform.stdlib.registry import all_names
from rolltop.transform.syntax.lexer import KEYWORDS

__all__ = ["bare_conditions", "bound_names", "grouped", "item_members", "joined_texts", "keyed", "orders"]

_HIGHER = frozenset(
    {
        "map", "filter", "find", "some", "every", "flatMap", "sortBy", "groupBy", "distinctBy", "maxBy", "minBy",
        "partition", "sumBy", "avgBy", "countBy", "findIndex",
    }
)  # fmt: skip
_BY = {"sum": "sumBy", "avg": "avgBy", "count": "countBy", "max": "maxBy", "min": "minBy", "sort": "sortBy",
       "unique": "distinctBy", "distinct": "distinctBy"}  # fmt: skip
"""Functions of an array alone, and what they are called with a key."""
_LAMBDA_FIRST = frozenset({"map", "filter", "find", "flatMap", "every", "some", "sortBy", "groupBy"})


def _calls(script: Script) -> list[tuple[int, int, list[tuple[int, int]], bool]]:
    """Every call of a name from the last to the first: its place, its end, its arguments, whether it is piped into."""
    found = []
    for index in range(len(script) - 2, -1, -1):
        if script.kind(index) != "name" or script.at(index + 1) != "(" or not script.is_free(index):
            continue
        closer = script.close(index + 1)
        if closer is not None:
            parts = script.split(index + 2, closer, ",") if closer > index + 2 else []
            found.append((index, closer, parts, script.at(index - 1) == "|>"))
    return found


def _is_lambda(script: Script, start: int, end: int) -> bool:
    """Whether an argument is a lambda itself, not a value that has one inside of it."""
    first = script.split(start, end, ("=>", "->"))
    return len(first) > 1


def bare_conditions(text: str) -> str:
    """`filter(price > 3)` and `map($.price)` are `filter(item => item.price > 3)` and `map(item => item.price)`."""
    script = Script(text)
    for index, _, parts, piped in _calls(script):
        at = 0 if piped else 1
        if script.at(index) not in _HIGHER or len(parts) <= at or _is_lambda(script, *parts[at]):
            continue
        item = script.unused("item", "each", "entry")
        inner = Script(script.between(*parts[at]))
        if item_members(inner, item, bound_names(script)):
            script.replace(*parts[at], f"{item} => {str(inner).strip()}")
    return str(script)


def item_members(inner: Script, item: str, bound: set[str]) -> bool:
    """Make `$` the item and names that nothing binds its members; whether there was any."""
    changed = False
    for index in range(len(inner) - 1, -1, -1):
        word = inner.words[index]
        if word.kind == "name" and word.text == "$":
            inner.words[index] = word._replace(text=item)
            changed = True
        elif _is_unbound(inner, index, bound):
            inner.words[index : index + 1] = [Word("name", item, word.lead), Word("op", "."), Word("name", word.text)]
            changed = True
    return changed


def _is_unbound(script: Script, index: int, bound: set[str]) -> bool:
    name = script.at(index)
    if not script.is_free(index) or name.startswith("$") or script.at(index + 1) in ("(", "=>"):
        return False
    return name not in bound and name not in KEYWORDS and name not in all_names()


def bound_names(script: Script) -> set[str]:
    """Names that are bound anywhere: by let, as parameters, in patterns."""
    found = {"input", "_"}
    for index in range(len(script)):
        if script.at(index) in ("let", "function", "def"):
            found.add(script.at(index + 1).lstrip("$"))
        elif script.at(index) in ("=>", "->", "catch", "if") and script.kind(index - 1) == "name":
            found.add(script.at(index - 1).lstrip("$"))
        elif script.at(index) == ")" and (script.at(index + 1) in ("=>", "->", "{", ":")):
            opener = script.open(index)
            parts = range(opener or 0, index)
            found.update(script.at(at).lstrip("$") for at in parts if script.kind(at) == "name")
    return found


def joined_texts(text: str) -> str:
    """`join(names, ", ")` is `joinToString(names, ", ")`: join is that of two arrays by their keys."""
    script = Script(text)
    for index, _, parts, piped in _calls(script):
        if script.at(index) == "join" and len(parts) + piped in (1, 2):
            script.words[index] = script.words[index]._replace(text="joinToString")
    return str(script)


def keyed(text: str) -> str:
    """`sum(items, i => i.price)` is `sumBy(items, i => i.price)`."""
    script = Script(text)
    for index, _, parts, piped in _calls(script):
        name = _BY.get(script.at(index))
        if name is not None and len(parts) + piped == 2 and _is_lambda(script, *parts[-1]):
            script.words[index] = script.words[index]._replace(text=name)
    return str(script)


def orders(text: str) -> str:
    """`reduce(xs, 0, f)` is `reduce(xs, f, 0)`; `map(f, xs)` is `map(xs, f)`."""
    script = Script(text)
    for index, closer, parts, piped in _calls(script):
        name, shown = script.at(index), [script.between(*part) for part in parts]
        lambdas = [_is_lambda(script, *part) for part in parts]
        if name in ("reduce", "scan") and len(parts) + piped == 3 and lambdas[-1] and not any(lambdas[:-1]):
            shown[-2:] = [shown[-1], shown[-2]]
        elif name in ("reduce", "scan") and lambdas == [True, False, False]:
            shown = [shown[-1], shown[0], shown[1]]
        elif name in _LAMBDA_FIRST and not piped and lambdas == [True, False]:
            shown.reverse()
        else:
            continue
        script.replace(index + 2, closer, ", ".join(shown))
    return str(script)


def grouped(text: str) -> str:
    """`groupBy(xs, k) |> map(g => …)` is `mapGroups(xs, k, g => …)`, which calls with `g.key` and `g.value`."""
    script = Script(text)
    for index, closer, parts, piped in _calls(script):
        if script.at(index) != "groupBy" or script.at(closer + 1) != "|>" or script.at(closer + 2) != "map":
            continue
        end = script.close(closer + 3) if script.at(closer + 3) == "(" else None
        if end is None or len(parts) + piped != 2 or not _is_lambda(script, closer + 4, end):
            continue
        body = Script(script.between(closer + 4, end))
        members = {body.at(at + 1) for at in range(len(body)) if body.at(at) == "."}
        if "key" in members:
            for at, word in enumerate(body.words):
                if word.text in ("values", "items", "group") and body.at(at - 1) == ".":
                    body.words[at] = word._replace(text="value")
            arguments = ", ".join(script.between(*part) for part in parts)
            script.replace(index, end + 1, f"mapGroups({arguments}, {str(body).strip()})")
    return str(script)
