"""Put one entry into the configuration file of an MCP client and leave everything else in it as it is.

JSON files keep their layout and comments (many editors allow them); in TOML files only the tables of the entry
change. The file is replaced in one step.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rolltop.base.atomic_files import write_file
from rolltop.errors import InvalidData, PermissionDenied

__all__ = ["as_toml", "write_entry"]

_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?\d[\d.eE+-]*|true|false|null")


def write_entry(path: Path, key: str, name: str, entry: dict[str, Any]) -> None:
    """Set `name` in the object (or TOML table) `key` of the file; a file that is not there is made."""
    text = _read(path)
    try:
        if path.suffix == ".toml":
            changed = _with_toml_entry(text, key, name, entry)
        else:
            changed = _with_json_entry(text, key, name, entry)
    except ValueError as error:
        raise InvalidData(
            f"{path} cannot be changed: {error}",
            hint="Nothing was written. Without --write, the command prints what to put in.",
        ) from None
    _replace(path, changed)


# JSON, with comments and trailing commas ------------------------------------------------------------------------


class _Member(NamedTuple):
    key: str
    start: int
    end: int
    """Where its value is."""


def _with_json_entry(text: str, key: str, name: str, entry: dict[str, Any]) -> str:
    if not text.strip():
        text = "{}\n"
    root = _skip(text, 0)
    if text[root : root + 1] != "{":
        raise ValueError("it does not hold an object")
    after = _skip(text, _value(text, root))
    if after != len(text):
        raise ValueError(f"there is something behind the object, in line {text.count(chr(10), 0, after) + 1}")
    section = _last(text, root, key)
    if section is None:
        return _inserted(text, root, key, {name: entry}, 1)
    if text[section.start] != "{":
        raise ValueError(f"{key} is not an object")
    old = _last(text, section.start, name)
    if old is None:
        return _inserted(text, section.start, name, entry, 2)
    return text[: old.start] + _layout(entry, 2) + text[old.end :]


def _inserted(text: str, start: int, key: str, value: Any, depth: int) -> str:
    """A new first member of the object at `start`."""
    is_empty = next(_members(text, start), None) is None
    end = ("\n" + "  " * (depth - 1) if text[start + 1 : start + 2] == "}" else "") if is_empty else ","
    member = f"\n{'  ' * depth}{json.dumps(key)}: {_layout(value, depth)}{end}"
    return text[: start + 1] + member + text[start + 1 :]


def _layout(value: Any, depth: int) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", "\n" + "  " * depth)


def _last(text: str, start: int, key: str) -> _Member | None:
    return next((member for member in reversed(list(_members(text, start))) if member.key == key), None)


def _members(text: str, start: int) -> Iterator[_Member]:
    """The members of the object at `start`."""
    at = _skip(text, start + 1)
    while text[at : at + 1] != "}":
        found = _STRING.match(text, at)
        if found is None:
            raise _unexpected(text, at)
        at = _skip(text, found.end())
        if text[at : at + 1] != ":":
            raise _unexpected(text, at)
        begin = _skip(text, at + 1)
        end = _value(text, begin)
        yield _Member(json.loads(found[0]), begin, end)
        at = _after_item(text, end, "}")


def _value(text: str, at: int) -> int:
    """The end of the value at `at`."""
    match text[at : at + 1]:
        case "{":
            end = at + 1
            for member in _members(text, at):
                end = member.end
            end = _skip(text, end)
            return (_skip(text, end + 1) if text[end] == "," else end) + 1
        case "[":
            at = _skip(text, at + 1)
            while text[at : at + 1] != "]":
                at = _after_item(text, _value(text, at), "]")
            return at + 1
    found = _STRING.match(text, at) or _SCALAR.match(text, at)
    if found is None:
        raise _unexpected(text, at)
    return found.end()


def _after_item(text: str, end: int, closing: str) -> int:
    at = _skip(text, end)
    if text[at : at + 1] == ",":
        return _skip(text, at + 1)
    if text[at : at + 1] != closing:
        raise _unexpected(text, at)
    return at


def _skip(text: str, at: int) -> int:
    """Behind white space and comments."""
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _unexpected(text: str, at: int) -> ValueError:
    return ValueError(f"it is not JSON in line {text.count(chr(10), 0, at) + 1}")


# TOML -----------------------------------------------------------------------------------------------------------


def as_toml(key: str, name: str, entry: dict[str, Any]) -> str:
    """The table of an entry; a mapping inside becomes a table of its own."""
    plain = {field: value for field, value in entry.items() if not isinstance(value, dict)}
    lines = [f"[{key}.{name}]", *(f"{field} = {_toml_value(value)}" for field, value in plain.items())]
    for field, value in entry.items():
        if isinstance(value, dict):
            lines += ["", f"[{key}.{name}.{field}]"]
            lines += [f"{_toml_value(inner)} = {_toml_value(text)}" for inner, text in value.items()]
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    return json.dumps(value).replace("\x7f", "\\u007f")  # a JSON string, number or boolean is one of TOML too


def _with_toml_entry(text: str, key: str, name: str, entry: dict[str, Any]) -> str:
    before = tomllib.loads(text)
    if not isinstance(before.get(key, {}), dict):
        raise ValueError(f"{key} is not a table")  # noqa: TRY004 - about the file, not an argument
    header = re.compile(rf"^[ \t]*\[[ \t]*{key}[ \t]*\.[ \t]*\"?{name}\"?[ \t]*[\].]")
    kept: list[str] = []
    ours = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            ours = header.match(line) is not None
        if not ours:
            kept.append(line)
    rest = "".join(kept).rstrip("\n")
    changed = (rest + "\n\n" if rest else "") + as_toml(key, name, entry)
    wanted = {**before, key: {**before.get(key, {}), name: entry}}
    if tomllib.loads(changed) != wanted:
        raise ValueError(f"the entry {key}.{name} in it is written in a way that cannot be replaced")
    return changed


# the file -------------------------------------------------------------------------------------------------------


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise InvalidData(f"{path} is not UTF-8 text", hint="Nothing was written.") from None
    except OSError as error:
        raise PermissionDenied(f"{path} cannot be read: {error.strerror}", hint="Nothing was written.") from None


def _replace(path: Path, text: str) -> None:
    """Replace the file that `path` leads to.

    A link stays a link: its target is replaced. The file keeps its mode and owner; a new one is for its user alone,
    because such files hold the keys of other programs.
    """
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_file(target, text.encode("utf-8"), keep_attributes=True)
    except OSError as error:
        raise PermissionDenied(
            f"{path} cannot be written: {error.strerror}", hint="Check the disk and the permissions; it is as it was."
        ) from None
