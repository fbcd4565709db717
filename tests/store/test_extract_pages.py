"""Pages that are deep or long: they are read to their end, or say that they are not."""

from __future__ import annotations

from collections.abc import Iterator
from email.message import EmailMessage

import pytest

from rolltop.store.extract.formats.html import DEEPEST
from rolltop.store.extract.formats.readers import read_document
from rolltop.store.extract.worker_pool import Workers

_MB = 1 << 20


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    """Real workers, as the store uses them."""
    with_limits = Workers()
    yield with_limits
    with_limits.close()


@pytest.mark.parametrize(
    "middle",
    [
        pytest.param(f'<img src="data:image/png;base64,{"iVBORw0KGgo" * _MB}">', id="picture"),
        pytest.param(f"<script>{'x<' * (6 * _MB)}</script>", id="script"),
        pytest.param(f"<!--{'- ' * (6 * _MB)}-->", id="comment"),
        pytest.param("<div>" * 3000 + "deep" + "</div>" * 3000, id="boxes"),
        pytest.param("".join(f"<font color=navy>entry{n}<br>\n" for n in range(4000)), id="unclosed"),
    ],
)
def test_a_page_is_read_to_its_end(workers: Workers, middle: str) -> None:
    text = workers.read("a.html", f"<html><body><p>first</p>{middle}<p>last</p></body></html>".encode())
    assert (text.body[:6], text.body[-6:], text.note) == ("first\n", "\nlast\n", None)


def test_unclosed_elements_keep_every_line() -> None:
    page = "<html><body>" + "".join(f"<font color=navy>entry{n}<br>\n" for n in range(4000))
    assert read_document(page.encode(), "a.html").body.splitlines() == [f"entry{n}" for n in range(4000)]


def test_long_text_is_read_as_far_as_of_any_document(workers: Workers) -> None:
    text = workers.read("a.html", b"<p>first<pre>" + "鯨 \n".encode() * (6 * _MB) + b"</pre><p>last")
    assert (len(text.body), text.body[:8]) == (8 * _MB, "first\n鯨 ")
    assert text.note == "only the first 8 million characters were read"


@pytest.mark.parametrize("end", ["", "</i>" * 500_000], ids=["open", "ended by others"])
def test_a_page_that_is_nested_without_end_says_where_reading_stopped(workers: Workers, end: str) -> None:
    text = workers.read("a.html", b"<p>first" + b"<div>x" * 500_000 + end.encode() + b"<p>last")
    assert (text.body[:8], text.body.count("x")) == ("first\nx\n", DEEPEST - 2)  # the page and its body are around them
    assert text.note == f"only what is nested up to {DEEPEST} deep was read"


def test_a_message_is_read_past_a_page_that_is_nested_without_end() -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "ann@example.org", "deep"
    message.set_content("<p>first" + "<div>\n" * (DEEPEST + 9), subtype="html")
    message.add_attachment("an ocelot", filename="a.txt")
    text = read_document(message.as_bytes(), "a.eml")
    assert ("first" in text.body, "ocelot" in text.body) == (True, True)
    assert text.note == f"only what is nested up to {DEEPEST} deep was read"


def test_a_long_thread_of_quoted_replies_is_read_whole() -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "ann@example.org", "thread"
    replies = "".join(f'<div class="quote"><blockquote><div>reply{n}' for n in range(400))
    message.set_content(replies + "</div></blockquote></div>" * 400 + "<p>regards", subtype="html")
    text = read_document(message.as_bytes(), "a.eml")
    assert ("reply399" in text.body, text.body[-9:], text.note) == (True, "\nregards\n", None)


def test_pieces_of_a_text_have_one_space_between_them() -> None:
    words = [f"wörd{n}" for n in range(60_000)]
    page = "<p>" + " \n <!-- note -->\t".join(words)
    assert read_document(page.encode(), "a.html").body == " ".join(words) + "\n"
