"""Log messages and assertions. Messages are kept with the host and go to its log, never to standard output."""

from __future__ import annotations

from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.host import LEVELS, MOST_SEEN, host
from rolltop.transform.stdlib.serialization.pretty import debug_print, debug_print_compact, described
from rolltop.transform.values import equal, kind_of

_UNSET: Any = object()
_LONGEST = 2_000
_LABEL = {"label": "Put before the message"}


def _note(level: str, message: str) -> None:
    services = host()
    session = services.session
    if len(session.seen) < MOST_SEEN:
        session.seen.append({"level": level, "message": message[:_LONGEST]})
    if LEVELS.index(level) < LEVELS.index(session.level):
        return
    text = message if len(message) <= _LONGEST else message[:_LONGEST] + "…"
    session.entries.append({"level": level, "message": text, "timestamp": services.now()})
    if session.forward:
        services.log(level, text)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else debug_print_compact(value, _LONGEST)


def _labelled(label: str, text: str) -> str:
    return f"{label}: {text}" if label else text


def _at(level: str, message: Any, value: Any) -> Any:
    if value is _UNSET:
        _note(level, _shown(message))
        return message
    _note(level, f"{_shown(message)}: {_shown(value)}")
    return value


@function(
    "log(v: T, label?: String): T",
    category="type",
    examples=[('log(5, "five")', "5"), ("log({a: 1}).a", "1")],
    params=_LABEL,
    pure=False,
)
def log(v: Any, label: str = "") -> Any:
    """Logs a value and returns it."""
    _note("INFO", _labelled(label, _shown(v)))
    return v


@function("trace(message: Any, v?: T): T", category="type", examples=[('trace("step", 5)', "5")], pure=False)
def trace(message: Any, v: Any = _UNSET) -> Any:
    """Logs a message with the level TRACE; returns the value, or the message when there is none."""
    return _at("TRACE", message, v)


@function("debug(message: Any, v?: T): T", category="type", examples=[('debug("step", 5)', "5")], pure=False)
def debug(message: Any, v: Any = _UNSET) -> Any:
    """Logs a message with the level DEBUG; returns the value, or the message when there is none."""
    return _at("DEBUG", message, v)


@function("info(message: Any, v?: T): T", category="type", examples=[('info("step", 5)', "5")], pure=False)
def info(message: Any, v: Any = _UNSET) -> Any:
    """Logs a message with the level INFO; returns the value, or the message when there is none."""
    return _at("INFO", message, v)


@function("warn(message: Any, v?: T): T", category="type", examples=[('warn("careful", 5)', "5")], pure=False)
def warn(message: Any, v: Any = _UNSET) -> Any:
    """Logs a message with the level WARN; returns the value, or the message when there is none."""
    return _at("WARN", message, v)


@function("error(message: Any, v?: T): T", category="type", examples=[('error("went wrong", 5)', "5")], pure=False)
def error(message: Any, v: Any = _UNSET) -> Any:
    """Logs a message with the level ERROR; returns the value, or the message. It does not stop the program."""
    return _at("ERROR", message, v)


@function(
    "logType(v: T, label?: String): T", category="type", examples=[("logType([1])", "[1]")], params=_LABEL, pure=False
)
def log_type(v: Any, label: str = "") -> Any:
    """Logs the type of a value and returns the value."""
    _note("INFO", _labelled(label, kind_of(v)))
    return v


@function(
    "logSize(v: T, label?: String): T", category="type", examples=[("logSize([1])", "[1]")], params=_LABEL, pure=False
)
def log_size(v: Any, label: str = "") -> Any:
    """Logs how many elements, properties or characters a value has, and returns the value."""
    sized = isinstance(v, (str, bytes, list, dict))
    _note("INFO", _labelled(label, str(len(v)) if sized else described(v)))
    return v


@function(
    "logPretty(v: T, label?: String, indent?: Integer): T",
    category="type",
    examples=[('logPretty({a: 1}, "x", 4).a', "1")],
    params=_LABEL | {"indent": "Blanks per level; default 2"},
    pure=False,
)
def log_pretty(v: Any, label: str = "", indent: int = 2) -> Any:
    """Logs a value with its types, one part per line, and returns the value."""
    _note("INFO", _labelled(label, debug_print(v, indent)))
    return v


