"""Mask credentials in texts that are stored or shown: by field name, and by pattern."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["mask_json", "mask_text"]

MASK = "***"
_NAMES = r"token|passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|authorization"
_SECRET_NAME = re.compile(_NAMES, re.IGNORECASE)
_NO_SECRET = re.compile(
    r"(?:max|min|budget|num|count|total|estimated|input|output|per)[_-]?\w*tokens?|tokens", re.IGNORECASE
)
_QUOTED = re.compile(rf"""(?i)("[^"\\]{{0,80}}(?:{_NAMES})"\s*:\s*")(?:[^"\\]|\\.)*""")
_BEARER = re.compile(r"""(?i)(\bbearer\s+|\bauthorization:\s*basic\s+)[^\s"',;&]{4,}""")
_PLAIN = re.compile(rf"""(?i)((?:{_NAMES})["']?\s*[=:]\s*["']?)([^\s"',;&]{{4,}})""")
_KEYS = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_KNOWN = re.compile(
    r"\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]+)"
)
"""Key formats of well-known services."""


def mask_json(text: str) -> str:
    """Mask the values of fields such as `password` in a JSON text; other text is masked by pattern."""
    try:
        return json.dumps(_masked(json.loads(text)), ensure_ascii=False)
    except (ValueError, RecursionError):
        return mask_text(text)


def mask_text(text: str) -> str:
    """Mask everything in a text that looks like a credential."""
    text = _KEYS.sub(MASK, _QUOTED.sub(rf"\1{MASK}", text))
    text = _BEARER.sub(rf"\1{MASK}", text)
    return _KNOWN.sub(MASK, _PLAIN.sub(rf"\1{MASK}", text))


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: MASK if _is_secret(key, each) else _masked(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_masked(each) for each in value]
    return mask_text(value) if isinstance(value, str) else value


def _is_secret(name: str, value: Any) -> bool:
    if value is None or isinstance(value, bool | int | float) or not _SECRET_NAME.search(name):
        return False
    return not _NO_SECRET.fullmatch(name)
