"""Tables as people and programs write them: mostly regular, with everything that a cell or a line may be."""

from __future__ import annotations

import csv
import io
from typing import Any

from hypothesis import strategies as st

WORDS = ["true", "FALSE", "null", "Nil", "n/a", "N/A", "nan", "Infinity", "t", "fals", "nul"]
NUMBERS = ["0", "1", "12", "-7", "2.50", "-0", "-0.0", "007", "+5", "1e3", "1E+2", "1e400", ".5", "5.", "0x1F"]
NUMBERS += ["1_000", "1 000", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "- 1", "1e-400"]
NUMBERS += ["123456789012345678", "0.12345678901234567890", "12345678901234567e1", "\u0663", "1\u00a02"]
NUMBERS += ["1,234.5", "1.234,5", "1'234.5", "1\u202f234,5"]
TEXTS = ["shipped", "a", "Zed", "x y", " left", "right ", "\ttab\t", "é", "\u00a0hard", "日本", "[1", "2]", "{}", "-"]
TEXTS += ["2026-01-02", "12:30", "1-2", "#1", "\x00", "\x7f", "\x1f", "a\x0bb", "\x85", "\\", "'", ";", ",", "|"]
TEXTS += ["--", '"', '""']
SPACES = ["", " ", "   ", "\t", "\u3000"]
LINED = ["two\nlines", "\n", "1\n2", "\n12", "12\n", "a\r\nb", "a\rb", "\r"]
ANY = st.sampled_from(WORDS + NUMBERS + TEXTS + SPACES + LINED) | st.text(max_size=4)
KINDS = [
    st.sampled_from(["0", "1", "12", "-7", "2.5", "3.75", "100"]),
    st.sampled_from(["shipped", "pending", "cancelled order"]),
    st.integers(0, 10**6).map(lambda number: f"ORD-{number}"),
    st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.just(""),
    st.sampled_from(["true", "false", "", "null"]),
    st.sampled_from(NUMBERS),
    st.sampled_from(TEXTS),
    ANY,
]
ENDS = ["\n", "\r\n", "\r"]


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@st.composite
def cells(draw: st.DrawFn, kind: st.SearchStrategy[str], delimiter: str, habit: str) -> str:
    """A cell as it is written: quoted always, when it must be, or (rarely) as it should not be."""
    text = draw(kind)
    must = delimiter in text or '"' in text or "\n" in text or "\r" in text
    if habit == "always" or (must and draw(st.integers(0, 30)) > 0):
        return quoted(text)
    return text


@st.composite
def tables(draw: st.DrawFn, *, width: int | None = None, delimiter: str | None = None) -> str:
    """Rows of columns of some kind each; now and then a short, long or empty one."""
    width = width or draw(st.integers(1, 4))
    delimiter = delimiter or draw(st.sampled_from([",", ";", "\t", "|", " "]))
    columns = draw(st.lists(st.sampled_from(KINDS), min_size=width, max_size=width))
    habits = draw(st.lists(st.sampled_from(["always", "needed", "needed"]), min_size=width, max_size=width))
    end = draw(st.sampled_from(ENDS[:2]))
    rows = [delimiter.join("nsab"[:width]) + draw(st.sampled_from(["", "", "", delimiter]))]
    for _ in range(draw(st.integers(0, 9))):
        row = [draw(cells(kind, delimiter, habit)) for kind, habit in zip(columns, habits, strict=True)]
        odd = draw(st.integers(0, 25))
        row = row[:-1] if odd == 0 else [*row, "more"] if odd == 1 else [""] if odd == 2 else row
        row = ['""'] if odd == 3 else [*row, ""] if odd == 4 or len(rows[0]) == 2 * width else row
        rows.append(delimiter.join(row))
    irregular = draw(st.integers(0, 9)) == 0
    ends = [draw(st.sampled_from(ENDS)) if irregular else end for _ in rows]
    text = "".join(row + after for row, after in zip(rows, ends, strict=True))
    text = text if draw(st.booleans()) else text.removesuffix("\n")
    return draw(st.sampled_from(["", "", "\ufeff", "\n", "  \n"])) + damaged(draw, text)


def damaged(draw: Any, text: str) -> str:
    if draw(st.integers(0, 9)) > 1 or not text:
        return text
    at = draw(st.integers(0, len(text) - 1))
    junk = draw(st.sampled_from(["", '"', '""', "\n", "\r", ",", '",', ',"', "\n\n", " "]))
    return text[:at] + junk + text[at + draw(st.integers(0, 2)) :]


def rows_and_ends(text: str, delimiter: str) -> list[tuple[list[str], str]]:
    """The reading that counts: the csv module's rows, each with the line that it ends on; blank lines are none."""
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="")
    found, start = [], 0
    for row in csv.reader(iter(lines.readline, ""), delimiter=delimiter, strict=True):
        written, start = lines.getvalue()[start : lines.tell()], lines.tell()
        if len(row) > 1 or written.strip():
            found.append((row, written.rstrip("\r\n")))
    return found
