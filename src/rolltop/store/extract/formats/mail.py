"""Messages: who wrote to whom about what, the text, and what is attached."""

from __future__ import annotations

import email
import email.policy
from email.message import EmailMessage, Message

from rolltop.store.extract.formats import html
from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.limits import Unreadable
from rolltop.store.extract.formats.parts import read_part

__all__ = ["read"]

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
MOST_PARTS = 500


def read(data: bytes, draft: Draft) -> None:
    message = email.message_from_bytes(data, policy=email.policy.default)
    if not message.keys():
        raise Unreadable("it has no headers")
    _message(message, draft)


def _message(message: Message, draft: Draft) -> None:
    draft.at("headers")
    for name in _SHOWN:
        if value := _header(message, name):
            draft.line(f"{name}: {value}")
    draft.title = draft.title or _header(message, "Subject")
    body = message.get_body(("plain", "html")) if isinstance(message, EmailMessage) else None
    if body is not None:
        draft.at("message")
        _body(body, draft)
    for number, part in enumerate(message.walk()):
        if number >= MOST_PARTS:
            draft.note(f"only the first {MOST_PARTS} parts were read")
            break
        if part is not message and part is not body and not part.is_multipart():
            _attachment(part, draft)


def _header(message: Message, name: str) -> str:
    try:
        return " ".join(str(message.get(name, "")).split())
    except (ValueError, IndexError, AttributeError, TypeError):  # headers that the standard parser stumbles over
        return ""


def _body(part: Message, draft: Draft) -> None:
    data = _content(part)
    if part.get_content_type() == "text/html":
        page = html.parsed(data)
        if page is not None:
            html.write_page(page, draft, sections=False)
        return
    draft.line(_decoded(data, part.get_content_charset()))


def _attachment(part: Message, draft: Draft) -> None:
    try:
        name = part.get_filename()
    except (ValueError, IndexError, AttributeError, TypeError):
        name = None
    if name is None and part.get_content_type() in ("text/plain", "text/html"):
        return  # another form of the text that was read
    read_part(_content(part), name or part.get_content_type(), draft)


def _content(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _decoded(data: bytes, charset: str | None) -> str:
    try:
        return data.decode(charset or "utf-8", "replace")
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")
