"""Who may do what: users with tokens, roles in spaces, and the tokens of an OAuth authorization server.

A plain library. `Users` keeps names, tokens (hashed) and roles in one SQLite file of the workspace; `JwtVerifier`
checks access tokens against the keys of their issuer. The server turns a token into a `Principal` and asks its role.
See docs/design/access.md.
"""

from typing import TYPE_CHECKING

from rolltop.access.principal import MAIN, SCOPES, Principal, Role, is_member, role_of_scopes
from rolltop.base.lazy_imports import lazy_attributes

if TYPE_CHECKING:
    from rolltop.access.jwt_tokens import InvalidToken, IssuerUnavailable, JwtVerifier
    from rolltop.access.users import FILE, User, Users, is_space_name

__all__ = [
    "FILE",
    "MAIN",
    "SCOPES",
    "InvalidToken",
    "IssuerUnavailable",
    "JwtVerifier",
    "Principal",
    "Role",
    "User",
    "Users",
    "is_member",
    "is_space_name",
    "role_of_scopes",
]

# Over stdio only roles are needed.
__getattr__ = lazy_attributes(
    __name__, {"jwt_tokens": "InvalidToken IssuerUnavailable JwtVerifier", "users": "FILE User Users is_space_name"}
)
