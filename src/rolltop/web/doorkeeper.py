"""Who may see the page: one-time login links, a session cookie, and a token against forged forms.

Everything is derived from one secret of the owner, so any process that can read the secret can print a login link.
A link works once and for ten minutes. The cookie is HttpOnly and SameSite=Strict; the form token is bound to it.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path

from rolltop.base.atomic_files import write_file

__all__ = ["COOKIE", "Doorkeeper", "login_link", "owners_secret", "page_address", "write_page_address"]

COOKIE = "rolltop_page"
LINK_SECONDS = 600
SESSION_SECONDS = 7 * 24 * 3600


def owners_secret(folder: Path) -> str:
    """The secret in the file `page-secret`, which its owner alone can read; made at the first use."""
    file = folder / "page-secret"
    with contextlib.suppress(FileExistsError), open(file, "x", opener=_private) as made:
        made.write(secrets.token_urlsafe(32))
        made.flush()
        os.fsync(made.fileno())
    return file.read_text("ascii").strip()


def login_link(folder: Path, address: str) -> str:
    """A link that opens the page of a server of this workspace, once."""
    return f"{address}/?login={Doorkeeper(owners_secret(folder)).login_code()}"


def write_page_address(folder: Path, address: str) -> None:
    """Note where the page of this process is, for `rolltop page`."""
    write_file(folder / "page-address", json.dumps({"address": address, "pid": os.getpid()}).encode())


def page_address(folder: Path) -> str | None:
    """Where a page of this workspace is served; None if the process that served it has ended."""
    try:
        noted = json.loads((folder / "page-address").read_text("utf-8"))
        os.kill(noted["pid"], 0)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return str(noted["address"])


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class Doorkeeper:
    def __init__(self, secret: str, clock: Callable[[], float] = time.time) -> None:
        self._secret = hashlib.sha256(b"rolltop page\0" + secret.encode()).digest()
        self._clock = clock
        self._used: dict[str, float] = {}

    def login_code(self) -> str:
        """A code for `/?login=CODE`, good for one login."""
        return self._sealed("login", LINK_SECONDS)

    def accept_login(self, code: str) -> bool:
        """True the first time a valid code comes."""
        if not self._is_valid("login", code):
            return False
        now = self._clock()
        self._used = {used: until for used, until in self._used.items() if until > now}
        if code in self._used:
            return False
        self._used[code] = now + LINK_SECONDS
        return True

    def new_session(self) -> str:
        """The value of a new session cookie."""
        return self._sealed("session", SESSION_SECONDS)

    def is_session(self, cookie: str | None) -> bool:
        return cookie is not None and self._is_valid("session", cookie)

    def form_token(self, cookie: str) -> str:
        """The token that every form of this session carries."""
        return self._seal(f"form:{cookie}")

    def is_form_token(self, cookie: str, token: str) -> bool:
        return hmac.compare_digest(self.form_token(cookie), token)

    def _sealed(self, kind: str, seconds: int) -> str:
        body = f"{secrets.token_urlsafe(16)}.{int(self._clock()) + seconds}"
        return f"{body}.{self._seal(f'{kind}:{body}')}"

    def _is_valid(self, kind: str, value: str) -> bool:
        body, _, seal = value.rpartition(".")
        expiry = body.rpartition(".")[2]
        if not (value.isascii() and expiry.isdecimal() and len(value) < 200):
            return False
        return hmac.compare_digest(self._seal(f"{kind}:{body}"), seal) and int(expiry) > self._clock()

    def _seal(self, text: str) -> str:
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()
