"""Tables by columns against reading them cell by cell: the same cells, the same bytes, the same failures."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from table_strategies import LINED, NUMBERS, SPACES, TEXTS, WORDS, quoted, rows_and_ends
from test_stream import outcome, streamed, whole

from rolltop.transform import compile_program
from rolltop.transform.columns import code
from rolltop.transform.columns.row_code import Unpacked, unpack
from rolltop.transform.compile.scopes import CannotCompile
from rolltop.transform.compile.tiers import Tiers
from rolltop.transform.explain import explain
from rolltop.transform.formats.csv_scanner import Scanner
from rolltop.transform.formats.csv_style import Style
from rolltop.transform.formats.csv_table import open_table
from rolltop.transform.formats.csv_table import tables as tables_of
from rolltop.transform.stream.jobs import stream_shared
from rolltop.transform.stream.plan import plan_of

QUICK = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=30_000, deadline=None, suppress_health_check=list(HealthCheck))
ODD = [*WORDS, *NUMBERS, *TEXTS, *SPACES, *LINED, "shipped ", " shipped", "SHIPPED", "\x1fshipped", "", ""]
REGULAR = [
    ["shipped", "pending", "cancelled"],
    ["1", "2.5", "12", "0", "-3", "186.59", "1e3", "7.00"],
    ["ORD-1", "ORD-22", "ORD-333", "long enough"],
    ["DE", "GB", "US", "Bob", "é"],
    ["1", "", "2", ""],
    ["some text", "", "n/a", "Zed", "a\\b"],
    ["2.0", "", "-0.0", "3", "null"],
    ["99999999999999999", "12345678901234567", "3", "0.1", "99", "922337203685477580", "-100"],
    ["-0", "-0.0", "1e16", "5e15", "9007199254740993", "0.00001", "1e308", "2", "1.50", "0.0"],
    ["a\\b", "tab\there", 'say "so"', "long enough", "\x7f and so on"],
    ["say, this", "or that", "or, that"],
    ["true", "", "null", "x"],
]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns from the first part of a table on."""
    monkeypatch.setattr(code, "WARM", 0)


@st.composite
def long_tables(draw: st.DrawFn, delimiter: str = ",") -> str:
    """Mostly regular rows, many enough for a pattern to be learnt; then and now something odd."""
    chance = Random(draw(st.integers(0, 2**32)))
    kinds = [chance.choice(REGULAR) for _ in "nsab"]
    habits = [chance.choice(["always", "needed", "needed", "needed"]) for _ in "nsab"]
    oddity = chance.choice([0, 0, 0.005, 0.02, 0.2])
    end = chance.choice(["\n", "\n", "\r\n"])

    def written(kind: list[str], habit: str) -> str:
        text = chance.choice(ODD if chance.random() < oddity else kind)
        needed = delimiter in text or '"' in text or "\n" in text or "\r" in text
        return quoted(text) if habit == "always" or (needed and chance.random() > oddity / 4) else text

    rows = [delimiter.join("nsab")]
    for _ in range(chance.randrange(120)):
        row = [written(kind, habit) for kind, habit in zip(kinds, habits, strict=True)]
        odd = chance.random()
        row = row[: chance.randrange(5)] if odd < oddity / 4 else [*row, "more"] if odd < oddity / 2 else row
        rows.append(delimiter.join(row))
    text = end.join(rows) + (end if chance.random() < 0.8 else "")
    if chance.random() < oddity * 4:
        at = chance.randrange(len(text))
        text = text[:at] + chance.choice(['"', "\n", "\r", ",", '""', "\0"]) + text[at + chance.randrange(2) :]
    return text


