"""Universally unique identifiers (RFC 9562)."""

from __future__ import annotations

import uuid
from typing import Any

from rolltop.errors import SizeLimit
from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.host import host

MOST = 100_000
_SEVEN = '"018fd1a2-5b00-7abc-8def-0123456789ab"'
_RANDOM_BITS = 74
_LATEST = 2**48 - 1


def _parsed(text: Any) -> uuid.UUID | None:
    """Only the usual form with hyphens."""
    if not isinstance(text, str) or len(text) != 36:
        return None
    try:
        found = uuid.UUID(text)
    except ValueError:
        return None
    return found if str(found) == text.lower() else None


def _seven(milliseconds: int, chance: int) -> str:
    high, low = chance >> 62, chance & (1 << 62) - 1
    return str(uuid.UUID(int=milliseconds << 80 | 7 << 76 | high << 64 | 2 << 62 | low))


def _now() -> int:
    return int(host().now().timestamp() * 1000)


@function(
    "generateUuidV4(): String",
    category="type",
    examples=[("getUuidVersion(generateUuidV4())", "4")],
    aliases=("generateUuid",),
    pure=False,
)
def generate_uuid_v4() -> str:
    """A random identifier."""
    return host().uuid4()


@function(
    "generateUuidV7(milliseconds?: Integer): String",
    category="type",
    examples=[("isUuidV7(generateUuidV7())", "true"), ("extractTimestampFromUuidV7(generateUuidV7(1000))", "1000")],
    params={"milliseconds": "Since 1970; default now"},
    pure=False,
)
def generate_uuid_v7(milliseconds: int | None = None) -> str:
    """An identifier that sorts by the time it was made."""
    moment = _now() if milliseconds is None else milliseconds
    if not 0 <= moment <= _LATEST:
        fail(f"{moment} is no time that fits in an identifier", hint="Give milliseconds since 1970.")
    return _seven(moment, host().random.getrandbits(_RANDOM_BITS))


@function(
    "generateUuidV7Batch(count: Integer): Array<String>",
    category="type",
    examples=[("length(generateUuidV7Batch(3))", "3"), ("generateUuidV7Batch(-1)", "error: cannot make -1")],
    pure=False,
)
def generate_uuid_v7_batch(count: int) -> list[str]:
    """Several identifiers of one moment, each greater than the one before."""
    if count < 0:
        fail(f"cannot make {count} identifiers", hint="Give a number that is not negative.")
    if count > MOST:
        raise SizeLimit(
            f"generateUuidV7Batch would make {count} identifiers; the limit is {MOST}", hint="Ask for fewer."
        )
    moment, chance = _now(), host().random.getrandbits(_RANDOM_BITS - 1)
    found = []
    for _ in range(count):
        found.append(_seven(moment, chance))
        chance += 1 + host().random.getrandbits(32)
    return found


@function(
    "extractTimestampFromUuidV7(id: String): Integer",
    category="type",
    examples=[
        (f"extractTimestampFromUuidV7({_SEVEN})", "1717209029376"),
        ('extractTimestampFromUuidV7("x")', "error: no identifier of version 7"),
    ],
)
def extract_timestamp_from_uuid_v7(text: str) -> int:
    """When an identifier of version 7 was made, in milliseconds since 1970."""
    found = _parsed(text)
    if found is None or found.version != 7:
        fail("this is no identifier of version 7", hint="isUuidV7(id) tells.")
    return found.int >> 80


@function(
    "getUuidVersion(id: String): Integer?",
    category="type",
    examples=[(f"getUuidVersion({_SEVEN})", "7"), ('getUuidVersion("x")', "null")],
)
def get_uuid_version(text: str) -> int | None:
    """The version of an identifier; null when it is none."""
    found = _parsed(text)
    return None if found is None else found.version


@function("isUuidV7(id: Any): Boolean", category="type", examples=[(f"isUuidV7({_SEVEN})", "true")])
def is_uuid_v7(text: Any) -> bool:
    """Whether a text is an identifier of version 7."""
    found = _parsed(text)
    return found is not None and found.version == 7


@function(
    "isValidUuid(id: Any): Boolean",
    category="type",
    examples=[(f"isValidUuid({_SEVEN})", "true"), ('isValidUuid("018fd1a2")', "false"), ("isValidUuid(null)", "false")],
)
def is_valid_uuid(text: Any) -> bool:
    """Whether a text is an identifier in the usual form with hyphens."""
    return _parsed(text) is not None
