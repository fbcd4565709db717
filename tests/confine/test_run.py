"""A program runs confined, and says how it ended."""

from rolltop.confine import Limits, Sandbox, run


def shell(script: str, **limits: float) -> str:
    return run(["/bin/sh", "-c", script], Sandbox(Limits(**limits))).check().stdout.decode()


def test_output_and_exit_code_come_back() -> None:
    finished = run(["/bin/sh", "-c", "echo out; echo err >&2; exit 3"])
    assert (finished.reason, finished.exit_code, finished.stdout, finished.stderr) == ("exit", 3, b"out\n", b"err\n")


def test_the_program_is_not_root_and_has_no_capabilities() -> None:
    status = shell("cat /proc/self/status")
    assert "CapEff:\t0000000000000000" in status
    assert "NoNewPrivs:\t1" in status


def test_an_endless_loop_ends_in_time() -> None:
    finished = run(["/bin/sh", "-c", "while :; do :; done"], Sandbox(Limits(seconds=0.5)))
    assert finished.reason == "time"
    assert finished.seconds < 2