PROGRAMS = [
    '$input |> filter(r => r.s == "shipped") |> map(r => { id: r.n, up: upper(r.a), b: r.b, t: r.n * r.b })',
    '$input |> filter(r => r.s == "shipped" && r.n > 1) |> map(r => { n: r.n })',
    '$input |> filter(r => r.n > 1 && r.a == "DE" && r.s == "shipped") |> map(r => { n: r.n, a: r.a, s: r.s })',
    '$input |> filter(r => r.a == "DE" && r.s == "shipped" && r.n > 1) |> map(r => { n: r.n, a: r.a, s: r.s })',
    '$input |> filter(r => r.b == "say, this") |> map(r => r.s)', '$input |> filter(r => r.s == "true") |> map(r => 1)',
    '$input |> filter(r => r.n == "shipped") |> filter(r => r.s == "or that") |> map(r => { n: r.n, x: "lit" })',
    '$input |> filter(r => r.s != "shipped") |> map(r => { s: r.s, both: { a: r.a, b: r.b } })',
    "map($input, r => { n: r.n, s: r.s, a: r.a, b: r.b })", "map($input, r => r.n * 2)", "map($input, r => r.n / r.b)",
    "map($input, r => { big: r.n > 2, t: (r.n ?? 0) + (r.b ?? 0), s: if (r.n > 2) r.s else r.a })",
    'filter($input, r => r.s == "shipped")', '$input |> filter(r => r.s == "shipped") |> map(r => 1)',
    '$input |> map(r => { s: upper(r.s), n: r.n }) |> filter(r => r.s == "SHIPPED") |> map(r => r.n)',
    '$input |> filter(r => upper(r.s) == "SHIPPED") |> map(r => [upper(r.s), lower(r.a), length(r.a)])',
    '$input |> filter(r => contains(r.s, "i")) |> map(r => r.none ?? r.a)', "map($input, r => r.none)",
    'let k = 2 $input |> filter(r => r.n > k) |> map(r => { let t = r.n * k  t: t, u: t + t, s: "x" + r.s })',
    '{ t: sum($input |> filter(r => r.s == "shipped") |> map(r => r.n ?? 0)), all: count($input) }',
    "{ n: sum(map($input, r => r.n)), all: count($input) }", "$input |> filter(r => r.n > 1) |> map(r => r.n) |> sum",
    "$input |> groupBy(r => r.s) |> mapValues(g => sum(map(g, r => r.n)))", "flatMap($input, r => [r.n, r.a])",
]  # fmt: skip


def agree(text: str, table: str, size: int, target: str = "json", **options: Any) -> None:
    source = {name: options.pop(name) for name in ("delimiter", "headers") if name in options}
    source["extraCells"] = "drop"
    program = compile_program(text, inputs={"input": "csv"}, input_options={"input": source}, output_format=target)
    data = table.encode("utf-8", "surrogatepass")
    expected = outcome(lambda: whole(program, data, options))
    assert outcome(lambda: streamed(program, data, options, size)) == expected


@QUICK
@given(st.sampled_from(PROGRAMS), long_tables(), st.integers(8, 900), st.sampled_from(["json", "csv", "compact"]))
@example(PROGRAMS[0], "n,s,a,b\n" + "1,shipped,long enough,2\n" * 9 + "1,shipped ,long enough,2\n", 60, "json")
@example(PROGRAMS[0], "n,s,a,b\n" + "1,shipped,long enough,2\n" * 9 + "1,\x1fshipped,long enough,2\n", 60, "json")
@example(PROGRAMS[0], "n,s,a,b\n" + "1,shipped,long enough,2\n" * 9 + "007,shipped,long enough,2\n", 60, "json")
@example(PROGRAMS[0], "n,s,a,b\n" + "1,shipped,long enough,2\n" * 9 + "1,shipped,n/a   ,2\n", 60, "json")
@example(PROGRAMS[3], "n,s,a,b\n" + '1,"x",y,2\n' * 9 + '1,"x",y"",2\n', 40, "json")
@example(PROGRAMS[3], "n,s,a,b\n" + "1,x,y,2\n" * 9 + "1,x,y\n2,x,y,3,4\n", 20, "json")
def test_programs_over_columns(text: str, table: str, size: int, target: str) -> None:
    agree(
        text,
        table,
        size,
        "json" if target == "compact" else target,
        **({"compact": True} if target == "compact" else {}),
    )


@pytest.mark.soak
@LONG
@given(st.sampled_from(PROGRAMS), long_tables(), st.integers(8, 900), st.sampled_from(["json", "csv"]))
def test_programs_over_columns_at_length(text: str, table: str, size: int, target: str) -> None:
    agree(text, table, size, target)


def test_regular_tables_need_no_other_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> Any:
        raise AssertionError

    table = "n,s,a,b\n" + '2.5,shipped,"long enough",4\n1,pending,"long, too",\n' * 40
    program = compile_program(PROGRAMS[0], inputs={"input": "csv"}, output_format="json")
    expected = whole(program, table.encode(), {})
    monkeypatch.setattr(Tiers, "ready_of", refused)
    monkeypatch.setattr(Tiers, "value_of", refused)
    assert streamed(program, table.encode(), {}, 200) == expected


def explained(text: str, **options: Any) -> Any:
    return explain(
        compile_program(text, inputs={"input": "csv"}, input_options={"input": options}, output_format="json")
    )


