"""Who may do what: users with tokens, roles in spaces, and the tokens of an OAuth authorization server.

A plain library. `Users` keeps names, tokens (hashed) and roles in one SQLite file of the workspace; `JwtVerifier`
checks access tokens against the keys of their issuer. The server turns a token into a `Principal` and asks its role.
See docs/design/access.md.
"""

from rolltop.access.jwt_tokens import InvalidToken, IssuerUnavailable, JwtVerifier
from rolltop.access.principal import MAIN, SCOPES, Principal, Role, role_of_scopes
from rolltop.access.users import User, Users, is_space_name

__all__ = [
    "MAIN",
    "SCOPES",
    "InvalidToken",
    "IssuerUnavailable",
    "JwtVerifier",
    "Principal",
    "Role",
    "User",
    "Users",
    "is_space_name",
    "role_of_scopes",
]
