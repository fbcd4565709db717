"""Messages: every text in them is read, once, and as it is written."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from email.message import EmailMessage

import made_files as made
import pytest

from rolltop.store.extract import Extracted
from rolltop.store.extract.formats.readers import read_document
from rolltop.store.extract.worker_pool import Workers

HEADERS = b"From: a@x\nTo: b@x\nSubject: outer\nDate: Mon, 1 Jan 2024 10:00:00 +0000\nMIME-Version: 1.0\n"


def made_parts(kind: str, *parts: bytes, boundary: bytes = b"BB") -> bytes:
    """A multipart with these parts."""
    head = b'Content-Type: multipart/%s; boundary="%s"\n\n' % (kind.encode(), boundary)
    return head + b"".join(b"--%s\n%s\n" % (boundary, part) for part in parts) + b"--%s--\n" % boundary


def text_part(words: bytes, kind: bytes = b"text/plain") -> bytes:
    return b"Content-Type: %s\n\n%s\n" % (kind, words)


def read(*parts: bytes, kind: str = "mixed") -> Extracted:
    return read_document(HEADERS + made_parts(kind, *parts), "a.eml")


def where(text: Extracted, word: str) -> str:
    assert word in text.body, text
    return text.place(text.body.index(word))


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with_limits = Workers()
    yield with_limits
    with_limits.close()


def test_a_message_inside_a_message_is_read_with_its_attachments() -> None:
    inner = EmailMessage()
    inner["From"], inner["Subject"] = "c@x", "otters"
    inner.set_content("the inner heron\n")
    inner.add_attachment(made.made_pdf("a badger"), maintype="application", subtype="pdf", filename="b.pdf")
    outer = EmailMessage()
    outer["From"], outer["To"], outer["Subject"] = "a@x", "b@x", "storks"
    outer.set_content("the outer ibis\n")
    outer.add_attachment(inner)
    text = read_document(outer.as_bytes(), "a.eml")
    assert (text.title, text.note) == ("storks", None)
    assert [where(text, word) for word in ("ibis", "otters", "heron", "badger")] == [
        "message",
        "attached message, headers",
        "attached message, message",
        "attached message, b.pdf, page 1",
    ]


def test_a_message_that_is_packed_like_a_file_is_read() -> None:
    packed = base64.encodebytes(b"From: c@x\nSubject: otters\n\nthe inner heron\n")
    head = b"Content-Type: message/rfc822\nContent-Disposition: attachment; filename=old.eml\n"
    text = read(text_part(b"body"), head + b"Content-Transfer-Encoding: base64\n\n" + packed)
    assert where(text, "heron") == "old.eml, message"


def test_messages_inside_messages_end_somewhere_and_say_so() -> None:
    data = HEADERS + b"\nthe innermost\n"
    for _ in range(9):
        data = HEADERS + b"Content-Type: message/rfc822\n\n" + data
    text = read_document(data, "a.eml")
    assert "packed too deep" in (text.note or "")


def test_every_part_of_the_text_is_read_and_not_only_the_first() -> None:
    picture = b"Content-Type: image/png\nContent-Disposition: inline; filename=a.png\n\nx\n"
    text = read(text_part(b"before the heron"), picture, text_part(b"<p>after the ibis", b"text/html"))
    assert [where(text, word) for word in ("heron", "a.png", "ibis")] == ["message", "a.png", "message"]


def test_of_several_forms_of_a_text_one_is_read() -> None:
    page = made_parts("related", text_part(b"<p>heron, heron", b"text/html"), boundary=b"CC")
    assert read(text_part(b"heron"), page, kind="alternative").body.count("heron") == 1


def test_a_plain_form_that_says_nothing_gives_way_to_the_page_and_what_is_attached_to_it() -> None:
    attached = b"Content-Type: text/plain; name=n.txt\n\nan attached lynx\n"
    page = made_parts("mixed", text_part(b"<p>heron", b"text/html"), attached, boundary=b"CC")
    for plain, herons in ((b" ", 1), (b"said", 0)):
        text = read(text_part(plain), page, kind="alternative")
        assert (text.body.count("heron"), where(text, "lynx")) == (herons, "n.txt")


def test_a_page_without_anything_in_it_takes_nothing_with_it() -> None:
    attached = b"Content-Type: text/plain; name=n.txt\n\nan attached lynx\n"
    for nothing in (b"", b" ", b"<!-- -->"):
        text = read(text_part(nothing, b"text/html"), attached)
        assert where(text, "lynx") == "n.txt"


def test_what_a_server_says_of_a_message_that_came_back_is_read() -> None:
    status = b"Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.x\n\nFinal-Recipient: rfc822; who@x\n"
    text = read(text_part(b"sorry"), status, kind="report")
    assert where(text, "who@x") == "delivery status"


def test_a_message_that_is_sealed_says_so() -> None:
    text = read_document(HEADERS + b"Content-Type: application/pkcs7-mime; name=smime.p7m\n\nMIIF\n", "a.eml")
    assert text.note == "it is encrypted, or signed in a way that hides its text"


@pytest.mark.parametrize(
    ("charset", "words"),
    [
        ("windows-1251", "Здравствуйте коллеги"),
        ("koi8-r", "документ вложение"),
        ("shift_jis", "東京タワー"),
        ("iso-2022-jp", "東京タワー"),
        ("gb2312", "你好世界"),
        ("iso-8859-2", "žluťoučký kůň"),
        ("iso-8859-1", "Größe café"),
        ("utf-8", "naïve 鯨"),
    ],
)
@pytest.mark.parametrize("kind", ["text/plain", "text/html"])
@pytest.mark.parametrize("attached", [False, True])
def test_each_part_is_read_in_its_own_charset(
    workers: Workers, charset: str, words: str, kind: str, attached: bool
) -> None:
    disposition = b"Content-Disposition: attachment; filename=r.txt\n" if attached else b""
    head = f"Content-Type: {kind}; charset={charset}\nContent-Transfer-Encoding: base64\n".encode()
    source = f"<p>{words}</p>" if kind == "text/html" else words
    part = head + disposition + b"\n" + base64.encodebytes(source.encode(charset))
    data = HEADERS + made_parts("mixed", text_part(b"first"), part)
    assert words in workers.read("a.eml", data).body


@pytest.mark.parametrize("charset", ["us-ascii", "x-unheard-of", "punycode", "unicode_escape"])
def test_a_charset_that_cannot_be_meant_is_not_believed(charset: str) -> None:
    kind = f"text/plain; charset={charset}".encode()
    assert "Größe" in read(text_part("Größe".encode(), kind)).body


def test_a_message_in_bytes_that_are_not_utf_8_is_a_message() -> None:
    words = "Привет мир, кириллица"
    head = HEADERS.replace(b"outer", words.encode("cp1251"))
    data = head + b"Content-Type: text/plain; charset=windows-1251\n\n" + (words * 300).encode("cp1251")
    text = read_document(data, "a")
    assert (text.title, where(text, words * 3)) == (words, "message")


PACKED = (
    b"From: Ann <a@b.c>\nTo: Bob <b@b.c>\nDate: Mon, 1 Jan 2024 10:00:00 +0000\nSubject: =?utf-8?Q?gr=C3=BCnwort?=\n"
    b"MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
    + base64.encodebytes(b"Das Briefwort steht hier.\n")
)


@pytest.mark.parametrize("name", ["a.eml", "a"])
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(PACKED, id="as usual"),
        pytest.param(PACKED.replace(b"\n", b"\r\n"), id="lines of the network"),
        pytest.param(b"\xef\xbb\xbf" + PACKED, id="mark"),
        pytest.param("\ufeff".encode("utf-16-le") + PACKED.decode().encode("utf-16-le"), id="utf-16"),
        pytest.param(b"X-Kept: 1\nBcc:\nX-Mozilla-Keys:\n" + PACKED, id="empty headers"),
        pytest.param(PACKED.replace(b": ", b":", 7), id="no space"),
    ],
)
def test_a_message_is_told_however_its_headers_are_written(data: bytes, name: str) -> None:
    text = read_document(data, name)
    assert (text.title, where(text, "Briefwort"), text.note) == ("grünwort", "message", None)
    assert where(text, "Ann") == "headers"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_message_may_begin_as_in_a_mailbox(mark: bytes) -> None:
    text = read_document(mark + b"From - Mon Jan 01 10:00:00 2024\nX-Mozilla-Status: 0001\n" + PACKED, "a.eml")
    assert (text.title, where(text, "Briefwort"), text.note) == ("grünwort", "message", None)


def test_what_is_called_a_message_needs_few_headers() -> None:
    text = read_document(b"From: a@b.c\nSubject: =?utf-8?Q?gr=C3=BCn?=\n\nshort\n", "a.eml")
    assert (text.title, where(text, "short")) == ("grün", "message")
    assert read_document(b"From: a@b.c\nSubject: =?utf-8?Q?gr=C3=BCn?=\n\nshort\n", "a").title == ""


def test_a_text_with_colons_is_no_message() -> None:
    for text in (
        "From: here\nTo: there\n\nwords",
        "a:\n  b:\n  c: 1\n",
        "http://a\nhttp://b\nhttp://c\n",
        "From Ann\n",
    ):
        assert read_document(text.encode(), "a.eml.txt").body == text + "\n"


def test_a_saved_page_is_read_without_its_styles_and_pictures() -> None:
    page = text_part(b"<html><title>T</title><p>the saved ibis</p></html>", b"text/html")
    style, picture = text_part(b".stork { color: red }", b"text/css"), text_part(b"x", b"image/png")
    script = text_part(b"let heron = 1", b"application/javascript")
    text = read(page, style, picture, script, kind="related")
    assert where(text, "the saved ibis") == "message"
    assert not any(word in text.body for word in ("stork", "heron", "image/png", "text/css"))
    named = text_part(b".stork { color: red }", b'text/css; name="a.css"')
    assert where(read(page, named), "stork") == "a.css"


def mailbox(*messages: bytes, end: bytes = b"\n") -> bytes:
    """Messages behind each other, as mail programs keep them."""
    parting = b"From - Tue Nov 17 05:55:53 2026\n"
    return b"".join(parting + message.rstrip(b"\n") + b"\n\n" for message in messages).replace(b"\n", end)


ENCODED = b"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nFrom: c@x\nDate: x\nContent-Transfer-Encoding: base64\n\n" + (
    base64.b64encode("the second größe\n".encode())
)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("name", ["a.mbox", "Inbox"])
def test_every_message_of_a_mailbox_is_read(workers: Workers, name: str, end: bytes) -> None:
    with_file = EmailMessage()
    with_file["From"], with_file["Subject"], with_file["Date"] = "a@x", "first", "Mon, 1 Jan 2024 10:00:00 +0000"
    with_file.set_content("see below\n\n>From the ibis\n")
    with_file.add_attachment(made.made_pdf("a badger"), maintype="application", subtype="pdf", filename="b.pdf")
    text = workers.read(name, mailbox(with_file.as_bytes(), ENCODED, HEADERS + b"\nthird", end=end))
    assert (text.title, text.note) == ("", None)
    assert text.headings == ("first", "Grüße", "outer")
    assert "\nFrom the ibis" in text.body
    assert [where(text, word) for word in ("ibis", "badger", "Grüße", "größe", "third")] == [
        "message 1, message",
        "message 1, b.pdf, page 1",
        "message 2, headers",
        "message 2, message",
        "message 3, message",
    ]


def test_a_line_in_a_text_parts_no_messages() -> None:
    text = read_document(mailbox(HEADERS + b"\nFrom here on\n\nFrom 10:00 we met\nagain"), "a.mbox")
    assert (text.title, where(text, "again")) == ("outer", "message")


def test_a_mailbox_with_very_many_messages_says_that_not_all_were_read() -> None:
    text = read_document(mailbox(*[HEADERS + b"\nword"] * 2001), "a.mbox")
    assert text.note == "only the first 2000 members were read"
    assert where(text, "word") == "message 1, message"
    assert text.place(text.body.rindex("word")) == "message 2000, message"
