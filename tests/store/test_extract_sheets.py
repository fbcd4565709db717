"""Sheets: numbers are dates where, and only where, they are shown as such; what is said about cells is read."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import made_files as made
import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900

from rolltop.store.extract.formats.moments import DATE, DURATION, kind_of_format, shown_moment
from rolltop.store.extract.formats.readers import read_document


@pytest.mark.parametrize("epoch", [CALENDAR_WINDOWS_1900, CALENDAR_MAC_1904])
def test_dates_times_and_durations(epoch: datetime) -> None:
    book = openpyxl.Workbook()
    book.epoch = epoch
    sheet = book.active
    assert sheet is not None
    moments = [date(2024, 3, 5), datetime(2024, 2, 29, 23, 59, 59), time(13, 45), timedelta(hours=50, seconds=1)]
    sheet.append([*moments, -0.5, 1234.5])
    sheet["E1"].number_format, sheet["F1"].number_format = "[h]:mm", "_-* #,##0.00\\ _D_M_-"
    shown = read_document(made.saved(book), "a.xlsx").body.strip().split("\t")
    assert shown == ["2024-03-05", "2024-02-29 23:59:59", "13:45:00", "50:00:01", "-12:00:00", "1234.5"]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("yyyy-mm-dd", DATE),
        ("[$-409]mmmm\\ d\\,\\ yyyy;@", DATE),
        ("h:mm AM/PM", DATE),
        ("mm:ss.0", DATE),
        ('ggge"年"m"月"', DATE),
        ("[h]:mm:ss", DURATION),
        ("[mm]:ss", DURATION),
        ("General", ""),
        ("0.00E+00", ""),
        ("##0.0E+0", ""),
        ('0" days"', ""),
        ('#,##0 "h";[Red]-#,##0 "h"', ""),
        ("_-* #,##0.00\\ _D_M_-", ""),
        ("*d0", ""),
        ("[Magenta]0;[Red]0", ""),
        ("@", ""),
        ('"unended', ""),
    ],
)
def test_a_format_shows_a_date_where_it_has_letters_of_one(code: str, kind: str) -> None:
    assert kind_of_format(code) == kind


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("1", "1900-01-01"),
        ("59", "1900-02-28"),
        ("60", "1900-02-29"),
        ("61", "1900-03-01"),
        ("45356", "2024-03-05"),
        ("45356.999999", "2024-03-06"),
        ("0.5729166666666666", "13:45:00"),
        ("-1", "-1"),
        ("1e300", "1e300"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("words", "words"),
    ],
)
def test_days_are_counted_as_the_programs_count_them(value: str, shown: str) -> None:
    assert shown_moment(value, DATE, since_1904=False) == shown


def test_what_is_said_about_cells_is_read() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Data"
    sheet["E2"], sheet["A3"] = "tiger", "lion"
    sheet["E2"].comment = Comment("really a leopard", "Ada")
    sheet["A3"].hyperlink = "https://example.org/lion"
    text = read_document(made.saved(book), "a.xlsx")
    assert (text.body, text.links) == ("\t\t\t\ttiger\nlion\nreally a leopard\n", ("https://example.org/lion",))
    assert text.place(text.body.index("leopard")) == "Data!E2, comment"


def test_answers_to_comments_are_read_once() -> None:
    kinds = {"comments": "old.xml", "threadedComment": "new.xml"}
    related = "".join(f"<Relationship Id='{k}' Type='{k}' Target='../{t}'/>" for k, t in kinds.items())
    members = {
        "[Content_Types].xml": "<Types/>",
        "xl/workbook.xml": "<workbook xmlns:r='r'><sheets><sheet name='S' r:id='x'/></sheets></workbook>",
        "xl/_rels/workbook.xml.rels": "<R><Relationship Id='x' Type='worksheet' Target='w/s.xml'/></R>",
        "xl/w/s.xml": "<worksheet><row r='1'><c r='A1' t='str'><v>cell</v></c></row></worksheet>",
        "xl/w/_rels/s.xml.rels": f"<R>{related}</R>",
        "xl/old.xml": "<c><comment ref='B2'><text><t>[Threaded] why</t></text></comment></c>",
        "xl/new.xml": "<c><threadedComment ref='B2'><text>why</text></threadedComment>"
        "<threadedComment ref='B2'><text>so</text></threadedComment></c>",
    }
    text = read_document(made.made_zip(members), "a.xlsx")
    assert (text.body, text.place(6)) == ("cell\nwhy so\n", "S!B2, comment")


def test_comments_of_open_sheets_are_apart_from_the_cells() -> None:
    said = "<office:annotation><creator>Bob</creator><text:p>why</text:p></office:annotation>"
    cells = f"<table:table-cell/><table:table-cell>{said}<text:p>otter</text:p></table:table-cell>"
    body = f"<table:table table:name='Data'><table:table-row>{cells}</table:table-row></table:table>"
    text = read_document(made.made_odf("spreadsheet", body), "a.ods")
    assert (text.body, text.place(text.body.index("why"))) == ("\totter\nwhy\n", "Data!B1, comment")
