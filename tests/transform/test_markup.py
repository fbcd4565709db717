"""XML records taken by patterns against the document read at once: the same bytes, or the same failure and place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markup_strategies import cases, regular_cases
from test_stream import outcome, streamed, whole

from rolltop.transform import Document, Program, ReadFailure, compile_program, formats
from rolltop.transform.explain import explain
from rolltop.transform.markup import MarkupTiers
from rolltop.transform.stream import plan_of
from rolltop.transform.stream.documents import RecordProgram
from rolltop.transform.stream.patterns import MarkedPiece

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=50_000, deadline=None, suppress_health_check=list(HealthCheck))
SIZES = st.integers(8, 700) | st.just(4000)
HEADER = '%utlx 1.0\ninput xml { arrays: ["x"] }\noutput json\n---\n'
PROGRAM = HEADER + (
    '$input.R.r |> filter(r => r.@ok == "yes") |> map(r => '
    "{ id: r.@id, name: upper(r.name), total: sum(map(r.x, x => x.@p * x.@q)), all: map(r.x, x => x.sku), n: r.n + 1 })"
)
RECORD = (
    '<r id="{0}" ok="yes">\n <name>N{0}</name><n>{0}</n>'
    '<x p="{0}.5" q="2"><sku>S-{0}</sku><unread>1</unread></x><x p="1" q="3"><sku>T</sku></x></r>\n'
)


def agree(text: str, data: bytes, size: int) -> None:
    program = compile_program(text)
    expected = outcome(lambda: whole(program, data, {}))
    assert outcome(lambda: streamed(program, data, {}, size)) == expected


def document(*odd: str, count: int = 6) -> bytes:
    """Records that are alike, with odd ones (or what else may stand between them) after the third."""
    records = [RECORD.format(number) for number in range(count)]
    return f"<R>{''.join([*records[:3], *odd, *records[3:]])}</R>".encode()


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many records typed code took, piece by piece."""
    counts: list[int] = []
    value = MarkedPiece.value

    def counted(piece: MarkedPiece) -> tuple[bool, Any]:
        result = value(piece)
        counts.append(len(piece._rows) if result[0] else 0)
        return result

    monkeypatch.setattr(MarkedPiece, "value", counted)
    return counts


@QUICK
@given(cases(), SIZES)
def test_records_of_any_kind(case: tuple[str, bytes], size: int) -> None:
    agree(*case, size)


@QUICK
@given(regular_cases(), SIZES)
def test_records_that_are_mostly_alike(case: tuple[str, bytes], size: int) -> None:
    agree(*case, size)


@pytest.mark.soak
@LONG
@given(cases() | regular_cases(), SIZES)
def test_records_of_any_kind_at_length(case: tuple[str, bytes], size: int) -> None:
    agree(*case, size)


def test_records_that_are_alike_are_taken_by_the_pattern(taken: list[int]) -> None:
    agree(PROGRAM, document(count=200), 20_000)
    assert sum(taken) > 150


def test_a_pattern_learns_what_records_may_leave_out(taken: list[int]) -> None:
    odd = '<r id="7" ok="yes"><name>N</name><n>1</n></r>'
    agree(HEADER + "map($input.R.r, r => { id: r.@id, n: r.n })", document(*[odd, RECORD.format(8)] * 200), 1000)
    assert sum(taken) > 300


def test_one_element_that_is_only_mapped_serves_as_an_array(taken: list[int]) -> None:
    one = RECORD.replace('<x p="1" q="3"><sku>T</sku></x>', "")
    data = f"<R>{''.join((RECORD, one)[at % 2].format(at) for at in range(100))}</R>".encode()
    header = "%utlx 1.0\ninput xml\noutput json\n---\n"
    agree(header + "map($input.R.r, r => sum(map(r.x, x => x.@p * x.@q)))", data, 4000)
    assert sum(taken) > 60
    taken.clear()
    agree(header + "map($input.R.r, r => [count(r.x), map(r.x, x => x.@p)])", data, 4000)
    assert sum(taken) < 60


def test_one_odd_record_does_not_stop_the_pattern(taken: list[int]) -> None:
    agree(PROGRAM, document("<r><name><![CDATA[</r>]]></name></r>", count=100), 4000)
    assert sum(taken) > 60


