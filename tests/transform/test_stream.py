"""Streaming against reading everything at once: the same bytes, or the same failure at the same place."""

from __future__ import annotations

import io
import json
import tempfile
from typing import Any, BinaryIO

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from record_strategies import ARRAYS, CHAINS, ENVELOPES, FILTERS, MAPS, OF_RECORD, PIPELINES, REGULAR

from rolltop.errors import RolltopError
from rolltop.transform import Document, Program, compile_program
from rolltop.transform.stream import NotStreamed, plan_of, stream
from rolltop.transform.stream.json_arrays import ArrayPieces
from rolltop.transform.stream.positions import second_look

QUICK = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck))
DATA = ARRAYS | REGULAR
SIZES = st.integers(8, 400)


def outcome(work: Any) -> Any:
    try:
        return work()
    except RolltopError as error:
        return "failure", type(error).__name__, error.message, str(error.position), error.hint


def whole(program: Program, data: bytes, options: dict[str, Any]) -> bytes:
    value = program.evaluator.run(program._with_default(program.read_inputs({"input": Document(data)})))
    text = program.written(value, options).encode()
    return text if not text or text.endswith(b"\n") else text + b"\n"


def streamed(program: Program, data: bytes, options: dict[str, Any], size: int, source: Any = None) -> bytes:
    """In pieces of this size; input that is not for streams is read as a whole, as the command line does it."""
    plan = plan_of(program.parsed.program)
    assert plan.possible, plan.obstacle
    written: list[bytes] = []
    try:
        first = source or io.BytesIO(data)
        stream(program, plan, first, written.append, options, again=lambda: io.BytesIO(data), size=size)
    except NotStreamed:
        made = whole(program, data, options)
        assert not written
        return made
    return b"".join(written)


def agree(
    text: str, data: bytes, size: int, *, source: str | None = "json", target: str | None = "json", **options: Any
) -> None:
    """With `source` and `target` None, the program says what they are."""
    program = compile_program(text, inputs={"input": source} if source else None, output_format=target)
    expected = outcome(lambda: whole(program, data, options))
    assert outcome(lambda: streamed(program, data, options, size)) == expected
    if source == "json":
        # Places in a file are counted only when something fails, in another reading.
        with file_of(data) as file:
            assert outcome(lambda: streamed(program, data, options, size, file)) == expected


UNEVEN = [
    '{ r: { q: map($input, o => { "a b": o.n }) } }',
    '{ r: { q: map($input, o => { "@n": o.n, _text: o.s }) } }',
    "{ r: { q: map($input, o => { ...o }) } }",
    "{ r: { q: map($input, o => { n: o.@n, s: o }) } }",
    "map($input, o => { q: { _text: o.n } })",
    '{ n: count($input), "c d": sum(map($input, o => o.n)) }',
]
NOTED = [{"n": 1, "@n": "a", "s": "x"}, {"@n": 2, "#text": "y"}, {"n": 3, "s": {"_text": 5}}, {"n": 4, "@s": None}]


@pytest.mark.parametrize("target", ["json", "xml", "csv"])
@pytest.mark.parametrize("text", UNEVEN)
def test_attributes_texts_and_keys_that_cannot_be_written(text: str, target: str) -> None:
    program = compile_program(text, inputs={"input": "json"}, output_format=target)
    if plan_of(program.parsed.program).possible:
        for data in (NOTED, NOTED[:1] * 9, [{"@n": [1]}], [{"n": "\x01"}]):
            agree(text, json.dumps(data).encode(), 20, target=target)


@pytest.mark.parametrize(
    "text",
    [
        "map($input, o => map([o.n], (x, i) => { n: i + 1 }))",
        "$input |> filter(o => o.n > 1) |> map(o => map([o.n], (x, i) => -i))",
        "{ r: map($input, o => map([o.n], (x, i) => i * x)), all: count($input) }",
        "sum(map($input, o => sum(map([o.n], (x, i) => i - 1))))",
    ],
)
def test_failures_of_parameters_that_nobody_fills(text: str) -> None:
    agree(text, json.dumps([{"n": number} for number in range(9)]).encode(), 20)


