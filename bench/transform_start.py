"""What a cold `rolltop transform -e` costs: CPU time of whole processes, beside a bare Python and jq."""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from _measure import save, table

DATA = b'{"a": {"b": [1, 2, 3]}}'
ROUNDS = 21


def cpu(command: list[str], environment: dict[str, str]) -> list[float]:
    """Milliseconds of user and system time: the least and the median."""
    times = []
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, input=DATA, capture_output=True, check=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
    return [min(times), statistics.median(times)]


def main() -> None:
    # Installed programs have their bytecode beside them; a shell that forbids it would measure the compiler.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    rolltop = str(Path(sys.executable).with_name("rolltop"))
    commands = {
        "rolltop transform -e .a.b": [rolltop, "transform", "-e", ".a.b"],
        "rolltop transform -e 'sum(map(…))'": [rolltop, "transform", "-e", "sum(map(.a.b, x => x * 2))"],
        "python -I -S -c pass": [sys.executable, "-I", "-S", "-c", "pass"],
        "python -c 'import click, orjson'": [sys.executable, "-c", "import click, orjson"],
    }
    if shutil.which("jq"):
        commands["jq .a.b"] = ["jq", ".a.b"]
    cpu(commands["rolltop transform -e .a.b"], environment)
    rows = {name: cpu(command, environment) for name, command in commands.items()}
    bare = rows["python -I -S -c pass"][1]
    table(
        ["milliseconds of CPU", "least", "median", "times bare Python"], [[n, *r, r[1] / bare] for n, r in rows.items()]
    )
    save("transform_start", rows)


if __name__ == "__main__":
    main()
