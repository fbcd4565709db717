"""Write docs/benchmarks.md and its plots from the results that the benchmarks keep: python bench/_page.py [--check]"""

from __future__ import annotations

import html
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS, PLOTS = ROOT / "bench" / "results", ROOT / "docs" / "pictures"
BAR, LABELS, WIDTH = 22, 260, 720

HEAD = """# Benchmarks

<!-- written by bench/_page.py from bench/results -->

Figures of `make bench`, as each benchmark printed them in one run, with peers beside rolltop, also where they win.
Trust ratios and CPU times more than wall times: the machine may have been busy, as its load tells. `bench/results` has
the whole results. Bars show the column that is named above them.
"""


def pages() -> dict[Path, str]:
    """Every file that the kept results make."""
    made, parts = {}, [HEAD]
    for path in sorted(RESULTS.glob("*.json")):
        kept = json.loads(path.read_text("utf-8"))
        where = kept["machine"]
        parts.append(f"## {path.stem.replace('_', ' ').capitalize()}\n\n`{kept['command']}`, {kept['time'][:10]},")
        parts.append(f"{where['processor']}, {where['cores']} cores, {where['system']}, load {where['load']:.1f},")
        parts.append(f"Python {where['python']}, rolltop {where['rolltop']}.\n")
        peers = ", ".join(f"{name} {version}" for name, version in kept.get("versions", {}).items())
        if peers:
            parts.append(f"<details><summary>Versions</summary>{html.escape(peers)}</details>\n")
        for number, table in enumerate(kept["tables"], 1):
            parts.append(markdown(table))
            if (column := plotted(table)) is not None:
                name = f"bench-{path.stem}-{number}.svg"
                made[PLOTS / name] = bars(table, column)
                parts.append(f"![{path.stem}: {table['headings'][column]}](pictures/{name})\n")
    made[ROOT / "docs" / "benchmarks.md"] = "\n".join(parts)
    return made


def markdown(table: dict[str, Any]) -> str:
    rows = [[cell(each) for each in row] for row in table["rows"]]
    headings = [heading or " " for heading in table["headings"]]
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(text.replace("|", "\\|") for text in line) + " |" for line in lines) + "\n"


def cell(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else "" if value is None else str(value)


def plotted(table: dict[str, Any]) -> int | None:
    """The first column of measured numbers."""
    for column in range(1, len(table["headings"])):
        if all(isinstance(row[column], float) for row in table["rows"]) and len(table["rows"]) > 1:
            return column
    return None


def bars(table: dict[str, Any], column: int) -> str:
    most = max(row[column] for row in table["rows"]) or 1
    height = BAR * (len(table["rows"]) + 1) + 10
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="12">',
        f'<text x="{LABELS}" y="16" fill="#888">{html.escape(table["headings"][column])}</text>',
    ]
    for place, row in enumerate(table["rows"], 1):
        top, long = BAR * place + 6, max(1, round((WIDTH - LABELS - 80) * row[column] / most))
        name = html.escape(str(row[0]))
        colour = "#00897b" if "rolltop" in name or place == 1 else "#90a4ae"
        lines += [
            f'<text x="{LABELS - 8}" y="{top + 11}" text-anchor="end" fill="#888">{name}</text>',
            f'<rect x="{LABELS}" y="{top}" width="{long}" height="{BAR - 8}" rx="2" fill="{colour}"/>',
            f'<text x="{LABELS + long + 6}" y="{top + 11}" fill="#888">{row[column]:.2f}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])


def main() -> int:
    made = pages()
    stale = [path for path, text in made.items() if not path.exists() or path.read_text("utf-8") != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is stale; run python bench/_page.py", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(made[path], "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
