"""Order to invoice on large inputs and on one small document, against other engines doing the same job.

CPU seconds of whole processes (user and system), peak memory, one after the other in one run; every output is compared
with the one of hand-written Python. `--scale 1` is 100 MB of JSON array, 1M JSON lines, 100 MB of CSV, 50 MB of XML.

Everything:    python bench/transform.py --scale 1
One part:      python bench/transform.py --scale 1 --jobs csv
One engine:    python bench/transform.py --scale 1 --jobs lines --engines gojq
Only the data: python bench/transform.py --scale 1 --jobs array lines csv xml --engines none

Results of one scale are kept and added to, so that parts measured one by one end in one table. `flat` is the time for
a record and the memory from 1 MB to 1 GB (at scale 1), fed through a pipe; `original` compares with the original
UTL-X by way of the peers that were measured beside it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import orjson

from _measure import RESULTS, save, table
from _transform_data import Data
from _transform_engines import INVOICE, PEERS, PYPI, TARGETS, engines, rolltop
from _transform_original import HEADINGS, bridged

KEPT = RESULTS / "transform"
HAND = "hand-written Python"
QUICK = 5.0
"""CPU seconds up to which a command is measured again, for the least of several times."""
PARTS = ["small", "array", "lines", "csv", "xml", "flat", "original"]
Rows = list[dict[str, Any]]

RUNNER = """
import json, os, subprocess, sys
for line in sys.stdin:
    command, output, feed = json.loads(line)
    feeder = subprocess.Popen([sys.executable, "-I", "-S", *feed], stdout=subprocess.PIPE) if feed else None
    with open(output, "wb") as sink:
        process = subprocess.Popen(command, stdin=feeder and feeder.stdout, stdout=sink)
        if feeder:
            feeder.stdout.close()
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    print(json.dumps([status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]), flush=True)
    if feeder:
        feeder.wait()
"""
"""A small process that starts the others: memory is counted from the fork on, and this one holds the results."""


@cache
def runner() -> subprocess.Popen[str]:
    # Installed programs have their bytecode beside them; a shell that forbids it would measure the compiler.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(KEPT / "pypi")
    command = [sys.executable, "-I", "-S", "-c", RUNNER]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def run(command: list[str], output: Path | None = None, feed: list[str] | None = None) -> tuple[float, float]:
    """CPU seconds and peak megabytes of a process; `output` is for its standard output."""
    process = runner()
    assert process.stdin is not None
    assert process.stdout is not None
    print(json.dumps([command, str(output or os.devnull), feed]), file=process.stdin, flush=True)
    status, cpu, memory = json.loads(process.stdout.readline())
    if status:
        raise RuntimeError(f"{command[0]} failed")
    return cpu, memory


def least(command: list[str], output: Path | None, rounds: int, feed: list[str] | None = None) -> tuple[float, float]:
    found = [run(command, output, feed)]
    while len(found) < rounds and found[0][0] < QUICK:
        found.append(run(command, output, feed))
    return min(found)


# ---- equal outputs --------------------------------------------------------------------------


def records(path: Path, kind: str) -> Iterator[Any]:
    """The results one by one; those of lines may be too many to hold."""
    if kind != "lines":
        yield from orjson.loads(path.read_bytes())
        return
    with path.open("rb") as source:
        yield from map(orjson.loads, source)


def same(left: Any, right: Any) -> bool:
    """Equal, up to the last digits of sums."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)
    return bool(left == right)


def equal(left: Path, right: Path, kind: str) -> bool:
    pairs = zip_longest(records(left, kind), records(right, kind))
    return all(one == other or same(one, other) for one, other in pairs)


# ---- large inputs ---------------------------------------------------------------------------


def large(kind: str, source: Path, wanted: set[str] | None, skip: set[str], rounds: int) -> Rows:
    """The engines that are asked for; what is to come out is kept beside the data."""
    expected = source.with_name(source.name + ".expected")
    output = KEPT / f"{kind}-out"
    rows = []
    for name, (command, stdout) in engines(kind, KEPT, source, output).items():
        needed = name == HAND and not expected.exists() and wanted != {"none"}
        if name in skip or not (wanted is None or name in wanted or needed):
            continue
        if stdout and shutil.which(command[0]) is None:
            print(f"  {name}: not here")
            continue
        cpu, memory = least(command, output if stdout else None, rounds)
        if name == HAND:
            shutil.copy(output, expected)
        rows.append(row(kind, name, cpu, memory, equal(output, expected, kind)))
    return rows


def row(job: str, engine: str, cpu: float, memory: float, is_equal: bool) -> dict[str, Any]:
    return {"job": job, "engine": engine, "cpu": cpu, "memory": memory, "equal": is_equal}


# ---- one small document ---------------------------------------------------------------------


