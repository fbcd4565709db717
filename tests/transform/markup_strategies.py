"""Documents of records that are mostly alike, as XML in some hand's writing, and programs over them."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st
from record_strategies import ARRAYS, ENVELOPES, PIPELINES, REGULAR

NAMES = re.compile(r"\b(o|i|a|a\?)\.(n|s|k|b|z)\b")
WHOLE = re.compile(r"\bo\.a\b(?!\??\.)")
NUMBERS = st.sampled_from(
    ["0", "1", "2", "2.5", "10", "-3", "1e3", "007", "12345678901234567890", "+1", ".5", "5.", " 7 "]
)
TEXTS = st.sampled_from(["a", "b", "x y", "\u00e9", "Zo\u00eb", "10", "a&b", "]", "<", "q>", "-", " t ", "\U0001f600"])
PLAIN = st.sampled_from(["a", "b", "word", "more words"])
INNER = st.fixed_dictionaries({"n": NUMBERS, "s": PLAIN, "k": PLAIN}, optional={"z": TEXTS})
EASY = st.sampled_from(["0", "1", "2", "2.5", "10"])
ALIKE = st.fixed_dictionaries(
    {
        "n": EASY,
        "s": PLAIN,
        "b": PLAIN,
        "a": st.fixed_dictionaries({"n": EASY, "s": PLAIN, "k": PLAIN}),
        "xs": st.lists(st.fixed_dictionaries({"n": EASY, "s": PLAIN, "k": PLAIN}), min_size=1, max_size=3),
        "ns": st.lists(EASY, min_size=2, max_size=3),
    }
)
VARIED = st.fixed_dictionaries(
    {"n": NUMBERS, "s": TEXTS},
    optional={"b": PLAIN, "a": INNER, "xs": st.lists(INNER, max_size=3), "ns": st.lists(NUMBERS, max_size=3)},
)
ANY = st.one_of(ARRAYS, REGULAR, st.lists(VARIED, min_size=3, max_size=9))
MOSTLY_ALIKE = st.one_of(
    st.lists(ALIKE, min_size=6, max_size=16),
    st.lists(st.integers(0, 6).flatmap(lambda chance: VARIED if chance == 0 else ALIKE), min_size=6, max_size=16),
)


def _numbers(name: str, loops: list[st.SearchStrategy[str]]) -> st.SearchStrategy[str]:
    """Expressions that are numbers when the data is what it should be."""
    leaf = st.sampled_from([f"{name}.n", f"{name}.n", "2", "0.5"])
    return st.recursive(
        st.one_of(leaf, *loops),
        lambda part: st.one_of(
            st.tuples(part, st.sampled_from("+-*"), part).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
            part.map(lambda e: f"round({e})"),
            part.map(lambda e: f"({e} ?? 1)"),
        ),
        max_leaves=3,
    )


def _texts(name: str, numbers: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    leaf = st.sampled_from([f"{name}.s", f"{name}.s", f"{name}.k" if name == "i" else f"{name}.b", '"t"'])
    return st.recursive(
        leaf,
        lambda part: st.one_of(
            part.map(lambda e: f"upper({e})"),
            st.tuples(part, part | numbers).map(lambda p: f"({p[0]} + {p[1]})"),
            part.map(lambda e: f'({e} ?? "none")'),
            numbers.map(lambda e: f"toString({e})"),
        ),
        max_leaves=3,
    )


def _conditions(numbers: st.SearchStrategy[str], texts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(numbers, st.sampled_from(["<", ">=", "==", "!="]), numbers).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(texts, st.sampled_from(["==", "!="]), texts).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        texts.map(lambda e: f"({e} != null)"),
        st.tuples(texts, numbers).map(lambda p: f"({p[0]} && {p[1]})"),
    )


OF_ITEM = _numbers("i", [])
ITEM_TEXTS = _texts("i", OF_ITEM)
ITEMS = st.one_of(
    st.sampled_from(["o.xs", "(o.xs ?? [])"]), _conditions(OF_ITEM, ITEM_TEXTS).map(lambda e: f"filter(o.xs, i => {e})")
)
OF_RECORD = _numbers(
    "o",
    [
        st.tuples(ITEMS, OF_ITEM).map(lambda p: f"sum(map({p[0]}, i => {p[1]}))"),
        ITEMS.map(lambda e: f"count({e})"),
        st.sampled_from(["o.a.n", "(o.a?.n ?? 3)"]),
    ],
)
RECORD_TEXTS = st.one_of(_texts("o", OF_RECORD), st.sampled_from(["o.a.s", "o.a?.k", '(o.a.k ?? "none")', "o.ns"]))
VALUES = st.one_of(
    OF_RECORD,
    RECORD_TEXTS,
    st.tuples(ITEMS, OF_ITEM, ITEM_TEXTS).map(lambda p: f"map({p[0]}, i => {{ n: {p[1]}, s: {p[2]} }})"),
    st.tuples(ITEMS, ITEM_TEXTS, OF_ITEM).map(
        lambda p: f"({p[0]} |> groupBy(i => {p[1]}) |> mapValues(g => sum(map(g, i => {p[2]}))))"
    ),
    st.tuples(_conditions(OF_RECORD, RECORD_TEXTS), OF_RECORD, RECORD_TEXTS).map(
        lambda p: f"(if ({p[0]}) {p[1]} else {p[2]})"
    ),
)
CONDITIONS = _conditions(OF_RECORD, RECORD_TEXTS)
CHAINS = st.one_of(
    VALUES.map(lambda e: f"map($input, o => {e})"),
    st.tuples(CONDITIONS, VALUES, VALUES).map(
        lambda p: f"$input |> filter(o => {p[0]}) |> map(o => {{ a: {p[1]}, b: {p[2]} }})"
    ),
)
SENSIBLE = st.one_of(
    CHAINS,
    st.tuples(ENVELOPES, CHAINS).map(lambda p: p[0].format(p[1])),
    st.tuples(CONDITIONS, OF_RECORD).map(lambda p: f"{{ s: sum($input |> filter(o => {p[0]}) |> map(o => {p[1]})) }}"),
)
ODDITIES = [
    "<!-- </r> -->", "<?r </r>?>", "<![CDATA[</r>]]>", "text", "&amp;", "&#65;", "&nbsp;", "&x.y;", "<n>7</n>", "<s/>",
    "\n ", "]]", "<r/>", "<xs n='1'/>", "<q><r>1</r></q>", "\u00a0", " 5 ",
]  # fmt: skip


ARRAY_OPTIONS = [' { arrays: ["xs"] }', "", ' { arrays: ["xs", "ns"] }', ' { arrays: ["s"] }']


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, bytes]:
    """A program over `$input.R.r`, in which some properties are attributes, and a document."""
    marked = draw(st.sets(st.sampled_from("nskbz")))
    hand = Hand(draw, draw(st.sets(st.sampled_from("nskbz"))))
    text = _program(draw(SENSIBLE | PIPELINES), marked, draw(st.sampled_from(ARRAY_OPTIONS)))
    return text, _document(draw, hand, draw(ANY | MOSTLY_ALIKE))


@st.composite
def regular_cases(draw: st.DrawFn) -> tuple[str, bytes]:
    """A program and a document that it is made for, but for a few records."""
    marked = draw(st.sets(st.sampled_from("nskb")))
    hand = Hand(draw, marked)
    text = WHOLE.sub("o.a.n", draw(SENSIBLE)).replace(".z", ".k")
    return _program(text, marked, draw(st.sampled_from(ARRAY_OPTIONS[:2]))), _document(draw, hand, draw(MOSTLY_ALIKE))


def _program(text: str, marked: set[str], arrays: str) -> str:
    text = text.replace("$input", "$input.R.r")
    text = NAMES.sub(lambda found: f"{found[1]}.{'@' if found[2] in marked else ''}{found[2]}", text)
    return f"%utlx 1.0\ninput xml{arrays}\noutput json\n---\n{text}"


class Hand:
    """How one document is written."""

    def __init__(self, draw: st.DrawFn, attributes: set[str]) -> None:
        self.quote = draw(st.sampled_from("\"'"))
        self.attributes = attributes
        self.line = draw(st.sampled_from(["", "", "\n  ", "\r\n", " "]))
        self.bare = draw(st.booleans())
        self.ordered = draw(st.integers(0, 5)) != 5
        self.declared = draw(st.booleans())

    def text(self, value: Any) -> str:
        shown = "true" if value is True else "" if value is None else str(value)
        return shown.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")

    def elements(self, name: str, value: Any) -> str:
        if isinstance(value, list):
            return self.line.join(self.elements(name, item) for item in value)
        if not isinstance(value, dict):
            return f"<{name}>{self.text(value)}</{name}>"
        if self.ordered:
            value = dict(sorted(value.items()))
        marked = {
            key: part for key, part in value.items() if key in self.attributes and not isinstance(part, dict | list)
        }
        attributes = "".join(f" {key}={self.quote}{self.text(part)}{self.quote}" for key, part in marked.items())
        inner = [self.elements(key, part) for key, part in value.items() if key not in marked]
        if not inner and self.bare:
            return f"<{name}{attributes}/>"
        line = self.line if inner else ""
        return f"<{name}{attributes}>{line}{line.join(inner)}{line}</{name}>"


def _document(draw: st.DrawFn, hand: Hand, records: list[Any]) -> bytes:
    """A document, sometimes with something unusual in it, sometimes damaged."""
    inside = hand.line.join(hand.elements("r", record) for record in records)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n' if hand.declared else ""
    data = f"{head}<R>{hand.line}{inside}{hand.line}</R>"
    for _ in range(draw(st.sampled_from([0, 0, 0, 0, 1, 2]))):
        ends = [found.start() for found in re.finditer("<", data)][1:] or [0]
        at = draw(st.sampled_from(ends))
        data = data[:at] + draw(st.sampled_from(ODDITIES)) + data[at:]
    return _damaged(draw, data.encode())


JUNK = [b"", b"<", b">", b"&", b'"', b"\xff", b"\x01", b"]]>", b"</r>", b"\xef\xbf\xbf", b"/", b"\r"]


def _damaged(draw: st.DrawFn, data: bytes) -> bytes:
    if draw(st.integers(0, 6)) != 6:
        return data
    at = len(data) - 1 - draw(st.integers(0, len(data) - 1))
    return data[:at] + draw(st.sampled_from(JUNK)) + data[at + draw(st.integers(0, 2)) :]
