"""Texts: edges, Unicode, and agreement with Python's own."""

from __future__ import annotations

from typing import Any

import pytest
from frugal import given
from hypothesis import strategies as st

from rolltop.transform.errors import FunctionFailure
from rolltop.transform.stdlib import find


def call(name: str, *arguments: Any) -> Any:
    declared = find(name)
    assert declared is not None
    return declared.call(*arguments)


@given(st.text())
def test_case_and_trimming_are_pythons(text: str) -> None:
    assert call("upperCase", text) == text.upper()
    assert call("lowerCase", text) == text.lower()
    assert call("trim", text) == text.strip()
    assert call("normalizeSpace", text) == " ".join(text.split())
    assert call("reverseString", call("reverseString", text)) == text


@given(st.text(), st.integers(-3, 12), st.integers(-3, 12))
def test_substring_never_fails_and_stays_inside(text: str, start: int, end: int) -> None:
    part = call("substring", text, start, end)
    assert part in text
    assert len(part) <= max(0, end - max(start, 0))


@given(st.text(), st.text(min_size=1))
def test_splitting_and_joining_are_inverse(text: str, separator: str) -> None:
    assert call("joinBy", call("split", text, separator), separator) == text


@given(st.text(), st.text(min_size=1))
def test_what_is_before_and_after_a_separator_makes_the_text(text: str, separator: str) -> None:
    joined = text + separator + "tail"
    assert call("substringBefore", joined, separator) + separator + call("substringAfter", joined, separator) == joined
    parts = call("substringBeforeLast", joined, separator), call("substringAfterLast", joined, separator)
    assert separator.join(parts) == joined


@pytest.mark.parametrize("name", ["substringAfter", "substringBeforeLast", "substringAfterLast", "extractBetween"])
def test_a_missing_separator_gives_the_empty_text(name: str) -> None:
    arguments = ("abc", "|", "|") if name == "extractBetween" else ("abc", "|")
    assert call(name, *arguments) == ""


def test_a_missing_separator_leaves_all_before_it() -> None:
    assert call("substringBefore", "abc", "|") == "abc"


@pytest.mark.parametrize(
    ("text", "camel", "snake", "kebab", "constant"),
    [
        ("order line", "orderLine", "order_line", "order-line", "ORDER_LINE"),
        ("orderLine", "orderLine", "order_line", "order-line", "ORDER_LINE"),
        ("Order_LINE-item", "orderLineItem", "order_line_item", "order-line-item", "ORDER_LINE_ITEM"),
        ("sha256Hash", "sha256Hash", "sha256_hash", "sha256-hash", "SHA256_HASH"),
        ("straßenName", "straßenName", "straßen_name", "straßen-name", "STRASSEN_NAME"),
        ("  ", "", "", "", ""),
        ("", "", "", "", ""),
    ],
)
def test_naming_styles(text: str, camel: str, snake: str, kebab: str, constant: str) -> None:
    names = ("camelCase", "snakeCase", "kebabCase", "constantCase")
    assert tuple(call(name, text) for name in names) == (camel, snake, kebab, constant)


@given(st.lists(st.from_regex(r"[a-z]{2,6}", fullmatch=True), min_size=1, max_size=5))
def test_styles_can_be_undone(words: list[str]) -> None:
    plain = " ".join(words)
    for style in ("Camel", "Pascal", "Snake", "Kebab", "Dot", "Path", "Constant"):
        assert call(f"from{style}Case", call(f"{style[0].lower()}{style[1:]}Case", plain)) == plain


def test_padding_takes_the_first_character_or_a_blank() -> None:
    assert call("pad", "7", 3, "0x") == "007"
    assert call("padRight", "7", 3, "") == "7  "
    assert call("pad", "1234", 3, "0") == "1234"
    assert call("pad", "😀", 3, "é") == "éé😀"
    assert call("repeat", "ab", -1) == ""


@given(st.text(), st.integers(1, 20))
def test_truncation_keeps_the_length(text: str, longest: int) -> None:
    short = call("truncate", text, longest)
    assert len(short) <= longest
    assert short == text or (len(text) > longest and short.endswith("..."[:longest]))


def test_truncation_edges() -> None:
    assert call("truncate", "abc", 0) == ""
    assert call("truncate", "abc", -1) == "..."
    assert call("truncate", "abcdef", 2) == ".."
    assert call("truncate", "ab cdef", 6) == "ab..."


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Hello, World!", "hello-world"),
        ("R&D @ home", "r-and-d-at-home"),
        ("--a  b--", "a-b"),
    ],
)
def test_slugs(text: str, slug: str) -> None:
    assert call("slugify", text) == slug


@given(st.text())
def test_a_slug_is_fit_for_a_url(text: str) -> None:
    slug = call("slugify", text)
    assert not set(slug) - set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert not slug.startswith("-")
    assert not slug.endswith("-")
    assert call("slugify", slug) == slug


@given(st.text(), st.text(max_size=4), st.text(max_size=4))
def test_translate_maps_or_deletes_characters(text: str, old: str, new: str) -> None:
    first_place = {char: old.index(char) for char in old}
    expected = "".join(
        (new[first_place[char]] if first_place[char] < len(new) else "") if char in first_place else char
        for char in text
    )
    assert call("translate", text, old, new) == expected