@pytest.mark.parametrize(
    "odd",
    [
        "<r><!-- </r> --></r>",
        "<!-- <r/> </r> -->",
        "<?note </r>?>",
        '<r id="1" ok="yes"><name><![CDATA[</r>]]></name><n>1</n></r>',
        '<r id="1" ok="yes">\n <name>&lt;&gt;&quot;&apos;</name><n>1</n><x p="1" q="2"><sku>&amp;lt;</sku></x></r>',
        '<r id="&amp;1" ok="yes">\n <name>a</name><n>1</n><x p="1" q="&#50;"><sku>s</sku></x></r>',
        '<r id="1" ok="yes">\n <name>]] ]>a]</name><n>1</n><x p="1" q="2"><sku>s</sku></x></r>',
        '<r id="1" ok="yes">\n <name>a]]></name><n>1</n><x p="1" q="2"><sku>s</sku></x></r>',
        '<r id="1" ok="yes">\n <name>\x07</name><n>1</n><x p="1" q="2"><sku>s</sku></x></r>',
        '<r id="1" ok="yes">\n <name>\ufffe</name><n>1</n><x p="1" q="2"><sku>s</sku></x></r>',
        '<r id="a\tb\nc" ok="yes">\n <name>a</name><n>1</n><x p="1" q="2"><sku>s</sku></x></r>',
        '<r id="1<" ok="yes">\n <name>a</name><n>1</n><x p="1" q="2"><sku>s</sku></x></r>',
        '<r id="1" id="2" ok="yes">\n <name>a</name><n>1</n><x p="1" q="2"><sku>s</sku></x></r>',
        '<r ok="yes" id="1">\n <name>a</name><n>1</n><x p="1" q="2"><sku>s</sku></x></r>',
        "<r id='1'  ok = 'yes'>\n <name>a</name><n>1</n><x p='1' q='2'><sku>s</sku></x></r >",
        '<r id="" ok="yes">\n <name>a</name><n>1</n><x p="1" q="2"><sku>s</sku></x></r>',
        '<r id="1" ok="yes">\n <name> a\n b </name><n> 1 </n><x p=" 1 " q="2"><sku>  </sku></x></r>',
        '<r id="1" ok="yes">\n <name>\u00a0a</name><n>1</n><x p="1" q="2"><sku>\u2003</sku></x></r>',
        '<r id="1" ok="yes">\n <name>5</name><n>x</n><x p="1" q="2"><sku>7</sku></x></r>',
        '<r id="1" ok="yes">\n <name>a</name><n>007</n><x p="01" q="+2"><sku>-0</sku></x></r>',
        '<r id="1" ok="yes">\n <name>a</name><n>1e400</n><x p="1e400" q="2"><sku>s</sku></x></r>',
        '<r id="1" ok="yes">\n <name>a</name><n>1,2</n><x p="1,2" q="2"><sku>s</sku></x></r>',
        '<r id="1" ok="yes">\n <name>a</name><n>12345678901234567890</n><x p="1" q="2"><sku>s</sku></x></r>',
        '<r id="1" ok="yes">\n <name>a</name><n>1</n>text<x p="1" q="2"><sku>s</sku></x></r>',
        '<r id="1" ok="yes">\n <name>a<b/></name><n>1</n><x p="1" q="2"><sku>s</sku></x></r>',
        '<r id="1" ok="yes">\n <name lang="x">a</name><n>1</n><x p="1" q="2"><sku>s</sku></x></r>',
        '<r id="1" ok="yes">\n <name xmlns="u">a</name><n>1</n><x p="1" q="2"><sku>s</sku></x></r>',
        '<r id="1" ok="yes">\n <name>a</name><name>b</name><n>1</n><x p="1" q="2"><sku>s</sku></x></r>',
        '<r id="1" ok="yes">\n <name/><n>1</n><x p="1" q="2"><sku/></x></r>',
        '<r id="1" ok="yes">\n <name>a</name><n>1</n><x p="1"><q>2</q><sku>s</sku></x></r>',
        '<r id="1" ok="yes">\n <n>1</n><name>a</name><x p="1" q="2"><sku>s</sku></x><n>2</n></r>',
        '<r id="1" ok="yes">\n <name>a</name><n>1</n></r>',
        '<r id="1" ok="yes"/>',
        '<r><r id="1" ok="yes"/></r>',
        "<q><r>1</r></q>",
        "between",
        "<r>" + "<d>" * 899 + "</d>" * 899 + "</r>",
        "</R><R>",
        "<r>&nbsp;</r>",
        '<r id="&id;" ok="yes">\n <name>a&nbsp;&amp;b</name><n>1</n><x p="1" q="2"><sku>&eacute;</sku></x></r>',
        '<r id="1" ok="yes">\n <name>a&nbsp;b</name><n>1</n><x p="1&nbsp;" q="2"><sku><![CDATA[&nbsp;]]></sku></x></r>',
        "<r>&nbsp</r>",
        "<r",
        "<r></q>",
    ],
)
def test_odd_records(odd: str) -> None:
    for size in (64, 300, 2000):
        agree(PROGRAM, document(odd), size)


