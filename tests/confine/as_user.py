"""Runs one confined program for a test, as whoever starts this script; request and result are JSON."""

import json
import sys
from pathlib import Path

from rolltop.confine import Limits, Mount, Sandbox, run
from rolltop.confine.ladder import survey


def main() -> None:
    request = json.load(sys.stdin)
    if request.get("survey"):
        json.dump({state.rung: state.usable for state in survey()}, sys.stdout)
        return
    mounts = tuple(Mount(Path(source), target, writable) for source, target, writable in request["mounts"])
    sandbox = Sandbox(Limits(**request["limits"]), mounts=mounts, rungs=tuple(request["rungs"]))
    finished = run(request["argv"], sandbox)
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