def test_characters_count_as_code_points() -> None:
    assert call("length", "a😀") == 2
    assert call("charAt", "a😀", 1) == "😀"
    assert call("charCodeAt", "😀", 0) == 0x1F600
    assert call("fromCharCode", 0x1F600) == "😀"
    with pytest.raises(FunctionFailure, match="no character"):
        call("fromCharCode", 0xD800)


@pytest.mark.parametrize(
    ("container", "part", "there"),
    [
        ("hello", "", True),
        (12345, 34, True),
        (None, "a", False),
        ([1, 2.0], 2, True),
        ([True], 1, False),
        ([[1, {"a": 2}]], [1.0, {"a": 2}], True),
        ({"a": None}, "a", True),
        (b"\x00\x01", b"\x01", True),
        ([None], None, True),
    ],
)
def test_contains(container: Any, part: Any, there: bool) -> None:
    assert call("contains", container, part) is there


EMPTY_IS_FALSE = [
    "isAlpha", "isNumeric", "isAlphanumeric", "isWhitespace", "isUpperCase", "isLowerCase", "isPrintable", "isAscii",
    "isHexadecimal", "hasAlpha", "hasNumeric",
]  # fmt: skip


@pytest.mark.parametrize("name", EMPTY_IS_FALSE)
def test_nothing_is_said_of_the_empty_text(name: str) -> None:
    assert call(name, "") is False
    assert call(name, None) is False


@pytest.mark.parametrize(
    ("name", "yes", "no"),
    [
        ("isAlpha", "Éa中", "a1"),
        ("isNumeric", "٣4", "½"),
        ("isAlphanumeric", "é1", "½"),
        ("isUpperCase", "ÄB 1", "ÄBß"),
        ("isLowerCase", "äb 1", "Äb"),
        ("isPrintable", "a\u00a0b", "a\x7f"),
        ("isHexadecimal", "0aF", "0g"),
        ("isWhitespace", "\u2003\t", " a"),
        ("isBlank", "\u2003", "\u200b"),
    ],
)
def test_kinds_of_characters(name: str, yes: str, no: str) -> None:
    assert call(name, yes) is True
    assert call(name, no) is False


PLURALS = {
    "specimen": "specimens",
    "box": "boxes", "city": "cities", "day": "days", "church": "churches", "child": "children", "Person": "People",
    "MOUSE": "MICE", "analysis": "analyses", "sheep": "sheep", "invoice": "invoices", "address": "addresses",
    "policewoman": "policewomen", "hero": "heroes", "photo": "photos", "knife": "knives", "roof": "roofs",
    "index": "indices", "status": "statuses", "quiz": "quizzes", "house": "houses", "database": "databases",
    "language": "languages", "response": "responses", "process": "processes", "category": "categories", "key": "keys",
    "virus": "viruses", "cache": "caches", "price": "prices", "size": "sizes", "type": "types", "movie": "movies",
    "alias": "aliases", "canvas": "canvases", "bias": "biases", "bonus": "bonuses", "census": "censuses",
    "calorie": "calories", "tie": "ties", "case": "cases", "purchase": "purchases", "cause": "causes",
    "license": "licenses", "excuse": "excuses", "course": "courses", "purpose": "purposes", "cheese": "cheeses",
    "exercise": "exercises", "promise": "promises", "class": "classes", "iris": "irises", "cosmos": "cosmoses",
    "genesis": "geneses", "paralysis": "paralyses", "diocese": "dioceses", "waltz": "waltzes", "prize": "prizes",
    "headache": "headaches", "avalanche": "avalanches", "branch": "branches", "wish": "wishes", "shoe": "shoes",
    "canoe": "canoes", "potato": "potatoes", "cafeteria": "cafeterias", "ski": "skis", "taxi": "taxis", "toy": "toys",
    "archive": "archives", "glove": "gloves", "vase": "vases", "phase": "phases", "surplus": "surpluses",
}  # fmt: skip


@pytest.mark.parametrize(("one", "many"), PLURALS.items())
def test_plurals_and_singulars(one: str, many: str) -> None:
    assert call("pluralize", one) == many
    assert call("singularize", many) == one
    if one != many:
        assert call("isPlural", many)
        assert call("isSingular", one)


@pytest.mark.parametrize(
    ("many", "one"),
    [
        ("menus", "menu"), ("Gurus", "Guru"), ("plateaus", "plateau"), ("mangoes", "mango"), ("buzzes", "buzz"),
        ("ALIASES", "ALIAS"), ("uses", "use"), ("houses", "house"), ("emphases", "emphasis"),
        # words in the singular stay
        ("alias", "alias"), ("bonus", "bonus"), ("analysis", "analysis"), ("arthritis", "arthritis"), ("boss", "boss"),
        ("census", "census"), ("chassis", "chassis"), ("", ""), ("s", ""), ("es", "e"), ("ies", "ie"), ("ses", "se"),
    ],
)  # fmt: skip
def test_singulars(many: str, one: str) -> None:
    assert call("singularize", many) == one


def test_plurals_by_count() -> None:
    assert [call("formatPlural", n, "box") for n in (0, 1, 1.5)] == ["0 boxes", "1 box", "1.5 boxes"]
    assert call("pluralizeWithCount", "box", None) == "box"
    assert call("pluralize", "") == ""
