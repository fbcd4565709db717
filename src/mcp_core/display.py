"""Escape foreign text that a human is asked about or that a model reads as part of a tool.

Names come from documents, packages and callers. A human who consents must see where a name begins and ends and what
it consists of. Characters that are invisible, change the writing direction, break the line or look like other
letters are therefore shown as escapes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["cleaned", "cleaned_schema", "escaped", "has_hidden", "listing", "masked", "quoted"]

_QUOTES = frozenset('"´«»‘’‚‛“”„‟‹›′″‴‵‶‷ʹʺʻʼˈˊˋ״׳〃〝〞＂＇｀')  # noqa: RUF001 - look-alikes are the subject
_LOOKALIKE_SCRIPTS = ("CYRILLIC", "GREEK", "COPTIC", "ARMENIAN", "CHEROKEE", "LISU", "DESERET")
_LATIN_TWINS = frozenset("асеорхуіјѕһԁԛԝѵӏАВСЕНІЈКМОРЅТХΥУҮԌԚԜοΟναΑΒΕΖΗΙΚΜΝΡΤΧϲϳյսցօոհա")
"""Letters of other scripts that can be read as Latin ones."""
_WORDS = re.compile(r"[^\W\d_]+")
_ASCII_LETTER = re.compile(r"[A-Za-z]")
_MOST_MARKS = 2
_LONGEST = 400
"""Characters of one name that a question shows."""
_SECRET_KEY = re.compile(r"(?i)token|passw|secret|api[_-]?key|credential|authorization")
_SECRET_TEXT = re.compile(
    r"""(?i)(bearer\s+|(?:token|passw(?:or)?d|secret|api[_-]?key|credentials?)["']?\s*[=:]\s*["']?)([^\s"',;&]{4,})"""
)


def escaped(text: object) -> str:
    """`text` on one line, with every deceptive character as an escape."""
    given = str(text)
    deceives = _reads_as_latin(given)
    shown: list[str] = []
    marks = _MOST_MARKS  # a combining mark at the start would change the character before it
    for character in given:
        kind = unicodedata.category(character)
        marks = marks + 1 if kind in ("Mn", "Me", "Mc") else 0
        hidden = _is_hidden(character, kind) or marks > _MOST_MARKS or (marks == 1 and not shown)
        if hidden or character in _QUOTES or character == "\\" or _is_twin(character, deceives):
            shown.append(_escape(character))
        else:
            shown.append(character)
    return "".join(shown)


def quoted(name: object) -> str:
    """A name in quotation marks; quotes inside are escaped, and a very long name is cut in the middle."""
    text = str(name)
    if len(text) > _LONGEST:
        kept = _LONGEST // 2
        return f'"{escaped(text[:kept])}" … {len(text) - 2 * kept} characters … "{escaped(text[-kept:])}"'
    return f'"{escaped(text)}"'


def listing(names: Iterable[object]) -> tuple[str, ...]:
    """Names as numbered lines, each on its own."""
    return tuple(f"{number}. {quoted(name)}" for number, name in enumerate(names, 1))


def has_hidden(text: str) -> bool:
    """True if a text holds invisible characters other than line ends and tabs."""
    return any(character not in "\n\t\r" and _is_hidden(character) for character in text)


def cleaned(text: str) -> str:
    """Text for a model without control, tag, direction and zero-width characters; lines stay lines."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c for c in text.replace("\r\n", "\n") if c in "\n\t" or c == "\u3000" or not _is_hidden(c))


def cleaned_schema(schema: Any) -> Any:
    """A JSON schema with all of its texts cleaned. Choices that hold hidden characters are not offered."""
    if isinstance(schema, str):
        return cleaned(schema)
    if isinstance(schema, list):
        return [cleaned_schema(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {key: _cleaned_part(key, value) for key, value in schema.items() if not has_hidden(str(key))}


def _cleaned_part(key: str, value: Any) -> Any:
    if key == "enum" and isinstance(value, list):
        plain = [each for each in value if not (isinstance(each, str) and has_hidden(each))]
        return plain or [cleaned_schema(each) for each in value]
    return cleaned_schema(value)


def masked(value: Any, longest: int = 2000) -> Any:
    """Arguments with credentials masked and long texts cut."""
    if isinstance(value, Mapping):
        return {
            str(key): "***" if _SECRET_KEY.search(str(key)) and item is not None else masked(item, longest)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [masked(item, longest) for item in value]
    if isinstance(value, str):
        hidden = _SECRET_TEXT.sub(r"\1***", value)
        return hidden if len(hidden) <= longest else f"{hidden[:longest]} … {len(hidden) - longest} more characters"
    return value


def _is_hidden(character: str, kind: str | None = None) -> bool:
    kind = kind or unicodedata.category(character)
    if kind in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return True
    if kind == "Zs":
        return character != " "
    # Variation selectors, and letters without a glyph.
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef" or character in "ㅤﾠᅟᅠ឴឵⠀"


def _is_twin(character: str, deceives: bool) -> bool:
    """True if a character looks like another one: fullwidth, mathematical, or a letter of another script."""
    if character.isascii():
        return False
    plain = unicodedata.normalize("NFKC", character)
    return (plain.isascii() and plain != character) or (deceives and _script(character) in _LOOKALIKE_SCRIPTS)


def _reads_as_latin(text: str) -> bool:
    """True if a word mixes Latin with letters that resemble Latin, or could be read as Latin as a whole."""
    letters = [character for character in text if character.isalpha() and not character.isascii()]
    strange = [character for character in letters if _script(character) in _LOOKALIKE_SCRIPTS]
    if not strange:
        return False
    words = _WORDS.findall(text)
    mixed = any(_ASCII_LETTER.search(word) and any(_script(c) in _LOOKALIKE_SCRIPTS for c in word) for word in words)
    return mixed or all(character in _LATIN_TWINS for character in strange)


def _script(character: str) -> str:
    return unicodedata.name(character, "").partition(" ")[0]


def _escape(character: str) -> str:
    code = ord(character)
    if character in '\\"':
        return "\\" + character
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    if named:
        return named
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
