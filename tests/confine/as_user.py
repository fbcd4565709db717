"""Runs one confined program for a test, as whoever starts this script; request and result are JSON."""

import json
import sys
from pathlib import Path

from rolltop.confine import Limits, Mount, Sandbox, run, sandbox_backends


def without_namespaces() -> None:
    """Pretend that this machine forbids namespaces, as many containers do."""
    state = sandbox_backends.state_of("landlock")
    walls = tuple(feature for feature in state.features if not feature.startswith("own "))
    alone = sandbox_backends.RungState("landlock", True, walls)
    sandbox_backends.state_of = lambda _: alone  # type: ignore[assignment]


def main() -> None:
    request = json.load(sys.stdin)
    if request["rung"] == "landlock alone":
        without_namespaces()
    mounts = tuple(Mount(Path(source), target, writable) for source, target, writable in request["mounts"])
    rung = request["rung"].split()[0]
    finished = run(
        request["argv"],
        Sandbox(Limits(**request["limits"]), mounts=mounts, rungs=(rung,), hosts=tuple(request["hosts"])),
    )
    json.dump(
        {
            "reason": finished.reason,
            "exit_code": finished.exit_code,
            "signal": finished.signal,
            "stdout": finished.stdout.decode("latin-1"),
            "stderr": finished.stderr.decode("latin-1"),
            "seconds": finished.seconds,
            "rung": finished.confinement.rung,
            "features": finished.confinement.features,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