def file_of(data: bytes) -> BinaryIO:
    """A file that is to be read from somewhere in its middle on."""
    file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed by the caller
    file.write(b"before" + data)
    file.seek(len(b"before"))
    return file


@st.composite
def texts(draw: st.DrawFn, arrays: st.SearchStrategy[Any]) -> bytes:
    """JSON in some layout, whole or damaged."""
    records = draw(arrays)
    layout = draw(st.sampled_from([{}, {"indent": 1}, {"separators": (",", ":")}, {"ensure_ascii": False}]))
    data = json.dumps(records, **layout).encode()
    damage = draw(st.integers(0, 9))
    if damage > 3 or not data:
        return data
    at = draw(st.integers(0, len(data) - 1))
    junk = draw(st.sampled_from([b"", b",", b"]", b"}", b'"', b"x", b"\xff", b"\n", b"[", b"\\"]))
    return data[:at] + junk + data[at + draw(st.integers(0, 2)) :]


@QUICK
@given(PIPELINES, texts(DATA), SIZES, st.booleans())
@example(
    "$input |> filter(o => o.n / o.m > 1) |> map(o => o.n * o.s)", b'[{"n":1,"s":"x","m":1},{"n":2,"m":0}]', 20, False
)
@example("map($input, o => o.n * 1)", b'[{"n":"x"},{"n":1},{"n":\xff}]', 8, False)
@example("map($input, o => o.n)", b'[{"n":1},\n {"n":2},\n]', 10, False)
@example("map($input, o => o.n)", b'[{"n":1},{"n":x}, {"s":"\xc3\xa9\xc3\xa9\xc3\xa9"}]', 8, False)
@example("map($input, o => o.n)", b'[{"n":1}] x', 8, True)
@example("map($input, o => o.n)", b"  [ ] ", 8, True)
@example("map($input, o => o.n)", b'\xef\xbb\xbf[{"n":1.0},{"n":2}]', 8, True)
@example("map($input, o => o.n)", b'{"n":1}', 8, True)
@example("map($input, o => o)", b'[{"n":[{"n":1},{"n":2},{"n":3},{"n":4}]},{"n":[{"n":1},{"n":2}]}]', 12, True)
@example("map($input, o => o)", b"[1, 2, [3, 4, 5, 6, 7, 8, 9], 10, 11]", 8, True)
@example("map($input, o => { s: o.s, n: o.n })", b'[{"s":"a,1.0,b","n":1.0},{"s":"\\":2.0,","n":2.0}]', 9, True)
@example("let r = 1 / 0\nmap($input, o => r)", b"[]", 9, True)
def test_arrays(text: str, data: bytes, size: int, compact: bool) -> None:
    agree(text, data, size, compact=compact)


def test_places_are_told_as_far_as_a_file_still_goes() -> None:
    with file_of(b'[{"n":1},\n' + b'{"n":2},\n' * 50 + b'{"n":3}]') as file:
        pieces = ArrayPieces(file.read, size=64, again=second_look(file))
        next(pieces.run(len))
        file.truncate(len(b'before[{"n":1},\n{"n":2},\n'))
        assert pieces.where.of("") == (3, 1)


@pytest.mark.soak
@LONG
@given(PIPELINES, texts(DATA), SIZES, st.booleans())
def test_arrays_at_length(text: str, data: bytes, size: int, compact: bool) -> None:
    agree(text, data, size, compact=compact)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    records = draw(DATA)
    end = draw(st.sampled_from(["\n", "\r\n", "\n\n"]))
    data = "".join(json.dumps(record) + end for record in records).encode()
    at = draw(st.integers(0, len(data)))
    junk = draw(st.sampled_from([b"", b"", b"", b"x", b"\n", b"{} ", b"\xff"]))
    return data[:at] + junk + data[at:]


