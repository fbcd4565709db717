"""What a stdio server answers before its tools are loaded.

The rule: `initialize` and `server/discover` are answered at once, always; `tools/list` is answered at once if the
last start with the same arguments, environment and installation left its list; everything else waits.

A first start introduces itself by the built-in `introduction.txt`. The answers of a start are kept for the next one
in `~/.cache/rolltop/start`. If the kept list turns out to be stale, the client gets `tools/list_changed`.

Only the lightest modules of the standard library are imported here: this is the start-up time that a client sees.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rolltop import __version__

if TYPE_CHECKING:
    from rolltop.server.sdk import Built

__all__ = ["answers_of", "built_in", "cache_path", "keep", "kept_or_built_in", "known_answer"]

FORMAT = 2
HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions that begin with `initialize`."""
MODERN_REVISIONS = ("2026-07-28",)
"""Revisions whose every request carries an envelope in `_meta`."""
CAPABILITIES = {
    "completions": {},
    "logging": {},
    "prompts": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
    "tools": {"listChanged": True},
}
DESCRIPTION = "A desk for AI agents: keep documents, transform data, render reports, serve functions."
SERVER_INFO = {"name": "rolltop", "title": "rolltop", "version": __version__, "description": DESCRIPTION}
TTL_MS = 60_000
"""How long a client may cache a list."""

_VARIABLES = ("ROLLTOP_", "MCP_", "UTLX_", "XDG_", "HOME", "PYTHONPATH", "VIRTUAL_ENV")
_HARMLESS = ("ROLLTOP_WORKSPACE", "ROLLTOP_CONFIG", "ROLLTOP_LOG_LEVEL", "ROLLTOP_LOG_FILE")
_NAMING_OPTIONS = ("--prefix", "--tool-mode", "--toolsets", "--tools", "--exclude-tools", "--catalog-group")

Answers = dict[str, Any]
Id = str | int | None


def kept_or_built_in(path: str, arguments: list[str], env: Mapping[str, str]) -> Answers:
    """The answers of the last such start, or those of a first one."""
    try:
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
    except (OSError, ValueError):
        kept = None
    return kept if isinstance(kept, dict) and kept.get("format") == FORMAT else built_in(arguments, env)


def built_in(arguments: list[str], env: Mapping[str, str]) -> Answers:
    """The answers of a first start: name and capabilities, and instructions if the tools have their usual names."""
    with open(os.path.join(os.path.dirname(__file__), "introduction.txt"), encoding="utf-8") as file:
        instructions = file.read().strip()
    if not _is_usual(arguments, env):
        instructions = instructions.partition("\n")[0]
    return {"format": FORMAT, "introduction": _introductions(CAPABILITIES, instructions), "list": None}


def _is_usual(arguments: list[str], env: Mapping[str, str]) -> bool:
    """True if nothing known here changes which tools are served or what they are called."""
    named = any(argument.startswith(_NAMING_OPTIONS) for argument in arguments)
    told = [key for key in env if key.startswith(("ROLLTOP_", "MCP_")) and key not in _HARMLESS]
    return not named and not told and not os.path.exists(_config(env))


def _introductions(capabilities: Mapping[str, Any], instructions: str | None) -> dict[str, Any]:
    """The results of `initialize` and `server/discover` by revision."""
    said = {"instructions": instructions} if instructions else {}
    handshake = {
        version: {"protocolVersion": version, "capabilities": capabilities, "serverInfo": SERVER_INFO, **said}
        for version in HANDSHAKE_REVISIONS
    }
    discovered = {
        "supportedVersions": list(MODERN_REVISIONS),
        "capabilities": capabilities,
        **said,
        "ttlMs": TTL_MS,
        "cacheScope": "public",
        "resultType": "complete",
        "_meta": {"io.modelcontextprotocol/serverInfo": SERVER_INFO},
    }
    return {**handshake, **dict.fromkeys(MODERN_REVISIONS, discovered)}