def test_a_stream_in_utf16_says_what_to_do_about_entities_that_nobody_declares() -> None:
    data = document("<r>&nbsp;</r>").decode().encode("utf-16")
    with pytest.raises(ReadFailure, match="undefined entity") as caught:
        streamed(compile_program(PROGRAM), data, {}, 300)
    assert "as a whole" in str(caught.value.hint)


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "us-ascii"])
def test_entities_that_nobody_declares_in_pieces_of_any_size(encoding: str, taken: list[int]) -> None:
    odd = '<r id="&id;" ok="yes">\n <name>a&nbsp;&amp;b</name><n>1</n><x p="1" q="2"><sku>&longer-name.1;</sku></x></r>'
    data = f'<?xml version="1.0" encoding="{encoding}"?>'.encode() + document(odd, RECORD.format(9), odd, count=30)
    for size in (*range(16, 64), 500, 5000):
        agree(PROGRAM, data, size)
    assert sum(taken) > 0


@pytest.mark.parametrize(
    "body",
    [
        "r.@id + 1",
        "1 + r.@id",
        "(r.@id * 2) + r.@id",
        "r.@id + r.@id",
        "r.n + r.@id",
        "r.@id ?? 0",
        "(r.@none ?? 3) * 2",
        '[r.@none ?? "x", r.none ?? "y", r.none?.@q]',
        "if (r.@id) r.@id * 2 else 5",
        "if (r.@id * 1) r.@id else 5",
        "!r.@id",
        "-r.@id",
        "r.@id > 2",
        "r.@id > r.@ok",
        "r.@id > r.n",
        "r.@id == 3",
        'r.@id == "3"',
        "r.@id == r.n",
        "abs(r.@id)",
        "[round(r.@id), toString(r.n), toNumber(r.@id)]",
        "sum(map(r.x, x => x.@p))",
        "sum(map(r.x, x => x.sku))",
        "r.x |> groupBy(x => x.@q) |> mapValues(g => sum(map(g, x => x.@p)))",
        "r.x |> groupBy(x => x.@none) |> mapValues(g => count(g))",
        "map(r.x, x => x.unread)",
        "{ n: r.n, deep: { a: r.@id, b: [r.name] } }",
        "r",
        "r.x",
        "r.x[0].@p",
        "r.@*",
        "r.^nsContext",
        "r._text",
        "map(r.x, x => x.sku._text)",
        'r["@id"]',
        'r[""]',
        '[r["name"], r["x"][0].@p, r.name["_text"], r["none"]?.@q]',
        "r.name.@id",
        "r.none.@id.deeper",
        "(try { r.name * 2 } catch (e) { r.@id })",
        "let v = r.@id in [v * 2, v]",
    ],
)
def test_attributes_and_elements_in_every_use(body: str) -> None:
    agree(HEADER + f"map($input.R.r, r => {body})", document(), 400)
    agree(f"%utlx 1.0\ninput xml\noutput json\n---\nmap($input.R.r, r => {body})", document(), 400)