def test_explain_says_what_goes_by_columns_and_why_not() -> None:
    assert explained(PROGRAMS[0]).tier == "columnar"
    assert explained("$input |> map(r => r.n) |> sum").tier == "columnar"
    assert explained("{ n: sum(map($input, r => r.n)), all: count($input) }").tier == "columnar"
    assert explained("map($input, r => r.n)", headers=False).tier == "typed"
    found = explained("$input |> groupBy(r => r.s) |> mapValues(g => sum(map(g, r => r.n)))")
    assert (found.tier, found.not_columnar_because) == ("typed", "the records are used as a whole")


def pieces(text: str, size: int) -> Iterator[str]:
    part = ""
    for line in io.StringIO(text, newline="\n"):
        part += line
        if len(part) >= size:
            yield part
            part = ""
    yield part


@QUICK
@given(st.data(), st.sampled_from([",", ";", " ", "-", "e", "1"]), st.integers(1, 400), st.sets(st.integers(0, 3)))
def test_cells_that_are_picked_are_those_of_the_csv_module(
    data: st.DataObject, delimiter: str, size: int, wanted: set[int]
) -> None:
    text = data.draw(long_tables(delimiter))
    parts = pieces(text, size)
    try:
        rows = [row for row, _ in rows_and_ends(text, delimiter)[1:]]
        opening = open_table(parts, {"delimiter": delimiter})
        opening.layout.scanner.want(sorted(wanted))
        found: list[list[Any]] = [[] for _ in range(opening.layout.width)]
        for table in tables_of(chain([opening.after], parts), opening.layout):
            for at, column in enumerate(found):
                column.extend(map(str.strip, table.cells.column(at)))
    except csv.Error:
        return
    for at, column in enumerate(found):
        assert column == [row[at].strip() if at < len(row) else "" for row in rows]


def picked(scanner: Scanner, text: str) -> dict[int, list[str]] | None:
    cut = scanner.cut(text)
    return None if cut is None else {at: list(cells) for at, cells in cut.columns.items()}


def learnt(rows: str, *wanted: int, style: Style | None = None) -> Scanner:
    """What picks these columns out of rows like those given."""
    style = style or Style()
    opening = open_table(iter([rows]), {"headers": False, "quote": style.quote or "none"})
    opening.layout.scanner.want(wanted)
    assert list(tables_of(iter([rows]), opening.layout))
    return opening.layout.scanner


def test_regular_rows_are_picked_by_pattern() -> None:
    scanner = learnt('a1,"b, c",12,shipped\n', 0, 1, 3)
    rows = 'x,"y",1,pending\nz,"b",2,lost it\n'
    assert picked(scanner, rows) == {0: ["x", "z"], 1: ["y", "b"], 3: ["pending", "lost it"]}
    assert picked(learnt("a,b\r\n", 1), "c,d\r\ne,g\r\n") == {1: ["d", "g"]}
    assert picked(learnt('"a",b\nc,d\n', 0), 'e,f\n"g,h",i\n') == {0: ["e", "g,h"]}


def test_only_rows_that_hold_what_is_sought_are_cut() -> None:
    opening = open_table(iter(["n,s\n"]), {})
    scanner = opening.layout.scanner
    scanner.want([0, 1], (1, "shipped"))
    list(tables_of(iter(["1,shipped\n2,pending\n"]), opening.layout))
    assert picked(scanner, "3,pending\n4,shipped\n5,shipped late\n6,unshipped\n") == {0: ["4"], 1: ["shipped"]}
    assert picked(scanner, "3,pending\n") == {0: [], 1: []}
    for other in ["shipped ", " shipped", "\u00a0shipped", "\tshipped\x1f"]:
        assert picked(scanner, f"3,pending\n4,{other}\n") is None


def test_cells_with_blanks_around_them_are_not_taken_for_trimmed_ones() -> None:
    scanner = learnt("a,long enough,plain\n" * 2, 1, 2)
    assert picked(scanner, "x,long enough,plain\n") is not None
    for blank in filter(str.isspace, map(chr, range(sys.maxunicode))):
        for row in (f"x,{blank}long enough,p\n", f"x,long enough{blank},p\n", f"x,long enough,p{blank}\n"):
            assert picked(scanner, row) is None, blank


def test_what_is_behind_the_last_column_read_may_be_anything_but_quotes() -> None:
    scanner = learnt("a,b,c,d\n", 0)
    assert picked(scanner, "e,1,2,3\ng,4\nh,1,2,3,4,5\n") == {0: ["e", "g", "h"]}
    for rows in ['e,"1",2,3\n', "e,1\r,2,3\n", "e\n", 'e,1,2,3"\n']:
        assert picked(scanner, rows) is None


@pytest.mark.parametrize(
    "rows",
    ["x\n", "x,y,z\n", "x,y\n\n", 'x,"y\n', 'x,"y"\n', '"x",y\n', 'x,y"\n', "x\n,y\n", "x,y", "x,y\r\n", "x\r,y\n"],
)
def test_other_rows_are_not(rows: str) -> None:
    assert learnt("a,b\nc,d\n", 0, 1).cut("m,p\n" + rows) is None


