"""jq: a pipeline of filters on the current value, which is `.`; `[]` makes a stream of an array."""

from __future__ import annotations

from rolltop.transform.repair.script import Script, Word
from rolltop.transform.stdlib.registry import all_names

__all__ = ["dot_arguments", "dots", "pipelines", "pipes"]

_WITH_KEY = {
    "sort_by": "sortBy", "group_by": "groupBy", "unique_by": "distinctBy", "min_by": "minBy", "max_by": "maxBy",
    "sortBy": "sortBy", "groupBy": "groupBy", "any": "some", "all": "every", "map_values": "mapValues",
}  # fmt: skip
_PLAIN = {
    "add": "sum", "unique": "distinct", "to_entries": "entries", "from_entries": "fromEntries", "tostring": "toString",
    "tonumber": "toNumber", "ascii_downcase": "lower", "ascii_upcase": "upper", "type": "typeOf",
    "tojson": "renderJson", "fromjson": "parseJson", "join": "joinToString", "test": "matches", "has": "hasKey",
    "del": "omit", "length": "length", "floor": "floor", "not": "not",
}  # fmt: skip
_HIGHER = frozenset(
    {
        "map", "filter", "find", "some", "every", "flatMap", "sortBy", "groupBy", "distinctBy", "maxBy", "minBy",
        "partition", "mapValues", "sumBy", "avgBy", "countBy", "findIndex",
    }
)  # fmt: skip


def pipelines(text: str) -> str:
    """`.items[] | select(.a > 1) | .b` is `$input.items |> filter(item => item.a > 1) |> map(item => item.b)`."""
    script = Script(text)
    start = 1 if script.at(0) == "[" and script.close(0) == len(script) - 1 else 0
    if script.at(start) != "." or len(script) < 2:
        return text
    translated = _Pipeline("$input").run(Script(script.between(start, len(script) - start)))
    return text if translated is None else translated


class _Pipeline:
    """The value so far, as UTL-X; `many` once its items are worked on one by one."""

    def __init__(self, value: str, *, many: bool = False) -> None:
        self.value, self.many = value, many

    def run(self, script: Script) -> str | None:
        for start, end in script.split(0, len(script), ("|", "|>")):
            if not self._stage(script, start, end):
                return None
        return self.value

    def _stage(self, script: Script, start: int, end: int) -> bool:
        if start >= end:
            return False
        if script.at(start) == ".":
            reach = self._path(script, start, end)
            return reach == end or self._expression(script, start, end)
        name, called = script.at(start), script.at(start + 1) == "("
        if called and script.close(start + 1) == end - 1:
            return self._call(name, Script(script.between(start + 2, end - 1)))
        if start + 1 == end and (name in _PLAIN or name in all_names()):
            self._apply(f"{_PLAIN.get(name, name)}({{}})")
            return True
        return self._expression(script, start, end)

    def _path(self, script: Script, start: int, end: int) -> int:
        """Follow `.a.b[].c` from a place; gives where it stopped. Nothing is done when more than a path follows."""
        steps, index = [""], start
        while index < end:
            if script.at(index) == "." and script.kind(index + 1) in ("name", "string"):
                key = script.at(index + 1)
                steps[-1] += f".{key}" if script.kind(index + 1) == "name" else f"[{key}]"
                index += 2
            elif script.at(index) == "." and index == start and script.at(index + 1) in ("", "["):
                index += 1
            elif script.at(index) == "[" and script.at(index + 1) == "]":
                steps.append("")
                index += 2
            elif script.at(index) == "[" and (closer := script.close(index)) is not None:
                steps[-1] += script.between(index, closer + 1)
                index = closer + 1
            elif script.at(index) == "?":
                index += 1
            else:
                return index
        self._follow(steps)
        return index

    def _follow(self, steps: list[str]) -> None:
        for number, step in enumerate(steps):
            last = number == len(steps) - 1
            if not self.many:
                self.value += step
            elif step:
                self._each("map" if last else "flatMap", f"{{}}{step}")
            elif not last:
                self._each("flatMap", "{}")
            self.many = self.many or not last

    def _call(self, name: str, inner: Script) -> bool:
        if name == "select":
            test = _with_item(inner, "item" if self.many else self.value)
            if self.many:
                self.value += f" |> filter(item => {test})"
            else:
                self.value = f"(if ({test}) {self.value} else null)"
            return True
        if name == "map":
            items = _Pipeline(self.value, many=True)
            if items.run(inner) is None:
                return False
            self.value = items.value
            return True
        if name in _WITH_KEY:
            self._apply(f"{_WITH_KEY[name]}({{}}, item => {_with_item(inner, 'item')})")
            return True
        if name in _PLAIN or name in all_names():
            self._apply(f"{_PLAIN.get(name, name)}({{}}, {str(inner).strip()})")
            return True
        return False

    def _expression(self, script: Script, start: int, end: int) -> bool:
        inner = Script(script.between(start, end))
        if self.many:
            self.value += f" |> map(item => {_with_item(inner, 'item')})"
        else:
            self.value = _with_item(inner, self.value)
        return True

    def _apply(self, template: str) -> None:
        if self.many:
            self._each("map", template.replace("item =>", "part =>").replace("item.", "part."))
        else:
            self.value = template.format(self.value)

    def _each(self, function: str, template: str) -> None:
        self.value += f" |> {function}(item => {template.format('item')})"


def _with_item(script: Script, item: str) -> str:
    """The text with a name instead of the dot that stands for the current value."""
    index = 0
    while index < len(script):
        if _is_dot(script, index):
            follows = script.kind(index + 1) == "name" and not script.words[index + 1].lead
            word = Word("name", item, script.words[index].lead)
            script.words[index : index + 1] = [word, Word("op", ".")] if follows else [word]
        index += 1
    return str(script).strip()


def _is_dot(script: Script, index: int) -> bool:
    return script.at(index) == "." and (not script.ends_value(index - 1) or bool(script.words[index].lead))


def pipes(text: str) -> str:
    """`xs | map(…)` is `xs |> map(…)`."""
    script = Script(text)
    for index, word in enumerate(script.words):
        if word.text == "|" and script.ends_value(index - 1):
            script.words[index] = word._replace(text="|>")
    return str(script)


def dot_arguments(text: str) -> str:
    """`map(.price)` is `map(item => item.price)`; without a list before it, over the input."""
    script = Script(text)
    for index in range(len(script) - 1, -1, -1):
        closer = script.close(index + 1) if script.at(index) in _HIGHER and script.at(index + 1) == "(" else None
        if closer is None:
            continue
        start, end = script.split(index + 2, closer, ",")[-1]
        argument = Script(script.between(start, end))
        if not any(_is_dot(argument, at) for at in range(len(argument))) or argument.uses("=>"):
            continue
        item = script.unused("item", "each", "entry")
        alone = start == index + 2 and script.at(index - 1) not in ("|>", "|")
        script.replace(start, end, f"{'$input, ' if alone else ''}{item} => {_with_item(argument, item)}")
    return str(script)


def dots(text: str) -> str:
    """`.a` is `$input.a`."""
    script = Script(text)
    return _with_item(script, "$input") if any(_is_dot(script, at) for at in range(len(script))) else text
