"""Messages, alone or in a mailbox: who wrote to whom about what, the text, what is attached, messages passed on."""

from __future__ import annotations

import email
import email.policy
import re
from email.headerregistry import BaseHeader, HeaderRegistry
from email.message import Message
from functools import lru_cache, partial
from typing import Any

from rolltop.store.extract.charsets import codec_named
from rolltop.store.extract.detect import format_of
from rolltop.store.extract.formats import html
from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.limits import Unreadable
from rolltop.store.extract.formats.mailbox import messages_in
from rolltop.store.extract.formats.parts import read_inside, read_part
from rolltop.store.extract.plain import codec_of, decoded

__all__ = ["read"]

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_TEXTS = ("text/plain", "text/html")
_SEALED = ("application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted")
_UNSEEN = re.compile(r"(?:image|font|audio|video)/|(?:text|application)/(?:css|(?:x-)?javascript|ecmascript)\b")
"""Parts of a page that hold nothing to read, such as those of a page that was saved with everything it needs."""
_STUMBLES = (ValueError, IndexError, AttributeError, TypeError)
"""What the standard parser does where headers are not as they should be."""

_A_LINE = 200
_SHIFTS = (b"\x1b", b"~{", b"+")
"""With these, some encodings write other characters in ASCII."""
MOST_PARTS = 500
DEEPEST = 50


class _Headers(HeaderRegistry):
    """The standard parser takes a header apart whenever it is asked for; once is enough."""

    def __init__(self) -> None:
        super().__init__()
        self._once = lru_cache(maxsize=256)(super().__call__)

    def __call__(self, name: str, value: Any) -> BaseHeader:
        return self._once(name, value)


_POLICY = email.policy.default.clone(header_factory=_Headers())


def read(data: bytes, draft: Draft) -> None:
    if codec_of(data)[1]:
        data = decoded(data).encode("utf-8", "replace")
    data = data.removeprefix(b"\xef\xbb\xbf")
    for number, each in enumerate(messages_in(data), 1):
        draft.is_table = True  # what the first message is about says little about the others
        draft.spent.member()
        read_inside(f"message {number}", draft, partial(_read_one_of_many, each))
    if not draft.is_table:
        _read_bytes(data, draft)


def _read_one_of_many(data: bytes, draft: Draft) -> None:
    _read_bytes(data, draft)
    draft.heading(draft.title)


def _read_bytes(data: bytes, draft: Draft) -> None:
    try:
        message = email.message_from_bytes(data, policy=_POLICY)
    except RecursionError:
        raise Unreadable("its parts are nested too deeply") from None
    if not message.keys():
        raise Unreadable("it has no headers")
    _Reader(draft).message(message)


class _Reader:
    """Writes one message into a draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._parts = 0

    def message(self, message: Message) -> None:
        draft = self._draft
        draft.at("headers")
        for name in _SHOWN:
            if value := _header(message, name):
                draft.line(f"{name}: {value}")
        draft.title = draft.title or _header(message, "Subject")
        self._part(message, 0)

    def _part(self, part: Message, depth: int, *, texts: bool = True) -> None:
        """One part and those inside of it; without `texts`, only what is attached to it."""
        self._parts += 1
        if self._parts > MOST_PARTS or depth > DEEPEST:
            limit = f"the first {MOST_PARTS} parts" if self._parts > MOST_PARTS else f"parts up to {DEEPEST} deep"
            self._draft.note(f"only {limit} were read")
            return
        kind = part.get_content_type()
        if kind in ("message/rfc822", "message/global"):
            self._passed_on(part)
        elif not part.is_multipart():
            self._leaf(part, kind, texts=texts)
        elif kind == "message/delivery-status":
            self._draft.at("delivery status")
            for block in _inside(part):
                self._draft.line("\n".join(f"{name}: {_header(block, name)}" for name in block))
        else:
            chosen = _best(part) if kind == "multipart/alternative" else None
            for each in _inside(part):
                self._part(each, depth + 1, texts=texts and chosen in (None, each))

    def _leaf(self, part: Message, kind: str, *, texts: bool) -> None:
        name = _filename(part)
        if kind in _SEALED:
            self._draft.note("it is encrypted, or signed in a way that hides its text")
        if name is None and _UNSEEN.match(kind):
            return
        if name is not None or kind not in _TEXTS:
            data = _content(part)
            read_part(_in_utf8(data, part) if kind.startswith("text/") else data, name or kind, self._draft)
        elif texts:
            self._draft.at("message")
            self._text(part, kind)

    def _text(self, part: Message, kind: str) -> None:
        data = _content(part)
        if kind == "text/plain":
            self._draft.line(decoded(data, _charset(part)))
            return
        try:
            html.write_page(data, self._draft, _charset(part), sections=False)
        except Unreadable as error:
            self._draft.note(str(error))

    def _passed_on(self, part: Message) -> None:
        """A message inside of another."""
        name = _filename(part)
        self._draft.at(name or "attached message")
        if name:
            self._draft.line(name)
        for each in _inside(part):
            message = each if each.keys() else _unpacked(part, each)
            read_inside(name or "attached message", self._draft, partial(_read_message, message))


def _read_message(message: Message, draft: Draft) -> None:
    _Reader(draft).message(message)


def _best(part: Message) -> Message | None:
    """The one of several forms of the same that is read: the plain one, unless it says nothing."""
    forms = _inside(part)
    plain = (form for form in forms if form.get_content_type() == "text/plain" and _says_something(form))
    return next(plain, None) or next(filter(_holds_page, forms), None)


def _says_something(part: Message) -> bool:
    payload = part.get_payload()
    return len(payload) > _A_LINE or bool(_content(part).strip())


def _holds_page(part: Message, depth: int = 0) -> bool:
    if part.get_content_type() == "text/html":
        return True
    return depth < DEEPEST and any(_holds_page(each, depth + 1) for each in _inside(part))


def _inside(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [each for each in payload if isinstance(each, Message)] if isinstance(payload, list) else []


def _header(message: Message, name: str) -> str:
    try:
        value = str(message.get(name, ""))
        if "\ufffd" in value:  # written as the text is, where it should have been packed
            raw = next(str(said) for header, said in message.raw_items() if header.lower() == name.lower())
            value = decoded(raw.encode("ascii", "surrogateescape"), _charset(message))
        return " ".join(value.split())
    except (*_STUMBLES, StopIteration):
        return ""


def _filename(part: Message) -> str | None:
    try:
        return part.get_filename()
    except _STUMBLES:
        return None


def _charset(part: Message) -> str | None:
    try:
        return part.get_content_charset()
    except (*_STUMBLES, LookupError):
        return None


def _content(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _in_utf8(data: bytes, part: Message) -> bytes:
    """An attached text, written as others are read."""
    if data.isascii() and not any(shift in data for shift in _SHIFTS):
        return data
    charset = _charset(part)
    if codec_named(charset) is None or format_of(data, "") not in ("text", "html", ""):
        return data
    return decoded(data, charset).encode("utf-8", "replace")


def _unpacked(part: Message, message: Message) -> Message:
    """A message that is packed as other attachments are, though it should not be."""
    message["Content-Transfer-Encoding"] = str(part.get("Content-Transfer-Encoding", ""))
    return email.message_from_bytes(_content(message), policy=_POLICY)