@QUICK
@given(PIPELINES, lines(), SIZES)
@example("map($input, o => o.n)", b'{"n":1} {"n":2}\n{"n":\n3}\n', 100)
@example("map($input, o => o.n)", b'{"n":1}\n{"n":"\xff"}\n', 4)
@example("map($input, o => o.n)", b'{"n":1},{"n":2}\n', 4)
@example("map($input, o => o.n)", b"\xef\xbb\xbf1\n2", 4)
def test_json_lines_in_and_out(text: str, data: bytes, size: int) -> None:
    agree(text, data, size, source="jsonl", target="jsonl")


@QUICK
@given(st.sampled_from([[], ["o"], ["o", "rows"]]), FILTERS, MAPS, texts(DATA), SIZES)
@example(["o"], "filter(o => true)", "map(o => o)", b'[{"o":[1]}], "o":[1]', 20)
def test_arrays_at_a_path(path: list[str], condition: str, mapping: str, array: bytes, size: int) -> None:
    data = array
    for name in reversed(path):
        data = b'{"first": {"o": [1, {"rows": [2]}]}, "' + name.encode() + b'" : ' + data + b', "last": "o"}'
    text = f"{'.'.join(['$input', *path])} |> {condition} |> {mapping}"
    program = compile_program(text)
    expected = outcome(lambda: whole(program, data, {}))
    found = outcome(lambda: streamed(program, data, {}, size))
    assert found == expected or "comes again" in str(found)


TOTALS = st.one_of(
    st.tuples(st.sampled_from(["sum", "count", "min", "max", "avg"]), OF_RECORD).map(
        lambda p: f"{p[0]}(map($input, o => {p[1]}))"
    ),
    st.tuples(st.sampled_from(["sum", "count", "max"]), FILTERS, OF_RECORD).map(
        lambda p: f"($input |> {p[1]} |> map(o => {p[2]}) |> {p[0]})"
    ),
    st.tuples(OF_RECORD, OF_RECORD).map(
        lambda p: (
            f"($input |> groupBy(o => {p[0]}) |> mapValues(h => [count(h), sum(map(h, o => {p[1]})) / count($input)]))"
        )
    ),
)


@QUICK
@given(st.lists(TOTALS, min_size=1, max_size=3), texts(DATA), SIZES)
@example(
    ["sum(map($input, o => o.n))"], json.dumps([{"n": 0.1}] * 30 + [{"n": 3}, {"n": 1e100}, {"n": 2**63}]).encode(), 40
)
def test_totals(totals: list[str], data: bytes, size: int) -> None:
    agree(f"let n = count($input)\n[{', '.join(totals)}, n]", data, size)


@QUICK
@given(PIPELINES, REGULAR, SIZES)
@example("map($input, o => o.n)", [], 8)
def test_csv_out(text: str, records: list[Any], size: int) -> None:
    agree(text, json.dumps(records).encode(), size, target="csv")


@QUICK
@given(ENVELOPES, CHAINS, texts(DATA), SIZES, st.sampled_from(["json", "xml"]), st.booleans())
@example("{{ Out: {{ R: {0} }} }}", "map($input, o => { a: o.n })", b"[{},{},{},{}]", 8, "xml", False)
@example("{{ Out: {{ R: {0} }} }}", "map($input, o => o)", b'[1,{"a":1},{"a":2},{"a":3},[{"a":4}]]', 8, "xml", False)
@example("{{ Out: {{ R: {0} }} }}", "map($input, o => o)", b'["\\u0001",{"n o":1},{}]', 8, "xml", False)
@example("{{ Out: {{ R: {0} }} }}", "filter($input, o => false)", b"[1,2]", 8, "xml", False)
@example("{{ R: {0}, z: 1 }}", "map($input, o => o)", b'[{"_text":1.0},-0.0,1e300]', 8, "json", True)
def test_records_inside_an_object(
    envelope: str, chain: str, data: bytes, size: int, target: str, compact: bool
) -> None:
    inside_agree(envelope.format(chain), data, size, target, compact=compact)


