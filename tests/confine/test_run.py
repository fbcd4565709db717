"""A program runs confined, and says how it ended."""

import asyncio
import contextlib
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from conditions import wait_until, wait_until_async

from rolltop.confine import Cancel, Limits, Mount, Sandbox, run, run_async, sandbox_backends, survey
from rolltop.confine.identity import foreign_identity
from rolltop.confine.result import Rung
from rolltop.confine.sandbox_backends import start_process
from rolltop.errors import Cancelled, ForeignFailure, InvalidInput, NotFound, PartMissing, PermissionDenied, TimeLimit


def shell(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


def test_output_and_exit_code_come_back() -> None:
    finished = run(shell("echo out; echo err >&2; exit 3"))
    assert (finished.reason, finished.exit_code, finished.stdout, finished.stderr) == ("exit", 3, b"out\n", b"err\n")
    assert not finished.ok
    with pytest.raises(ForeignFailure, match="exit code 3") as caught:
        finished.check("the script")
    assert caught.value.details["stderr"] == "err\n"


def test_input_goes_in_also_when_it_is_large_and_unread() -> None:
    assert run(["/bin/cat"], input=b"x" * 3_000_000).stdout == b"x" * 3_000_000
    assert run(["/bin/true"], input=b"x" * 3_000_000).ok


def test_lines_are_told_as_they_come() -> None:
    lines: list[tuple[str, str]] = []
    run(shell("echo one; echo two >&2; printf 'no end'"), on_line=lambda stream, line: lines.append((stream, line)))
    assert sorted(lines) == [("stderr", "two"), ("stdout", "no end"), ("stdout", "one")]


def test_a_listener_that_fails_ends_the_program() -> None:
    def fail(_: str, line: str) -> None:
        raise RuntimeError(line)

    with pytest.raises(RuntimeError, match="one"):
        run(shell("echo one; sleep 60"), on_line=fail)


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(PartMissing, match="no-such-program"):
        run(["no-such-program"])
    with pytest.raises(PartMissing, match="no-such-program"):
        run(["no-such-program"], Sandbox(rungs=("landlock",)))


def test_a_signal_is_told() -> None:
    finished = run(shell("kill -SEGV $$"))
    assert (finished.reason, finished.signal) == ("signal", 11)


def test_files_and_environment_are_there() -> None:
    box = Sandbox(files={"/work/a.txt": b"text"}, env={"GREETING": "hello"}, cwd="/work")
    assert run(shell("cat a.txt; echo $GREETING; pwd"), box).stdout == b"texthello\n/work\n"


def test_the_environment_is_on_nobodys_command_line() -> None:
    box = Sandbox(Limits(seconds=120), env={"TOKEN": "canary-6612"})
    cancel = Cancel()
    thread = threading.Thread(target=run, args=(["/bin/sleep", "612.6"], box), kwargs={"cancel": cancel})
    thread.start()
    wait_until(lambda: any(b"sleep\x00612.6" in command and b"bwrap" not in command for command in commands()))
    seen = list(commands())
    cancel.cancel()
    thread.join()
    assert any(b"bwrap" in command for command in seen)
    assert not any(b"canary-6612" in command for command in seen)


def commands() -> Iterator[bytes]:
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                yield Path(f"/proc/{entry}/cmdline").read_bytes()


def test_another_thread_can_cancel() -> None:
    cancel = Cancel()
    threading.Timer(0.3, cancel.cancel).start()
    finished = run(["/bin/sleep", "60"], cancel=cancel)
    assert finished.reason == "cancelled"
    with pytest.raises(Cancelled):
        finished.check()


def test_a_cancelled_task_ends_the_program_first() -> None:
    async def main() -> None:
        task = asyncio.create_task(run_async(["/bin/sleep", "4321.5"]))
        await wait_until_async(lambda: any(b"4321.5" in command for command in commands()))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert not any(b"4321.5" in command for command in commands())


def test_many_programs_run_at_once() -> None:
    async def main() -> list[bytes]:
        lines: list[str] = []
        runs = [run_async(shell(f"sleep 0.1; echo {n}"), on_line=lambda _, line: lines.append(line)) for n in range(8)]
        finished = await asyncio.gather(*runs)
        await asyncio.sleep(0)
        assert sorted(lines) == [str(n) for n in range(8)]
        return [each.stdout for each in finished]

    assert asyncio.run(main()) == [b"%d\n" % n for n in range(8)]


def test_time_becomes_its_error() -> None:
    with pytest.raises(TimeLimit):
        run(["/bin/sleep", "60"], Sandbox(Limits(seconds=0.3))).check()


@pytest.mark.parametrize("argv", [[], [""], ["a\0b"], ["/bin/echo", "\0"]])
def test_wrong_programs_are_refused(argv: list[str]) -> None:
    with pytest.raises(InvalidInput):
        run(argv)


@pytest.mark.parametrize(
    "argument", ["-rf", "--", "; id", "$(id)", "`id`", "a\nb", "'", '"', "*", "|", "&&", "--args", "ü"]
)
def test_arguments_are_only_arguments(argument: str) -> None:
    assert run(["/usr/bin/printf", "%s", argument]).stdout == argument.encode()
    box = Sandbox(rungs=("landlock",))
    assert run(["/usr/bin/printf", "%s", argument], box).stdout == argument.encode()


@pytest.mark.parametrize(
    "target", ["relative", "/", "/usr", "/proc", "/dev/null", "/a/../b", "/a/", "/a\0", "/etc", "//x"]
)
def test_wrong_places_are_refused(target: str) -> None:
    with pytest.raises(InvalidInput):
        Mount(Path("/srv"), target)
    with pytest.raises(InvalidInput):
        Sandbox(files={target: b""})


@pytest.mark.parametrize("env", [{"": "x"}, {"A=B": "x"}, {"A": "\0"}, {"A\0": "x"}])
def test_wrong_variables_are_refused(env: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        Sandbox(env=env)


@pytest.mark.parametrize(
    "limits", [{"seconds": 0}, {"memory": -1}, {"processes": 0}, {"cpu_seconds": 0}, {"output": 0}]
)
def test_wrong_limits_are_refused(limits: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        Limits(**limits)  # type: ignore[arg-type]


def test_a_missing_mount_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        run(["/bin/true"], Sandbox(mounts=(Mount(tmp_path / "nowhere", "/job"),)))


def test_foreign_code_never_runs_as_root() -> None:
    assert foreign_identity().uid != 0
    if os.geteuid() == 0:
        for user in (0, "root"):
            with pytest.raises(InvalidInput):
                foreign_identity(user)
        private = Path("/root")
        with pytest.raises(PermissionDenied, match="closed to it"):
            run(["/bin/true"], Sandbox(mounts=(Mount(private, "/job"),)))


def test_every_rung_is_reported_with_its_features() -> None:
    for state in survey():
        assert state.usable, state
        assert "limits" in state.features


def test_without_any_rung_nothing_runs_unless_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = sandbox_backends.RungState("bwrap", False, reason="not installed", fix="apt-get install bubblewrap")
    monkeypatch.setattr(sandbox_backends, "state_of", lambda _: missing)
    with pytest.raises(PartMissing, match="not installed") as caught:
        run(["/bin/true"])
    assert caught.value.hint == "apt-get install bubblewrap"
    finished = run(shell("id -u; ulimit -n"), Sandbox(allow_unconfined=True))
    assert finished.confinement.rung == "none"
    assert finished.stdout.split()[0] != b"0"
    assert finished.stdout.split()[1] == b"256"


@pytest.mark.parametrize("rung", ["bwrap", "landlock"])
def test_processes_that_the_user_starts_meanwhile_do_not_count(rung: Rung) -> None:
    script = "read go; for i in 1 2 3 4; do sleep 5 & done; kill $! && echo all started"
    child = start_process(["/bin/sh", "-c", script], Sandbox(Limits(seconds=60, processes=6), rungs=(rung,)))
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    others = [subprocess.Popen([*user, "sleep", "60"]) for _ in range(40)]
    try:
        out, err = child.process.communicate(b"\n", timeout=60)
        assert b"all started" in out, err
    finally:
        child.close()
        for other in others:
            other.kill()
            other.wait()
