"""One R process that stays: state between calls, a time limit for each."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from rolltop.confine.cancellation import Cancel, in_loop, in_thread
from rolltop.confine.channel import OnProgress
from rolltop.confine.resident import Resident
from rolltop.confine.result import Confinement
from rolltop.confine.sandbox import Sandbox
from rolltop.confine.warm_process import START_SECONDS, Program, WarmProcess
from rolltop.errors import ForeignFailure, MemoryLimit, PartMissing

__all__ = [
    "RAnswer",
    "RCondition",
    "RError",
    "RWorker",
    "call_request",
    "eval_request",
    "read_answer",
    "source_request",
    "start_r",
]


_SCRIPTS = tuple(Path(__file__).with_name(name) for name in ("json.R", "read.R", "worker.R"))
_INSIDE = "/run/rolltop/worker.R"
_INSTALL = "On Debian: apt-get install r-base-core r-cran-jsonlite"
_OWN_FRAMES = re.compile(
    r"\n *\d+: (?:eval\((?:expression|invocation), |perform\(request\)).*?(?=\nAn irrecoverable|\Z)", re.DOTALL
)
"""Where a crashed R goes on from the user's calls to ours, with all of our source."""


def start_r(
    sandbox: Sandbox,
    *,
    files: Sequence[str] = (),
    packages: Sequence[str] = (),
    code: str = "",
    template: bool = False,
    cancel: Cancel | None = None,
) -> WarmProcess:
    """An R process that has sourced the files (paths inside the sandbox), attached the packages and run the code.

    As a `template` it forks for each job. `cancel` ends the start.
    """
    placed = {**sandbox.files, _INSIDE: b"".join(path.read_bytes() for path in _SCRIPTS)}
    binary = _binary() if template else None
    if binary is not None:
        placed[str(binary)] = binary.read_bytes()
        sandbox = replace(sandbox, unreadable=frozenset({str(binary)}))
    process = WarmProcess(_program(), replace(sandbox, files=placed), template=template, cancel=cancel)
    try:
        if files or packages or code:
            inside = [process.child.inside(path) for path in files]
            read_answer(process.ask(source_request(inside, packages, code), START_SECONDS, cancel=cancel))
        process.mark_ready()
    except BaseException:
        process.close()
        raise
    return process


def _program() -> Program:
    r = _find_r()
    return Program(
        "R", lambda fds: [r, "--no-echo", "--vanilla", f"--file={_INSIDE}", "--args", *fds], _INSTALL, _OWN_FRAMES
    )


def _find_r() -> str:
    program = shutil.which("R", path="/usr/local/bin:/usr/bin:/bin:/opt/R/bin")
    if program is None:
        raise PartMissing("R is not installed", hint=_INSTALL)
    return program


@cache
def _binary() -> Path | None:
    """The program behind the script R; None where it is not where R says it is."""
    home = subprocess.run([_find_r(), "RHOME"], capture_output=True, text=True, check=False).stdout.strip()
    binary = Path(home, "bin/exec/R").resolve()
    return binary if home and binary.is_file() and binary.is_relative_to("/usr") else None


