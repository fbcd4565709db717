"""Secrets by name: from the environment of the server, else from the keyring of its user."""

from __future__ import annotations

import importlib
import os

from rolltop.errors import InvalidInput

__all__ = ["secret_value"]

_SERVICE = "rolltop"


def secret_value(name: str) -> str:
    """The value; only its name is ever told."""
    value = os.environ.get(name) or _from_keyring(name)
    if not value:
        raise InvalidInput(
            f"the secret {name} is not set",
            hint=f"Set that variable where the server starts, or use the keyring: keyring set {_SERVICE} {name}",
        )
    return value


def _from_keyring(name: str) -> str | None:
    """The keyring is asked through the package of that name, where it is installed."""
    try:
        keyring = importlib.import_module("keyring")
    except ImportError:
        return None
    try:
        found = keyring.get_password(_SERVICE, name)
    except keyring.errors.KeyringError:  # none that is open: a server without a session has none
        return None
    return str(found) if found else None
