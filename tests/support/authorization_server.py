"""A real OAuth 2.1 authorization server for tests: Authlib on Flask, in a process of its own.

`python authorization_server.py` listens on a free port and prints its URL. It registers clients, signs in whoever
`/authorize?…&user=NAME` names without a question, gives JWTs (RFC 9068) for the `resource` that was asked for, and
changes its key at `/rotate`.
"""

from __future__ import annotations

import contextlib
import logging
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["authorization_server"]


@contextlib.contextmanager
def authorization_server() -> Iterator[str]:
    """The URL of an authorization server that runs meanwhile."""
    process = subprocess.Popen([sys.executable, str(Path(__file__))], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert select.select([process.stdout], [], [], 120)[0], "the authorization server did not start"
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


def serve() -> None:
    from authlib.integrations.flask_oauth2 import AuthorizationServer
    from authlib.oauth2.rfc6749 import ClientMixin, grants
    from authlib.oauth2.rfc7591 import ClientRegistrationEndpoint
    from authlib.oauth2.rfc7636 import CodeChallenge
    from authlib.oauth2.rfc9068 import JWTBearerTokenGenerator
    from flask import Flask, jsonify, request
    from joserfc import jwk
    from werkzeug.serving import make_server

    app = Flask(__name__)
    listener = make_server("127.0.0.1", 0, app, threaded=True)
    url = f"http://127.0.0.1:{listener.server_port}"
    clients: dict[str, Any] = {}
    codes: dict[str, Any] = {}
    keys = [jwk.RSAKey.generate_key(2048, {"kid": "1", "use": "sig", "alg": "RS256"})]

    class User:
        def __init__(self, name: str) -> None:
            self.name = name

        def get_user_id(self) -> str:
            return self.name

    class Client(ClientMixin):
        def __init__(self, client_id: str, metadata: dict[str, Any]) -> None:
            self.client_id, self.client_metadata = client_id, metadata
            self.client_info = {"client_id": client_id}

        def get_client_id(self) -> str:
            return self.client_id

        def get_default_redirect_uri(self) -> str:
            return str(self.client_metadata["redirect_uris"][0])

        def get_allowed_scope(self, scope: str) -> str:
            return " ".join(each for each in scope.split() if each.startswith("rolltop:") or each == "profile")

        def check_redirect_uri(self, redirect_uri: str) -> bool:
            return redirect_uri in self.client_metadata["redirect_uris"]

        def check_client_secret(self, client_secret: str) -> bool:
            return False

        def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
            return method == "none"

        def check_response_type(self, response_type: str) -> bool:
            return response_type == "code"

        def check_grant_type(self, grant_type: str) -> bool:
            return grant_type == "authorization_code"

    class Code:
        def __init__(self, code: str, asked: Any) -> None:
            payload = asked.payload
            self.code, self.client_id, self.user = code, asked.client.client_id, asked.user
            self.redirect_uri, self.scope = payload.redirect_uri, payload.scope
            self.code_challenge = payload.data.get("code_challenge")
            self.code_challenge_method = payload.data.get("code_challenge_method")
            self.auth_time = time.time()

        def get_redirect_uri(self) -> str:
            return self.redirect_uri

        def get_scope(self) -> str:
            return self.scope

    class Grant(grants.AuthorizationCodeGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ("none",)

        def save_authorization_code(self, code: str, request: Any) -> None:
            codes[code] = Code(code, request)

        def query_authorization_code(self, code: str, client: Any) -> Any:
            found = codes.get(code)
            return found if found is not None and found.client_id == client.client_id else None

        def delete_authorization_code(self, authorization_code: Any) -> None:
            codes.pop(authorization_code.code, None)

        def authenticate_user(self, authorization_code: Any) -> Any:
            return authorization_code.user

    class Tokens(JWTBearerTokenGenerator):
        def get_jwks(self) -> Any:
            return jwk.KeySet([keys[-1]])

        def get_audiences(self, client: Any, user: Any, scope: str) -> Any:
            return request.form.get("resource", "")

    class Registration(ClientRegistrationEndpoint):
        def authenticate_token(self, request: Any) -> Any:
            return True

        def get_server_metadata(self) -> dict[str, Any]:
            return metadata()

        def save_client(self, client_info: Any, client_metadata: Any, request: Any) -> Any:
            return clients.setdefault(client_info["client_id"], Client(client_info["client_id"], client_metadata))

    def metadata() -> dict[str, Any]:
        return {
            "issuer": url,
            "authorization_endpoint": f"{url}/authorize",
            "token_endpoint": f"{url}/token",
            "registration_endpoint": f"{url}/register",
            "jwks_uri": f"{url}/keys",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
        }

    server = AuthorizationServer(app, query_client=clients.get, save_token=lambda token, request: None)
    server.register_grant(Grant, [CodeChallenge(required=True)])
    server.register_token_generator("default", Tokens(issuer=url))
    server.register_endpoint(Registration)

    @app.get("/.well-known/oauth-authorization-server")
    def well_known() -> Any:
        return jsonify(metadata())

    @app.get("/keys")
    def published() -> Any:
        return jsonify({"keys": [keys[-1].as_dict(private=False)]})

    @app.post("/rotate")
    def rotate() -> Any:
        keys.append(jwk.RSAKey.generate_key(2048, {"kid": str(len(keys) + 1), "use": "sig", "alg": "RS256"}))
        return jsonify({"kid": keys[-1].kid})

    @app.get("/authorize")
    def authorize() -> Any:
        grant = server.get_consent_grant(end_user=User(request.args["user"]))
        return server.create_authorization_response(grant_user=User(request.args["user"]), grant=grant)

    @app.post("/token")
    def token() -> Any:
        return server.create_token_response()

    @app.post("/register")
    def register() -> Any:
        return server.create_endpoint_response("client_registration")

    print(url, flush=True)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    listener.serve_forever()


if __name__ == "__main__":
    import os

    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # http on this machine
    serve()