def test_totals_are_taken_by_the_pattern(taken: list[int]) -> None:
    text = "{ s: sum(map($input.R.r, r => r.n)), by: $input.R.r |> groupBy(r => r.name) |> mapValues(g => count(g)) }"
    agree(HEADER + text, document(count=50), 2000)
    assert sum(taken) > 20


def test_documents_cut_at_every_byte() -> None:
    data = document("<!-- </r> -->", count=5)
    for size in range(1, len(data)):
        agree(PROGRAM, data, size)


@pytest.mark.parametrize("junk", [b"", b"<", b"&", b"</r>", b"\xc3"])
def test_documents_broken_at_every_byte(junk: bytes) -> None:
    data = document(count=5)
    start = len(RECORD) * 2
    for at in range(start, len(data), 2):
        agree(PROGRAM, data[:at] + junk + data[at + 1 :], 150)


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "ascii", "cp1252"])
def test_encodings(codec: str, taken: list[int]) -> None:
    names = {"utf-8-sig": "utf-8", "latin-1": "iso-8859-1", "ascii": "us-ascii", "cp1252": "windows-1252"}
    head = f'<?xml version="1.0" encoding="{names.get(codec, codec)}"?>\r\n<R>\r\n'
    letters = "abc" if codec == "ascii" else "\u00e9\u00df"
    records = "\r\n".join(RECORD.format(number).replace("T", letters) for number in range(8))
    for end in ("</R>", "</Q>", "<r>&</r></R>"):
        agree(PROGRAM, (head + records + end).encode(codec), 300)
    assert bool(taken) == (codec in ("utf-8", "utf-8-sig", "latin-1", "ascii"))


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("name", ["iso-8859-1", "ISO-8859-1", "us-ascii", "utf8", "utf-16", "UTF-8", "cp037", "none"])
def test_encodings_that_are_not_what_they_say(name: str, mark: bytes) -> None:
    head = f'<?xml version="1.0" encoding="{name}"?>'.encode()
    for data in (document(), document(RECORD.format(7).replace("T", "\u00e9")), document().replace(b"\n", b"\r\n")):
        agree(PROGRAM, mark + head + data, 300)


def test_two_bytes_that_look_like_an_end_tag() -> None:
    odd = RECORD.format(7).replace("T", "\u2f3c\u3e72\u722f\r\n")
    agree(PROGRAM, document(odd).decode().encode("utf-16-le"), 300)
    agree(PROGRAM, document(odd).decode().encode("utf-16-be"), 300)


def test_end_tags_in_a_comment_do_not_slow_the_parser_down(taken: list[int]) -> None:
    agree(PROGRAM, document(f"<!-- {'</r>' * 100_000} -->", count=3000), 100_000)
    assert sum(taken) > 20


@pytest.mark.parametrize(
    "declared",
    [
        "<!DOCTYPE R>",
        '<!DOCTYPE R [<!ATTLIST r ok CDATA "yes">]>',
        '<!DOCTYPE R [<!ENTITY e "x">]>',
        '<!DOCTYPE R SYSTEM "other.dtd">',
    ],
)
def test_document_types_are_for_the_exact_reader(declared: str, taken: list[int]) -> None:
    agree(PROGRAM, declared.encode() + document(), 300)
    assert not taken


def test_names_with_a_prefix(taken: list[int]) -> None:
    data = document(count=60).replace(b"<R>", b'<p:R xmlns:p="u" xmlns="v">').replace(b"</R>", b"</p:R>")
    data = data.replace(b"name>", b"p:name>").replace(b"<r ", b"<p:r ").replace(b"</r>", b"</p:r>")
    text = PROGRAM.replace("$input.R.r", '$input["p:R"]["p:r"]').replace("r.name", 'r["p:name"]')
    agree(text, data, 2000)
    assert sum(taken) > 30


