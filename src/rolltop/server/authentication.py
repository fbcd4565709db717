"""From the `Authorization` header of an HTTP request to a principal, or to the refusal that RFC 6750 asks for."""

from __future__ import annotations

import hashlib
import hmac
import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rolltop.access import (
    MAIN,
    SCOPES,
    InvalidToken,
    IssuerUnavailable,
    JwtVerifier,
    Principal,
    Role,
    User,
    Users,
    role_of_scopes,
)
from rolltop.server.connection import ANONYMOUS

__all__ = ["METADATA_PATH", "Admitted", "Authentication", "Refused", "SingleHeaders", "single_headers"]

logger = logging.getLogger("rolltop.access")

METADATA_PATH = "/.well-known/oauth-protected-resource"
_LONGEST_SUBJECT = 255
_USUAL_SCOPES = f"rolltop:{Role.READER} rolltop:{Role.WRITER}"
"""What a client is told to ask for; the scope of owners is asked for by those who need it."""

SingleHeaders = Mapping[bytes, bytes | None]


def single_headers(pairs: Sequence[tuple[bytes, bytes]]) -> SingleHeaders:
    """The headers of a request by name; None for one that is there more than once."""
    values: dict[bytes, bytes | None] = dict(pairs)
    if len(values) < len(pairs):
        names = Counter(name for name, _ in pairs)
        values |= {name: None for name, count in names.items() if count > 1}
    return values


@dataclass(frozen=True, slots=True)
class Admitted:
    """Who asks, and whether the token still counts: streams outlive the request that opened them."""

    principal: Principal
    is_valid: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Refused:
    """What a request without a good token is answered with."""

    status: int
    message: str
    challenge: str = ""
    """The value of `WWW-Authenticate`."""


class Authentication:
    """Knows the token of the workspace, the tokens of users and the issuer of others.

    `token` None lets everybody in, as the owner. `resource` is the URL by which clients know `/mcp`.
    """

    def __init__(
        self,
        token: str | None,
        *,
        users: Users | None = None,
        verifier: JwtVerifier | None = None,
        resource: str = "",
    ) -> None:
        self.users, self._verifier, self._resource = users, verifier, resource
        self._token = token.encode() if token else None
        name = f"token-{hashlib.sha256(self._token).hexdigest()[:16]}" if self._token else ANONYMOUS
        self._owner = Admitted(Principal(name, everywhere=Role.OWNER), _always)

    def metadata(self) -> dict[str, Any] | None:
        """The protected resource metadata (RFC 9728); None without an authorization server."""
        if self._verifier is None:
            return None
        return {
            "resource": self._resource,
            "authorization_servers": [self._verifier.issuer],
            "scopes_supported": list(SCOPES),
            "bearer_methods_supported": ["header"],
            "resource_name": "rolltop",
        }

    async def admit(self, headers: SingleHeaders) -> Admitted | Refused:
        """Who sends these headers."""
        if self._token is None:
            return self._owner
        given = headers.get(b"authorization")
        if given is None or given[:7].lower() != b"bearer ":
            return Refused(401, "a bearer token is required", self._challenge())
        token = given[7:].strip()
        if hmac.compare_digest(token, self._token):
            return self._owner
        try:
            text = token.decode("ascii")
        except UnicodeDecodeError:
            return self._invalid("the token is no token of this server")
        if self.users is not None and (user := self.users.authenticate(text)) is not None:
            return Admitted(user.principal, lambda: self._is_users(text, user))
        if self._verifier is None or text.startswith("rt-"):
            return self._invalid("the token is no token of this server")
        return await self._by_issuer(text, self._verifier)

    async def _by_issuer(self, token: str, verifier: JwtVerifier) -> Admitted | Refused:
        try:
            claims = await verifier.verify(token)
        except InvalidToken as error:
            return self._invalid(str(error))
        except IssuerUnavailable as error:
            logger.error("%s", error)
            return Refused(503, "the authorization server cannot be reached, so the token cannot be checked")
        role, subject = role_of_scopes(_scopes(claims)), str(claims["sub"])
        if len(subject) > _LONGEST_SUBJECT or not subject.isprintable():
            return self._invalid("the token's subject cannot be a name")
        if role is None:
            message = f"the token has none of the scopes {', '.join(SCOPES)}"
            return Refused(403, message, self._challenge("insufficient_scope", message, f"rolltop:{Role.READER}"))
        linked = self.users.by_subject(subject) if self.users is not None else None
        if linked is not None and linked.revoked is not None:
            return self._invalid("the user of the token was revoked")
        expires = float(claims["exp"])
        if linked is None:
            principal = Principal(f"oauth:{subject}", {MAIN: role}, at_most=role)
            return Admitted(principal, lambda: time.time() < expires)
        principal = Principal(linked.principal.name, linked.roles, at_most=role)
        return Admitted(principal, lambda: time.time() < expires and self._is_linked(subject, linked))

    def _is_users(self, token: str, user: User) -> bool:
        """Whether a token is still that user's, with the same roles."""
        now = self.users.authenticate(token) if self.users is not None else None
        return now is not None and (now.name, now.roles) == (user.name, user.roles)

    def _is_linked(self, subject: str, user: User) -> bool:
        now = self.users.by_subject(subject) if self.users is not None else None
        return now is not None and (now.name, now.roles, now.revoked) == (user.name, user.roles, None)

    def _invalid(self, message: str) -> Refused:
        return Refused(401, message, self._challenge("invalid_token", message))

    def _challenge(self, error: str = "", description: str = "", scope: str = "") -> str:
        """`WWW-Authenticate`. Without a token it names no error, as RFC 6750 says."""
        fields = {"realm": "rolltop", "error": error, "error_description": description, "scope": scope}
        if self._verifier is not None:
            base, _, path = self._resource.partition("://")[2].partition("/")
            scheme = self._resource.partition("://")[0]
            fields["resource_metadata"] = f"{scheme}://{base}{METADATA_PATH}/{path}"
            fields["scope"] = scope or (_USUAL_SCOPES if not error else "")
        return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in fields.items() if value)


def _always() -> bool:
    return True


def _scopes(claims: Mapping[str, Any]) -> list[str]:
    """The scopes of a token: `scope` as RFC 9068 has it, or `scp`, as a text or as a list."""
    found: list[str] = []
    for claim in ("scope", "scp"):
        value = claims.get(claim)
        if isinstance(value, str):
            found += value.split()
        elif isinstance(value, list):
            found += [each for each in value if isinstance(each, str)]
    return found