def inside_agree(text: str, data: bytes, size: int, target: str, *, compact: bool) -> None:
    """As `agree`; but XML records that are of one property each at first, and then not, are refused."""
    program = compile_program(text, inputs={"input": "json"}, output_format=target)
    expected = outcome(lambda: whole(program, data, {"compact": compact}))
    found = outcome(lambda: streamed(program, data, {"compact": compact}, size))
    assert found == expected or (target == "xml" and "until here all records" in str(found))


def test_records_that_bring_their_names_are_written_in_one_element() -> None:
    data = json.dumps([{"n": n} for n in range(40)]).encode()
    agree("{ A: { B: map($input, o => { N: o.n }), c: 1 } }", data, 30, target="xml")
    agree("{ A: { B: flatMap($input, o => [{ N: o.n }, { M: [o, 1] }]) } }", data, 30, target="xml")
    program = compile_program(
        "{ A: { B: map($input, o => if (o.n < 30) { N: o.n } else 5) } }", inputs={"input": "json"}, output_format="xml"
    )
    with pytest.raises(RolltopError, match="until here all records"):
        streamed(program, data, {}, 30)


@pytest.mark.soak
@LONG
@given(ENVELOPES, CHAINS, texts(DATA), SIZES, st.sampled_from(["json", "xml"]), st.booleans())
def test_records_inside_an_object_at_length(
    envelope: str, chain: str, data: bytes, size: int, target: str, compact: bool
) -> None:
    inside_agree(envelope.format(chain), data, size, target, compact=compact)


@pytest.mark.parametrize(
    "text",
    [
        "{ a: map($input, o => o), b: map($input, o => o) }",
        "{ a: map($input, o => o), ...{ a: 1 } }",
        "{ a: map($input, o => o), a: 1 }",
        "{ a: map($input, o => o), n: sortBy($input, o => o.n) }",
        '{ "@a": map($input, o => o) }',
        "{ _text: map($input, o => o) }",
        "{ let k = 1  a: map($input, o => k) }",
    ],
)
def test_other_objects_are_not_streamed(text: str) -> None:
    assert not plan_of(compile_program(text).parsed.program).possible


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("sortBy($input, o => o.n)", "sortBy needs all records at once"),
        ("map($input, o => o.n / count($input))", "map needs all records at once"),
        ("$input", "gives its input back"),
        ("function F(x) { count($input) }\nmap($input, o => F(o))", "function F reads the input"),
        ("map($input.a, o => count($input.b))", "map needs all records at once"),
        ("[count($input.a), count($input.b)]", "several arrays"),
        ("1 + 2", "not made of the records"),
        ("let t = now()\nmap($input, o => t)", "asks the host"),
    ],
)
def test_what_cannot_stream_says_why(text: str, reason: str) -> None:
    plan = plan_of(compile_program(text).parsed.program)
    assert plan.obstacle is not None
    assert reason in plan.obstacle


def test_a_large_array_needs_little_memory() -> None:
    """Never more than a few pieces are held, whatever the size of the input."""
    program = compile_program("map($input, o => { n: o.n * 2 })")
    held: list[int] = []

    class Endless(io.RawIOBase):
        def __init__(self) -> None:
            self.left = 60

        def read(self, size: int = -1) -> bytes:
            self.left -= 1
            if self.left < 0:
                return b""
            first = b"[" if self.left == 59 else b","
            return (
                first + b",".join([b'{"n":1,"unread":"%s"}' % (b"x" * 1000)] * 1000) + (b"]" if not self.left else b"")
            )

    import tracemalloc

    tracemalloc.start()
    stream(program, plan_of(program.parsed.program), Endless(), lambda block: held.append(len(block)), {})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(held) > 60_000 * 10
    assert peak < 12_000_000


CELLS = st.sampled_from(
    ["a", "b c", "", "5", "2.5", "-1", "007", "true", "N/A", " x", "1,5", '"q"', "1e3", "12345678901234567890"]
)
ROWS = st.lists(st.lists(CELLS, min_size=2, max_size=4), max_size=8)
NUMERIC = st.lists(
    st.tuples(st.integers(0, 99).map(str), st.sampled_from(["x", "yes", "é"]), st.just("z")).map(list), max_size=9
)


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    quoted = [["n", "s", "b"], *draw(ROWS | NUMERIC)]
    lines = [
        ",".join('"' + cell.replace('"', '""') + '"' if draw(st.booleans()) or "," in cell else cell for cell in row)
        for row in quoted
    ]
    data = draw(st.sampled_from(["\n", "\r\n"])).join(lines).encode()
    return data if draw(st.integers(0, 5)) else data + draw(st.sampled_from([b'"', b'"a"b', b"\xff", b"\n\n"]))


