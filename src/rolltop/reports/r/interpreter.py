"""Runs the Python and SQL chunks of one document, inside the sandbox of its render.

One request a line on standard input, one answer a line on the file named on the command line. What a chunk prints,
itself or by programs that it starts, is read from a file that stands in for its standard output and error.
"""

from __future__ import annotations

import ast
import base64
import json
import math
import os
import sys
import tempfile
import traceback
from typing import Any

os.environ.setdefault("MPLBACKEND", "Agg")
requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
answers = open(sys.argv[1], "w", encoding="utf-8")  # noqa: SIM115 - for as long as the process lives
printed = tempfile.TemporaryFile()  # noqa: SIM115
space: dict[str, Any] = {"__name__": "__main__"}
shared: dict[str, Any] = {}


def take_printed() -> str:
    """What was printed since this was last asked."""
    sys.stdout.flush()
    sys.stderr.flush()
    printed.seek(shared.get("read", 0))
    data = printed.read()
    shared["read"] = printed.tell()
    return data.decode("utf-8", "replace")


def run_python(request: dict[str, Any]) -> dict[str, Any]:
    """Each statement with what it printed; values of expressions are printed as at the prompt."""
    lines = request["code"].splitlines()
    steps: list[dict[str, str]] = []
    start, error = 0, None
    try:
        statements = ast.parse(request["code"]).body
        for number, statement in enumerate(statements):
            last = number == len(statements) - 1
            end = len(lines) if last else statements[number + 1].lineno - 1
            try:
                exec(compile(ast.Interactive([statement]), "<chunk>", "single"), space)  # noqa: S102 - what it is for
            except BaseException as raised:
                error = raised
            text = take_printed()
            if text or error or last:
                steps.append({"code": "\n".join(lines[start:end]), "text": text})
                start = end
            if error:
                break
    except SyntaxError as raised:
        error = raised
    if error:
        steps.append({"code": "", "text": "", "error": describe(error)})
    return {"steps": steps, "figures": save_figures(request)}


def describe(error: BaseException) -> str:
    trace = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == "<chunk>"]
    line = error.lineno if isinstance(error, SyntaxError) else trace[0].lineno if trace else None
    where = f" (line {line} of the chunk)" if line else ""
    return "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()[-1] + where


def save_figures(request: dict[str, Any]) -> list[str]:
    """The plots that matplotlib has open, as PNG files."""
    plots: Any = sys.modules.get("matplotlib.pyplot")
    paths = []
    for number in plots.get_fignums() if plots else []:
        paths.append(f"{request['figure']}{number}.png")
        os.makedirs(os.path.dirname(paths[-1]) or ".", exist_ok=True)
        plots.figure(number).savefig(paths[-1], dpi=request["dpi"])
    if paths:
        plots.close("all")
    return paths


def run_sql(request: dict[str, Any]) -> dict[str, Any]:
    """The rows of the last statement. Data frames of R are given as CSV files and are views here."""
    try:
        import duckdb  # noqa: PLC0415 - seldom needed, and not always there
    except ImportError as error:
        return {"missing": str(error)}
    try:
        if "database" not in shared:
            shared["database"] = duckdb.connect(":memory:", config={"threads": 1})
        database = shared["database"]
        for name, path in request["frames"].items():
            quoted = name.replace('"', '""')
            view = f"CREATE OR REPLACE VIEW \"{quoted}\" AS SELECT * FROM read_csv('{path}', header=true)"  # noqa: S608
            database.execute(view)
        answer = database.execute(request["code"])
        if answer.description is None:
            return {"columns": []}
        names = [column[0] for column in answer.description]
        rows = answer.fetchmany(request["most"])
        return {
            "columns": [{"name": name, "values": [plain(row[at]) for row in rows]} for at, name in enumerate(names)]
        }
    except Exception as error:
        return {"error": str(error)}


def plain(value: Any) -> Any:
    """As JSON has it; what JSON has not, as text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


for stream in (1, 2):
    os.dup2(printed.fileno(), stream)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
sys.path.insert(0, os.getcwd())
for line in requests:
    wanted = json.loads(line)
    answer = run_sql(wanted) if wanted["language"] == "sql" else run_python(wanted)
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
os._exit(0)