def micros(work: Callable[[], Any], rounds: int = 3000) -> float:
    """CPU microseconds of one call: the best of several batches."""
    best = math.inf
    for _ in range(10):
        started = time.process_time()
        for _ in range(rounds // 10):
            work()
        best = min(best, (time.process_time() - started) / (rounds // 10) * 1e6)
    return best


def small(data: bytes) -> Rows:
    """One order, bytes to bytes, the program compiled before."""
    sys.path.insert(0, str(PEERS))
    from transform_hand import invoice

    from rolltop.transform import compile_program

    program = compile_program("let o = $input\n" + INVOICE)
    for _ in range(100):  # generated code pays from some runs on
        program.apply(data)
    expected = invoice(orjson.loads(data))
    assert same(json.loads(program.apply(data)), expected)
    job = "small, µs"
    rows = [
        row(job, HAND, micros(lambda: orjson.dumps(invoice(orjson.loads(data)))), 0.0, True),
        row(job, "rolltop", micros(lambda: program.apply(data)), 0.0, True),
    ]
    script = jsonata()
    if script is not None:
        path = KEPT / "small.json"
        path.write_bytes(data)
        found = json.loads(subprocess.run(["node", script, path], capture_output=True, check=True).stdout)
        rows.append(row(job, "jsonata-js", found["micros"], 0.0, same(found["output"], expected)))
    return rows


def jsonata() -> Path | None:
    """The npm package, installed once."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        print("  jsonata-js: node and npm are not here")
        return None
    if not (KEPT / "node_modules").exists():
        (KEPT / "package.json").write_text('{"type": "module"}')
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "jsonata@2"], cwd=KEPT, check=True)
    return Path(shutil.copy(PEERS / "transform_jsonata.mjs", KEPT))


def install_peers() -> None:
    """What comes from PyPI, beside the project's own environment."""
    if not (KEPT / "pypi").exists():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--target", str(KEPT / "pypi"), *PYPI], check=True)


# ---- the time for a record ------------------------------------------------------------------


def flatness(data: Data, scale: float) -> Rows:
    """From 1 MB on, without what one record takes: one MB of records, fed through a pipe again and again."""
    rows = []
    for kind, make in (("array", data.array), ("csv", data.table)):
        base, _ = fed(kind, make(1), 1)
        source = make(1_000_000)
        count = source.read_bytes().count(b"ORD-")
        for times in (times for times in (1, 10, 100, 1000) if times <= 1000 * scale):
            cpu, memory = fed(kind, source, times)
            each = (cpu - base) / (count * times) * 1e6
            rows.append({"input": kind, "MB": times, "µs a record": each, "cpu": cpu, "memory MB": memory})
    return rows


def fed(kind: str, source: Path, times: int) -> tuple[float, float]:
    feed = [str(PEERS / "transform_feed.py"), kind, str(source), str(times)]
    format_ = {"array": "json"}.get(kind, kind)
    return least(rolltop(kind, KEPT, "-", KEPT / "out", "--from", format_, "--stream"), None, 3, feed)


# ---- together -------------------------------------------------------------------------------


def kept(scale: float) -> dict[str, Any]:
    """What was measured before at this scale."""
    path = RESULTS / "transform.json"
    if path.exists():
        found: dict[str, Any] = json.loads(path.read_text())["result"]
        if found.get("scale") == scale:
            return found
    return {"scale": scale, "rows": [], "flat": []}


def merged(before: Rows, now: Rows) -> Rows:
    known = {(one["job"], one["engine"]): one for one in [*before, *now]}
    order = {job: at for at, job in enumerate(["small, µs", *PARTS])}
    return sorted(known.values(), key=lambda one: order[one["job"]])


def show(rows: Rows) -> None:
    ours = {one["job"]: one["cpu"] for one in rows if one["engine"] == "rolltop"}
    lines = []
    for one in rows:
        times = one["cpu"] / ours[one["job"]] if one["job"] in ours else math.nan
        target = TARGETS[one["job"]].get(one["engine"])
        verdict = "" if target is None else f"{target:.2f} {'met' if times >= target else 'missed'}"
        lines.append([one["job"], one["engine"], one["cpu"], times, verdict, one["memory"], one["equal"]])
    table(["job", "engine", "cpu", "x rolltop", "target", "memory MB", "equal"], lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=0.1)
    parser.add_argument("--jobs", nargs="*", default=PARTS, choices=PARTS, help="the parts to measure")
    parser.add_argument("--engines", nargs="*", help="only these; none makes the data and stops")
    parser.add_argument("--skip", nargs="*", default=[], help="engines to leave out")
    parser.add_argument("--rounds", type=int, default=3, help="the least of so many, where one takes under 5 s of CPU")
    asked = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    install_peers()
    data, result = Data(KEPT / "data"), kept(asked.scale)
    make = {
        "array": lambda: data.array(int(100_000_000 * asked.scale)),
        "lines": lambda: data.lines(int(1_000_000 * asked.scale)),
        "csv": lambda: data.table(int(100_000_000 * asked.scale)),
        "xml": lambda: data.xml(int(50_000_000 * asked.scale)),
    }
    rows = small(data.small()) if "small" in asked.jobs else []
    wanted = None if asked.engines is None else set(asked.engines)
    for kind in (kind for kind in make if kind in asked.jobs):
        rows += large(kind, make[kind](), wanted, set(asked.skip), asked.rounds)
        save("transform", result | {"rows": merged(result["rows"], rows)})
    result["rows"] = merged(result["rows"], rows)
    show(result["rows"])
    if "flat" in asked.jobs:
        result["flat"] = flatness(data, asked.scale)
        table(list(result["flat"][0]), [list(one.values()) for one in result["flat"]])
    result["original"] = [dict(zip(HEADINGS, line, strict=True)) for line in bridged(result["rows"], asked.scale)]
    if "original" in asked.jobs:
        table(HEADINGS, [list(line.values()) for line in result["original"]])
    save("transform", result)


if __name__ == "__main__":
    main()