@QUICK
@given(PIPELINES, tables(), SIZES)
@example("map($input, o => { n: o.n * 2, s: upper(o.s), b: o.b })", b"n,s,b\n1,x,2026-01-01\n2.0,y,\n", 100)
@example("map($input, o => o.n * 2)", b"n,s\n1,x\n2\n\n3,y,z\n", 16)
@example("map($input, o => o.n)", b"n,n\n1,2\n", 100)
@example("map($input, o => o.n)", b"", 100)
def test_csv_in(text: str, data: bytes, size: int) -> None:
    agree(text, data, size, source="csv")


XML = st.lists(
    st.sampled_from([
        "<r n='1'><s>a</s></r>", "<r n='2'/>", "<r>text</r>", "<r>5</r>", "<r n='x'><s>1</s><s>2</s></r>", "<q/>",
        "between", "<r xmlns:p='u'><p:s>é</p:s></r>", "<r>a<s>b</s>c</r>", "<t><r/></t>",
    ]),
    max_size=9,
)  # fmt: skip
ENCODINGS = [
    "utf-8",
    "latin-1",
    "cp1252",
    "utf-16",
    "utf-16-be",
    "utf-32",
    "shift_jis",
    "gb18030",
    "iso2022_jp",
    "utf-7",
]


@QUICK
@given(
    st.sampled_from(ENCODINGS),
    st.lists(
        st.sampled_from(["a", "\u00e9", "\u3042\u4e2d", '"x\n\u00fc"', "5", "\ufeff", "~+-\\"]), min_size=1, max_size=20
    ),
    st.sampled_from([b"", b"", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\x1b$B", b"\x00"]),
    st.booleans(),
    SIZES,
)
def test_csv_in_other_encodings(encoding: str, cells: list[str], junk: bytes, before: bool, size: int) -> None:
    text = "".join(f"{cell},{at}\n" for at, cell in enumerate(["s", *cells]))
    data = text.encode(encoding, "replace")
    data = junk + data if before else data + junk
    program = f'%utlx 1.0\ninput csv {{ encoding: "{encoding}" }}\noutput json\n---\n$input |> map(o => o)'
    compiled = compile_program(program)
    assert plan_of(compiled.parsed.program).possible == (encoding != "utf-7")
    if encoding != "utf-7":
        agree(program, data, size, source=None, target=None)


OF_ELEMENT = st.sampled_from(["r.@n", "r.s", "{ n: r.@n, s: r.s }", "toString(r.s ?? 0)", "r", "r.@n * 2", "[r]"])


@QUICK
@given(XML, OF_ELEMENT, st.sampled_from(["", "x", "<", "</R>", "&", "<R/>"]), SIZES)
def test_xml_in(inside: list[str], body: str, damage: str, size: int) -> None:
    data = f"<R>{''.join(inside)}{damage}</R>".encode()
    agree(f"$input.R.r |> filter(r => r.@n != 2) |> map(r => {body})", data, size, source="xml")


@pytest.mark.parametrize("hidden", ["<!--</r>%s-->", "<![CDATA[</r>%s]]>", "<?hidden </r>%s?>"])
@pytest.mark.parametrize("size", [4, 30, 1000])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_xml_records_that_are_hidden_are_none(hidden: str, size: int, mark: str) -> None:
    records = [f"<r n='{number}'><s>a</s></r>" for number in range(9)]
    data = f"{mark}<R>{''.join(records[:5])}{hidden % ''.join(records)}{''.join(records[5:])}</R>".encode()
    agree("$input.R.r |> map(r => r.@n)", data, size, source="xml")