@function(
    "setLogLevel(level: String): String",
    category="type",
    examples=[('setLogLevel("warn")', '"WARN"'), ('setLogLevel("loud")', "error: no log level")],
    params={"level": "TRACE, DEBUG, INFO (the default), WARN or ERROR"},
    pure=False,
)
def set_log_level(level: str) -> str:
    """From now on, only messages of this level and above are kept."""
    name = level.strip().upper()
    if name not in LEVELS:
        fail(f"there is no log level {level[:20]!r}", hint=f"Use {', '.join(LEVELS)}.")
    host().session.level = name
    return name


@function(
    "setConsoleLogging(on: Boolean): Boolean",
    category="type",
    examples=[("setConsoleLogging(false)", "false")],
    pure=False,
)
def set_console_logging(on: bool) -> bool:
    """Whether messages also go to the log of the host, besides being kept for getLogs."""
    host().session.forward = on
    return on


@function(
    "getLogs(): Array<{ level: String, message: String, timestamp: DateTime }>",
    category="type",
    examples=[('let x = warn("careful") in last(getLogs()).message', '"careful"')],
    pure=False,
)
def get_logs() -> list[dict[str, Any]]:
    """The messages that were kept, the oldest first; at most 10000."""
    return list(host().session.entries)


@function(
    "clearLogs(): Integer",
    category="type",
    examples=[("let x = clearLogs() in logCount()", "0")],
    pure=False,
)
def clear_logs() -> int:
    """Forgets all messages and tells how many there were."""
    entries = host().session.entries
    count = len(entries)
    entries.clear()
    return count


@function("logCount(): Integer", category="type", examples=[("let x = clearLogs() in logCount()", "0")], pure=False)
def log_count() -> int:
    """How many messages are kept."""
    return len(host().session.entries)


@function(
    "startDebugTimer(label?: String): { label: String, started: Number }",
    category="type",
    examples=[('startDebugTimer("load").label', '"load"')],
    pure=False,
)
def start_debug_timer(label: str = "timer") -> dict[str, Any]:
    """A started stop-watch, for endDebugTimer."""
    return {"label": label, "started": host().elapsed()}


@function(
    "endDebugTimer(timer: Object): Number",
    category="type",
    examples=[("endDebugTimer(startDebugTimer()) >= 0", "true"), ("endDebugTimer({})", "error: no timer")],
    pure=False,
)
def end_debug_timer(timer: dict[str, Any]) -> float:
    """Milliseconds since a stop-watch was started; logs them with the level DEBUG."""
    started = timer.get("started")
    if not isinstance(started, (int, float)):
        fail("this is no timer", hint="Give what startDebugTimer(label) returned.")
    elapsed = (host().elapsed() - started) * 1000
    _note("DEBUG", f"{timer.get('label', 'timer')}: {elapsed:.3f} ms")
    return elapsed


@function(
    "assert(condition: Boolean, message?: String): Boolean",
    category="type",
    examples=[('assert(1 < 2, "order")', "true"), ("assert(1 > 2)", "false")],
    pure=False,
)
def assert_(condition: bool, message: str = "assertion failed") -> bool:
    """Logs an error when a condition does not hold; returns whether it holds. It does not stop the program."""
    if not condition:
        _note("ERROR", message)
    return condition


@function(
    "assertEqual(actual: Any, expected: Any, message?: String): Boolean",
    category="type",
    examples=[("assertEqual(1 + 1, 2)", "true"), ('assertEqual([1], [2], "lists")', "false")],
    pure=False,
)
def assert_equal(actual: Any, expected: Any, message: str = "") -> bool:
    """Logs an error when two values differ; returns whether they are equal. It does not stop the program."""
    same = equal(actual, expected)
    if not same:
        _note("ERROR", _labelled(message, f"expected {_shown(expected)}, got {_shown(actual)}"))
    return same