def test_explain_names_the_tier_and_the_fields() -> None:
    found = explain(compile_program(PROGRAM))
    assert found.tier == "typed"
    fields = {field["path"]: (field["type"], field["required"]) for field in found.fields}
    assert fields["R.r[].@ok"] == ("String", False)
    assert fields["R.r[].x[].@p"] == ("Number", True)
    assert fields["R.r[].n"] == ("Number", True)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("map($input.R.r, r => r)", "the records are used as a whole"),
        ('map($input.R.r, r => { "@a": r.n })', "makes attributes"),
        ("map($input.R.r, r => r.@p.q)", "something inside of an attribute"),
    ],
)
def test_explain_says_why_it_is_not_typed(body: str, reason: str) -> None:
    found = explain(compile_program(HEADER + body))
    assert found.tier == "general"
    assert reason in str(found.untyped_because)


def test_an_attribute_that_only_counts_is_a_number() -> None:
    program = compile_program(HEADER + "map($input.R.r, r => [r.@a * 2, r.@b * 2, r.@b])").parsed.program
    typed = MarkupTiers(program, plan_of(program).path).typed
    assert typed is not None
    assert {name: place.form for name, place in typed.records.items().fields.items()} == {"@a": "num", "@b": "any"}


def test_an_attribute_that_is_sometimes_an_element() -> None:
    text = HEADER + "map($input.R.r, r => [r.@k, r.a?.@k])"
    for first, second in (('k="1"', "<k>2</k>"), ("", "<k>2</k>"), ('k="1"', "")):
        one, two = (
            f"<r {first}><a {first}/></r>".replace(" >", ">").replace(" /", "/"),
            f"<r>{second}<a>{second}</a></r>",
        )
        agree(text, f"<R>{one * 3}{two * 3}{one * 3}{two * 3}</R>".encode(), 100)
        agree(text, f"<R>{two * 3}{one * 3}{two * 3}{one * 3}</R>".encode(), 100)


def in_memory(records: RecordProgram, program: Program, data: str | bytes) -> Any:
    taken, value = records.value(data)
    made = value if taken else program.evaluator.run(inputs_of(program, data))
    return formats.write("json", made, {})


@QUICK
@given(st.one_of(cases(), regular_cases()), regular_cases(), st.booleans())
def test_documents_in_memory_one_after_the_other(case: tuple[str, bytes], other: Any, is_text: bool) -> None:
    program = compile_program(case[0])
    records = RecordProgram(program.parsed.program, program.source)
    for data in (case[1], other[1], case[1]):
        given: str | bytes = data.decode("utf-8", "replace") if is_text else data
        expected = outcome(
            lambda given=given: formats.write("json", program.evaluator.run(inputs_of(program, given)), {})
        )
        assert outcome(lambda given=given: in_memory(records, program, given)) == expected


def inputs_of(program: Program, data: str | bytes) -> dict[str, Any]:
    return program._with_default(program.read_inputs({"input": Document(data)}))


def test_large_documents_in_memory_are_taken_by_the_pattern(taken: list[int]) -> None:
    program = compile_program(PROGRAM)
    data = document(count=1000)
    expected = formats.write("json", program.evaluator.run(inputs_of(program, data)), {})
    assert program.run({"input": Document(data)}) == expected
    assert program.run({"input": Document(data.decode())}) == expected
    assert sum(taken) > 1900


@pytest.mark.parametrize(
    "text", ["", " " * 200_000, "\ud800" + "<R/>" * 50_000, '<?xml version="1.0" encoding="utf-16"?>']
)
def test_texts_that_are_no_documents(text: str) -> None:
    program = compile_program(PROGRAM)
    records = RecordProgram(program.parsed.program, program.source)
    expected = outcome(lambda: inputs_of(program, text))
    assert outcome(lambda: in_memory(records, program, text)) == expected


def test_texts_are_what_they_are_whatever_they_declare() -> None:
    program = compile_program(PROGRAM)
    records = RecordProgram(program.parsed.program, program.source)
    text = '<?xml version="1.0" encoding="latin-1"?>' + document().decode().replace("T", "\u4e2d")
    expected = outcome(lambda: formats.write("json", program.evaluator.run(inputs_of(program, text)), {}))
    assert outcome(lambda: in_memory(records, program, text)) == expected


def test_a_program_whose_documents_have_one_record_is_not_tried_for_ever() -> None:
    program = compile_program(PROGRAM)
    records = RecordProgram(program.parsed.program, program.source)
    for _ in range(5):
        assert records.value("<R><r/></R>") == (False, None)
    assert not records.possible