def known_answer(line: bytes, answers: Answers, *, introduced: bool) -> tuple[Id, bytes | None, bool]:
    """The id, the reply if it is known, and whether the server has to see the message as well.

    `introduced`: an earlier `initialize` has been answered here.
    """
    try:
        message = json.loads(line)
        method, request_id = message["method"], message["id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None, None, True
    if type(request_id) not in (str, int) or message.get("jsonrpc") != "2.0":
        return None, None, True
    params = message.get("params") if isinstance(message.get("params"), dict) else {}
    result = _known_result(method, params, answers, introduced)
    if result is None:
        return request_id, None, True
    body = '{"jsonrpc":"2.0","id":' + json.dumps(request_id) + ',"result":' + result + "}\n"
    return request_id, body.encode(), method == "initialize"


def _known_result(method: str, params: dict[str, Any], answers: Answers, introduced: bool) -> str | None:
    version = _envelope_version(params)
    if method == "initialize":
        if introduced or not _is_introduction(params):
            return None
        asked = params["protocolVersion"]
        return json.dumps(answers["introduction"][asked if asked in HANDSHAKE_REVISIONS else HANDSHAKE_REVISIONS[-1]])
    if method == "server/discover" and version in MODERN_REVISIONS:
        return json.dumps(answers["introduction"][version])
    if method == "tools/list" and answers["list"] is not None and params.keys() <= {"_meta"}:
        era = "modern" if version in MODERN_REVISIONS else "handshake" if introduced and not params else ""
        listed: str | None = answers["list"].get(era)
        return listed
    return None


def _envelope_version(params: Mapping[str, Any]) -> str | None:
    """The revision in the envelope of a 2026 request, if the envelope is whole and plain."""
    meta = params.get("_meta")
    if not isinstance(meta, dict):
        return None
    prefix = "io.modelcontextprotocol/"
    info, offered = meta.get(f"{prefix}clientInfo"), meta.get(f"{prefix}clientCapabilities")
    whole = isinstance(offered, dict) and all(isinstance(each, dict) for each in offered.values())
    named = f"{prefix}clientInfo" not in meta or _is_implementation(info)
    known = meta.keys() <= {f"{prefix}protocolVersion", f"{prefix}clientInfo", f"{prefix}clientCapabilities"}
    version = meta.get(f"{prefix}protocolVersion")
    return version if whole and named and known and isinstance(version, str) else None


def _is_introduction(params: Mapping[str, Any]) -> bool:
    plain = isinstance(params.get("protocolVersion"), str) and isinstance(params.get("capabilities"), dict)
    return plain and "_meta" not in params and _is_implementation(params.get("clientInfo"))


def _is_implementation(info: Any) -> bool:
    return isinstance(info, dict) and isinstance(info.get("name"), str) and isinstance(info.get("version"), str)


def cache_path(arguments: list[str], env: Mapping[str, str]) -> str:
    """The file for this way of starting: arguments, environment, configuration, attached catalogs, installation."""
    import hashlib  # noqa: PLC0415 - not every start comes here

    attached = os.path.join(_workspace(arguments, env), "catalogs.json")  # brings tools of its own
    switched = os.path.join(_workspace(arguments, env), "switched-off.json")  # takes tools away
    places = [
        _config(env),
        attached,
        switched,
        *_catalogs(arguments),
        *sys.path,
        os.path.dirname(os.path.dirname(__file__)),
    ]
    told = sorted((key, value) for key, value in env.items() if key.startswith(_VARIABLES))
    state = json.dumps([arguments, told, sys.executable, sys.version, [_changed(place) for place in places]])
    digest = hashlib.sha256(state.encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return os.path.join(env.get("XDG_CACHE_HOME") or _home(env, ".cache"), "rolltop", "start", f"{digest}.json")


def _config(env: Mapping[str, str]) -> str:
    folder = env.get("XDG_CONFIG_HOME") or _home(env, ".config")
    return env.get("ROLLTOP_CONFIG") or os.path.join(folder, "rolltop", "config.toml")


def _workspace(arguments: list[str], env: Mapping[str, str]) -> str:
    """Where the workspace is, as far as arguments and environment say."""
    default = os.path.join(env.get("XDG_DATA_HOME") or _home(env, ".local/share"), "rolltop")
    return next(_values(arguments, "--workspace"), None) or env.get("ROLLTOP_WORKSPACE") or default


def _catalogs(arguments: list[str]) -> list[str]:
    return list(_values(arguments, "--catalog"))


def _values(arguments: list[str], option: str) -> Any:
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if argument == option:
            yield following
        elif argument.startswith(f"{option}="):
            yield argument.partition("=")[2]


def _home(env: Mapping[str, str], name: str) -> str:
    return os.path.join(env.get("HOME") or os.path.expanduser("~"), name)


def _changed(place: str) -> int:
    try:
        return os.stat(place).st_mtime_ns
    except OSError:
        return 0


def answers_of(built: Built) -> Answers:
    """The answers of a running server, for its next start."""
    import orjson  # noqa: PLC0415 - loaded by now

    options = built.server.create_initialization_options()
    offered = options.capabilities.model_dump(by_alias=True, mode="json", exclude_none=True)
    capabilities = {name: value for name, value in offered.items() if value or name in CAPABILITIES}  # as the SDK sends
    listed = {
        era: orjson.dumps(built.path.listing.result(modern=era == "modern")).decode() for era in ("handshake", "modern")
    }
    return {
        "format": FORMAT,
        "introduction": _introductions(capabilities, built.server.instructions),
        "list": listed,
    }


def keep(path: str, before: Answers, built: Built) -> bool:
    """Keep the answers for the next start; true if a list that a client may have read is stale."""
    from rolltop.base.atomic_files import write_file  # noqa: PLC0415 - loaded by now

    now = answers_of(built)
    if now == before:
        return False
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_file(path, json.dumps(now).encode("utf-8"), durable=False)
    except OSError:
        pass  # the next start is slower, nothing else
    return before["list"] is not None and before["list"] != now["list"]
