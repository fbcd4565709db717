"""XML in memory: reading, writing, and a program over records, against ElementTree and lxml in the same run.

CPU milliseconds, the best of several rounds. `by pattern` is the program as it runs; `by tree` is the same one with all
records read as values first.
"""

from __future__ import annotations

import argparse
import math
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lxml import etree

from _measure import save, table
from _transform_data import Data
from _transform_engines import XML
from rolltop.transform import Document, compile_program
from rolltop.transform.formats import xml

HERE = Path(__file__).parent


def millis(work: Callable[[], Any], rounds: int) -> float:
    best = math.inf
    for _ in range(rounds):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    folder = HERE / "results" / "transform" / "data"
    data = Data(folder).xml(asked.size).read_bytes()
    value, standard, other = xml.read(data, {}), ElementTree.fromstring(data), etree.fromstring(data)
    program = compile_program(XML)
    documents = {"input": Document(data)}
    by_tree = program.compiled_for_documents
    assert by_tree is not None
    tree_value = by_tree.run(program._with_default(program.read_inputs(documents)))
    assert program.result(documents) == tree_value
    work: dict[tuple[str, str], Callable[[], Any]] = {
        ("read", "ElementTree"): lambda: ElementTree.fromstring(data),
        ("read", "lxml"): lambda: etree.fromstring(data),
        ("read", "rolltop"): lambda: xml.read(data, {}),
        ("write", "ElementTree"): lambda: ElementTree.tostring(standard),
        ("write", "lxml"): lambda: etree.tostring(other),
        ("write", "rolltop"): lambda: xml.write(value, {}).text,
        ("program", "rolltop, by tree"): lambda: by_tree.run(program._with_default(program.read_inputs(documents))),
        ("program", "rolltop, by pattern"): lambda: program.result(documents),
    }
    found = [(job, engine, millis(run, asked.rounds)) for (job, engine), run in work.items()]
    rows = [[job, engine, cpu, len(data) / 1e3 / cpu] for job, engine, cpu in found]
    table(["job", "engine", "ms", "MB/s"], rows)
    save("transform_xml", {"bytes": len(data), "rows": rows})


if __name__ == "__main__":
    main()
