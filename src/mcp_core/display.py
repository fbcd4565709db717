"""Foreign text made safe to show: in a question to a human, and in what a model reads about a tool.

Names come from documents, packages and callers. Whoever agrees to a question must see where a name begins and
ends and what it is made of, so everything that is invisible, that turns the direction of writing, that breaks the
line or that looks like another letter is written as an escape.
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
"""Characters of one name in a question; the rest is counted."""
_SECRET_KEY = re.compile(r"(?i)token|passw|secret|api[_-]?key|credential|authorization")
_SECRET_TEXT = re.compile(
    r"""(?i)(bearer\s+|(?:token|passw(?:or)?d|secret|api[_-]?key|credentials?)["']?\s*[=:]\s*["']?)([^\s"',;&]{4,})"""
)


def escaped(text: object) -> str:
    """`text` on one line, with every character that could deceive written as an escape."""
    given = str(text)
    deceives = _reads_as_latin(given)
    shown: list[str] = []
    marks = _MOST_MARKS  # a mark at the beginning would change what stands before it
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
    """A name in quotation marks that nothing inside of it can end; a very long one is cut in the middle."""
    text = str(name)
    if len(text) > _LONGEST:
        kept = _LONGEST // 2
        return f'"{escaped(text[:kept])}" … {len(text) - 2 * kept} characters … "{escaped(text[-kept:])}"'
    return f'"{escaped(text)}"'


def listing(names: Iterable[object]) -> tuple[str, ...]:
    """Names as numbered lines, each on its own."""
    return tuple(f"{number}. {quoted(name)}" for number, name in enumerate(names, 1))


def has_hidden(text: str) -> bool:
    """Whether a text holds characters that nobody sees; line ends and tabs are none."""
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
    """Arguments for somebody else's eyes: what looks like a credential is hidden, long texts are cut."""
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
    # Variation selectors, and letters that are drawn as nothing.
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef" or character in "ㅤﾠᅟᅠ឴឵⠀"


def _is_twin(character: str, deceives: bool) -> bool:
    """Whether a character is drawn like another one: fullwidth and mathematical letters, or of another script."""
    if character.isascii():
        return False
    plain = unicodedata.normalize("NFKC", character)
    return (plain.isascii() and plain != character) or (deceives and _script(character) in _LOOKALIKE_SCRIPTS)


def _reads_as_latin(text: str) -> bool:
    """Whether letters of scripts that resemble Latin stand among Latin ones, or could all be read as Latin."""
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