def test_a_pattern_learns_from_what_it_did_not_match() -> None:
    opening = open_table(iter(["n,s\n"]), {})
    opening.layout.scanner.want([0, 1])
    parts = ["1,long enough\n", "2,short\n", '3,"quoted, now"\n', "4,\n", "x,\n", '"5",a\n']
    list(tables_of(iter(parts), opening.layout))
    assert picked(opening.layout.scanner, "".join(parts)) == {
        0: ["1", "2", "3", "4", "x", "5"], 1: ["long enough", "short", "quoted, now", "", "", "a"]
    }  # fmt: skip


def test_hostile_lines_take_no_longer_than_others() -> None:
    scanner = learnt("a,b,c\n" * 3, 0, 2)
    assert scanner.cut("a\n" * 200_000) is None
    assert scanner.cut("a,\n" * 200_000) is None
    assert scanner.cut('a,"b\n' * 100_000) is None


def taken_apart(program: str) -> Unpacked:
    """What becomes of a program over the rows of a table."""
    tier = compile_program(program, inputs={"input": "csv"}, output_format="json").tiers.typed
    assert tier is not None
    return unpack(tier.routine_of(written=False)[0])


def test_the_condition_is_taken_out_of_a_loop() -> None:
    found = taken_apart('filter($input, o => o.s == "x" && o.n > 1) |> map(o => { a: o.m, b: o.s })')
    assert found.test is not None
    assert found.sought is not None
    assert found.sought.text == "x"
    assert (len(found.test.fields), len(found.run.fields)) == (2, 2)
    assert taken_apart("sum(map(filter($input, o => o.n > 1), o => o.m * 2))").test is not None


@pytest.mark.parametrize(
    "program",
    [
        "let least = 1 + 1\nfilter($input, o => o.n > least) |> map(o => o.m * 2)",
        "filter($input, o => o.n * 2 > 3) |> map(o => o.n * 2)",
    ],
    ids=["named before the loop", "asked for again"],
)
def test_a_condition_that_belongs_to_the_loop_stays_there(program: str) -> None:
    assert taken_apart(program).test is None


@pytest.mark.parametrize(
    "program",
    [
        "{ a: map($input, o => o.n * 2), b: $input |> sortBy(o => o.n) |> map(o => o.n) }",
        "{ a: map($input, o => o.n * 2), b: (if (count($input) > 1) map($input, o => o.n) else []) }",
        "{ n: count($input), s: some($input, o => o.n > 1) }",
        "groupBy($input, o => o.s) |> mapValues(g => max(map(g, o => o.n)))",
    ],
)
def test_records_that_are_used_as_a_whole_are_not_unpacked(program: str) -> None:
    with pytest.raises(CannotCompile):
        taken_apart(program)


NUMERIC = st.lists(
    st.tuples(st.sampled_from([*REGULAR[1], *REGULAR[7], *REGULAR[8]]), st.sampled_from([*REGULAR[7], *REGULAR[8]])),
    min_size=1,
    max_size=30,
)


@QUICK
@given(
    NUMERIC, st.sampled_from(["r.n * r.b", "r.n + r.b", "r.n - r.b", "r.n", "r.b * 0.2", "r.n / r.b"]), st.booleans()
)
def test_numbers_are_written_as_ever(rows: list[tuple[str, str]], calculated: str, compact: bool) -> None:
    table = "n,b\n1,2\n" + "".join(f"{n},{b}\n" for n, b in rows)
    agree(f"map($input, r => {{ t: {calculated}, b: r.b, n: r.n }})", table, 10, compact=compact)


@pytest.mark.parametrize("jobs", [1, 2])
def test_processes_go_by_columns_too(jobs: int, tmp_path: Path) -> None:
    chance = Random(5)
    rows = [f"{chance.choice(REGULAR[1])},{chance.choice(REGULAR[0])},text {n},{n}\n" for n in range(3000)]
    rows[2000] = '"7",shipped,"two\nlines, quoted",\n'
    path = tmp_path / "table.csv"
    path.write_text("n,s,a,b\n" + "".join(rows))
    program = compile_program(PROGRAMS[2], inputs={"input": "csv"}, output_format="json")
    written: list[bytes] = []
    plan = plan_of(program.parsed.program)
    stream_shared(program, plan, str(path), written.append, {}, jobs=jobs, advance=lambda count: None, size=20_000)
    assert b"".join(written) == whole(program, path.read_bytes(), {})