def call_request(function: str, args: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """Positional arguments travel under numbers: as an array R would make one vector of them."""
    if isinstance(args, Mapping):
        return {"op": "call", "code": function, "args": dict(args), "positional": False}
    numbered = {str(number): value for number, value in enumerate(args)}
    return {"op": "call", "code": function, "args": numbered, "positional": True}


def eval_request(code: str) -> dict[str, Any]:
    return {"op": "eval", "code": code}


def source_request(files: Sequence[str], packages: Sequence[str], code: str = "") -> dict[str, Any]:
    return {"op": "source", "files": list(files), "packages": list(packages), "code": [code] if code else []}


_NO_MEMORY = ("cannot allocate ", "vector memory exhausted", "memory exhausted")
"""How R begins to say that an allocation was refused."""
_MOST_WARNINGS, _LONGEST_WARNING = 5, 500
"""Of those that an error carries, the last ones."""


@dataclass(frozen=True, slots=True)
class RCondition:
    """A warning, message or error that R code signalled."""

    kind: str
    message: str
    call: str | None = None
    classes: tuple[str, ...] = ()
    trace: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RAnswer:
    """What a call gave: its value as Python data, what it printed, what it warned about."""

    value: Any
    visible: bool
    printed: str
    conditions: tuple[RCondition, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(condition.message for condition in self.conditions if condition.kind == "warning")

    @property
    def messages(self) -> tuple[str, ...]:
        return tuple(condition.message for condition in self.conditions if condition.kind == "message")


class RError(ForeignFailure):
    """R code signalled an error: `condition` has its call and trace, `answer` what was printed before it."""

    code = "r_error"

    def __init__(self, condition: RCondition, answer: RAnswer) -> None:
        where = f" (in {condition.call})" if condition.call else ""
        # R says the reason of many an error in a warning: "cannot open file 'x': No such file or directory".
        warned = [text[:_LONGEST_WARNING] for text in dict.fromkeys(answer.warnings)][-_MOST_WARNINGS:]
        told = "".join(f"; warning: {text}" for text in warned)
        details = {"trace": list(condition.trace), **({"warnings": warned} if warned else {})}
        super().__init__(f"R: {condition.message}{where}{told}", details=details)
        self.condition = condition
        self.answer = answer


def read_answer(fields: Mapping[str, Any]) -> RAnswer:
    """The answer in a frame; raises `RError` when it holds one."""
    conditions = tuple(_condition(item) for item in fields.get("conditions") or ())
    printed = "".join(f"{line}\n" for line in fields.get("printed") or ())
    answer = RAnswer(fields.get("value"), bool(fields.get("visible")), printed, conditions)
    if error := fields.get("error"):
        condition = _condition({"kind": "error", **error})
        if condition.message.startswith(_NO_MEMORY):
            raise MemoryLimit(
                f"R needed more memory than it is allowed: {condition.message}",
                hint="Use less data at once.",
                details={"trace": list(condition.trace)},
            )
        raise RError(condition, answer)
    return answer


def _condition(fields: Mapping[str, Any]) -> RCondition:
    return RCondition(
        kind=str(fields.get("kind")),
        message=str(fields.get("message")).rstrip("\n"),
        call=fields.get("call") or None,
        classes=tuple(fields.get("class") or ()),
        trace=tuple(fields.get("trace") or ()),
    )


class RWorker:
    """An R process in the sandbox. Started at first use; safe to share between threads, one call at a time.

    `limits.seconds` is the time of one call. `files` (paths inside the sandbox) and `packages` are loaded
    whenever a process starts; after a crash or a killed call the next call starts a new process, and
    `generation` counts on. Variables that calls assigned are lost with their process.
    """

    def __init__(
        self, sandbox: Sandbox | None = None, *, files: Sequence[str] = (), packages: Sequence[str] = ()
    ) -> None:
        self._sandbox = sandbox or Sandbox()
        self._files, self._packages = list(files), list(packages)
        self._resident = Resident(self._start)
        self.version = ""
        """Of R; known once a process was started."""

    @property
    def generation(self) -> int:
        """How many processes were started."""
        return self._resident.generation

    def call(
        self,
        function: str,
        args: Mapping[str, Any] | Sequence[Any] = (),
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> RAnswer:
        """Call an R function, given by name (`stats::median`) or source (`function(x) x + 1`).

        Arguments are named (a mapping) or positional (a sequence); JSON arrays arrive as R vectors, arrays of
        objects as data frames. What the code gives to `rolltop_progress()` reaches `on_progress` at once.
        """
        return self._ask(call_request(function, args), timeout, on_progress)

    def evaluate(self, code: str, *, timeout: float | None = None) -> RAnswer:
        """Run R code in the global environment; the value is that of its last expression."""
        return self._ask(eval_request(code), timeout)

    def load(self, *, files: Sequence[str] = (), packages: Sequence[str] = (), timeout: float | None = None) -> RAnswer:
        """Source R files (paths inside the sandbox) and attach packages, now and in every later process."""
        answer = self._ask(source_request(files, packages), timeout)
        self._files += files
        self._packages += packages
        return answer

    async def call_async(
        self,
        function: str,
        args: Mapping[str, Any] | Sequence[Any] = (),
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the same words as `call`
        on_progress: OnProgress | None = None,
    ) -> RAnswer:
        """`call` for asyncio; cancelling the task kills the R process. `on_progress` is called in the loop."""
        told, request = in_loop(on_progress), call_request(function, args)
        return await in_thread(lambda cancel: self._ask(request, timeout, told, cancel))

    @property
    def confinement(self) -> Confinement | None:
        """How the running process is confined; None while there is none."""
        process = self._resident.process
        return process.confinement if process is not None else None

    def _start(self) -> WarmProcess:
        process = start_r(self._sandbox, files=self._files, packages=self._packages)
        self.version = str(process.greeting.get("version"))
        return process

    def _ask(
        self,
        request: Mapping[str, Any],
        timeout: float | None,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> RAnswer:
        seconds = self._sandbox.limits.seconds if timeout is None else timeout
        frame = self._resident.ask(request, seconds, on_progress, cancel)
        try:
            return read_answer(frame)
        except (AttributeError, TypeError, ValueError):
            self._resident.discard()  # what answers so would answer the next call no better
            raise ForeignFailure(
                "the R process ended during the call: it gave an answer that is none",
                hint="The code changed R itself. The next call starts a new process; its state is lost.",
            ) from None

    def close(self) -> None:
        """End the process for good."""
        self._resident.close()

    def __enter__(self) -> RWorker:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()
